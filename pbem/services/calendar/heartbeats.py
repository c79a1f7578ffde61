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
    """Returns the stopped heartbeats with their last time; empty if all are recent or were never recorded.

    The table also holds other moments, such as the time since when the alarm has been raised; those are ignored.
    """
    silent = select(Heartbeat.name, Heartbeat.at).where(
        col(Heartbeat.name).in_((SWEEP, WEB)), col(Heartbeat.at) < now - ASLEEP
    )
    return {heartbeat.name: heartbeat.at for heartbeat in connection.execute(silent)}


def outages_to_apply(session: Session, match: Match, now: datetime) -> list[Silence]:
    """Returns the outages, recorded or ongoing, for which the match's deadlines have not been moved; oldest first.

    They include the time in which the match was held because its game was unavailable, until the sweep has given it
    back.
    """
    noted = [(outage.since, outage.until) for outage in outages_to_apply_to_match(session, match)]
    last = min(silent_heartbeats(session.connection(), now).values(), default=now)
    return [*noted, *outages_not_recorded(session, min(last, match.held_since or last), now)]


def outages_to_apply_to_match(session: Session, match: Match) -> list[Outage]:
    """Returns the outages that the match has not been adjusted for, in the order in which they were recorded.

    They include every time at which the clock was set back: see `deadlines.silences_that_matter`.
    """
    begun = match.started_at or match.created_at
    matters = or_(col(Outage.until) > begun, col(Outage.until) < col(Outage.since))
    unknown = select(Outage).where(col(Outage.id) > match.shifted_for, matters)
    return list(session.exec(unknown.order_by(col(Outage.id))))


def latest_future_moment(session: Session, now: datetime) -> datetime | None:
    """Returns the latest moment in the future that was taken for the present: a heartbeat, or the end of an outage.

    None if no such moment is further ahead than two clocks may differ.
    """
    beats = select(func.max(col(Heartbeat.at))).where(col(Heartbeat.name).in_((SWEEP, WEB)))
    back = select(func.coalesce(func.max(col(Outage.id)), 0)).where(col(Outage.until) < col(Outage.since))
    ended = select(func.max(col(Outage.until))).where(
        col(Outage.id) > back.scalar_subquery(), col(Outage.since) < col(Outage.until), col(Outage.until) > now + ASLEEP
    )
    found: list[datetime | None] = [session.exec(query).one() for query in (beats, ended)]
    return max((at for at in found if at is not None and at > now + BEAT), default=None)


def outage_by_wrong_clock(session: Session, setback: Outage) -> Outage | None:
    """Returns the outage that was recorded because the clock had jumped ahead; None if nothing shows that it had.

    That outage spans the moment to which the clock was set back. Without one, the clock may just as well be behind now.
    """
    skipped = (col(Outage.since) <= setback.until, col(Outage.until) > setback.until)
    found = select(Outage).where(*skipped, *([] if setback.id is None else [col(Outage.id) < setback.id]))
    return session.exec(found.order_by(col(Outage.id))).first()


def outages_not_recorded(session: Session, since: datetime, until: datetime) -> list[Silence]:
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
