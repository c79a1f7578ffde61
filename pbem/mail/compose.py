"""A letter as the mail that leaves: text, HTML and picture, and the headers that mail programs act on.

The same letter always makes the same bytes, unless its picture cannot be drawn once: identifiers and boundaries are
derived from the site's secret and the letter's own ids, so mail programs recognise a mail that is sent twice.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import format_datetime
from functools import lru_cache

from billiard.exceptions import SoftTimeLimitExceeded

from pbem.kit.contract import AnyGame, Mark
from pbem.mail import mime
from pbem.mail.harmless import make_harmless
from pbem.mail.letters import Letter, MatchLetter, PlayLetter
from pbem.mail.mime import Mail
from pbem.mail.words import TooLarge, Words, words
from pbem.render import pictures
from pbem.render.phrases import isolate

PICTURE_WIDTH = 780
"""In pixels: twice the width of a portrait board, and half again the width at which a mail shows it."""
TIGHTER = ((400, 40), (100, 12))
"""If a letter is too large all the same: how many bytes a text that somebody typed may take in it, and how many lines
each of its lists has."""
MARK_WIDTH = 48
"""In pixels: twice the width at which a mail shows the symbol of an answer."""


def compose(letter: Letter, secret: str) -> Mail:
    """Returns the mail of a letter, ready to send to `letter.to`.

    If its picture cannot be drawn, it has the board in words, and says why in `fault`. Raises ValueError for an invalid
    address; TooLarge, also a ValueError, if the HTML is too large even after what others wrote has been cut.
    """
    letter = make_harmless(letter)
    host = letter.sender.address.rpartition("@")[2]
    token = _token(secret, "picture", letter.row)
    cid = f"board-{token}@{host}"
    letter, pictured = _draw(letter)
    marks = {mark: f"{mark.symbol}-{mark.colour}-{token}@{host}" for mark in pictured.marks}
    letter, rendered = _words(letter, cid, marks)
    message = {"Subject": mime.phrase("Subject", letter.subject_line(rendered.subject))}
    _address(message, letter, rendered.sender, secret)
    html = mime.text("html", rendered.html)
    if pictured.board is not None:
        drawn = [mime.picture(pictured.board, "board.png", cid)]
        drawn += [mime.picture(data, f"{mark.symbol}.png", marks[mark]) for mark, data in pictured.marks.items()]
        kind, body = mime.multipart("related", _boundary(letter, secret, 1), html, *drawn)
        html = mime.head({"Content-Type": kind}) + body
    kind, body = mime.multipart("alternative", _boundary(letter, secret, 0), mime.text("plain", rendered.text), html)
    message |= {"MIME-Version": "1.0", "Content-Type": kind, "Content-Language": letter.lang}
    return Mail(message["Message-ID"], mime.head(message) + body, letter.return_path, pictured.fault)


def _words(letter: Letter, cid: str, marks: Mapping[Mark, str]) -> tuple[Letter, Words]:
    """Returns the rendered letter, and the letter as far as there is room for it. Raises TooLarge."""
    shorter = letter
    for typed, lines in TIGHTER:
        try:
            return shorter, words(shorter, cid, marks)
        except TooLarge:
            shorter = make_harmless(letter.with_fewer(lines), typed)
    return shorter, words(shorter, cid, marks)


@dataclass(frozen=True)
class _Pictured:
    """What is drawn for a letter, as PNGs in base64: the board and the symbols of its answers; or why nothing is."""

    board: bytes | None = None
    marks: Mapping[Mark, bytes] = field(default_factory=dict)
    fault: str | None = None


def _draw(letter: Letter) -> tuple[Letter, _Pictured]:
    """Returns the letter with what is drawn for it: nothing for a reader who wants no pictures, nor if it fails.

    A board that cannot be drawn takes the symbols with it, and they it: then the letter says its board in words.
    """
    if not isinstance(letter, PlayLetter):
        return letter, _Pictured()
    if letter.board.svg is None:
        return letter, _Pictured(fault=letter.board.fault)
    try:
        board = draw_board(letter.game, letter.board.svg, letter.names)
        return letter, _Pictured(board, {mark: draw_mark(letter.game, mark) for mark in letter.marks})
    except SoftTimeLimitExceeded:  # no fault of the picture: the mail comes again
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the mail leaves, and the fault is told by who sends it
        return replace(letter, board=replace(letter.board, svg=None)), _Pictured(fault=pictures.fault_of(error))


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


def _address(message: dict[str, str], letter: Letter, called: str, secret: str) -> None:
    sender = letter.sender
    host = sender.address.rpartition("@")[2]
    ascii_only = letter.to.isascii()
    message["From"] = mime.address("From", called, sender.address, ascii_only=ascii_only)
    message["To"] = mime.address("To", isolate(letter.addressee), letter.to, ascii_only=ascii_only)
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
