"""Not enough people this week: no match for a member who had said yes to a standing table.

The row's key names the occasion and the membership.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, func, select

from pbem.features.circles.circle_letters import CircleLetter, fields_of_circle_letter, rows_named_in_occasion_mail
from pbem.features.circles.standing import weekly_hour_of_table
from pbem.features.circles.tables import CircleMatch
from pbem.kit.contract import AnyGame
from pbem.mail.letters import Kind
from pbem.models.tables import SeatRow
from pbem.services.log.store import game_by_slug
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class TooFew(CircleLetter):
    """The reader had said yes, and is not seated: `others` is how many others play, 0 if nobody does."""

    game: AnyGame
    others: int
    again_at: datetime | None
    """When the table meets next; None: it was stopped."""


def build(context: LetterContext) -> TooFew | str:
    """Returns the letter; stale once they have left, "muted" if they want no mails of the circle."""
    found = rows_named_in_occasion_mail(context)
    if found is None:
        return "stale"
    circle, row, occasion, standing = found
    if row.muted:
        return "muted"
    game = game_by_slug(standing.game)
    seated = (
        select(func.count())
        .select_from(SeatRow)
        .join(CircleMatch, col(CircleMatch.match_id) == col(SeatRow.match_id))
        .where(col(CircleMatch.occasion_id) == occasion.id)
    )
    return TooFew(
        **fields_of_circle_letter(context, circle, row), game=game, others=context.session.exec(seated).one(),
        again_at=None
        if standing.stopped_at
        else weekly_hour_of_table(standing).next_after(max(context.now, occasion.starts_at)),
    )  # fmt: skip


KIND = Kind(TooFew, build)
