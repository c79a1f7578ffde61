"""What a league keeps of a player who is erased: the results by seat, without a name."""

from sqlalchemy import select, update
from sqlmodel import Session, col

from pbem.features.leagues import founding
from pbem.features.leagues.news import ERASED
from pbem.features.leagues.tables import Entrant, League
from pbem.models.tables import table
from pbem.services.lobby.seating import FREE
from pbem.services.site import Site

_e = table(Entrant)


def end_leagues(site: Site, player_id: int) -> None:
    """Ends the leagues that the player organises: what runs goes on to its date, what has not begun is called off."""
    with site.reading() as session:
        leagues = _organised(session, player_id)
    for league_id in leagues:
        founding.end_league(site, player_id, league_id)


def has_ended(session: Session, player_id: int) -> bool:
    """False if the player organises a league that has not ended."""
    return not _organised(session, player_id)


def _organised(session: Session, player_id: int) -> list[str]:
    own = select(col(League.id)).where(col(League.owner_id) == player_id, col(League.ended_at).is_(None))
    return list(session.execute(own.order_by(col(League.id))).scalars())


def forget_name(session: Session, player_id: int) -> None:
    """Blanks the names of the player's entrants; they enter no season that has not begun."""
    session.execute(update(_e).where(_e.c.player_id == player_id).values(name=FREE, status=ERASED))
