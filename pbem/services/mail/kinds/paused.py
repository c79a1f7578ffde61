"""The mail that tells players that their match is paused, because nobody is active at the table."""

from sqlalchemy import select
from sqlmodel import col

from pbem.mail.kinds.paused import Paused
from pbem.models.tables import OutboxRow
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> Paused | str:
    """Returns the letter; stale once the match resumes, or if the reader has been told in a newer `absent` mail."""
    if not desk.seat.absent or desk.match.status != "paused" or desk.match.lapses_at is None:
        return "stale"
    told = select(col(OutboxRow.id)).where(
        col(OutboxRow.match_id) == desk.match.id,
        col(OutboxRow.seat) == desk.seat.seat,
        col(OutboxRow.kind) == "absent",
        col(OutboxRow.result) == "sent",
        col(OutboxRow.done_at) >= desk.row.created_at,
    )
    if desk.session.execute(told.limit(1)).first() is not None:
        return "stale"
    return Paused(**desk.about(), until=desk.match.lapses_at, play_url=desk.link("play", "play"))
