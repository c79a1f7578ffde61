"""Erases the text of mails that have come in and hold a player's address, but are not known to be theirs.

These are complaints and reports about their mails, mails that have not been read yet or could not be, and those of
strangers who mention them. What is known to be another player's mail stays theirs.
"""

import json
import re
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlmodel import Session

from pbem.features.inbox.tables import InboxRow
from pbem.models.tables import table
from pbem.services.privacy.retention import MAILS, sweep_of_old_rows_but_newest
from pbem.services.site import Site
from pbem.services.statements import ForgetOld

TEXTLESS = {
    "raw": None, "mail_from": None, "recipients": "[]", "message_id": None, "match_id": None, "seat": None,
    "player_id": None,
}  # fmt: skip
"""The values of a row of which nothing but the verdict is left."""
TEXTS = timedelta(days=30)
"""How long the text of a mail that has come in is kept, for the host to see why it was not acted on."""
LONGEST_READ = 1_000_000
"""Of larger mails only the bytes are searched, not what they encode."""


def erase_unowned_texts_with_addresses(site: Site, addresses: Collection[str]) -> int:
    """Erases the texts of mails that name one of these addresses and belong to no player; returns their number.

    Looks at each such mail whose text is kept, one at a time.
    """
    t = table(InboxRow)
    unknown = (t.c.raw.is_not(None), t.c.player_id.is_(None))
    wanted = re.compile("|".join(rf"(?<![\w.+-]){re.escape(one.casefold())}(?![\w-]|\.\w)" for one in addresses))
    with site.reading() as session:
        waiting = session.execute(select(t.c.id).where(*unknown).order_by(t.c.id)).scalars().all()
    found = [number for number in waiting if _is_address_in_mail(site, number, wanted)]
    for number in found:
        with site.writing() as work:
            work.execute(update(t).where(t.c.id == number, t.c.player_id.is_(None)).values(TEXTLESS))
    return len(found)


def _is_address_in_mail(site: Site, number: int, wanted: re.Pattern[str]) -> bool:
    """True if the mail of this row holds what is wanted."""
    with site.reading() as session:
        row = session.get(InboxRow, number)
    if row is None or row.raw is None:
        return False
    plain = f"{row.mail_from}\n{row.recipients}\n{row.raw.decode(errors='replace')}".casefold()
    if wanted.search(plain):
        return True
    return len(row.raw) <= LONGEST_READ and wanted.search(_decode_mail(row.raw, row.recipients)) is not None


def _decode_mail(raw: bytes, recipients: str) -> str:
    """Returns what the mail says and whom it names, whatever it is encoded in; "" if it cannot be read."""
    from pbem.features.inbox.incoming.message import UnreadableMail, read_message  # megabytes, for this alone

    try:
        mail = read_message(raw, mail_from=None, recipients=json.loads(recipients), own=lambda _address: False)
    except UnreadableMail:
        return ""
    reported = mail.report.addresses if mail.report is not None else ()
    return "\n".join([*mail.senders, *mail.recipients, *reported, mail.subject, mail.text]).casefold()


# --- retention -----------------------------------------------------------------------------------------------


def _erase_old_texts(session: Session, now: datetime, most: int) -> int:
    """Erases the text of old mails that have come in."""
    t = table(InboxRow)
    old = select(t.c.id).where(t.c.raw.is_not(None), t.c.received_at <= now - TEXTS).order_by(t.c.id).limit(most)
    found = session.execute(old).scalars().all()
    session.execute(update(t).where(t.c.id.in_(found)).values(TEXTLESS))
    return len(found)


FORGET_OLD: Mapping[str, ForgetOld] = {
    "texts": _erase_old_texts,
    # Of mails that came in long ago only the verdict was left.
    "incoming": sweep_of_old_rows_but_newest(InboxRow, lambda c, now: [c.received_at <= now - MAILS]),
}
