"""Keeps each mail that comes in, and shows the host which are kept.

What delivers a mail acknowledges it only after `take_in_mail` has returned. The same delivery again, by digest, is the
same row. Nothing is read here, so nothing in a mail can make this fail.
"""

import hashlib
import json
from collections.abc import Collection, Sequence
from typing import Literal

from sqlalchemy.orm import defer
from sqlmodel import col, select

from pbem.features.inbox import verdicts
from pbem.features.inbox.tables import InboxRow
from pbem.services.log.outbox import insert_row_unless_key_exists
from pbem.services.site import Site

Via = Literal["imap", "lmtp", "http", "mailbox"]


def take_in_mail(
    site: Site, raw: bytes, *, via: Via, mail_from: str | None = None, recipients: Sequence[str] = (),
    size: int | None = None,
) -> bool:  # fmt: skip
    """Keeps the mail and commits; returns False if the same delivery was kept before. Raises Busy.

    `mail_from` and `recipients` are those of the envelope; None and () where the way it came by has none.
    `size` is that of the mail where `raw` is only its head, because the mail is too large.
    """
    now, to = site.now(), json.dumps(sorted(recipients))
    kept = {
        "digest": hashlib.sha256(to.encode() + b"\n" + raw).hexdigest(),
        "via": via,
        "mail_from": mail_from,
        "recipients": to,
        "raw": raw,
        "size": size or len(raw),
        "received_at": now,
        "due_at": now,
    }
    with site.writing() as work:
        fresh = insert_row_unless_key_exists(work, InboxRow, kept)
        work.wakes = True
    return fresh


# --- for the host --------------------------------------------------------------------------------------------


class NotKept(LookupError):
    """There is no such mail, or its text has been erased."""


class WasActedOn(Exception):
    """What the mail says was done: it is not read again."""


def list_kept_mails(site: Site, *, only: Collection[str] = (), waiting: bool = False, most: int = 50) -> list[InboxRow]:
    """Returns the newest mails without their text, newest first.

    `only` names the verdicts to list; `waiting` lists those that are not read yet.
    """
    found = select(InboxRow).options(defer(InboxRow.raw)).order_by(col(InboxRow.id).desc()).limit(most)  # type: ignore[arg-type]
    if only:
        found = found.where(col(InboxRow.verdict).in_(only))
    if waiting:
        found = found.where(col(InboxRow.done_at).is_(None))
    with site.reading() as session:
        return list(session.exec(found))


def read_kept_mail(site: Site, row_id: int) -> InboxRow:
    """Returns a mail; its text is None once it is erased. Raises NotKept."""
    with site.reading() as session:
        row = session.get(InboxRow, row_id)
        if row is None:
            raise NotKept(row_id)
        return row


def make_due_again(site: Site, row_id: int) -> None:
    """Makes a mail due again that nothing was done for. Raises NotKept, WasActedOn."""
    with site.writing() as work:
        row = work.get(InboxRow, row_id)
        if row is None or row.raw is None:
            raise NotKept(row_id)
        if row.done_at is not None and row.verdict not in verdicts.UNDONE:
            raise WasActedOn(row_id)
        row.done_at, row.verdict, row.detail, row.lines, row.claimed_until = None, None, None, None, None
        row.due_at, row.attempts, row.answered = site.now(), 0, False
        work.wakes = True
