"""A player's settings for their own time: holidays with a yearly allowance, weekends, quiet hours.

A change moves the deadlines of the player's open asks in one transaction: the remaining time stays the same under the
new calendar, and each match's log says by how much its deadline moved. So cancelling a holiday also takes back the time
it gave.
"""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import exists, update
from sqlmodel import Session, col, select

from pbem.errors import CHANGED, N_, Changed, Invalid, NotFound
from pbem.kit.replay import Extended
from pbem.models.clocks import Vacation
from pbem.models.tables import AskRow, Match, Player, SeatRow, table
from pbem.services import versions
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.calendar import calendar, deadlines
from pbem.services.calendar.calendar import Calendar
from pbem.services.calendar.deadlines import Time
from pbem.services.log import locks
from pbem.services.log.consent import is_active_person
from pbem.services.log.table import lock_tables
from pbem.services.players import digest_day
from pbem.services.players.players import check_zone
from pbem.services.site import Site, Work

ALLOWANCE = 30
"""How many days of holiday a player has in a calendar year."""
AHEAD = timedelta(days=366)


def read_calendar(site: Site, player_id: int) -> Calendar:
    """Returns the player's calendar."""
    with site.reading() as session:
        return calendar.calendar_of_player(session, session.get_one(Player, player_id))


def add_holiday(site: Site, player_id: int, first: date, last: date, once: IdempotencyKey | None = None) -> None:
    """Stops the player's clock from the first day to the last. Raises Invalid, Gone, KeyReused, Unauthorized."""
    now = site.now()
    with site.writing() as work:
        player = locks.lock_player(work, player_id)
        asked = ids_of_matches_with_asks(work, player)
        locks.lock_matches(work, {*asked, *ids_of_matches_in_play(work, player)})
        if idempotency.claim_key(work, once, now) is not None:
            there = select(Vacation).where(col(Vacation.player_id) == player_id, col(Vacation.first) == first)
            if work.exec(there).first() is None:
                raise idempotency.missing_result_error()
            return
        before = calendar.calendar_of_player(work, player)
        today = before.day_of(now)
        if not today <= first <= last or last > today + AHEAD:
            raise Invalid(
                N_("A holiday must begin today or later, end on or after its first day, and lie within a year."),
                fields=("first", "last"),
            )
        if any(first <= other_last and other_first <= last for other_first, other_last in before.holidays):
            raise Invalid(N_("This overlaps with another holiday of yours."), fields=("first", "last"))
        for year in {first.year, last.year}:
            if sum(_count_days_in_year(year, *pair) for pair in (*before.holidays, (first, last))) > ALLOWANCE:
                raise Invalid(
                    N_("You can take up to %(days)s days of holiday a year."),
                    {"days": ALLOWANCE},
                    fields=("first", "last"),
                )
        work.put(Vacation(player_id=player_id, first=first, last=last))
        idempotency.store_answer(work, once, first.isoformat())
        move_deadlines(work, player, asked, before, site.now())


def _count_days_in_year(year: int, first: date, last: date) -> int:
    """Returns how many of these days are in the year."""
    return max((min(last, date(year, 12, 31)) - max(first, date(year, 1, 1))).days + 1, 0)


def cancel_holiday(site: Site, player_id: int, first: date) -> None:
    """Cancels the holiday that begins on this day; one in progress ends today. Raises NotFound, Unauthorized.

    Today stays a holiday until midnight and counts as one; otherwise players could get a free day off by cancelling it
    in the evening.
    """
    with site.writing() as work:
        player = locks.lock_player(work, player_id)
        before = calendar.calendar_of_player(work, player)
        today = before.day_of(site.now())
        query = select(Vacation).where(col(Vacation.player_id) == player_id, col(Vacation.first) == first)
        vacation = work.exec(query).first()
        if vacation is None or vacation.last < today:
            raise NotFound(N_("There is no such holiday."))
        if vacation.first > today:
            work.delete(vacation)
        else:
            vacation.last = today
        work.flush()
        move_deadlines(work, player, ids_of_matches_with_asks(work, player), before, site.now())


