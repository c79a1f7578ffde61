"""Leagues, seasons and entrants as programs see them.

Whoever has the id of a league may look at it, but for one of a circle, which its members see alone. The list has those
whose organisers want it, and those of the caller. Entrants who were invited and have not answered are shown to the
organiser alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from sqlmodel import Session, col

from pbem.errors import N_, Invalid
from pbem.models.leagues import DealRow, Entrant, League, Season, SeasonMatch
from pbem.models.tables import Match, table
from pbem.services.leagues import feed, lookups
from pbem.services.leagues.news import ENTERED, ERASED
from pbem.services.leagues.terms import Terms, terms_of
from pbem.services.site import Site
from pbem.services.who import STRANGER, Caller

PAGE = 50
"""How many leagues a page has at most."""
ENTRANTS_PAGE = 500
SEASONS_MOST = 200
"""How many seasons a league's sheet lists at most, the newest ones."""

_l, _s, _e = table(League), table(Season), table(Entrant)
_sm, _m, _d = table(SeasonMatch), table(Match), table(DealRow)


@dataclass(frozen=True)
class SeasonBrief:
    """A season in its league's sheet."""

    id: str
    number: int
    status: str
    starts_at: datetime
    ends_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True)
class LeagueSheet:
    """A league; `organised`: by the caller. `terms` are those of its next season."""

    id: str
    name: str
    game: str
    circle: str | None
    listed: bool
    organised: bool
    terms: Terms
    created_at: datetime
    ended_at: datetime | None
    seasons: tuple[SeasonBrief, ...]


@dataclass(frozen=True)
class DealSheet:
    """A deal that several tables of a season share, with the commitment that was mailed; `opened_at`: all are over."""

    id: str
    commitment: str
    division: int
    round: int
    tables: int
    opened_at: datetime | None


@dataclass(frozen=True)
class EntrantSheet:
    """Who plays in a season; `place`, `points` and `moves_to` are None before it is closed."""

    id: int
    name: str
    bot: str | None
    status: str
    division: int | None
    place: int | None
    points: float | None
    moves_to: int | None


@dataclass(frozen=True)
class SeasonSheet:
    """A season; `entrant` is the caller's own, `results` the number of the last result in its feed."""

    id: str
    league: str
    name: str
    game: str
    number: int
    status: str
    organised: bool
    terms: Terms
    starts_at: datetime
    ends_at: datetime
    closed_at: datetime | None
    entered: int
    matches: int
    results: int
    entrant: EntrantSheet | None
    deals: tuple[DealSheet, ...]


# --- leagues -------------------------------------------------------------------------------------------------


def list_leagues(site: Site, who: Caller, after: str = "") -> tuple[list[LeagueSheet], str | None]:
    """Returns the leagues that are listed, and those that the caller organises or plays in, newest first.

    A page and the `after` of the next one, None at the end. Raises Invalid for an `after` that is no league's.
    """
    with site.reading() as session:
        found = select(League).where(_shown(who))
        if after:
            last = session.get(League, after) if lookups.ID.fullmatch(after) else None
            if last is None:
                raise Invalid(N_("This is not a cursor: send “next” of the previous page unchanged."))
            same = and_(col(League.created_at) == last.created_at, col(League.id) < last.id)
            found = found.where(or_(col(League.created_at) < last.created_at, same))
        found = found.order_by(col(League.created_at).desc(), col(League.id).desc()).limit(PAGE + 1)
        rows = session.execute(found).scalars().all()
        seasons = _seasons(session, [row.id for row in rows[:PAGE]])
        sheets = [_league(row, who, seasons.get(row.id, ())) for row in rows[:PAGE]]
    return sheets, sheets[-1].id if len(rows) > PAGE else None


def _shown(who: Caller) -> ColumnElement[bool]:
    listed: ColumnElement[bool] = _l.c.listed
    if who is STRANGER:
        return listed
    plays = exists(
        select(_e.c.id)
        .join(_s, _s.c.id == _e.c.season_id)
        .where(_s.c.league_id == _l.c.id, _e.c.player_id == who, _e.c.status == ENTERED)
    )
    return or_(listed, _l.c.owner_id == who, plays)


def read_league(site: Site, who: Caller, league_id: str) -> LeagueSheet:
    """Returns the league. Raises NotFound."""
    with site.reading() as session:
        league = lookups.league_of(session, league_id)
        lookups.check_may_see(session, league, who)
        return _league(league, who, _seasons(session, [league.id]).get(league.id, ()))


def _league(row: League, who: Caller, seasons: Sequence[SeasonBrief]) -> LeagueSheet:
    return LeagueSheet(
        row.id, row.name, row.game, row.circle_id, row.listed, _organises(row, who), terms_of(row), row.created_at,
        row.ended_at, tuple(seasons),
    )  # fmt: skip


def _organises(league: League, who: Caller) -> bool:
    return who is not STRANGER and league.owner_id == who


