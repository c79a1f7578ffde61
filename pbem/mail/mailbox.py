"""The local mailbox: a folder with one file per mail, for trying every seat on one machine.

A process reads the headers of each mail once, when it is first listed. Older versions kept an index in `to/`, with the
hash of each mail's address: it is deleted when somebody is forgotten.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.parser import BytesHeaderParser
from email.policy import default
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from pbem.config import fsync_folder
from pbem.mail.mime import Mail as Ready

T = TypeVar("T")

_ID = re.compile(r"[a-z]{1,20}-[0-9a-f]{36}")
_MESSAGE_ID = re.compile(rf"<({_ID.pattern})@[^@<>\s]+>")
_HEADERS = 16_384
"""The bytes of a file that are read for its headers."""


class MailSummary(TypedDict):
    """A mail in the list; `sender` is the name that mail programs show, and `date` is ISO 8601 in UTC."""

    id: str
    sender: str
    to: str
    subject: str
    date: str


@dataclass(frozen=True)
class Mail:
    """A parsed mail. Pictures in `html` point to where they are served; `pictures` are PNGs by cid."""

    line: MailSummary
    text: str
    html: str
    pictures: dict[str, bytes]


def store_mail(folder: Path, mail: Ready) -> str:
    """Stores the mail in the folder, durably and as a whole; returns its id.

    The id is the part of the Message-ID before the "@", so a mail that is sent again replaces itself.
    """
    id_match = _MESSAGE_ID.fullmatch(mail.id)
    if id_match is None:
        raise ValueError(f"a mail without a Message-ID of this service: {mail.id!r}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{id_match[1]}.eml"
    draft = folder / f".{id_match[1]}.{os.getpid()}"
    try:
        with draft.open("wb") as file:
            file.write(mail.raw)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        draft.unlink(missing_ok=True)  # half of it is of no use, and takes room that may be missing
        raise
    draft.replace(path)
    fsync_folder(folder)
    return id_match[1]


def list_mails(folder: Path, to: str | None = None, since: datetime | None = None) -> list[MailSummary]:
    """Returns the mails in the folder, newest first: all, those to an address, or those that arrived since a moment.

    Leaves out mails that are deleted meanwhile.
    """
    if not folder.is_dir():
        return []
    listed = ((_unless_deleted(Path.stat, path), path) for path in folder.glob("*.eml") if _ID.fullmatch(path.stem))
    first = int(since.timestamp() * 1e9) if since is not None else 0
    files = [(at.st_mtime_ns, path, at.st_ino) for at, path in listed if at is not None and at.st_mtime_ns >= first]
    found = [
        _unless_deleted(partial(_read_cached_summary, at, file), path) for at, path, file in sorted(files, reverse=True)
    ]
    return [line for line in found if line is not None and (to is None or line["to"].casefold() == to.casefold())]


def read_raw_mail(folder: Path, mail_id: str) -> bytes | None:
    """Returns the mail as it was sent, or None if no mail has this id. The id may be any string."""
    # The whole id is matched before it touches the file system.
    return _unless_deleted(Path.read_bytes, folder / f"{mail_id}.eml") if _ID.fullmatch(mail_id) else None


def read_mail(folder: Path, mail_id: str, picture_url: Callable[[str], str]) -> Mail | None:
    """Returns the parsed mail, its pictures pointing to `picture_url(cid)`; None if no mail has this id."""
    whole = read_raw_mail(folder, mail_id)
    if whole is None or (line := _unless_deleted(read_summary, folder / f"{mail_id}.eml")) is None:
        return None
    message = message_from_bytes(whole, policy=default)
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    pictures = {
        str(part["Content-ID"]).strip("<> "): part.get_content()
        for part in message.walk()
        if part.get_content_type() == "image/png" and part["Content-ID"]
    }
    shown = _replace_unprintable(html.get_content()) if html is not None else ""
    for cid in pictures:
        shown = shown.replace(f'"cid:{cid}"', f'"{picture_url(cid)}"')
    return Mail(line, _replace_unprintable(text.get_content()) if text is not None else "", shown, pictures)


def delete_mails_to(folder: Path, address: str) -> int:
    """Deletes every mail to the address, in any letter case; returns their number."""
    mine = [line["id"] for line in list_mails(folder, to=address)]
    for mail_id in mine:
        (folder / f"{mail_id}.eml").unlink(missing_ok=True)
    shutil.rmtree(folder / "to", ignore_errors=True)
    return len(mine)


def _unless_deleted(ask: Callable[[Path], T], path: Path) -> T | None:
    """Returns what `ask` returns for the file; None if it was deleted meanwhile."""
    try:
        return ask(path)
    except FileNotFoundError:
        return None


@lru_cache(maxsize=16_384)
def _read_cached_summary(_at: int, _file: int, path: Path) -> MailSummary:
    """Returns the line of this mail, which a mail that is sent again replaces: then its time and its file differ."""
    return read_summary(path)


def read_summary(path: Path) -> MailSummary:
    """Returns the mail's line in the list, read from its headers alone."""
    with path.open("rb") as file:
        headers = dict(BytesHeaderParser(policy=default).parsebytes(file.read(_HEADERS)).raw_items())
    # The zone -0000, which says that the writer's is unknown, gives a time of UTC (RFC 5322).
    date = _read_header(
        headers, "Date", lambda at: at.datetime.replace(tzinfo=at.datetime.tzinfo or UTC).astimezone(UTC)
    )
    if not isinstance(date, datetime):
        date = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    sender = _read_header(
        headers, "From", lambda field: ", ".join(one.display_name or one.addr_spec for one in field.addresses)
    )
    to = _read_header(headers, "To", lambda field: ", ".join(a.addr_spec for a in field.addresses))
    return MailSummary(
        id=path.stem,
        sender=_replace_unprintable(sender),
        to=_replace_unprintable(to),
        subject=_replace_unprintable(_read_header(headers, "Subject", str)),
        date=date.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def _read_header(headers: Mapping[str, str], name: str, meaning: Callable[[Any], Any]) -> Any:
    """Returns the parsed header; its raw text if it cannot be parsed, and "" if there is none."""
    raw = headers.get(name, "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        return meaning(default.header_fetch_parse(name, raw)) if raw else ""
    except Exception:  # noqa: BLE001 - the standard library's parser fails in many ways at a broken header
        return raw


def _replace_unprintable(text: str) -> str:
    """Returns the text with a replacement for what neither page nor JSON can hold: NULs, controls, lone surrogates."""
    return _UNPRINTABLE.sub("\ufffd", text)


_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
