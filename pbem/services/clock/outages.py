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
4. While the web is down the clock does not play, because nobody can answer
(`timeouts.beat_and_sweep_deadlines_if_web_up`).
5. A heartbeat, or the end of an outage, in the future is no reason to wait for that moment: the clock was ahead, or it
   is behind now. It is recorded that it was set back, as an outage that ends before it starts, and given back in the
   same way: what was left of a time is left, whichever way the clock was set. See `setbacks`.
6. A match whose game is unavailable is held: it stands still, and its `held_since` says since when. When the game is
   back, the match gets the time back that no outage covers, in the transaction that empties this.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import func, or_, text, update
from sqlmodel import Session, col, select

from pbem.errors import Busy
from pbem.games import all_games, find_game
from pbem.kit.replay import Extended
from pbem.models import tables
from pbem.models.clocks import Heartbeat, Outage
from pbem.models.tables import AskRow, Match, table
from pbem.services.calendar import deadlines, heartbeats
from pbem.services.calendar.deadlines import Silence
from pbem.services.calendar.heartbeats import ASLEEP, BEAT, SWEEP, WEB
from pbem.services.clock import setbacks
from pbem.services.log import outbox, windows
from pbem.services.log.table import LockedTable, lock_table
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site
from pbem.services.statements import query_of_distinct_values

MOVING = ("unconfirmed", "inviting", "running", "paused")
JUMP = timedelta(days=1)
PATIENCE = timedelta(days=1)
"""After this time a match of another share that still waits is one that cannot be loaded."""

_matches = table(Match)
log = structlog.get_logger()


def beat_and_apply_outages(site: Site, shard: Shard = ALL) -> datetime:
    """Records the sweep's heartbeat, moves deadlines for all outages, and returns the moment as of which it did.

    Asks of the share's matches that fall due by that moment may be answered by the clock. Safe to run twice or in two
    places.
    """
    now = site.now()
    record_heartbeat(site, SWEEP)
    now = min(now, site.now())  # the clock may just have been set back
    undone, ahead = _outages_to_apply_and_future_moment(site, now)
    if ahead is not None:
        _record_setback_and_correct_times(site, now)
        undone, _ = _outages_to_apply_and_future_moment(site, now)
    for outage_id in undone:
        _apply_outage(site, outage_id, shard)
    return now


def _outages_to_apply_and_future_moment(site: Site, now: datetime) -> tuple[Sequence[int | None], datetime | None]:
    """Returns the outages that are still to be given back, and `heartbeats.latest_future_moment`."""
    with site.reading() as session:
        undone = session.exec(select(Outage.id).where(col(Outage.done).is_(False)).order_by(col(Outage.id))).all()
        return undone, heartbeats.latest_future_moment(session, now)


def record_heartbeat(site: Site, name: str) -> None:
    """Moves the heartbeat of this name, and records an outage if it had stopped.

    If it lies in the future, records that the clock was set back. Safe to run in many places.
    """
    site.settle()
    now = site.now()
    with site.reading() as session:
        found = session.get(Heartbeat, name)
        last = found.at if found else None
    if last is None:
        with site.writing() as work:
            outbox.insert_row_unless_key_exists(work, Heartbeat, {"name": name, "at": now})
    elif now - last >= BEAT:
        with site.writing() as work:
            _move_heartbeat(work, name, last, now)
    elif last - now > BEAT:
        _record_setback_and_correct_times(site, now)


def is_settled(site: Site) -> bool:
    """Returns False if the clock may have jumped, or may be about to be set right: what cannot be undone waits then.

    True if no outage of more than JUMP was noted within the last ten minutes, no heartbeat has stopped, and none lies
    in the future.
    """
    now = site.now()
    with site.reading() as session:
        if heartbeats.silent_heartbeats(session.connection(), now) or heartbeats.latest_future_moment(session, now):
            return False
        lately = select(Outage).where(col(Outage.noted_at) > now - ASLEEP, col(Outage.noted_at) <= now)
        return all(abs(outage.until - outage.since) <= JUMP for outage in session.exec(lately))


def record_outage_by_hand(site: Site, since: datetime, until: datetime) -> list[Silence]:
    """Records that nobody could play in this period, except for parts recorded before; returns the new parts."""
    with site.writing() as work:
        _lock_heartbeats(work)
        pieces = heartbeats.parts_not_covered(since, until, heartbeats.silences_on_record(work, since, until))
        work.add_all(Outage(since=first, until=last, noted_at=site.now()) for first, last in pieces)
        return pieces


def _lock_heartbeats(session: Session) -> None:
    """Locks the heartbeats until the transaction ends, so that every process sees the outages others recorded."""
    session.exec(select(Heartbeat).order_by(col(Heartbeat.name)).with_for_update()).all()


