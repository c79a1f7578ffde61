"""A mail as bytes: headers encoded and folded, texts quoted, parts joined.

Text from people is encoded and never parsed: a parser would decode anything in it that looks like an encoded word.

The standard library's message tree is made for mails from elsewhere: building one, parsing its headers and walking it
took longer than writing the letter.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.header import Header
from functools import lru_cache
from textwrap import wrap

from pbem.kit.contract import AnyGame
from pbem.mail.letters import OrdersTold


@dataclass(frozen=True)
class Mail:
    """A mail that is ready to send, and its Message-ID. Its bounce goes to `return_path`; None: to its sender.

    `faults` says of which games it lacks a picture although its reader wants one, and why. `orders_told` is the
    letter's, as far as it had room.
    """

    id: str
    raw: bytes
    return_path: str | None = None
    faults: tuple[tuple[AnyGame, str], ...] = ()
    orders_told: tuple[OrdersTold, ...] = ()

    def __bytes__(self) -> bytes:
        return self.raw


@lru_cache(maxsize=256)
def encode_header(name: str, value: str) -> str:
    """Returns the text as the value of the header of that name: folded if long, and encoded unless every mail program
    can read it as it is. Raises ValueError for what no header can hold.

    The text is not parsed. What looks like an encoded word is encoded again, so that it is read as it was written.
    """
    if _UNFIT.search(value):
        raise ValueError("a header with a control character in it")
    plain = _ATOMS if name in ADDRESSED else _WORDS
    if plain.fullmatch(value) and "=?" not in value:
        first = " " * (len(name) + 2)
        if len(first) + len(value) <= LINE:
            return value
        lines = wrap(value, LINE, initial_indent=first, subsequent_indent=" ", break_on_hyphens=False)
        return "\r\n".join(lines).lstrip(" ")
    return Header(value, "utf-8", header_name=name).encode(linesep="\r\n")


@lru_cache(maxsize=256)
def address_header(name: str, called: str, spec: str, *, ascii_only: bool = True) -> str:
    """Returns the address and its display name as the value of the header of that name. Raises ValueError.

    If the mail has to be `ascii_only`, a domain beyond ASCII is written in its DNS form (IDNA).
    """
    if not _SPEC.fullmatch(spec):
        raise ValueError("not an address")
    local, _, domain = spec.rpartition("@")
    if ascii_only and not spec.isascii():
        spec = f"{local.encode('ascii').decode()}@{domain.encode('idna').decode()}"
    if not called:
        return spec
    display_name = encode_header(name, called)
    last = len(display_name.rpartition("\r\n")[2]) + (0 if "\r\n" in display_name else len(name) + 2)
    return f"{display_name}{' ' if last + len(spec) + 3 <= LINE else FOLD}<{spec}>"


ADDRESSED = ("From", "To", "Reply-To")
"""Headers with a display name before an address: there punctuation has a meaning."""
LINE = 78
FOLD = "\r\n "
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_WORD = r"[!-~]{1,60}"
_WORDS = re.compile(rf"{_WORD}(?: {_WORD})*")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,60}"
_ATOMS = re.compile(rf"{_ATOM}(?: {_ATOM})*")
_SPEC = re.compile(r"[^\s\x00-\x1f\x7f<>()\[\]\\,;:\"@]+@[^\s\x00-\x1f\x7f<>()\[\]\\,;:\"@]+")


def headers_block(headers: Mapping[str, str]) -> bytes:
    """Returns the headers as they are, and the empty line that ends them.

    Raises ValueError for a header that contains a line end or another control character.
    """
    if any(_BROKEN.search(value) for value in headers.values()):
        raise ValueError("a header with a line of its own in it, or a control character")
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode() + b"\r\n"


_BROKEN = re.compile(r"\r(?!\n)|(?<!\r)\n|\n(?![ \t])|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def text_part(subtype: str, words: str) -> bytes:
    """Returns a text part."""
    quoted = binascii.b2a_qp("\r\n".join(words.split("\n")).encode(), istext=True)
    kind = f'text/{subtype}; charset="utf-8"'
    return headers_block({"Content-Type": kind, "Content-Transfer-Encoding": "quoted-printable"}) + quoted


def picture_part(encoded: bytes, name: str, cid: str) -> bytes:
    """Returns a part with a PNG that another part shows by its cid."""
    how = {"Content-Type": "image/png", "Content-Transfer-Encoding": "base64"}
    shown = {"Content-Disposition": f'inline; filename="{name}"', "Content-ID": f"<{cid}>"}
    return headers_block(how | shown) + encoded


def base64_lines(data: bytes) -> bytes:
    """Returns the data in base64, in lines of the length that mails use."""
    encoded = binascii.b2a_base64(data, newline=False)
    return b"".join([encoded[at : at + 76] + b"\r\n" for at in range(0, len(encoded), 76)])


def multipart_of(subtype: str, boundary: str, *parts: bytes) -> tuple[str, bytes]:
    """Returns the type and the body of a multipart that consists of these parts."""
    line = f"--{boundary}".encode()
    return f'multipart/{subtype}; boundary="{boundary}"', b"\r\n".join(
        (*(line + b"\r\n" + part for part in parts), line + b"--\r\n")
    )
