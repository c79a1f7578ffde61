"""The match waits: nobody is at the table. Sent to every absent player."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlmodel import col

from pbem.mail.letters import Kind, MatchLetter
from pbem.models.tables import OutboxRow
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Paused(MatchLetter):
    """Nobody is at the table: the match waits until `until` for a player to come back, by the button on `play_url`."""

    until: datetime
    play_url: str


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
    return Paused(**context.about(), until=context.match.lapses_at, play_url=context.link("play"))


KIND = Kind(Paused, build, can_be_muted=True)
