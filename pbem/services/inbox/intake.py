"""Keeps each mail that comes in; whoever delivers it acknowledges it only after this has returned.

The same delivery again, by digest, is the same row. Nothing is read here, so nothing in a mail can make this fail.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Literal

from pbem.models.inbox import InboxRow
from pbem.services.log.outbox import insert_once
from pbem.services.site import Site

Via = Literal["imap", "lmtp", "http", "mailbox"]


def take_in(
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
        fresh = insert_once(work, InboxRow, kept)
        work.wake()
    return fresh
