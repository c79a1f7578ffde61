"""Finds leagues and seasons, and checks who may change them."""

import re
from collections.abc import Collection
from typing import TypeVar

from sqlalchemy import ColumnElement, exists, or_
from sqlmodel import Session, col, select

from pbem.errors import N_, Forbidden, Gone, NotFound
from pbem.features.circles.rows import member_condition
from pbem.features.leagues.tables import Entrant, League, Season
from pbem.models.tables import table
from pbem.services.log import locks
from pbem.services.who import HOST, Caller, Owner

Kind = TypeVar("Kind", League, Season)
NO_KEY = {"key_share": True}
"""A lock under which others may still write rows that point to this one."""
_e, _l, _s = table(Entrant), table(League), table(Season)
ID = re.compile(r"[0-9a-f]{1,32}")
NO_LEAGUE, NO_SEASON = N_("There is no such league."), N_("There is no such season.")
"""Said of one that the caller may not see, too."""
ORGANISER_ALONE = N_("Only the organiser of the league can do this.")
NO_ENTRANT = N_("The season has no such entrant.")
ENTERING_IS_OVER = N_("This season has begun: nobody can enter it any more. The next one will be announced here.")


def league_of(session: Session, league_id: str) -> League:
    """Returns the league. Raises NotFound."""
    return _row_of(session, League, league_id, NO_LEAGUE)


def season_of(session: Session, season_id: str) -> Season:
    """Returns the season. Raises NotFound."""
    return _row_of(session, Season, season_id, NO_SEASON)


def _row_of(session: Session, kind: type[Kind], row_id: str, missing: str) -> Kind:
    found = session.get(kind, row_id) if ID.fullmatch(row_id) else None
    if found is None:
        raise NotFound(missing)
    return found


def lock_own_league(session: Session, who: Owner, league_id: str) -> League:
    """Returns the league, locked, for its organiser or the host. Raises NotFound, Forbidden."""
    check_league_visible(session, league_of(session, league_id), who)
    league = session.get_one(League, league_id, with_for_update=NO_KEY, populate_existing=True)
    check_is_organiser_or_host(league, who)
    return league


def lock_own_season(session: Session, who: Owner, season_id: str) -> tuple[League, Season]:
    """Returns the league and its season, the latter locked, for its organiser or the host.

    Raises NotFound, Forbidden.
    """
    league, _ = visible_league_and_season(session, who, season_id)
    season = lock_season(session, season_id)
    check_is_organiser_or_host(league, who)
    return league, season


def lock_season(session: Session, season_id: str) -> Season:
    """Returns the season, locked until the transaction ends. Raises NotFound.

    Players are locked before it. Nobody else can have a lock on matches that its holder makes.
    """
    season_of(session, season_id)
    return session.get_one(Season, season_id, with_for_update=NO_KEY, populate_existing=True)


def lock_players_of_seasons(session: Session, seasons: ColumnElement[bool]) -> None:
    """Guarantees that rows may point to all players of these seasons until the transaction ends, in one statement."""
    found = select(_e.c.player_id).join(_s, _s.c.id == _e.c.season_id)
    locks.hold_players_of_query(session, found.where(seasons, _e.c.player_id.is_not(None)))


def hold_players_of_entrants(session: Session, entrants: Collection[int]) -> None:
    """Guarantees the same for the players of these entrants."""
    found = session.exec(select(Entrant.player_id).where(col(Entrant.id).in_(entrants)))
    locks.hold_players(session, found.all())


def latest_season(session: Session, league_id: str, *which: ColumnElement[bool]) -> Season | None:
    """Returns the league's newest season, or its newest of these."""
    own = select(Season).where(Season.league_id == league_id, *which).order_by(col(Season.number).desc()).limit(1)
    return session.exec(own).first()


def season_not_closed(session: Session, league_id: str) -> Season | None:
    """Returns the league's season that is open or running."""
    newest = latest_season(session, league_id)
    return newest if newest is not None and newest.closed_at is None else None


def check_is_organiser_or_host(league: League, who: Owner) -> None:
    """Raises Forbidden unless this is the league’s organiser or the host."""
    if who is not HOST and league.owner_id != who:
        raise Forbidden(ORGANISER_ALONE)


def visible_league_and_season(session: Session, who: Caller | Owner, season_id: str) -> tuple[League, Season]:
    """Returns the season with its league, for a caller who may see them. Raises NotFound."""
    season = season_of(session, season_id)
    league = league_of(session, season.league_id)
    check_league_visible(session, league, who, NO_SEASON)
    return league, season


def visible_leagues_condition(who: int) -> ColumnElement[bool]:
    """Returns the condition on the leagues that a player may see."""
    played = entrant_of_league_condition(who, _s.c.status != "open", _e.c.status == "entered")
    return or_(_l.c.circle_id.is_(None), _l.c.owner_id == who, member_condition(who, _l.c.circle_id), played)


def entrant_of_league_condition(who: int, *which: ColumnElement[bool]) -> ColumnElement[bool]:
    """Returns the condition that the player is an entrant of one of these seasons of the league."""
    theirs = (_s.c.league_id == _l.c.id, _e.c.player_id == who, *which)
    return exists(select(_e.c.id).join(_s, _s.c.id == _e.c.season_id).where(*theirs))


def may_enter(session: Session, circle_id: str | None, player_id: int) -> bool:
    """Returns whether the player may enter the seasons of a league of this circle: they are its members' alone."""
    return circle_id is None or bool(session.execute(select(member_condition(player_id, circle_id))).scalar())


def check_may_enter(session: Session, circle_id: str | None, player_id: int) -> None:
    """Raises NotFound unless the player belongs to the circle, if any: others do not learn whether it exists."""
    if not may_enter(session, circle_id, player_id):
        raise NotFound(N_("There is no such circle, or you do not belong to it."))


def check_league_visible(session: Session, league: League, who: Caller | Owner, missing: str = NO_LEAGUE) -> None:
    """Raises NotFound unless the caller may see the league: one of a circle is shown to its members alone.

    A player who has left the circle still sees a league in which they play, or have played. `missing` is what a caller
    is told if there is none.
    """
    if league.circle_id is None or who in (HOST, league.owner_id):
        return
    seen = select(_l.c.id).where(_l.c.id == league.id, visible_leagues_condition(who)) if isinstance(who, int) else None
    if seen is None or session.execute(seen).first() is None:
        raise NotFound(missing)


def check_season_open(season: Season) -> None:
    """Raises Gone unless players may still enter."""
    if season.status != "open":
        raise Gone(ENTERING_IS_OVER)


def check_season_running(season: Season) -> None:
    """Raises Gone unless the season runs."""
    if season.status != "running":
        raise Gone(N_("This season does not run."))
