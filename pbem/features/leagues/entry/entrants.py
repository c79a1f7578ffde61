"""Who plays in a season, as a viewer may see them: those who have entered, and themselves.

The organiser sees no more: an invitation that is missing would tell whose address belongs to whom.
"""

from typing import Annotated, Any

from msgspec import Meta, Struct
from sqlalchemy import ColumnElement, or_, select
from sqlmodel import Session, col

from pbem.answers import one_of
from pbem.errors import NotFound
from pbem.features.leagues import lookups
from pbem.features.leagues.news import ENTERED, ERASED
from pbem.features.leagues.tables import Entrant
from pbem.models.tables import table
from pbem.services.site import Site
from pbem.services.who import STRANGER, Caller

STATUSES = ("invited", "entered", "withdrawn", "erased")
PAGE = 500
"""How many entrants a page has at most."""

_e = table(Entrant)
PLAYING: ColumnElement[bool] = _e.c.status.in_((ENTERED, ERASED))
"""The condition on the entrants who play, or have played."""


class EntrantView(Struct, frozen=True):
    """Who plays in a season. `place`, `points` and `moves_to` are null before it is closed."""

    id: int
    name: Annotated[str, Meta(description="“” for somebody who was erased.")]
    bot: str | None
    status: Annotated[str, one_of(STATUSES)]
    division: int | None
    place: int | None
    points: float | None
    moves_to: int | None


def list_entrants(site: Site, who: Caller, season_id: str, after: int = 0) -> tuple[list[EntrantView], int | None]:
    """Returns a page of the season's entrants as they came, and the `after` of the next one, None at the end.

    Raises NotFound.
    """
    with site.reading() as session:
        lookups.visible_season(session, who, season_id)
        found = select_views(season_id, _e.c.id > after, _visible(who)).order_by(_e.c.id)
        rows = session.execute(found.limit(PAGE + 1)).all()
    entrants = [EntrantView(*row) for row in rows[:PAGE]]
    return entrants, entrants[-1].id if len(rows) > PAGE else None


def read_entrant(site: Site, who: Caller, season_id: str, entrant_id: int) -> EntrantView:
    """Returns one of the season's entrants. Raises NotFound."""
    with site.reading() as session:
        lookups.visible_season(session, who, season_id)
        this = _e.c.id == min(entrant_id, 2**31 - 1)
        found = session.execute(select_views(season_id, this, _visible(who))).first()
    if found is None:
        raise NotFound(lookups.NO_ENTRANT)
    return EntrantView(*found)


def own_entrant(site: Site, player_id: int, season_id: str) -> int | None:
    """Returns the id of the player's entrant in the season; None if they were never asked."""
    with site.reading() as session:
        found = select(_e.c.id).where(_e.c.season_id == season_id, _e.c.player_id == player_id)
        return session.execute(found).scalar()


def own_view(session: Session, who: Caller, season_id: str) -> EntrantView | None:
    """Returns the caller's entrant in the season, whatever its status; None if they were never asked."""
    own = None if who is STRANGER else session.execute(select_views(season_id, _e.c.player_id == who)).first()
    return EntrantView(*own) if own is not None else None


def entrant_of(session: Session, season_id: str, player_id: int | None) -> Entrant | None:
    """Returns the player's row in the season as it is now; None for nobody: the rows of bots have no player either."""
    if player_id is None:
        return None
    own = select(Entrant).where(col(Entrant.season_id) == season_id, col(Entrant.player_id) == player_id)
    return session.execute(own.execution_options(populate_existing=True)).scalars().first()


def _visible(who: Caller) -> ColumnElement[bool]:
    """Returns the condition on the entrants whom the caller may see."""
    return PLAYING if who is STRANGER else or_(PLAYING, _e.c.player_id == who)


def select_views(season_id: str, *which: Any) -> Any:
    """Returns the query for these entrants of the season, as a viewer may see them."""
    columns = (
        _e.c.id, _e.c.name, _e.c.bot, _e.c.status, _e.c.division, _e.c.place, _e.c.points, _e.c.moves_to,
    )  # fmt: skip
    return select(*columns).where(_e.c.season_id == season_id, *which)
