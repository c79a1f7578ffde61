"""A mail as the bytes that leave: headers folded as the standard library folds them, texts quoted, parts joined.

The library's tree of messages is made for mails that others wrote: to build one, parse its headers and walk it took
longer than to write the letter.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.headerregistry import Address
from email.policy import SMTP, SMTPUTF8
from functools import lru_cache


@dataclass(frozen=True)
class Mail:
    """A mail that is ready to leave, and its Message-ID."""

    id: str
    raw: bytes

    def __bytes__(self) -> bytes:
        return self.raw


@lru_cache(maxsize=256)
def phrase(name: str, value: str, *, ascii_only: bool = True) -> str:
    """The words as the header of that name holds them: encoded where they must be, folded where they are long."""
    return _folded(name, value, ascii_only)


@lru_cache(maxsize=256)
def address(name: str, called: str, spec: str, *, ascii_only: bool = True) -> str:
    """The address, and the name of who has it, as the header of that name holds them. Raises ValueError, IndexError."""
    return _folded(name, Address(called, addr_spec=spec), ascii_only)


def _folded(name: str, value: str | Address, ascii_only: bool) -> str:
    policy = SMTP if ascii_only else SMTPUTF8
    folded = policy.header_factory(name, value).fold(policy=policy)
    # What is long, or might be once it is encoded, begins on a line of its own, just behind the colon.
    return str(folded).removeprefix(f"{name}:").removeprefix(" ").removesuffix("\r\n")


def head(headers: Mapping[str, str]) -> bytes:
    """The headers, each as it is, and the empty line that ends them. Raises ValueError for one that would be two."""
    if any(_TWO.search(value) for value in headers.values()):
        raise ValueError("a header with a line of its own in it")
    return "".join(f"{name}:{_gap(value)}{value}\r\n" for name, value in headers.items()).encode() + b"\r\n"


def _gap(value: str) -> str:
    """What stands between the colon and the value: nothing where this begins on the next line."""
    return "" if value.startswith("\r\n") else " "


_TWO = re.compile(r"\r(?!\n)|(?<!\r)\n|\n(?![ \t])")


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
