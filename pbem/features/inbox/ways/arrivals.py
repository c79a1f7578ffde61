"""Whether mail comes in and is read."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sqlalchemy import Connection, case, func, select

from pbem.config import Config
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways import canary
from pbem.features.leases import Leases
from pbem.models.tables import table
from pbem.services.findings import Due, count_due
from pbem.services.hooks import Gauge

LATE_S = 600
"""From what age of an unread mail on something must be wrong."""
UNREAD = "unread"

_t = table(InboxRow)
LEASE = timedelta(minutes=5)
MAILS = Leases(_t.c.id, _t.c.due_at, LEASE, _t.c.id)
"""The mails that have come in, for those who read them."""
_tries = _t.c.attempts - case((_t.c.claimed_until.is_(None), 0), else_=1)
# One that was put off without having failed waits for something else, such as its game: it is late from then on.
_SINCE = case((_tries > 0, _t.c.received_at), else_=_t.c.due_at)


def mails_unread(connection: Connection, now: datetime) -> Due:
    """Returns the mails that are not read yet; of those that were put off, the age is from when they are due again."""
    return count_due(connection, now, _SINCE, _t.c.done_at.is_(None))


def late_silent_or_ok(connection: Connection, now: datetime, config: Config) -> str:
    """Returns "late" (a mail has been unread for too long), "silent" (no canary has come back lately) or "ok".

    Reads one row of the inbox at most, so it may be asked every second.
    """
    first = select(_SINCE).where(_t.c.done_at.is_(None)).order_by(_t.c.due_at).limit(1)
    oldest = connection.execute(first).scalar()
    if oldest is not None and (now - oldest).total_seconds() > LATE_S:
        return "late"
    age = canary_age(connection, now, config)
    return "silent" if age is not None and age > canary.LATE.total_seconds() else "ok"


def gauges_of_mails(connection: Connection, now: datetime, config: Config) -> Iterator[Gauge]:
    """Yields how many mails are kept, by the way they came and their verdict, and the age of the last canary's return.

    Reads an index alone.
    """
    rows = connection.execute(select(_t.c.via, _t.c.verdict, func.count()).group_by(_t.c.via, _t.c.verdict))
    kept: dict[tuple[str, ...], float] = {(via, verdict or UNREAD): float(count) for via, verdict, count in rows}
    yield Gauge("inbox", "Mails that came in and are still kept.", ("via", "verdict"), kept)
    if (age := canary_age(connection, now, config)) is not None:
        yield Gauge("canary_age_seconds", "Seconds since the site's mail to itself came back.", (), {(): age})


def canary_age(connection: Connection, now: datetime, config: Config) -> float | None:
    """Returns the seconds since a canary came back; None where the site sends none."""
    return canary.age_of_last_return(connection, now) if canary.sends_canaries(config) else None
