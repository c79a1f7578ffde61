"""Gives every clock back the time in which the service was down.

1. Every sweep records a heartbeat, and so does each web process (`web_heartbeat`). The process that finds one more than
   ten minutes old claims the gap by a conditional UPDATE and records the outage in the same transaction: of two
   processes that wake up at once only one does. What an earlier outage covers is not recorded again, because a machine
   that slept had neither sweep nor web.
2. For each match with running clocks, under its lock: deadlines move by the time lost, the log says so, and the match
   stores the outage that it was adjusted for. A crash in the middle loses nothing, and a second sweep moves nothing
   twice.
3. An outage is done when all its matches are adjusted. Until then, and for a match that could not be locked, the clock
   checks again itself before it plays.
4. While the web is down the clock does not play, because nobody can answer (`timeouts.tick`).
5. A match whose game is broken or gone stands still: a row says since when. When the game is back, the match gets the
   time back that no outage covers, in the transaction that deletes the row.
"""

from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from pbem.errors import Busy
from pbem.games import all_games, find_game
from pbem.kit.replay import Extended
from pbem.models.clocks import Heartbeat, Outage
from pbem.models.tables import AskRow, Match, SeatRow, table
from pbem.services.calendar import deadlines, heartbeats, player_calendars
from pbem.services.calendar.deadlines import Silence
from pbem.services.calendar.heartbeats import BEAT, SWEEP
from pbem.services.log import locks, outbox, store
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site
from pbem.services.work import Work

PATIENCE = timedelta(days=1)
"""After this time a match of another share that still waits is one that cannot be loaded."""
OPEN = ("unconfirmed", "inviting", "running", "paused")
HELD = "~"
"""What the names of the rows begin with that say since when a match stands still. They end with that of its id."""
AT_ONCE = 200

log = structlog.get_logger()


def beat(site: Site, shard: Shard = ALL) -> datetime:
    """Records the sweep's heartbeat, moves deadlines for all outages, and returns the moment this was checked for.

    Of the share's matches, what falls due by that moment may be played. Safe to run twice or in two places.
    """
    now = site.now()
    record_heartbeat(site, SWEEP)
    with site.reading() as session:
        undone = session.exec(select(Outage.id).where(col(Outage.done).is_(False)).order_by(col(Outage.id))).all()
    for outage_id in undone:
        _give_back(site, outage_id, shard)
    return now


def record_heartbeat(site: Site, name: str) -> None:
    """Moves the heartbeat of this name, and records an outage if it had stopped. Safe to run in many places."""
    now = site.now()
    with site.reading() as session:
        found = session.get(Heartbeat, name)
        last = found.at if found else None
    if last is None:
        with site.writing() as work:
            outbox.insert_once(work, Heartbeat, {"name": name, "at": now})
    elif now - last >= BEAT:
        with site.writing() as work:
            _move(work, name, last, now)


def note_by_hand(site: Site, since: datetime, until: datetime) -> list[Silence]:
    """Records that nobody could play in this period, except for parts recorded before; returns the new parts."""
    with site.writing() as work:
        _lock(work)
        known = work.exec(select(Outage).where(col(Outage.until) > since, col(Outage.since) < until))
        pieces = heartbeats.uncovered_parts(since, until, ((outage.since, outage.until) for outage in known))
        work.add_all(Outage(since=first, until=last, noted_at=site.now()) for first, last in pieces)
        return pieces


def _lock(session: Session) -> None:
    """Locks the heartbeats until the transaction ends, so that every process sees the outages others recorded."""
    session.exec(select(Heartbeat).order_by(col(Heartbeat.name)).with_for_update()).all()


def _move(session: Session, name: str, last: datetime, now: datetime) -> None:
    """Moves the heartbeat unless another process has done so meanwhile; after a long gap, records an outage."""
    _lock(session)
    t = table(Heartbeat)
    moved = session.connection().execute(update(t).where(t.c.name == name, t.c.at == last).values(at=now))
    if moved.rowcount == 1:
        _note(session, name, last, now)


def _note(session: Session, name: str, since: datetime, until: datetime) -> None:
    for first, last in heartbeats.unrecorded_gaps(session, since, until):
        session.add(Outage(since=first, until=last, noted_at=until))
        log.warning("service.asleep", pulse=name, seconds=round((last - first).total_seconds()))


def _give_back(site: Site, outage_id: int | None, shard: Shard) -> None:
    """Moves the deadlines of the share's matches of the outage; it stays open while one of any share is left.

    A match that fails does not hold up the others; the clock gives it its time back itself before it plays there. So
    nobody waits for one in another share for longer than PATIENCE.
    """
    with site.reading() as session:
        outage = session.get_one(Outage, outage_id)
        match_ids = session.exec(_unmoved(outage, shard).distinct()).all()
    done = [_catch_up_match(site, match_id) for match_id in match_ids]
    if all(done) and not site.stopping() and not _is_left(site, outage, shard):
        with site.writing() as work:
            work.get_one(Outage, outage_id).done = True


def _unmoved(outage: Outage, shard: Shard) -> Any:
    """Returns the query for the share's matches whose deadlines have not been moved for this outage."""
    return select(col(AskRow.match_id)).where(
        col(AskRow.closed_at).is_(None),
        col(AskRow.mailed_at) < outage.until,
        *shard.matches(col(AskRow.match_id)),
        col(Match.id) == col(AskRow.match_id),
        col(Match.status) == "running",
        col(Match.shifted_for) < outage.id,
    )