def _move_heartbeat(session: Session, name: str, last: datetime, now: datetime) -> None:
    """Moves the heartbeat unless another process has done so meanwhile; after a long gap, records an outage."""
    _lock_heartbeats(session)
    t = table(Heartbeat)
    moved = session.connection().execute(update(t).where(t.c.name == name, t.c.at == last).values(at=now))
    if moved.rowcount == 1:
        for first, until in heartbeats.outages_not_recorded(session, last, now):
            session.add(Outage(since=first, until=until, noted_at=now))
            log.warning("service.asleep", pulse=name, seconds=round((until - first).total_seconds()))


def _record_setback_and_correct_times(site: Site, now: datetime) -> None:
    """Moves all heartbeats back to now if one is in the future, and records that the clock was set back by that much.

    A setback shorter than the shortest outage is not recorded: nobody has lost or gained any time worth mentioning.
    """
    with site.reading() as session:
        latest, false = _find_setback(session, now)
    if latest is None:
        return
    if _now_by_old_clock(latest, false, now) - now > ASLEEP:
        setbacks.correct_future_times(
            site, false, now
        )  # before it is recorded: who dies in between leaves it to the next one
    with site.writing() as work:
        _lock_heartbeats(work)
        latest, false = _find_setback(work, now)
        if latest is None:
            return
        t = table(Heartbeat)
        mended = () if false is not None else (t.c.name.in_((SWEEP, WEB)),)
        work.connection().execute(update(t).where(t.c.at > now, *mended).values(at=now))
        since = _now_by_old_clock(latest, false, now)
        if since - now > ASLEEP:
            work.add(Outage(since=since, until=now, noted_at=now))
        log.error("clock.set_back", seconds=round((latest - now).total_seconds()), was_ahead=false is not None)


def _find_setback(session: Session, now: datetime) -> tuple[datetime | None, Outage | None]:
    """Returns from when the clock was set back to now, if it was, and the outage that it had only seemed to skip."""
    latest = heartbeats.latest_future_moment(session, now)
    if latest is None:
        return None, None
    return latest, heartbeats.outage_by_wrong_clock(session, Outage(since=latest, until=now, noted_at=now))


def _now_by_old_clock(latest: datetime, false: Outage | None, now: datetime) -> datetime:
    """Returns what the clock would say now; with a false outage of just now the service was up all the time."""
    if false is not None and now - false.since <= ASLEEP:
        return max(latest, false.until + (now - false.since))
    return latest


def _apply_outage(site: Site, outage_id: int | None, shard: Shard) -> None:
    """Moves the deadlines of the share's matches of the outage; it stays open while one of any share is left.

    A match that fails does not hold up the others; the clock gives it its time back itself before it plays there. So
    nobody waits for one in another share for longer than PATIENCE.
    """
    with site.reading() as session:
        outage = session.get_one(Outage, outage_id)
        match_ids = session.exec(_query_of_matches_to_move(outage, shard, site.now()).distinct()).all()
    done = [_apply_outages_to_match(site, match_id) for match_id in match_ids]
    if all(done) and not site.stopping() and not _waits_for_other_shards(site, outage, shard):
        with site.writing() as work:
            work.get_one(Outage, outage_id).done = True


def _query_of_matches_to_move(outage: Outage, shard: Shard, now: datetime) -> Any:
    """Returns the query for the share's matches whose deadlines have not been moved for this outage."""
    if outage.until < outage.since:
        begun = func.coalesce(col(Match.started_at), col(Match.created_at))
        return select(col(Match.id)).where(
            col(Match.status).in_(MOVING),
            col(Match.shifted_for) < outage.id,
            or_(begun < outage.until, begun > now),
            *shard.match_conditions(col(Match.id)),
        )
    return select(col(AskRow.match_id)).where(
        col(AskRow.closed_at).is_(None),
        col(AskRow.mailed_at) < outage.until,
        *shard.match_conditions(col(AskRow.match_id)),
        col(Match.id) == col(AskRow.match_id),
        col(Match.status) == "running",
        col(Match.shifted_for) < outage.id,
    )


def _waits_for_other_shards(site: Site, outage: Outage, mine: Shard) -> bool:
    """Returns whether a match of another share still waits for this outage to be given back."""
    if mine == ALL or site.now() - outage.noted_at > PATIENCE:
        return False
    others = [Shard(number, mine.of) for number in range(mine.of) if number != mine.number]
    with site.reading() as session:
        return any(
            session.exec(_query_of_matches_to_move(outage, other, site.now()).limit(1)).first() is not None
            for other in others
        )


def _apply_outages_to_match(site: Site, match_id: str) -> bool:
    """Moves the deadlines of the match; returns True if nothing is left to do there."""
    if site.stopping():
        return False
    try:
        with site.writing() as work:
            apply_outages_to_locked_match(lock_table(work, match_id))
    except Busy:
        return False
    except Exception:
        log.exception("outage.not_given_back", match=match_id)
    return True


