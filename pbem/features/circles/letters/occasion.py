"""The standing table of a circle meets again: are you in? The row's key names the occasion and the membership."""

from dataclasses import dataclass
from datetime import datetime

from pbem.features.circles.circle_letters import CircleLetter, fields_of_circle_letter, rows_named_in_occasion_mail
from pbem.features.circles.standing import answers_to_occasion
from pbem.features.circles.tables import OccasionAnswer
from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind
from pbem.services.log.store import game_by_slug
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Occasion(CircleLetter):
    """Asks whether the reader plays at `starts_at`. `yes` are the names of those who have said so already."""

    lists = ("yes",)

    game: AnyGame
    starts_at: datetime
    yes: tuple[Name, ...]
    yes_url: str
    no_url: str


def build(context: LetterContext) -> Occasion | str:
    """Returns the letter; stale once it is answered or too late, "muted" if the member wants no mails of the circle."""
    found = rows_named_in_occasion_mail(context)
    if found is None:
        return "stale"
    circle, row, occasion, standing = found
    over = occasion.done_at is not None or occasion.starts_at <= context.now or standing.stopped_at is not None
    answered = context.session.get(OccasionAnswer, (occasion.id, row.id)) is not None
    if row.muted or over or answered:
        return "muted" if row.muted else "stale"
    game = game_by_slug(standing.game)
    yes = tuple(member.name for member, plays in answers_to_occasion(context.session, occasion.id) if plays)
    fields = fields_of_circle_letter(context, circle, row)
    say = f"{fields['circle_url']}/occasion/{occasion.id}"
    return Occasion(
        **fields, game=game, starts_at=occasion.starts_at, yes=yes,
        yes_url=f"{say}?say=yes", no_url=f"{say}?say=no",
    )  # fmt: skip


KIND = Kind(Occasion, build)
