"""What the letters about seasons have in common, their parts, and the entrant and the season that one is about."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import col, func, select

from pbem.features.leagues import claims, lookups
from pbem.features.leagues.tables import Entrant, League, Season
from pbem.features.leagues.terms import SeasonTerms, game_of_league, terms_of
from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name, Typed
from pbem.mail.letters import Letter
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class SeasonLetter(Letter):
    """A mail about a season of a league, to somebody who has entered it or is asked to. `name` is theirs there.

    `entry_url` opens their own page of the season, with the buttons “enter” and “withdraw” until it begins.
    """

    game: AnyGame
    league: Typed
    number: int
    starts_at: datetime
    ends_at: datetime
    terms: SeasonTerms
    name: Name
    entry_url: str

    @property
    def addressee(self) -> str:
        """The reader's name in the season."""
        return self.name

    @property
    def time_for_turn(self) -> timedelta:
        """The time for a turn."""
        return timedelta(seconds=self.terms.turn_s)


@dataclass(frozen=True)
class SeasonMatchLine:
    """A match of the reader's in a season: the others at the table, and the link to their seat.

    `commitment` is that to the deal that it shares with other tables, in 64 hexadecimal digits; None if it shares none.
    """

    round: int
    names: tuple[Name, ...]
    url: str
    commitment: str | None = None


@dataclass(frozen=True)
class SeasonRow:
    """A row of a division's table; `own` is the reader's."""

    place: int
    name: Name
    points: float
    own: bool


@dataclass(frozen=True)
class About:
    """The entrant whom a row is about, with their season and league."""

    context: LetterContext
    entrant: Entrant
    season: Season
    league: League

    def fields_of_letter(self) -> dict[str, Any]:
        """Returns the fields of every letter about a season."""
        return {
            **self.context.envelope(),
            "game": game_of_league(self.league),
            "league": self.league.name,
            "number": self.season.number,
            "starts_at": self.season.starts_at,
            "ends_at": self.season.ends_at,
            "terms": terms_of(self.season),
            "name": self.entrant.name,
            "entry_url": entry_url(self.context, self.entrant.id),
        }

    def count_divisions(self) -> int:
        """Returns how many divisions the season has."""
        highest = select(func.max(col(Entrant.division))).where(col(Entrant.season_id) == self.season.id)
        return self.context.session.exec(highest).one() or 1


def entrant_of_mail_row(context: LetterContext) -> About | None:
    """Returns the entrant of the row; None if they have been erased or merged away meanwhile."""
    entrant = context.session.get(Entrant, int(context.row.key or 0))
    if entrant is None or entrant.player_id != context.reader.player.id:
        return None
    season = lookups.season_of(context.session, entrant.season_id)
    return About(context, entrant, season, lookups.league_of(context.session, season.league_id))


def entry_url(context: LetterContext, entrant_id: int) -> str:
    """Returns the URL of the reader's own page of a season, which works without being signed in."""
    canonical = context.reader.player.canonical
    assert canonical is not None, "only players with an address enter"
    return context.site.url(f"/entry/{context.site.tokens.sign_for(claims.EntrantClaim, entrant_id, canonical)}")
