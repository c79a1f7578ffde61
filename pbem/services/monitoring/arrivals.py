"""Whether mail comes in and is read: how long the oldest has been waiting, and when a canary last came back."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, case, func, select

from pbem.config import Config
from pbem.models.inbox import InboxRow
from pbem.models.tables import table
from pbem.services.inbox import canary, judging

LATE_S = 600
"""From what age of an unread mail on something must be wrong."""
UNREAD = "unread"
_t = table(InboxRow)
_tries = _t.c.attempts - case((_t.c.claimed_until.is_(None), 0), else_=1)
# One that was put off without having failed waits for something else, such as its game: it is late from then on.
_SINCE = case((_tries > 0, _t.c.received_at), else_=_t.c.due_at)


@dataclass(frozen=True)
class Arrivals:
    """The mails that have come in: how many are unread, and for how long the oldest of them has been, in seconds;
    of those that were put off, from when they are due again.

    `canary_s` is the age of the last canary's return; None where the site sends none. `kept` counts the mails that are
    kept by the way they came and their verdict, "unread" if they have none yet.
    """

    unread: int
    oldest_s: float
    canary_s: float | None
    kept: Mapping[tuple[str, str], int]
    lets_results_through: bool = False
    """Whether our mail server lets through what others write in its name (`canary.lets_results_through`)."""
    writes_several_results: bool = False
    """Whether our mail server writes several results to a mail and none is believed (`judging.writes_several`)."""


def state_of_arrivals(connection: Connection, now: datetime, config: Config) -> str:
    """Returns "late" (a mail has been unread for too long), "silent" (no canary has come back lately) or "ok".

    Reads one row of the inbox at most, so it may be asked every second.
    """
    first = select(_SINCE).where(_t.c.done_at.is_(None)).order_by(_t.c.due_at).limit(1)
    oldest = connection.execute(first).scalar()
    if oldest is not None and (now - oldest).total_seconds() > LATE_S:
        return "late"
    age = canary.return_age(connection, now) if canary.is_flying(config) else None
    return "silent" if age is not None and age > canary.LATE.total_seconds() else "ok"


def read_arrivals(connection: Connection, now: datetime, config: Config) -> Arrivals:
    """Returns the figures. Reads the rows that are waiting, and of all others an index alone."""
    waiting = select(func.count(), func.min(_SINCE)).where(_t.c.done_at.is_(None))
    unread, oldest = connection.execute(waiting).one()
    rows = connection.execute(select(_t.c.via, _t.c.verdict, func.count()).group_by(_t.c.via, _t.c.verdict))
    return Arrivals(
        unread,
        max(0.0, (now - oldest).total_seconds()) if oldest is not None else 0.0,
        canary.return_age(connection, now) if canary.is_flying(config) else None,
        {(via, verdict or UNREAD): count for via, verdict, count in rows},
        canary.is_flying(config) and canary.lets_results_through(connection),
        bool(config.inbound.authserv) and judging.writes_several(connection, now),
    )
