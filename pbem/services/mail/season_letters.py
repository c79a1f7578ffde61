"""What the letters about seasons have in common: the entrant of the row, their season, and its terms in the mail."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pbem.mail.parts import SeasonTerms
from pbem.models.leagues import Entrant, League, Season
from pbem.services.leagues import lookups
from pbem.services.leagues.terms import game_of, terms_of
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True)
class About:
    """The entrant whom a row is about, with their season and league."""

    context: LetterContext
    entrant: Entrant
    season: Season
    league: League

    def fields(self) -> dict[str, Any]:
        """Returns the fields of every letter about a season."""
        return {
            **self.context.envelope(),
            "game": game_of(self.league),
            "league": self.league.name,
            "number": self.season.number,
            "name": self.entrant.name,
        }

    @property
    def entry_url(self) -> str:
        """The URL of the reader's own page of the season: they enter or withdraw there, then see how they stand."""
        return entry_url(self.context, self.entrant.id)

    def terms(self) -> SeasonTerms:
        """Returns the terms as the mail states them."""
        terms = terms_of(self.season)
        return SeasonTerms(
            self.season.starts_at, self.season.ends_at, terms.seats, terms.matches, timedelta(seconds=terms.turn_s),
            terms.duplicate, terms.unfinished,
        )  # fmt: skip


def about(context: LetterContext) -> About | None:
    """Returns the entrant of the row; None if they have been erased or merged away meanwhile."""
    entrant = context.session.get(Entrant, int(context.row.key or 0))
    if entrant is None or entrant.player_id != context.reader.player.id:
        return None
    season = lookups.season_of(context.session, entrant.season_id)
    return About(context, entrant, season, lookups.league_of(context.session, season.league_id))


def entry_url(context: LetterContext, entrant_id: int | None) -> str:
    """Returns the URL of the reader's own page of a season, which works without being signed in."""
    canonical = context.reader.player.canonical
    assert canonical is not None, "only players with an address enter"
    return context.site.url(f"/entry/{context.site.tokens.for_entrant(entrant_id or 0, canonical)}")
