"""The standing table of a circle meets again: are you in? The row's key names the occasion and the membership."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select

from pbem.features.circles.own_links import links, membership
from pbem.features.circles.tables import CircleMember, OccasionAnswer, StandingTable
from pbem.features.circles.tables import Occasion as OccasionRow
from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, Letter
from pbem.services.log.store import game_by_slug
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Occasion(Letter):
    """Asks whether the reader plays at `starts_at`. `yes` are the names of those who have said so already."""

    lists = ("yes",)
    list_name = "circle"

    circle: Name
    game: AnyGame
    starts_at: datetime
    yes: tuple[Name, ...]
    yes_url: str
    no_url: str
    unsubscribe_url: str

    @property
    def one_click_url(self) -> str:
        """The URL that stops the circle's mails."""
        return self.unsubscribe_url


def build(context: LetterContext) -> Occasion | str:
    """Returns the letter; stale once it is answered or too late, "muted" if the member wants no mails of the circle."""
    occasion_id, _, member_id = (context.row.key or "").partition(".")
    found, occasion = membership(context, member_id), context.session.get(OccasionRow, int(occasion_id))
    if found is None or occasion is None or found[1].status != "member":
        return "stale"
    circle, row = found
    standing = context.session.get_one(StandingTable, occasion.standing_id)
    over = occasion.done_at is not None or occasion.starts_at <= context.now or standing.stopped_at is not None
    answered = context.session.get(OccasionAnswer, (occasion.id, row.id)) is not None
    if row.muted or over or answered:
        return "muted" if row.muted else "stale"
    game = game_by_slug(standing.game)
    yes = (
        select(CircleMember.name)
        .join(OccasionAnswer, col(OccasionAnswer.member_id) == col(CircleMember.id))
        .where(col(OccasionAnswer.occasion_id) == occasion.id, col(OccasionAnswer.yes))
        .where(col(CircleMember.status) == "member")
        .order_by(col(OccasionAnswer.at))
    )
    urls = links(context, row, "yes_url")
    say = f"{urls['yes_url']}/occasion/{occasion.id}"
    return Occasion(
        **context.envelope(), circle=circle.name, game=game, starts_at=occasion.starts_at,
        yes=tuple(context.session.exec(yes)), yes_url=f"{say}?say=yes", no_url=f"{say}?say=no",
        unsubscribe_url=urls["unsubscribe_url"],
    )  # fmt: skip


KIND = Kind(Occasion, build)
