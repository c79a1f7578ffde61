"""A mail as the bytes that leave: headers encoded and folded, texts quoted, parts joined.

What people have written is encoded and never parsed: a parser would decode what looks like an encoded word in it.

The library's tree of messages is made for mails that others wrote: to build one, parse its headers and walk it took
longer than to write the letter.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.header import Header
from functools import lru_cache


@dataclass(frozen=True)
class Mail:
    """A mail that is ready to leave, and its Message-ID."""

    id: str
    raw: bytes

    def __bytes__(self) -> bytes:
        return self.raw


@lru_cache(maxsize=256)
def phrase(name: str, value: str) -> str:
    """The words as the header of that name holds them: folded where they are long, and encoded unless every mail
    program reads them as they stand. Raises ValueError for what can stand in no header.

    Nothing of them is parsed. What looks like an encoded word is encoded once more, so that it is read as it was
    written.
    """
    if _UNFIT.search(value):
        raise ValueError("a header with a control character in it")
    plain = _ATOMS if name in ADDRESSED else _WORDS
    if plain.fullmatch(value) and "=?" not in value:
        return _folded(name, value)
    return Header(value, "utf-8", header_name=name).encode(linesep="\r\n")


@lru_cache(maxsize=256)
def address(name: str, called: str, spec: str, *, ascii_only: bool = True) -> str:
    """The address, and the name of who has it, as the header of that name holds them. Raises ValueError.

    A domain beyond ASCII is written as the domain name system knows it where the mail has to be `ascii_only`.
    """
    if not _SPEC.fullmatch(spec):
        raise ValueError("not an address")
    local, _, domain = spec.rpartition("@")
    if ascii_only and not spec.isascii():
        spec = f"{local.encode('ascii').decode()}@{domain.encode('idna').decode()}"
    if not called:
        return spec
    said = phrase(name, called)
    last = len(said.rpartition("\r\n")[2]) + (0 if "\r\n" in said else len(name) + 2)
    return f"{said}{' ' if last + len(spec) + 3 <= LINE else FOLD}<{spec}>"


ADDRESSED = ("From", "To")
"""Headers in which words stand before an address: there punctuation has a meaning."""
LINE = 78
FOLD = "\r\n "
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_WORD = r"[!-~]{1,60}"
_WORDS = re.compile(rf"{_WORD}(?: {_WORD})*")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,60}"
_ATOMS = re.compile(rf"{_ATOM}(?: {_ATOM})*")
_SPEC = re.compile(r"[^\s\x00-\x1f\x7f<>()\[\]\\,;:\"@]+@[^\s\x00-\x1f\x7f<>()\[\]\\,;:\"@]+")


def _folded(name: str, words: str) -> str:
    """Words of ASCII, none of them long, in lines that begin with a space from the second one on."""
    lines, room = [""], LINE - len(name) - 2
    for word in words.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
            room = LINE - 1
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return FOLD.join(lines)


def head(headers: Mapping[str, str]) -> bytes:
    """The headers, each as it is, and the empty line that ends them. Raises ValueError for one that would be two, or
    that holds a control character.
    """
    if any(_BROKEN.search(value) for value in headers.values()):
        raise ValueError("a header with a line of its own in it, or a control character")
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode() + b"\r\n"


_BROKEN = re.compile(r"\r(?!\n)|(?<!\r)\n|\n(?![ \t])|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def text(subtype: str, words: str) -> bytes:
    """A part of text."""
    quoted = binascii.b2a_qp("\r\n".join(words.split("\n")).encode(), istext=True)
    return _typed(f'text/{subtype}; charset="utf-8"', "quoted-printable") + quoted


def picture(encoded: bytes, name: str, cid: str) -> bytes:
    """A part with a PNG that another part shows by its cid."""
    more = {"Content-Disposition": f'inline; filename="{name}"', "Content-ID": f"<{cid}>"}
    return _typed("image/png", "base64", more) + encoded


def in_lines(data: bytes) -> bytes:
    """The data in base64, in lines as a mail has them."""
    return base64.encodebytes(data).replace(b"\n", b"\r\n")


def several(subtype: str, boundary: str, *parts: bytes) -> tuple[str, bytes]:
    """The type and the body of what consists of these parts."""
    line = f"--{boundary}".encode()
    return f'multipart/{subtype}; boundary="{boundary}"', b"\r\n".join(
        (*(line + b"\r\n" + part for part in parts), line + b"--\r\n")
    )


def _typed(kind: str, encoding: str, more: Mapping[str, str] | None = None) -> bytes:
    return head({"Content-Type": kind, "Content-Transfer-Encoding": encoding, **(more or {})})