def _is_left(site: Site, outage: Outage, mine: Shard) -> bool:
    """Returns whether a match of another share still waits for this outage to be given back."""
    if mine == ALL or site.now() - outage.noted_at > PATIENCE:
        return False
    others = [Shard(number, mine.of) for number in range(mine.of) if number != mine.number]
    with site.reading() as session:
        return any(session.exec(_unmoved(outage, other).limit(1)).first() is not None for other in others)


def _catch_up_match(site: Site, match_id: str) -> bool:
    """Moves the deadlines of the match; returns True if nothing is left to do there."""
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
    """Gives the match's clocks back the time of all outages it was not adjusted for. The match must be locked."""
    for outage in heartbeats.outages_after(work, match):
        assert outage.id is not None, "a stored outage has an id"
        match.shifted_for = outage.id
        _move_clocks(work, match, outage, now)
    held = work.get(Heartbeat, _held(match.id))
    if held is not None and find_game(match.game) is not None:
        for since, until in heartbeats.unrecorded_gaps(work, held.at, now):
            _move_clocks(work, match, Outage(since=since, until=until, noted_at=now), now)
        work.delete(held)
    work.flush()


def _move_clocks(work: Work, match: Match, outage: Outage, now: datetime) -> None:
    if match.lapses_at is not None and match.lapses_at > outage.since:
        match.lapses_at += outage.until - outage.since
    work.add(match)
    asks = store.open_asks(work, match.id)
    seats = store.seats_of(work, match.id)
    lost = {ask.seat: time for ask in asks if (time := _shift(work, ask, seats[ask.seat], outage))}
    work.add_all(asks)
    store.record(work, match, _entries(lost, len(asks)), now)


# --- matches whose game is not there -------------------------------------------------------------------------


def hold_unavailable(site: Site, shard: Shard = ALL) -> None:
    """Notes since when the share's matches stand still whose game is not there; gives back the time of the others.

    Safe to run twice or in two places.
    """
    now, known = site.now(), [*all_games()]
    with site.reading() as session:
        standing = {*session.exec(select(Heartbeat.name).where(col(Heartbeat.name).startswith(HELD)))}
        unfinished = (col(Match.status).in_(OPEN), *shard.matches(col(Match.id)))
        away = session.exec(select(Match.id).where(*unfinished, col(Match.game).not_in(known))).all()
        back = session.exec(select(Match.id).where(*unfinished, col(Match.game).in_(known))).all() if standing else ()
        kept = {*session.exec(select(Match.id).where(col(Match.status).in_(OPEN)))} if standing else set[str]()
    fresh = sorted({_held(match_id) for match_id in away} - standing)
    if fresh:
        log.error("game.away", matches=len(fresh))  # `broken_games` and doctor say which, and why
    for some in (fresh[first : first + AT_ONCE] for first in range(0, len(fresh), AT_ONCE)):
        with site.writing() as work:
            for name in some:
                outbox.insert_once(work, Heartbeat, {"name": name, "at": now})
    for match_id in back:
        if _held(match_id) in standing:
            _catch_up_match(site, match_id)
    if over := standing - {_held(match_id) for match_id in kept}:
        with site.writing() as work:
            work.connection().execute(delete(table(Heartbeat)).where(col(Heartbeat.name).in_(over)))


def _held(match_id: str) -> str:
    return f"{HELD}{match_id[-9:]}"


def _shift(session: Session, ask: AskRow, seat: SeatRow, outage: Outage) -> int:
    """Gives the ask back what its clock lost in the outage; returns the seconds by which its deadline moved."""
    away = (seat.absent or seat.resigned) and ask.floor_at is None
    if away or ask.vote_since is not None or ask.deadline is None:
        return 0  # no time runs here: the clock moves at once, there is a vote, or the table is untimed
    if ask.floor_at is not None:
        return _shift_window(ask, outage)
    before = ask.deadline
    time = deadlines.time_after_outage(
        deadlines.time_of(ask), outage.since, outage.until, player_calendars.calendar_of(session, seat)
    )
    deadlines.set_time(ask, time)
    return round((time.deadline - before).total_seconds())


def _shift_window(ask: AskRow, outage: Outage) -> int:
    """Does what `_shift` does for an ask of a silent window: by the whole outage, so that all keep one deadline."""
    assert ask.deadline is not None
    assert ask.mailed_at is not None
    before, lost = ask.deadline, max(outage.until - max(outage.since, ask.mailed_at), timedelta())
    if ask.acts_at is not None and ask.acts_at > outage.since:
        ask.acts_at += lost
    if ask.deadline > outage.since:
        ask.deadline += lost
    return round((ask.deadline - before).total_seconds())


def forget(session: Session, match: Match) -> None:
    """Guarantees that the match is not adjusted for outages recorded so far; its clocks are about to be reset."""
    match.shifted_for = session.exec(select(func.max(col(Outage.id)))).one() or match.shifted_for


def _entries(lost: dict[int, int], asked: int) -> list[Extended]:
    """Returns the log events: one for the match if all asks moved by the same time, otherwise one per seat."""
    times = set(lost.values())
    if len(times) == 1 and len(lost) == asked:
        return [Extended(times.pop())]
    return [Extended(seconds, seat) for seat, seconds in lost.items()]
