"""A letter as the mail that leaves: text, HTML and picture, and the headers that mail programs act on.

The same letter always makes the same bytes: identifiers and boundaries are derived from the site's secret and the
letter's own ids, so mail programs recognise a mail that is sent twice.
"""

from __future__ import annotations

import hmac
import re
from email.utils import format_datetime
from functools import lru_cache

from pbem.kit.contract import AnyGame, Mark
from pbem.mail import mime
from pbem.mail.harmless import make_harmless
from pbem.mail.letters import Letter, MatchLetter, PlayLetter
from pbem.mail.mime import Mail
from pbem.mail.words import words
from pbem.render import pictures

PICTURE_WIDTH = 780
"""In pixels: twice the width of a portrait board, and half again the width at which a mail shows it."""
MARK_WIDTH = 48
"""In pixels: twice the width at which a mail shows the symbol of an answer."""


def compose(letter: Letter, secret: str) -> Mail:
    """Returns the mail of a letter, ready to send to `letter.to`.

    Raises ValueError for an invalid address; TooLarge, also a ValueError, if the HTML is too large.
    """
    letter = make_harmless(letter)
    host = letter.sender.address.rpartition("@")[2]
    token = _token(secret, "picture", letter.row)
    cid = f"board-{token}@{host}"
    marks = {mark: f"{mark.symbol}-{mark.colour}-{token}@{host}" for mark in _marks(letter)}
    rendered = words(letter, cid, marks)
    message = {"Subject": mime.phrase("Subject", letter.subject_line(rendered.subject))}
    _address(message, letter, rendered.sender, secret)
    html = mime.text("html", rendered.html)
    if isinstance(letter, PlayLetter) and letter.board.svg is not None:
        drawn = [mime.picture(draw_board(letter.game, letter.board.svg, letter.names), "board.png", cid)]
        drawn += [
            mime.picture(draw_mark(letter.game, mark), f"{mark.symbol}.png", marks[mark]) for mark in letter.marks
        ]
        kind, body = mime.multipart("related", _boundary(letter, secret, 1), html, *drawn)
        html = mime.head({"Content-Type": kind}) + body
    kind, body = mime.multipart("alternative", _boundary(letter, secret, 0), mime.text("plain", rendered.text), html)
    message |= {"MIME-Version": "1.0", "Content-Type": kind, "Content-Language": letter.lang}
    return Mail(message["Message-ID"], mime.head(message) + body, letter.return_path)


def message_id(kind: str, row: int, host: str, secret: str) -> str:
    """Returns the Message-ID of the mail made from an outbox row: always the same, and opaque but for `row_named`.

    The number of the row is covered: it would tell how many mails have left to others, and so who has answered.
    """
    token = _token(secret, "message", kind, row)
    return f"<{kind}-{token}{row ^ _cover(secret, token):012x}@{host}>"


def row_named(said: str, secret: str) -> int | None:
    """Returns the outbox row of this site's mail with this Message-ID, whatever its case; None if there is none.

    >>> row_named(message_id("turn", 41, "pbem.example", "a secret"), "a secret")
    41
    """
    found = _OURS.fullmatch(said.strip().casefold())
    if found is None:
        return None
    row = int(found["row"], 16) ^ _cover(secret, found["token"])
    right = hmac.compare_digest(found["token"], _token(secret, "message", found["kind"], row))
    return row if right else None


_OURS = re.compile(r"<?(?P<kind>[a-z]+)-(?P<token>[0-9a-f]{24})(?P<row>[0-9a-f]{12})@[^@\s<>]+>?")


def _cover(secret: str, token: str) -> int:
    """Returns the number under which the row of the mail with this token is hidden."""
    return int(_token(secret, "row", token)[:12], 16)


def _token(secret: str, purpose: str, *ids: str | int) -> str:
    said = "\n".join(map(str, ("pbem.mail", purpose, *ids)))
    return hmac.digest(secret.encode(), said.encode(), "sha256").hex()[:24]


def _boundary(letter: Letter, secret: str, number: int) -> str:
    return f"=_{_token(secret, 'boundary', letter.row, number)}"


def _marks(letter: Letter) -> tuple[Mark, ...]:
    """Returns the marks whose symbols are drawn: none for a reader who wants no pictures."""
    return letter.marks if isinstance(letter, PlayLetter) and letter.board.svg is not None else ()


def _address(message: dict[str, str], letter: Letter, called: str, secret: str) -> None:
    sender = letter.sender
    host = sender.address.rpartition("@")[2]
    ascii_only = letter.to.isascii()
    message["From"] = mime.address("From", called, sender.address, ascii_only=ascii_only)
    message["To"] = mime.address("To", letter.addressee, letter.to, ascii_only=ascii_only)
    if letter.reply_to is not None:
        message["Reply-To"] = mime.address("Reply-To", called, letter.reply_to, ascii_only=ascii_only)
    message["Date"] = format_datetime(letter.at)
    message["Message-ID"] = message_id(letter.kind, letter.row, host, secret)
    message["Auto-Submitted"] = "auto-generated"
    # Not All: that would suppress bounces, too.
    message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
    for name, kept in (("X-PBEM-Commitment", letter.commitments), ("X-PBEM-Head", letter.heads)):
        if kept:
            message[name] = f",{mime.FOLD}".join(kept)
    if isinstance(letter, MatchLetter):
        root = f"<match-{_token(secret, 'thread', letter.match, letter.seat)}@{host}>"
        message["In-Reply-To"] = root
        message["References"] = root
        message["List-Id"] = f"<match-{_token(secret, 'list', letter.match)}.{host}>"
    elif letter.list_name:
        message["List-Id"] = f"<{letter.list_name}.{host}>"
    if stop := letter.one_click_url:
        by_mail = f",{mime.FOLD}<mailto:{letter.unsubscribe_to}>" if letter.unsubscribe_to is not None else ""
        message["List-Unsubscribe"] = f"<{stop}>{by_mail}"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"


@lru_cache(maxsize=64)
def draw_board(game: AnyGame, svg: str, names: tuple[str, ...]) -> bytes:
    """Returns the board as a PNG in base64. Cached: a retry, a reminder or another seat may show the same board.

    The cache holds at most 64 pictures, some 4 MB. All that may tell two of them apart is in the key.
    """
    return mime.base64_lines(pictures.png(game, svg, names, PICTURE_WIDTH))


@lru_cache(maxsize=256)
def draw_mark(game: AnyGame, mark: Mark) -> bytes:
    """Returns the symbol of a mark as a PNG in base64. Cached: it is small, and most mails of a game show the same."""
    svg = f'<svg class="{mark.colour}" viewBox="0 0 64 64"><use href="#{mark.symbol}"/></svg>'
    return mime.base64_lines(pictures.png(game, svg, (), MARK_WIDTH, clear=True))
