"""The local mailbox: a folder with a file a mail, for trying every seat on one machine."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.parser import BytesHeaderParser
from email.policy import default
from pathlib import Path
from typing import TypedDict

from pbem.mail.mime import Mail as Ready

_ID = re.compile(r"[a-z]{1,20}-[0-9a-f]{24}")
_MESSAGE_ID = re.compile(rf"<({_ID.pattern})@[^@<>\s]+>")
_HEADERS = 16_384
"""Bytes read of a file for its headers."""


class Line(TypedDict):
    """A mail in the list; `date` is ISO 8601 in UTC."""

    id: str
    to: str
    subject: str
    date: str


@dataclass(frozen=True)
class Mail:
    """A mail taken apart. In `html` pictures point to where they are served; `pictures` are PNGs by cid."""

    line: Line
    text: str
    html: str
    pictures: dict[str, bytes]


def put(folder: Path, mail: Ready) -> str:
    """The id under which the mail now lies in the folder, whole and on disk even if the power fails.

    The id is the part of the Message-ID before the "@", so that a mail sent again takes its own place.
    """
    found = _MESSAGE_ID.fullmatch(mail.id)
    if found is None:
        raise ValueError(f"a mail without a Message-ID of this service: {mail.id!r}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{found[1]}.eml"
    draft = folder / f".{found[1]}.{os.getpid()}"
    with draft.open("wb") as file:
        file.write(mail.raw)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    entry = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)
    return found[1]


def lines(folder: Path) -> list[Line]:
    """Every mail in the folder, the newest first; none if there is no folder yet."""
    if not folder.is_dir():
        return []
    files = [(path.stat().st_mtime_ns, path) for path in folder.glob("*.eml") if _ID.fullmatch(path.stem)]
    return [_line(path) for _, path in sorted(files, reverse=True)]


def raw(folder: Path, mail_id: str) -> bytes | None:
    """The mail as it was sent, or None if there is none of this id, whatever the id looks like."""
    path = _path(folder, mail_id)
    return None if path is None else path.read_bytes()


def opened(folder: Path, mail_id: str, picture_url: Callable[[str], str]) -> Mail | None:
    """The mail taken apart, its pictures pointing to `picture_url(cid)`; None if there is none of this id."""
    path = _path(folder, mail_id)
    if path is None:
        return None
    message = message_from_bytes(path.read_bytes(), policy=default)
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    pictures = {
        str(part["Content-ID"]).strip("<> "): part.get_content()
        for part in message.walk()
        if part.get_content_type() == "image/png" and part["Content-ID"]
    }
    shown = html.get_content() if html is not None else ""
    for cid in pictures:
        shown = shown.replace(f'"cid:{cid}"', f'"{picture_url(cid)}"')
    return Mail(_line(path), text.get_content() if text is not None else "", shown, pictures)


def forget(folder: Path, address: str) -> int:
    """Removes every mail to the address, however it is spelt; gives how many."""
    mine = [line["id"] for line in lines(folder) if line["to"].casefold() == address.casefold()]
    for mail_id in mine:
        (folder / f"{mail_id}.eml").unlink(missing_ok=True)
    return len(mine)


def _path(folder: Path, mail_id: str) -> Path | None:
    """The file of a mail; ids are matched whole before they come near the file system."""
    if not _ID.fullmatch(mail_id):
        return None
    path = folder / f"{mail_id}.eml"
    return path if path.is_file() else None


def _line(path: Path) -> Line:
    with path.open("rb") as file:
        headers = BytesHeaderParser(policy=default).parsebytes(file.read(_HEADERS))
    date = headers["Date"].datetime if headers["Date"] else datetime.fromtimestamp(path.stat().st_mtime, UTC)
    to = ", ".join(address.addr_spec for address in headers["To"].addresses) if headers["To"] else ""
    return Line(
        id=path.stem,
        to=to,
        subject=str(headers["Subject"] or ""),
        date=date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