def _seasons(session: Session, leagues: Sequence[str]) -> dict[str, list[SeasonBrief]]:
    """Returns the newest seasons of these leagues, by league, newest first, in one query."""
    newest = func.row_number().over(partition_by=_s.c.league_id, order_by=_s.c.number.desc()).label("newest")
    columns = (_s.c.league_id, _s.c.id, _s.c.number, _s.c.status, _s.c.starts_at, _s.c.ends_at, _s.c.closed_at)
    ranked = select(*columns, newest).where(_s.c.league_id.in_(leagues)).subquery()
    found = select(ranked).where(ranked.c.newest <= SEASONS_MOST).order_by(ranked.c.league_id, ranked.c.newest)
    listed: dict[str, list[SeasonBrief]] = {}
    for league_id, *season, _ in session.execute(found):
        listed.setdefault(league_id, []).append(SeasonBrief(*season))
    return listed


# --- a season ------------------------------------------------------------------------------------------------


def read_season(site: Site, who: Caller, season_id: str) -> SeasonSheet:
    """Returns the season without its standings, which `standings.read_divisions` reads. Raises NotFound."""
    with site.reading() as session:
        league, season = _seen(session, who, season_id)
        entered = select(func.count()).where(_e.c.season_id == season_id, _e.c.status.in_((ENTERED, ERASED)))
        matches = select(func.count()).where(_sm.c.season_id == season_id)
        own = None if who is STRANGER else session.execute(_entrants(season_id, _e.c.player_id == who)).first()
        return SeasonSheet(
            season.id, league.id, league.name, league.game, season.number, season.status, _organises(league, who),
            terms_of(season), season.starts_at, season.ends_at, season.closed_at,
            session.execute(entered).scalar_one(), session.execute(matches).scalar_one(), season.results,
            EntrantSheet(*own) if own is not None else None, _deals(session, season_id),
        )  # fmt: skip


def _deals(session: Session, season_id: str) -> tuple[DealSheet, ...]:
    found = (
        select(
            _d.c.id, _d.c.commitment, func.min(_sm.c.division), func.min(_sm.c.round), func.count(), _d.c.opened_at
        )
        .select_from(_sm.join(_m, _m.c.id == _sm.c.match_id).join(_d, _d.c.id == _m.c.deal_id))
        .where(_sm.c.season_id == season_id)
        .group_by(_d.c.id, _d.c.commitment, _d.c.opened_at)
        .order_by(func.min(_sm.c.division), func.min(_sm.c.round), _d.c.id)
    )  # fmt: skip
    return tuple(DealSheet(*row) for row in session.execute(found))


def _seen(session: Session, who: Caller, season_id: str) -> tuple[League, Season]:
    """Returns the season with its league, for a caller who may see it. Raises NotFound."""
    season = lookups.season_of(session, season_id)
    league = lookups.league_of(session, season.league_id)
    lookups.check_may_see(session, league, who)
    return league, season


def read_results(site: Site, who: Caller, season_id: str, after: int) -> feed.Page:
    """Returns the season's results with numbers above `after`, as many as a page holds. Raises NotFound."""
    with site.reading() as session:
        _seen(session, who, season_id)
        return feed.read_page(session, season_id, after)


# --- entrants ------------------------------------------------------------------------------------------------


def list_entrants(site: Site, who: Caller, season_id: str, after: int = 0) -> tuple[list[EntrantSheet], int | None]:
    """Returns a page of the season's entrants as they came, and the `after` of the next one, None at the end.

    Raises NotFound.
    """
    with site.reading() as session:
        _seen(session, who, season_id)
        found = _entrants(season_id, _e.c.id > after, _visible(who)).order_by(_e.c.id)
        rows = session.execute(found.limit(ENTRANTS_PAGE + 1)).all()
    entrants = [EntrantSheet(*row) for row in rows[:ENTRANTS_PAGE]]
    return entrants, entrants[-1].id if len(rows) > ENTRANTS_PAGE else None


def read_entrant(site: Site, who: Caller, season_id: str, entrant_id: int) -> EntrantSheet:
    """Returns one of the season's entrants. Raises NotFound."""
    with site.reading() as session:
        _seen(session, who, season_id)
        this = _e.c.id == min(entrant_id, 2**31 - 1)
        found = session.execute(_entrants(season_id, this, _visible(who))).first()
    if found is None:
        raise lookups.no_entrant()
    return EntrantSheet(*found)


def own_entrant(site: Site, player_id: int, season_id: str) -> int | None:
    """Returns the id of the player's entrant in the season; None if they were never asked."""
    with site.reading() as session:
        found = select(_e.c.id).where(_e.c.season_id == season_id, _e.c.player_id == player_id)
        return session.execute(found).scalar()


def _visible(who: Caller) -> ColumnElement[bool]:
    """Returns the condition on the entrants whom the caller may see: who plays, and themselves.

    The organiser sees no more: an invitation that is missing would tell whose address belongs to whom.
    """
    playing: ColumnElement[bool] = _e.c.status.in_((ENTERED, ERASED))
    return playing if who is STRANGER else or_(playing, _e.c.player_id == who)


def _entrants(season_id: str, *which: Any) -> Any:
    columns = (
        _e.c.id, _e.c.name, _e.c.bot, _e.c.status, _e.c.division, _e.c.place, _e.c.points, _e.c.moves_to,
    )  # fmt: skip
    return select(*columns).where(_e.c.season_id == season_id, *which)
