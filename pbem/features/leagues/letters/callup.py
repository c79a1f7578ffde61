"""Do you play in this season? Sent to everyone who is invited by its organiser, or played the one before."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlmodel import col

from pbem.features.leagues.news import ENTERED, INVITED
from pbem.features.leagues.season_letters import About, SeasonLetter, entrant_of_mail_row
from pbem.features.leagues.tables import Entrant, Season
from pbem.mail.letters import Kind
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class CallUp(SeasonLetter):
    """Asks whether the reader enters the season; `again` if they played the season before."""

    again: bool

    @property
    def one_click_url(self) -> str:
        """The URL that stops all mails to an address that nobody has proven; otherwise it declines."""
        return self.unsubscribe or f"{self.entry_url}/decline"


def build(context: LetterContext) -> CallUp | str:
    """Returns the letter; stale once they have answered, or the season has begun."""
    of = entrant_of_mail_row(context)
    if of is None or of.season.status != "open" or of.entrant.status != INVITED:
        return "stale"
    return CallUp(**of.fields_of_letter(), again=_has_entered_previous_season(of))


KIND = Kind(CallUp, build, capped=True)


def _has_entered_previous_season(of: About) -> bool:
    before = (
        select(col(Entrant.id))
        .join(Season, col(Season.id) == col(Entrant.season_id))
        .where(col(Season.league_id) == of.league.id, col(Season.number) == of.season.number - 1)
        .where(col(Entrant.player_id) == of.entrant.player_id, col(Entrant.status) == ENTERED)
    )
    return of.context.session.execute(before).first() is not None
