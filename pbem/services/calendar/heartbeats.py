"""Whether the service is up: the sweep and the web each record a heartbeat, and a gap in either is an outage.

Without the sweep no clock is checked; without the web nobody can play. Overlapping gaps count once.

A heartbeat in the future was written by a clock that was ahead, or the clock is behind now. Neither is trusted: the
clock was set back, from the latest such moment to now. That is recorded as an outage that ends before it starts. What
an earlier outage has covered from that end on is void: this time was still to come.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import Connection, func, or_
from sqlmodel import Session, col, select

from pbem.models.clocks import Heartbeat, Outage
from pbem.models.tables import Match
from pbem.services.calendar.deadlines import Silence

SWEEP, WEB = "sweep", "web"
ASLEEP = timedelta(minutes=10)
"""A gap counts as an outage only if it is longer than this."""
BEAT = timedelta(seconds=30)
"""The shortest time between two writes of a heartbeat."""


def silent_heartbeats(connection: Connection, now: datetime) -> dict[str, datetime]:
    """Returns the stopped heartbeats with their last time; other moments in the table are ignored."""
    silent = select(Heartbeat.name, Heartbeat.at).where(
        col(Heartbeat.name).in_((SWEEP, WEB)), col(Heartbeat.at) < now - ASLEEP
    )
    return {heartbeat.name: heartbeat.at for heartbeat in connection.execute(silent)}


def outages_to_apply(session: Session, match: Match, now: datetime) -> list[Silence]:
    """Returns outages, also ongoing, and the time without its game, not given back to the match; oldest first."""
    noted = [(outage.since, outage.until) for outage in outages_after(session, match)]
    last = min(silent_heartbeats(session.connection(), now).values(), default=now)
    return [*noted, *gaps_not_recorded(session, min(last, match.held_since or last), now)]


def outages_after(session: Session, match: Match) -> list[Outage]:
    """Returns the outages and setbacks that the match has not been adjusted for, as they were recorded."""
    begun = match.started_at or match.created_at
    matters = or_(col(Outage.until) > begun, col(Outage.until) < col(Outage.since))
    unknown = select(Outage).where(col(Outage.id) > match.shifted_for, matters)
    return list(session.exec(unknown.order_by(col(Outage.id))))


def latest_ahead(session: Session, now: datetime) -> datetime | None:
    """Returns the latest heartbeat, or end of an outage, that is clearly in the future; None if none is."""
    beats = select(func.max(col(Heartbeat.at))).where(col(Heartbeat.name).in_((SWEEP, WEB)))
    back = select(func.coalesce(func.max(col(Outage.id)), 0)).where(col(Outage.until) < col(Outage.since))
    ended = select(func.max(col(Outage.until))).where(
        col(Outage.id) > back.scalar_subquery(), col(Outage.since) < col(Outage.until), col(Outage.until) > now + ASLEEP
    )
    found: list[datetime | None] = [session.exec(query).one() for query in (beats, ended)]
    return max((at for at in found if at is not None and at > now + BEAT), default=None)


def false_outage(session: Session, setback: Outage) -> Outage | None:
    """Returns the outage by which a clock that was ahead has skipped what it was set back to; None if it was not."""
    skipped = (col(Outage.since) <= setback.until, col(Outage.until) > setback.until)
    found = select(Outage).where(*skipped, *([] if setback.id is None else [col(Outage.id) < setback.id]))
    return session.exec(found.order_by(col(Outage.id))).first()


def gaps_not_recorded(session: Session, since: datetime, until: datetime) -> list[Silence]:
    """Returns the parts of a gap that no outage covers yet; parts too short to be an outage are left out."""
    if until - since <= ASLEEP:
        return []
    pieces = parts_not_covered(since, until, silences_on_record(session, since, until))
    return [(first, last) for first, last in pieces if last - first > ASLEEP]


def silences_on_record(session: Session, since: datetime, until: datetime) -> list[Silence]:
    """Returns the recorded outages that overlap this period, without what turned out to be still to come."""
    setbacks = session.exec(select(Outage).where(col(Outage.until) < col(Outage.since))).all()
    back = [(setback.id or 0, setback.since, setback.until) for setback in setbacks]
    noted = session.exec(select(Outage).where(col(Outage.until) > since, col(Outage.since) < until))
    return [
        (one.since, min([one.until, *(to for number, since, to in back if number > (one.id or 0) and one.since <= to)]))
        for one in noted
        if one.since < one.until
    ]


def parts_not_covered(since: datetime, until: datetime, others: Iterable[Silence]) -> list[Silence]:
    """Returns the parts of a period that none of the others cover.

    >>> def at(hour): return datetime(2026, 3, 12, hour)
    >>> [(a.hour, b.hour) for a, b in parts_not_covered(at(1), at(9), [(at(5), at(6)), (at(0), at(2)), (at(5), at(7))])]
    [(2, 5), (7, 9)]
    >>> parts_not_covered(at(1), at(9), [(at(1), at(9))])
    []
    """
    pieces = []
    for first, last in sorted(others):
        if since < first < until:
            pieces.append((since, first))
        since = max(since, last)
    return [*pieces, (since, until)] if since < until else pieces
