"""The service was asleep: every clock that ran meanwhile gets the time back.

1. Every sweep moves its pulse, and so does each web process (`web_heartbeat`). Whoever finds one ten minutes old claims
   the gap by a conditional UPDATE, and writes down the outage in the same transaction: of two that wake at once one
   does. What was written down before is not written down again: a machine that slept had neither sweep nor web.
2. For each match with running clocks, under its lock: deadlines move by what they lost, the log says so, and the match
   notes for which outage. A crash in the middle loses nothing, and a second sweep moves nothing twice.
3. An outage is done when all its matches are. Until then, and for a match that could not be locked, the clock looks
   again itself before it plays.
4. While the web is away the clock does not play: nobody can answer it (`timeouts.tick`).
"""

from datetime import datetime

import structlog
from sqlalchemy import func, update
from sqlmodel import Session, col, select

from pbem.errors import Busy
from pbem.kit.replay import Extended
from pbem.models.clocks import Outage, Pulse
from pbem.models.tables import AskRow, Match, SeatRow, table
from pbem.services.calendar import deadlines, heartbeats, player_calendars
from pbem.services.calendar.deadlines import Silence
from pbem.services.calendar.heartbeats import BEAT, SWEEP
from pbem.services.log import locks, outbox, store
from pbem.services.site import Site
from pbem.services.work import Work

log = structlog.get_logger()


def beat(site: Site) -> datetime:
    """Notes that the sweep is awake; moves the deadlines for every outage. Safe to run twice or in two places.

    Gives the moment up to which it has looked: what falls due by then may be played.
    """
    now = site.now()
    record_heartbeat(site, SWEEP)
    with site.reading() as session:
        undone = session.exec(select(Outage.id).where(col(Outage.done).is_(False)).order_by(col(Outage.id))).all()
    for outage_id in undone:
        _give_back(site, outage_id)
    return now


def record_heartbeat(site: Site, name: str) -> None:
    """Moves the pulse of this name, and writes down the outage where it had stopped. Safe to run in many places."""
    now = site.now()
    with site.reading() as session:
        found = session.get(Pulse, name)
        last = found.at if found else None
    if last is None:
        with site.writing() as work:
            outbox.insert_once(work, Pulse, {"name": name, "at": now})
    elif now - last >= BEAT:
        with site.writing() as work:
            _move(work, name, last, now)


def note_by_hand(site: Site, since: datetime, until: datetime) -> list[Silence]:
    """Writes down that nobody could play in this time, but for what of it was written down before; gives the rest."""
    with site.writing() as work:
        _lock(work)
        known = work.exec(select(Outage).where(col(Outage.until) > since, col(Outage.since) < until))
        pieces = heartbeats.without(since, until, ((outage.since, outage.until) for outage in known))
        work.add_all(Outage(since=first, until=last) for first, last in pieces)
        return pieces


def _lock(session: Session) -> None:
    """Lets nobody else note an outage before this transaction ends: he is to see what it has noted."""
    session.exec(select(Pulse).order_by(col(Pulse.name)).with_for_update()).all()


def _move(session: Session, name: str, last: datetime, now: datetime) -> None:
    """Moves the pulse, if nobody else has meanwhile; after a long silence that was an outage."""
    _lock(session)
    t = table(Pulse)
    moved = session.connection().execute(update(t).where(t.c.name == name, t.c.at == last).values(at=now))
    if moved.rowcount == 1:
        _note(session, name, last, now)


def _note(session: Session, name: str, since: datetime, until: datetime) -> None:
    for first, last in heartbeats.unnoted(session, since, until):
        session.add(Outage(since=first, until=last))
        log.warning("service.asleep", pulse=name, seconds=round((last - first).total_seconds()))


def _give_back(site: Site, outage_id: int | None) -> None:
    """Moves the deadlines of all matches of the outage; it stays open where one could not be locked.

    A match that is broken keeps no other waiting; the clock gives it its time back itself, before it plays there.
    """
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
    done = [_moved(site, match_id) for match_id in match_ids]
    if all(done) and not site.stopping():
        with site.writing() as work:
            work.get_one(Outage, outage_id).done = True


def _moved(site: Site, match_id: str) -> bool:
    """Moves the deadlines of the match; says whether nothing is left to do there."""
    if site.stopping():
        return False
    try:
        with site.writing() as work:
            catch_up(work, locks.lock_match(work, match_id), site.now())
    except Busy:
        return False
    except Exception:
        log.exception("outage.not_given_back", match=match_id)
    return True


def catch_up(work: Work, match: Match, now: datetime) -> None:
    """Gives the match's clocks back what they have lost in outages that it does not know of. It must be locked."""
    for outage in heartbeats.outages_after(work, match):
        assert outage.id is not None, "a stored outage has an id"
        match.shifted_for = outage.id
        if match.lapses_at is not None and match.lapses_at > outage.since:
            match.lapses_at += outage.until - outage.since
        work.add(match)
        asks = store.open_asks(work, match.id)
        seats = store.seats_of(work, match.id)
        lost = {ask.seat: time for ask in asks if (time := _shift(work, ask, seats[ask.seat], outage))}
        work.add_all(asks)
        store.record(work, match, _entries(lost, len(asks)), now)
    work.flush()


def _shift(session: Session, ask: AskRow, seat: SeatRow, outage: Outage) -> int:
    """Gives the question back what its clock has lost in the outage; gives the seconds by which its deadline moves."""
    if seat.absent or seat.resigned or ask.vote_since is not None:
        return 0  # no time runs there: the clock plays at once, or waits for the vote, or counts it
    before = ask.deadline
    deadlines.set_time(
        ask,
        deadlines.given_back(
            deadlines.time_of(ask), outage.since, outage.until, player_calendars.calendar_of(session, seat)
        ),
    )
    return round((ask.deadline - before).total_seconds())


def forget(session: Session, match: Match) -> None:
    """Guarantees that the match is moved for no outage that was noted before now: its clocks are set anew."""
    match.shifted_for = session.exec(select(func.max(col(Outage.id)))).one() or match.shifted_for


def _entries(lost: dict[int, int], asked: int) -> list[Extended]:
    """What the log says: one line where all questions moved alike, else one a seat."""
    times = set(lost.values())
    if len(times) == 1 and len(lost) == asked:
        return [Extended(times.pop())]
    return [Extended(seconds, seat) for seat, seconds in lost.items()]
