"""Whether the service is up: the sweep and the web each record a heartbeat, and a gap in either is an outage.

Without the sweep no clock is checked; without the web nobody can play. Overlapping gaps count once.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import Connection
from sqlmodel import Session, col, select

from pbem.models.clocks import Heartbeat, Outage
from pbem.models.tables import Match
from pbem.services.calendar.deadlines import Silence

SWEEP, WEB = "sweep", "web"
ASLEEP = timedelta(minutes=10)
"""A gap counts as an outage only if it is longer than this."""
BEAT = timedelta(seconds=30)
"""The shortest time between two writes of a heartbeat."""


def stopped_heartbeats(connection: Connection, now: datetime) -> dict[str, datetime]:
    """Returns the stopped heartbeats with their last time; empty if all are recent or were never recorded.

    The table also holds other moments, such as the time since when the alarm has been raised; those are ignored.
    """
    silent = select(Heartbeat.name, Heartbeat.at).where(
        col(Heartbeat.name).in_((SWEEP, WEB)), col(Heartbeat.at) < now - ASLEEP
    )
    return {heartbeat.name: heartbeat.at for heartbeat in connection.execute(silent)}


def unapplied_outages(session: Session, match: Match, now: datetime) -> list[Silence]:
    """Returns the outages, recorded or ongoing, for which the match's deadlines have not been moved; oldest first."""
    noted = [(outage.since, outage.until) for outage in outages_after(session, match)]
    last = min(stopped_heartbeats(session.connection(), now).values(), default=now)
    return sorted([*noted, *unrecorded_gaps(session, last, now)])


def outages_after(session: Session, match: Match) -> list[Outage]:
    """Returns the outages that the match has not been adjusted for, in the order in which they were recorded."""
    begun = match.started_at or match.created_at
    unknown = select(Outage).where(col(Outage.id) > match.shifted_for, col(Outage.until) > begun)
    return list(session.exec(unknown.order_by(col(Outage.id))))


def unrecorded_gaps(session: Session, since: datetime, until: datetime) -> list[Silence]:
    """Returns the parts of a gap that no outage covers yet; parts too short to be an outage are left out."""
    if until - since <= ASLEEP:
        return []
    noted = session.exec(select(Outage).where(col(Outage.until) > since, col(Outage.since) < until))
    pieces = uncovered_parts(since, until, ((outage.since, outage.until) for outage in noted))
    return [(first, last) for first, last in pieces if last - first > ASLEEP]


def uncovered_parts(since: datetime, until: datetime, others: Iterable[Silence]) -> list[Silence]:
    """Returns the parts of a period that none of the others cover.

    >>> def at(hour): return datetime(2026, 3, 12, hour)
    >>> [(a.hour, b.hour) for a, b in uncovered_parts(at(1), at(9), [(at(5), at(6)), (at(0), at(2)), (at(5), at(7))])]
    [(2, 5), (7, 9)]
    >>> uncovered_parts(at(1), at(9), [(at(1), at(9))])
    []
    """
    pieces = []
    for first, last in sorted(others):
        if since < first < until:
            pieces.append((since, first))
        since = max(since, last)
    return [*pieces, (since, until)] if since < until else pieces
