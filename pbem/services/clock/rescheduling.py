"""A player has other days from now on: what was left of the time of his open questions is left under them, too."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import exists, update
from sqlmodel import Session, col, select

from pbem.kit.replay import Extended
from pbem.models.tables import AskRow, Player, SeatRow, table
from pbem.services.calendar import deadlines, player_calendars
from pbem.services.calendar.calendar import Calendar
from pbem.services.calendar.deadlines import Time
from pbem.services.log import locks, store
from pbem.services.log.vote_count import is_active
from pbem.services.work import Work


def asking(session: Session, player: Player) -> list[str]:
    """The ids of the matches in which the player is asked something, in the order in which matches are locked."""
    asked = select(AskRow.match_id).where(
        col(AskRow.closed_at).is_(None),
        col(SeatRow.match_id) == col(AskRow.match_id),
        col(SeatRow.seat) == col(AskRow.seat),
        col(SeatRow.player_id) == player.id,
    )
    return sorted(session.exec(asked.distinct()))


def move_deadlines(work: Work, player: Player, match_ids: Iterable[str], before: Calendar, now: datetime) -> None:
    """Moves the deadlines of what the player is asked in these matches, where their days are others than before.

    The matches are locked here; nothing but players, and matches that sort before these, may be locked yet.
    """
    after = player_calendars.of_player(work, player)
    if after == before or (after.plain and before.plain):
        return
    for match_id, match in locks.lock_matches(work, match_ids).items():
        mine = [s.seat for s in store.seats_of(work, match_id) if s.player_id == player.id and is_active(s)]
        for ask in store.open_asks(work, match_id):
            if ask.seat in mine and match.status == "running":
                seconds = _move(ask, deadlines.moved(ask, now, before, after))
                work.add(ask)
                store.record(work, match, [Extended(seconds, ask.seat)] if seconds else [], now)


def _move(ask: AskRow, time: Time) -> int:
    """Gives the question this time; gives by how much the deadline moved, or what was left of the grace."""
    deadline, acts_at = ask.deadline, ask.acts_at
    deadlines.set_time(ask, time)
    moved = ask.deadline - deadline
    if not moved and acts_at is not None and ask.acts_at is not None:
        moved = ask.acts_at - acts_at
    return round(moved.total_seconds())


def look_again(session: Session, now: datetime, seats: Any) -> None:
    """Lets the sweep look at what these seats are asked: they may be reminded now of what they were not before.

    A mail a day has another hour, or the match is not muted any more. Their matches must be locked.
    """
    t, s = table(AskRow), table(SeatRow)
    session.flush()
    theirs = exists().where(s.c.match_id == t.c.match_id, s.c.seat == t.c.seat, seats)
    asked = (theirs, t.c.closed_at.is_(None), t.c.mailed_at.is_not(None), t.c.deadline > now)
    session.execute(update(t).where(*asked).values(remind_at=now))
