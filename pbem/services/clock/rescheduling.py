"""Reschedules a player's open asks after a change of their calendar: the remaining time stays the same."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import exists, update
from sqlmodel import Session, col, select

from pbem.kit.replay import Extended
from pbem.models.tables import AskRow, Player, SeatRow, table
from pbem.services.calendar import calendar, deadlines
from pbem.services.calendar.calendar import Calendar
from pbem.services.calendar.deadlines import Time
from pbem.services.log.consent import is_active
from pbem.services.log.table import lock_tables
from pbem.services.site import Work


def matches_with_asks(session: Session, player: Player) -> list[str]:
    """Returns the ids of the matches with open asks to the player, in the order in which matches are locked."""
    asked = select(AskRow.match_id).where(
        col(AskRow.closed_at).is_(None),
        col(SeatRow.match_id) == col(AskRow.match_id),
        col(SeatRow.seat) == col(AskRow.seat),
        col(SeatRow.player_id) == player.id,
    )
    return sorted(session.exec(asked.distinct()))


def move_deadlines(work: Work, player: Player, match_ids: Iterable[str], before: Calendar, now: datetime) -> None:
    """Moves the deadlines of the player's open asks in these matches, if their calendar differs from `before`.

    The matches are locked here; the transaction may so far have locked only players and matches that sort before these.
    """
    after = calendar.of_player(work, player)
    if after == before or (after.plain and before.plain):
        return
    for locked in lock_tables(work, match_ids, now).values():
        own_seats = [s.seat for s in locked.seats if s.player_id == player.id and is_active(s)]
        for ask in locked.asks:
            timed = ask.deadline is not None and ask.floor_at is None  # a silent window has one deadline for all
            if ask.seat in own_seats and locked.match.status == "running" and timed:
                seconds = _move(ask, deadlines.time_after_calendar_change(ask, now, before, after))
                locked.record([Extended(seconds, ask.seat)] if seconds else [])


def _move(ask: AskRow, time: Time) -> int:
    """Stores the time in the ask; returns by how many seconds the deadline, or the remaining grace, moved."""
    before, acts_at = deadlines.time_of(ask), ask.acts_at
    deadlines.set_time(ask, time)
    moved = time.deadline - before.deadline
    if not moved and acts_at is not None and ask.acts_at is not None:
        moved = ask.acts_at - acts_at
    return round(moved.total_seconds())


def check_again(session: Session, now: datetime, seats: Any) -> None:
    """Makes the sweep check the open asks of these seats again, because different reminders may be due now.

    Used when the hour of the daily digest changes or a match is unmuted. The matches must be locked.
    """
    t, s = table(AskRow), table(SeatRow)
    session.flush()
    theirs = exists().where(s.c.match_id == t.c.match_id, s.c.seat == t.c.seat, seats)
    asked = (theirs, t.c.closed_at.is_(None), t.c.sealed_at.is_(None), t.c.mailed_at.is_not(None), t.c.deadline > now)
    session.execute(update(t).where(*asked).values(remind_at=now))
