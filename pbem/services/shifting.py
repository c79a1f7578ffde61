"""A player has other days from now on: what was left of the time of his open questions is left under them, too."""

from datetime import datetime
from typing import Any

from sqlalchemy import exists, update
from sqlmodel import Session, col, select

from pbem.models.tables import AskRow, Match, Player, SeatRow, table
from pbem.rules.replay import Extended
from pbem.services import days, store, timing
from pbem.services.ballot import there
from pbem.services.calendar import Calendar
from pbem.services.timing import Time


def move_deadlines(session: Session, player: Player, before: Calendar, now: datetime) -> None:
    """Moves the deadlines of what the player is asked; the matches are locked in an order that everybody keeps."""
    after = days.of_player(session, player)
    if after == before or (after.plain and before.plain):
        return
    asked = select(AskRow.match_id).where(
        col(AskRow.closed_at).is_(None),
        col(SeatRow.match_id) == col(AskRow.match_id),
        col(SeatRow.seat) == col(AskRow.seat),
        col(SeatRow.player_id) == player.id,
        col(Match.id) == col(AskRow.match_id),
        col(Match.status) == "running",
    )
    for match_id in sorted(session.exec(asked.distinct())):
        match = store.lock_match(session, match_id)
        mine = [s.seat for s in store.seats_of(session, match_id) if s.player_id == player.id and there(s)]
        for ask in store.open_asks(session, match_id):
            if ask.seat in mine and match.status == "running":
                seconds = _move(ask, timing.moved(ask, now, before, after))
                session.add(ask)
                store.record(session, match, [Extended(seconds, ask.seat)] if seconds else [], now)


def _move(ask: AskRow, time: Time) -> int:
    """Gives the question this time; gives by how much the deadline moved, or what was left of the grace."""
    deadline, acts_at = ask.deadline, ask.acts_at
    timing.set_time(ask, time)
    moved = ask.deadline - deadline
    if not moved and acts_at is not None and ask.acts_at is not None:
        moved = ask.acts_at - acts_at
    return round(moved.total_seconds())


def look_again(session: Session, now: datetime, seats: Any) -> None:
    """Lets the sweep look at what these seats are asked: they may be reminded now of what they were not before.

    A mail a day has another hour, or the match is not muted any more.
    """
    t, s = table(AskRow), table(SeatRow)
    session.flush()
    theirs = exists().where(s.c.match_id == t.c.match_id, s.c.seat == t.c.seat, seats)
    asked = (theirs, t.c.closed_at.is_(None), t.c.mailed_at.is_not(None), t.c.deadline > now)
    found = select(t.c.match_id, t.c.key, t.c.seat).where(*asked).order_by(t.c.match_id, t.c.key, t.c.seat)
    for match_id, key, seat in session.execute(found.with_for_update()).all():
        this = (t.c.match_id == match_id, t.c.key == key, t.c.seat == seat)
        session.execute(update(t).where(*this).values(remind_at=now))