def set_clock_hours(
    site: Site,
    player_id: int,
    weekends_off: bool,
    quiet: tuple[int, int] | None,
    zone: str | None = None,
    was: Calendar | None = None,
    version: str | None = None,
) -> None:
    """Sets whether the player's clock stops at weekends, when no deadline falls (quiet hours), and their time zone.

    Without a zone the current one is kept. If `was` is given, the change is made only if the calendar still equals it;
    `version` is that of a form of `clock_hours`. Raises Invalid, Changed, Unauthorized.
    """
    zone = check_zone(zone) if zone is not None else None
    with site.writing() as work:
        player = locks.lock_player(work, player_id)
        before = calendar.calendar_of_player(work, player)
        if was is not None and was != before:
            raise Changed(CHANGED, etag="")
        weekends_off, quiet = versions.merge_or_raise_changed(version, clock_hours(before), (weekends_off, quiet))
        moves = zone is not None and zone != player.zone
        player.zone = zone or player.zone
        player.weekends_off = weekends_off
        player.quiet_from, player.quiet_to = quiet or (None, None)
        work.flush()
        move_deadlines(work, player, ids_of_matches_with_asks(work, player), before, site.now())
        if moves:
            digest_day.skip_past_digest(work, player, site.now())


def clock_hours(calendar: Calendar) -> tuple[bool, tuple[int, int] | None]:
    """Returns what is entered in one form: whether weekends are off, and the quiet hours."""
    return calendar.weekends_off, calendar.quiet


def parse_quiet_hours(first: str, last: str) -> tuple[int, int] | None:
    """Returns the quiet hours entered in a form, None for none. Raises Invalid."""
    if not first and not last:
        return None
    if not all(word.isascii() and word.isdigit() and len(word) < 3 and int(word) < 24 for word in (first, last)):
        raise Invalid(N_("Quiet hours have a beginning and an end, between 0 and 23."))
    return (int(first), int(last)) if int(first) != int(last) else None


# --- the deadlines that move with them -----------------------------------------------------------------------


def ids_of_matches_with_asks(session: Session, player: Player) -> list[str]:
    """Returns the ids of the matches with open asks to the player, in the order in which matches are locked."""
    asked = select(AskRow.match_id).where(
        col(AskRow.closed_at).is_(None),
        col(SeatRow.match_id) == col(AskRow.match_id),
        col(SeatRow.seat) == col(AskRow.seat),
        col(SeatRow.player_id) == player.id,
    )
    return sorted(session.exec(asked.distinct()))


def ids_of_matches_in_play(session: Session, player: Player) -> list[str]:
    """Returns the ids of the matches in play of the player, all of which the database locks if their hours change."""
    sits = select(SeatRow.match_id).join(Match, col(Match.id) == col(SeatRow.match_id))
    return [*session.exec(sits.where(SeatRow.player_id == player.id, col(Match.status).in_(("running", "paused"))))]


def move_deadlines(work: Work, player: Player, match_ids: Iterable[str], before: Calendar, now: datetime) -> None:
    """Moves the deadlines of the player's open asks in these matches, if their calendar differs from `before`.

    The matches are locked here; so far the transaction may have locked only players, and matches that sort before
    these.
    """
    after = calendar.calendar_of_player(work, player)
    if after == before or (after.clock_always_runs and before.clock_always_runs):
        return
    for locked in lock_tables(work, match_ids, now).values():
        own_seats = [s.seat for s in locked.seats if s.player_id == player.id and is_active_person(s)]
        for ask in locked.asks:
            timed = ask.deadline is not None and ask.floor_at is None  # a silent window has one deadline for all
            if ask.seat in own_seats and locked.match.status == "running" and timed:
                seconds = _store_time_and_return_shift(
                    ask, deadlines.time_after_calendar_change(ask, now, before, after)
                )
                locked.record([Extended(seconds, ask.seat)] if seconds else [])


def _store_time_and_return_shift(ask: AskRow, time: Time) -> int:
    """Stores the time in the ask; returns by how many seconds the deadline, or the remaining grace, moved."""
    before, acts_at = deadlines.time_in_row_of_ask(ask), ask.acts_at
    deadlines.store_time_in_ask(ask, time)
    moved = time.deadline - before.deadline
    if not moved and acts_at is not None and ask.acts_at is not None:
        moved = ask.acts_at - acts_at
    return round(moved.total_seconds())


def have_reminders_rechecked(session: Session, now: datetime, seats: Any) -> None:
    """Makes the sweep check the open asks of these seats again, because different reminders may be due now.

    Used when the hour of the daily digest changes or a match is unmuted. The matches must be locked.
    """
    t, s = table(AskRow), table(SeatRow)
    session.flush()
    theirs = exists().where(s.c.match_id == t.c.match_id, s.c.seat == t.c.seat, seats)
    asked = (theirs, t.c.closed_at.is_(None), t.c.sealed_at.is_(None), t.c.mailed_at.is_not(None), t.c.deadline > now)
    session.execute(update(t).where(*asked).values(remind_at=now))
