"""The mail that tells players that their match is paused, because nobody is active at the table."""

from sqlalchemy import select
from sqlmodel import col

from pbem.mail.kinds.paused import Paused
from pbem.models.tables import OutboxRow
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> Paused | str:
    """Returns the letter; stale once the match resumes, or if the reader has been told in a newer `absent` mail."""
    if not context.seat.absent or context.match.status != "paused" or context.match.lapses_at is None:
        return "stale"
    newer_mail = select(col(OutboxRow.id)).where(
        col(OutboxRow.match_id) == context.match.id,
        col(OutboxRow.seat) == context.seat.seat,
        col(OutboxRow.kind) == "absent",
        col(OutboxRow.result) == "sent",
        col(OutboxRow.done_at) >= context.row.created_at,
    )
    if context.session.execute(newer_mail.limit(1)).first() is not None:
        return "stale"
    return Paused(**context.about(), until=context.match.lapses_at, play_url=context.link("play", "play"))
