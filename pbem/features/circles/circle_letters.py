"""What the letters of circles have in common, and what the one mail a week says of its reader's circles.

The week says nothing of them while circles are off.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import Select, false
from sqlmodel import col, func, select

from pbem.features.circles import claims
from pbem.features.circles.rows import MEMBER
from pbem.features.circles.scores import scores_of_circle
from pbem.features.circles.tables import Circle, CircleMember, Occasion, StandingTable
from pbem.games import find_game
from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name
from pbem.mail.letters import Letter
from pbem.models.tables import table
from pbem.services.mail.letter_context import LetterContext
from pbem.services.site import Site

_c = table(CircleMember)


@dataclass(frozen=True, kw_only=True)
class CircleLetter(Letter):
    """A mail of a circle to somebody who is in it, or is asked to be. `circle_url` opens their own page of it."""

    list_name: ClassVar[str | None] = "circle"

    circle: Name
    circle_url: str

    @property
    def unsubscribe_url(self) -> str:
        """The URL of the page that stops the circle's mails."""
        return f"{self.circle_url}/mails"

    @property
    def one_click_url(self) -> str:
        """The URL that stops the circle's mails."""
        return self.unsubscribe_url


def circle_and_membership(
    context: LetterContext, member_id: str, status: str = MEMBER
) -> tuple[Circle, CircleMember] | None:  # fmt: skip
    """Returns the circle and the reader's membership of this status; None once it is gone, or has another reader."""
    row = context.session.get(CircleMember, int(member_id))
    if row is None or row.player_id != context.reader.player.id or row.status != status:
        return None
    circle = context.session.get_one(Circle, row.circle_id)
    return (circle, row) if circle.dissolved_at is None else None


def rows_named_in_occasion_mail(
    context: LetterContext,
) -> tuple[Circle, CircleMember, Occasion, StandingTable] | None:  # fmt: skip
    """Returns what a row is about whose key names an occasion and a membership; None once one of them is gone."""
    occasion_id, _, member_id = (context.row.key or "").partition(".")
    found, occasion = circle_and_membership(context, member_id), context.session.get(Occasion, int(occasion_id))
    if found is None or occasion is None:
        return None
    return *found, occasion, context.session.get_one(StandingTable, occasion.standing_id)


def fields_of_circle_letter(context: LetterContext, circle: Circle, row: CircleMember) -> dict[str, Any]:
    """Returns the fields of every letter of a circle."""
    return {**context.envelope(), "circle": circle.name, "circle_url": _url_of_membership(context, row)}


def _url_of_membership(context: LetterContext, row: CircleMember) -> str:
    return context.site.url(f"/circle/member/{context.site.tokens.sign(claims.MemberClaim(row.id, row.epoch))}")


# --- the weekly mail ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CircleWeek:
    """A circle in the weekly mail: how the reader stands in the game it plays most, and when its members meet next.

    `game` and `place` are None if the reader has played no match of it there.
    """

    circle: Name
    game: AnyGame | None
    place: int | None
    of: int
    next_at: datetime | None
    circle_url: str


def query_of_players_with_circle_mails(site: Site) -> Select[tuple[int]]:
    """Returns the query for the players who belong to a circle whose mails they get."""
    told = _c.c.status == MEMBER, _c.c.muted.is_(False), _c.c.player_id.is_not(None)
    return select(_c.c.player_id).where(*told if "circles" in site.config.features else (false(),))


def circles_with_news(context: LetterContext) -> tuple[CircleWeek, ...]:
    """Returns the reader's circles of which there is something to tell, by name."""
    if "circles" not in context.site.config.features:
        return ()
    rows = context.session.execute(
        select(CircleMember, Circle)
        .join(Circle, col(Circle.id) == col(CircleMember.circle_id))
        .where(col(CircleMember.player_id) == context.reader.player.id, col(CircleMember.status) == MEMBER)
        .where(col(CircleMember.muted).is_(False), col(Circle.dissolved_at).is_(None))
        .order_by(col(Circle.name), col(Circle.id))
    ).all()
    told = [_week_of_circle(context, row, circle) for row, circle in rows]
    return tuple(one for one in told if one.place is not None or one.next_at is not None)


def _week_of_circle(context: LetterContext, row: CircleMember, circle: Circle) -> CircleWeek:
    next_at = context.session.execute(
        select(func.min(col(Occasion.starts_at)))
        .join(StandingTable, col(StandingTable.id) == col(Occasion.standing_id))
        .where(col(StandingTable.circle_id) == circle.id, col(StandingTable.stopped_at).is_(None))
        .where(col(Occasion.done_at).is_(None), col(Occasion.starts_at) > context.now)
    ).scalar()
    known = context.run.setdefault("circles", {})
    if circle.id not in known:
        known[circle.id] = scores_of_circle(context.session, circle.id)
    most = max(known[circle.id], key=lambda one: one.matches, default=None)
    game = find_game(most.game) if most is not None else None
    scores = most.scores if most is not None and game is not None else ()
    own = next((one.share for one in scores if one.member_id == row.id), None)
    place = 1 + sum(one.share > own for one in scores) if own is not None else None
    return CircleWeek(circle.name, game, place, len(scores), next_at, _url_of_membership(context, row))