def apply_outages_to_locked_match(table: LockedTable) -> None:
    """Gives the match's clocks back the time of all outages it was not adjusted for."""
    work, match = table.work, table.match
    outages = heartbeats.outages_to_apply_to_match(work, match)
    silences = [(outage.since, outage.until) for outage in outages]
    if match.held_since is not None and (find_game(match.game) is not None or match.status not in MOVING):
        silences += heartbeats.outages_not_recorded(work, match.held_since, table.now)
        match.held_since = None
    if outages:
        match.shifted_for = outages[-1].id or match.shifted_for
    if silences:
        _move_clocks(table, silences, setbacks.outage_by_wrong_clock(work, outages))
    work.flush()


def _move_clocks(table: LockedTable, silences: Sequence[Silence], false: Silence | None) -> None:
    match, now = table.match, table.now
    begun = match.started_at or match.created_at
    if match.lapses_at is not None:
        matter = deadlines.silences_that_matter(silences, begun, now)
        match.lapses_at = setbacks.lapse_after_silences(match.lapses_at, matter, begun, false)
    asks = table.asks
    lost = {ask.seat: time for ask in asks if (time := _give_ask_its_time_back(table, ask, silences, false))}
    table.work.add_all(asks)
    if false is not None:
        windows.schedule_next_look(table)
    times = {*lost.values()}
    if len(times) == 1 and len(lost) == len(asks):
        table.record([Extended(times.pop())])
    else:
        table.record([Extended(seconds, seat) for seat, seconds in lost.items()])


# --- matches whose game is unavailable -------------------------------------------------------------------------


def hold_or_resume_unavailable_matches(site: Site, shard: Shard = ALL) -> None:
    """Holds matches of the share whose game is unavailable, and resumes those whose game is available again.

    It notes since when they stand still, and gives them that time back. Safe to run twice or in two places.
    """
    known, mine, since = [*all_games()], shard.match_conditions(col(Match.id)), col(Match.held_since)
    status, slug = col(Match.status), col(Match.game)
    lost = select(Match.id).where(status.in_(MOVING), slug.not_in(known), since.is_(None), *mine)
    back = select(Match.id).where(since.is_not(None), or_(slug.in_(known), status.not_in(MOVING)), *mine)
    with site.reading() as session:
        played = session.execute(
            query_of_distinct_values(_matches.c.game, text(tables.MOVING), since.is_(None), *mine)
        ).scalars()
        fresh = not all(game in known for game in played)
        back_ids = session.exec(back).all()
    if fresh:
        free = lost.with_for_update(skip_locked=True)  # a player who is locked is held a minute later
        hold = update(_matches).where(col(Match.id).in_(free)).values(held_since=site.now())
        with site.writing() as work:
            held = work.connection().execute(hold).rowcount
        log.error("games.unavailable", matches=held)  # `broken_games` and doctor say which, and why
    for match_id in back_ids:
        _apply_outages_to_match(site, match_id)


def _give_ask_its_time_back(table: LockedTable, ask: AskRow, silences: Sequence[Silence], false: Silence | None) -> int:
    """Gives the ask back what its clock lost in the outages; returns the seconds by which its deadline moved."""
    before, seat, now = ask.deadline, table.seats[ask.seat], table.now
    away = (seat.absent or seat.resigned) and ask.floor_at is None
    # Where no time runs nothing is lost: the clock moves at once, there is a vote, or the table is untimed.
    if not away and ask.vote_since is None and before is not None:
        if ask.floor_at is not None:
            _shift_window_ask(ask, deadlines.silences_that_matter(silences, ask.mailed_at, now), false)
        elif ask.mailed_at is not None or ask.opened_at > now:
            days = table.calendar_of(seat)
            deadlines.store_time_in_ask(
                ask, deadlines.time_after_silences(deadlines.time_in_row_of_ask(ask), silences, now, days, false)
            )
    if false is not None:
        setbacks.ensure_ask_begun(ask, now, away)
    return round((ask.deadline - before).total_seconds()) if before is not None and ask.deadline is not None else 0


def _shift_window_ask(ask: AskRow, silences: Sequence[Silence], false: Silence | None) -> None:
    """Does what `_give_ask_its_time_back` does, for an ask of a silent window.

    All asks of the window move by the whole outage, so that they keep one deadline.
    """
    for since, until in silences:
        assert ask.deadline is not None
        assert ask.mailed_at is not None
        if since < until:
            since = min(max(since, ask.mailed_at), until)
        elif (
            said := deadlines.moment_on_old_clock(deadlines.time_in_row_of_ask(ask), since, until, false)
        ) is not None:
            since, ask.mailed_at = said, min(ask.mailed_at, until)
        else:
            continue
        ask.deadline = setbacks.moment_after_silence(ask.deadline, since, until)
        ask.acts_at = ask.acts_at and setbacks.moment_after_silence(ask.acts_at, since, until)


def skip_recorded_outages(table: LockedTable) -> None:
    """Guarantees that the match is not adjusted for outages recorded so far; its clocks are about to be reset."""
    table.match.shifted_for = table.work.exec(select(func.max(col(Outage.id)))).one() or table.match.shifted_for
