"""A letter as the mail that leaves: text, HTML and picture, and the headers that mail programs act on.

The same letter always makes the same bytes: identifiers and boundaries come from the site's secret and the
letter's own ids, so that a mail sent twice is one mail, and two that must not differ do not.
"""

from __future__ import annotations

import hmac
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage, Message
from email.policy import SMTP, EmailPolicy, Policy
from functools import lru_cache

from pbem.faces import pictures
from pbem.mail.letters import AnyLetter, Digest, MatchLetter, PlayLetter
from pbem.mail.words import addressee, harmless, words
from pbem.rules.contract import AnyGame

PICTURE_WIDTH = 1088
"""Twice the width at which a mail shows the board."""


def compose(letter: AnyLetter, secret: str) -> EmailMessage:
    """The mail of a letter, ready to send to `letter.to`.

    Raises ValueError for an address that is none, TooLarge (one too) if the HTML is.
    """
    letter = harmless(letter)
    host = letter.sender.address.rpartition("@")[2]
    cid = f"board-{_token(secret, 'picture', letter.row)}@{host}"
    said = words(letter, cid)
    message = EmailMessage(_policy())
    message["Subject"] = said.subject
    _address(message, letter, secret)
    message.set_content(said.text, cte="quoted-printable")
    message.add_alternative(said.html, subtype="html", cte="quoted-printable")
    if isinstance(letter, PlayLetter):
        _picture(message, letter, cid)
    message["Content-Language"] = letter.lang
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        part.set_boundary(f"=_{_token(secret, 'boundary', letter.row, number)}")
    return message


def message_id(kind: str, row: int, host: str, secret: str) -> str:
    """The Message-ID of the mail made from an outbox row: always the same, telling nothing about it."""
    return f"<{kind}-{_token(secret, 'message', row)}@{host}>"


class _Verbatim(UnstructuredHeader, BaseHeader):
    """A header of ASCII without white space to fold at: the library would encode it and make it useless."""

    def fold(self, *, policy: Policy[Message[str, str]]) -> str:
        return f"{self.name}: {self}{policy.linesep}"


def _policy() -> EmailPolicy[EmailMessage]:
    headers = HeaderRegistry()
    for name in ("Message-ID", "In-Reply-To", "References", "List-Id", "List-Unsubscribe"):
        headers.map_to_type(name, _Verbatim)
    return SMTP.clone(header_factory=headers)


def _token(secret: str, purpose: str, *ids: str | int) -> str:
    said = "\n".join(map(str, ("pbem.mail", purpose, *ids)))
    return hmac.digest(secret.encode(), said.encode(), "sha256").hex()[:24]


def _address(message: EmailMessage, letter: AnyLetter, secret: str) -> None:
    sender = letter.sender
    host = sender.address.rpartition("@")[2]
    message["From"] = Address(sender.name, addr_spec=sender.address)
    message["To"] = Address(addressee(letter), addr_spec=letter.to)
    message["Date"] = letter.at
    message["Message-ID"] = message_id(letter.kind, letter.row, host, secret)
    message["Auto-Submitted"] = "auto-generated"
    # Not All: that would suppress bounces, too.
    message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
    if isinstance(letter, MatchLetter):
        root = f"<match-{_token(secret, 'thread', letter.match, letter.seat)}@{host}>"
        message["In-Reply-To"] = root
        message["References"] = root
        message["List-Id"] = f"<match-{_token(secret, 'list', letter.match)}.{host}>"
    if isinstance(letter, Digest):
        message["List-Id"] = f"<digest.{host}>"
    if stop := _one_click(letter):
        message["List-Unsubscribe"] = f"<{stop}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"


def _one_click(letter: AnyLetter) -> str | None:
    """Where the button of a mail program posts to (RFC 8058); None where there is nothing to unsubscribe from."""
    if isinstance(letter, Digest):
        return letter.stop_url
    return letter.mute_url if isinstance(letter, PlayLetter) else letter.unsubscribe


def _picture(message: EmailMessage, letter: PlayLetter, cid: str) -> None:
    """Puts the board beside the HTML that shows it."""
    png = _drawn(letter.game, letter.board.svg, letter.names)
    html = message.get_body(("html",))
    assert isinstance(html, EmailMessage), "the HTML has just been put in"
    html.add_related(
        png,
        maintype="image",
        subtype="png",
        cid=f"<{cid}>",
        filename="board.png",
        disposition="inline",
    )


@lru_cache(maxsize=64)
def _drawn(game: AnyGame, svg: str, names: tuple[str, ...]) -> bytes:
    """The board as a PNG; one that a retry, a reminder or another seat shows just so is not drawn again.

    Drawing takes most of the time that a mail takes. At most 64 pictures are kept, some 10 MB.
    """
    return pictures.png(game, svg, names, PICTURE_WIDTH)
