"""The service was asleep: every clock that ran meanwhile gets the time back.

1. Every sweep moves the pulse. One that finds it ten minutes old claims the gap by a conditional UPDATE, and writes
   down the outage in the same transaction: of two that wake at once one does.
2. For each match with running clocks, under its lock: deadlines move by what they lost, the log says so, and the match
   notes for which outage. A crash in the middle loses nothing, and a second sweep moves nothing twice.
3. An outage is done when all its matches are. Until then, and for a match that could not be locked, the clock looks
   again itself before it plays.
"""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import update
from sqlmodel import Session, col, select

from pbem.errors import Busy
from pbem.models.tables import AskRow, Match, Outage, Pulse, table
from pbem.rules.replay import Extended
from pbem.services import store
from pbem.services.site import Site

SWEEP = "sweep"
ASLEEP = timedelta(minutes=10)
BEAT = timedelta(seconds=30)
"""The pulse is not written more often."""

log = structlog.get_logger()


def beat(site: Site) -> None:
    """Notes that the service is awake; where it was not, moves the deadlines. Safe to run twice or in two places."""
    now = site.now()
    with site.reading() as session:
        pulse = session.get(Pulse, SWEEP)
        last = pulse.at if pulse else None
    if last is None:
        with site.writing() as session:
            store.insert_once(session, Pulse, {"name": SWEEP, "at": now})
    elif now - last >= BEAT:
        with site.writing() as session:
            _note(session, last, now)
    with site.reading() as session:
        undone = session.exec(select(Outage.id).where(col(Outage.done).is_(False)).order_by(col(Outage.id))).all()
    for outage_id in undone:
        _give_back(site, outage_id)


def _note(session: Session, last: datetime, now: datetime) -> None:
    """Moves the pulse, if nobody else has meanwhile; after a long silence that was an outage."""
    t = table(Pulse)
    moved = session.connection().execute(update(t).where(t.c.name == SWEEP, t.c.at == last).values(at=now))
    if moved.rowcount == 1 and now - last > ASLEEP:
        session.add(Outage(since=last, until=now))
        log.warning("service.asleep", seconds=round((now - last).total_seconds()))


def _give_back(site: Site, outage_id: int | None) -> None:
    """Moves the deadlines of all matches of the outage; it stays open where one could not be locked."""
    with site.reading() as session:
        outage = session.get_one(Outage, outage_id)
        running = select(col(AskRow.match_id)).where(
            col(AskRow.closed_at).is_(None),
            col(AskRow.mailed_at) < outage.until,
            col(Match.id) == col(AskRow.match_id),
            col(Match.status) == "running",
            col(Match.shifted_for) < outage_id,
        )
        match_ids = session.exec(running.distinct()).all()
    missed = 0
    for match_id in match_ids:
        try:
            with site.writing() as session:
                catch_up(session, store.lock_match(session, match_id), site.now())
        except Busy:
            missed += 1
    if not missed:
        with site.writing() as session:
            session.get_one(Outage, outage_id).done = True


def catch_up(session: Session, match: Match, now: datetime) -> None:
    """Gives the match's clocks back what they have lost in outages that it does not know of. It must be locked."""
    unknown = select(Outage).where(
        col(Outage.id) > match.shifted_for, col(Outage.until) > (match.started_at or match.created_at)
    )
    for outage in session.exec(unknown.order_by(col(Outage.id))).all():
        assert outage.id is not None, "a stored outage has an id"
        match.shifted_for = outage.id
        session.add(match)
        asks = store.open_asks(session, match.id)
        lost = {ask.seat: time for ask in asks if (time := _shift(ask, outage))}
        session.add_all(asks)
        store.record(session, match, _entries(lost, len(asks)), now)
    session.flush()


def _shift(ask: AskRow, outage: Outage) -> int:
    """Moves the question's deadline by the seconds that its clock ran in the outage; gives them."""
    if ask.mailed_at is None or ask.acts_at is None or ask.acts_at <= outage.since:
        return 0
    lost = outage.until - max(outage.since, ask.mailed_at)
    if lost <= timedelta(0):
        return 0
    if ask.deadline > outage.since:
        ask.deadline += lost
    ask.acts_at += lost
    return round(lost.total_seconds())


def _entries(lost: dict[int, int], asked: int) -> list[Extended]:
    """What the log says: one line where all questions moved alike, else one a seat."""
    times = set(lost.values())
    if len(times) == 1 and len(lost) == asked:
        return [Extended(times.pop())]
    return [Extended(seconds, seat) for seat, seconds in lost.items()]
