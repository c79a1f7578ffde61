"""The one mail a week: how the reader's seasons and circles stand, and what is next."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.features.circles import claims as circle_claims
from pbem.features.circles.scores import CircleNow, circles_of
from pbem.features.leagues import claims
from pbem.features.leagues.season_letters import CircleWeek, SeasonWeek, entry_url
from pbem.features.leagues.weekly import SeasonNow, Tables, seasons_of
from pbem.games import find_game
from pbem.mail.letters import Kind, Letter
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Week(Letter):
    """How the reader's seasons and circles stand. `week_url` opens the page with the button “no weekly email”."""

    lists = ("seasons", "circles")
    list_name = "week"

    seasons: tuple[SeasonWeek, ...]
    circles: tuple[CircleWeek, ...]
    week_url: str

    @property
    def one_click_url(self) -> str:
        """The URL that ends these mails."""
        return self.week_url


def build(context: LetterContext) -> Week | str:
    """Returns the letter; stale if its reader wants none any more, or there is nothing to say."""
    player = context.reader.player
    if not player.weekly or player.id is None or player.canonical is None:
        return "stale"
    tables: Tables = context.run.setdefault("week", Tables())
    seasons = seasons_of(context.session, player.id, tables)
    circles = circles_of(context.site, context.session, player.id, context.now, tables.circles)
    if not seasons and not circles:
        return "stale"
    url = context.site.url(f"/week/{context.site.tokens.sign_for(claims.WeeklyClaim, player.id, player.canonical)}")
    return Week(
        **context.envelope(), seasons=tuple(_season(context, one) for one in seasons),
        circles=tuple(_circle(context, one) for one in circles), week_url=url,
    )  # fmt: skip


KIND = Kind(Week, build)


def _season(context: LetterContext, one: SeasonNow) -> SeasonWeek:
    return SeasonWeek(
        one.league, one.number, one.place, one.of, one.points, one.played, one.matches, one.at,
        entry_url(context, one.entrant_id), one.asked,
    )  # fmt: skip


def _circle(context: LetterContext, one: CircleNow) -> CircleWeek:
    url = context.site.url(
        f"/circle/member/{context.site.tokens.sign(circle_claims.MemberClaim(one.member_id, one.epoch))}"
    )
    game = find_game(one.game) if one.game is not None else None
    place = one.place if game is not None else None
    return CircleWeek(one.name, game, place, one.of, one.next_at, url)
