"""Whether a mail may act for the player whose address stands in its From."""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from pbem.mail.incoming.results import Malformed, are_several, read_fields
from pbem.mail.incoming.verdicts import Verdict, verify
from pbem.models.clocks import Heartbeat
from pbem.models.inbox import InboxRow
from pbem.models.tables import table
from pbem.services.inbox.dns import DnsResolver
from pbem.services.log.outbox import insert_once
from pbem.services.site import Site

Judge = Callable[[Site, InboxRow, str], tuple[Verdict, str]]
"""Returns the verdict on a mail whose author's address is given, and a word why."""
MAILBOX = "mailbox"
SEVERAL = "several results"
"""The name of the row with the moment of the last mail to which our mail server had written several results."""
QUIET = timedelta(days=1)
"""After this time without another, they are history."""


def judge(site: Site, row: InboxRow, sender: str) -> tuple[Verdict, str]:
    """Returns the verdict on the mail. One that was written on this machine's own mailbox page acts.

    May ask name servers, so no transaction must be open.
    """
    if row.via == MAILBOX:
        return "act", MAILBOX
    assert row.raw is not None
    return verify(row.raw, sender, trusted=site.config.inbound.authserv, resolver=DnsResolver())


def note_several(site: Site, raw: bytes) -> None:
    """Notes it if our mail server has written several results to this mail, of which none is believed."""
    try:
        fields = read_fields(raw)
    except Malformed:
        return
    if not are_several(fields, site.config.inbound.authserv):
        return
    now, t = site.now(), table(Heartbeat)
    with site.writing() as work:
        work.connection().execute(delete(t).where(t.c.name == SEVERAL, t.c.at <= now))
        insert_once(work, Heartbeat, {"name": SEVERAL, "at": now})


def writes_several(connection: Connection, now: datetime) -> bool:
    """True if our mail server has lately written several results to a mail."""
    t = table(Heartbeat)
    at = connection.execute(select(t.c.at).where(t.c.name == SEVERAL)).scalar()
    return at is not None and now - at < QUIET
