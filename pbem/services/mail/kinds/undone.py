"""What an earlier mail asked you was taken back: nothing is to do. The row's key is that of the turn mail."""

from dataclasses import dataclass

from sqlalchemy import or_
from sqlmodel import col, select

from pbem.kit.replay import Undone, owner_of_undone_decision
from pbem.mail.letters import Kind, MatchLetter
from pbem.models.tables import OutboxRow
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views


@dataclass(frozen=True, kw_only=True)
class TakenBack(MatchLetter):
    """Seat `taker` has taken back a move, and with it the question that an earlier mail has put to the reader."""

    taker: int
    play_url: str


def build(context: LetterContext) -> TakenBack | str:
    """Returns the letter; stale if the reader is asked something by now, or neither turn mail nor notification left."""
    view, row = match_views.view(context.table, context.seat.seat), context.row
    undone = next((one for one in reversed(view.entries) if isinstance(one.event, Undone)), None)
    if context.match.status != "running" or view.ask is not None or undone is None:
        return "stale"
    told = select(OutboxRow.id).where(
        col(OutboxRow.match_id) == row.match_id,
        col(OutboxRow.seat) == row.seat,
        col(OutboxRow.kind) == "turn",
        col(OutboxRow.key) == row.key,
        or_(col(OutboxRow.result) == "sent", col(OutboxRow.pushed_at).is_not(None)),
    )
    taker = owner_of_undone_decision(view.entries, undone)
    if taker is None or context.session.exec(told.limit(1)).first() is None:
        return "stale"
    return TakenBack(**context.about(), taker=taker, play_url=context.link("play"))


KIND = Kind(TakenBack, build, can_be_muted=True)
