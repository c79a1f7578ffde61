"""Time banks, for matches that have them: charges a seat's bank and adds the increment when its asks are answered.

A turn may be interrupted by an ask to another seat. Each stretch of asks is then charged for its own thinking time, and
only the first adds the turn's increment.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlmodel import Session

from pbem.kit.contract import AnyGame, Ask
from pbem.models.tables import AskRow, Match, table
from pbem.services.calendar import deadlines, heartbeats, player_calendars
from pbem.services.log.ask_projection import UNDONE, Step, seat_at


def charge(session: Session, match: Match, game: AnyGame, after: Sequence[Ask], step: Step, now: datetime) -> None:
    """Charges the seat's bank for its thinking time, once its stretch of asks has ended."""
    answered = step.ask
    if answered is None or match.bank_s is None or game.meta.asks[answered.kind].window:
        return
    if not any((ask.seat, ask.turn) == (answered.seat, answered.turn) for ask in after):
        seat = seat_at(session, match, answered.seat)
        silences = heartbeats.unapplied_outages(session, match, now)
        calendar = player_calendars.calendar_of(session, seat)
        increment_s = 0 if _was_charged(session, game, answered) else match.increment_s
        deadlines.charge(match, seat, answered, now, calendar, silences, increment_s=increment_s)


def _was_charged(session: Session, game: AnyGame, answered: AskRow) -> bool:
    """True if an earlier stretch of the turn was charged: its last ask was answered and had time allowed."""
    t = table(AskRow)
    earlier = (
        select(t.c.origin, t.c.kind, t.c.closed_by)
        .where(
            t.c.match_id == answered.match_id, t.c.seat == answered.seat, t.c.turn == answered.turn,
            t.c.origin != answered.origin, t.c.closed_at.is_not(None), t.c.allowed_s > 0,
        )
        .order_by(t.c.opened_n)
    )  # fmt: skip
    rows = session.execute(earlier).all()
    last = {origin: closed_by for origin, kind, closed_by in rows if not game.meta.asks[kind].window}
    return any(closed_by not in ("table", UNDONE) for closed_by in last.values())
