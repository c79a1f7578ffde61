"""The mail that invites somebody to a season."""

from sqlalchemy import select
from sqlmodel import col

from pbem.mail.kinds.callup import CallUp
from pbem.models.leagues import Entrant, Season
from pbem.services.leagues.news import ENTERED, INVITED
from pbem.services.mail.letter_context import LetterContext
from pbem.services.mail.season_letters import About, about


def build(context: LetterContext) -> CallUp | str:
    """Returns the letter; stale once they have answered, or the season has begun."""
    of = about(context)
    if of is None or of.season.status != "open" or of.entrant.status != INVITED:
        return "stale"
    return CallUp(**of.fields(), again=_again(of), terms=of.terms(), entry_url=of.entry_url)


def _again(of: About) -> bool:
    before = (
        select(col(Entrant.id))
        .join(Season, col(Season.id) == col(Entrant.season_id))
        .where(col(Season.league_id) == of.league.id, col(Season.number) == of.season.number - 1)
        .where(col(Entrant.player_id) == of.entrant.player_id, col(Entrant.status) == ENTERED)
    )
    return of.context.session.execute(before).first() is not None
