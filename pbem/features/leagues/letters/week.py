"""The one mail a week: how the reader's seasons and circles stand, and what is next."""

from dataclasses import dataclass
from datetime import datetime

from pbem.features.circles.circle_letters import CircleWeek, circles_with_news
from pbem.features.leagues import claims
from pbem.features.leagues.news import INVITED
from pbem.features.leagues.reading import current_seasons_of_player
from pbem.features.leagues.scores.standings import tables_of_divisions
from pbem.features.leagues.season_letters import entry_url
from pbem.features.leagues.tables import Entrant, League, Season
from pbem.mail.harmless import Typed
from pbem.mail.letters import Kind, Letter
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True)
class SeasonWeek:
    """A season in the weekly mail: how the reader stands, or, if they are `asked`, whether they enter it.

    `place` and `points` are None before it has begun. `entry_url` opens the reader's own page of the season.
    """

    league: Typed
    number: int
    place: int | None
    of: int
    points: float | None
    played: int
    matches: int
    at: datetime
    """When it begins, or, once it has begun, when it ends."""
    entry_url: str
    asked: bool = False


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
    if not player.weekly or player.canonical is None:
        return "stale"
    seasons = tuple(_season_of_week(context, *row) for row in current_seasons_of_player(context.session, player.id))
    circles = circles_with_news(context)
    if not seasons and not circles:
        return "stale"
    url = context.site.url(f"/week/{context.site.tokens.sign_for(claims.WeeklyClaim, player.id, player.canonical)}")
    return Week(**context.envelope(), seasons=seasons, circles=circles, week_url=url)


KIND = Kind(Week, build)


def _season_of_week(context: LetterContext, entrant: Entrant, season: Season, league: League) -> SeasonWeek:
    """Returns how the reader stands. A table is read once, for the first reader of it in a run of the sender."""
    url, asked = entry_url(context, entrant.id), entrant.status == INVITED
    if entrant.division is None or asked:
        return SeasonWeek(league.name, season.number, None, 0, None, 0, 0, season.starts_at, url, asked)
    tables, key = context.run.setdefault("week", {}), (season.id, season.status, entrant.division)
    if key not in tables:
        (tables[key],) = tables_of_divisions(context.session, season, entrant.division)
    rows = tables[key].rows
    row = next(one for one in rows if one.entrant_id == entrant.id)
    return SeasonWeek(
        league.name, season.number, row.place, len(rows), row.points, row.played, row.matches, season.ends_at, url
    )
