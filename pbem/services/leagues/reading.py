"""Leagues and seasons as everybody may see them, and as those who play in them do."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import case, exists, func, select
from sqlmodel import Session, col

from pbem.kit.contract import AnyGame
from pbem.models.circles import CircleMember
from pbem.models.leagues import DealRow, Entrant, League, Season, SeasonMatch
from pbem.models.tables import Match, SeatRow, table
from pbem.services.circles.rows import MEMBER
from pbem.services.leagues import lookups
from pbem.services.leagues.news import ENTERED, INVITED
from pbem.services.leagues.terms import Terms, game_of, terms_of
from pbem.services.site import Site
from pbem.services.who import Caller

MOST = 100
"""How many leagues a list shows."""

_e, _s, _l = table(Entrant), table(Season), table(League)
_sm, _m, _d, _seats, _c = table(SeasonMatch), table(Match), table(DealRow), table(SeatRow), table(CircleMember)


@dataclass(frozen=True)
class SeasonView:
    """A season without its standings. `entered` is how many play; `deals` are the commitments of its deals."""

    id: str
    league_id: str
    number: int
    status: str
    starts_at: datetime
    ends_at: datetime
    terms: Terms
    entered: int
    own: int | None
    """The id of the caller's entrant, if they are asked or have entered."""
    own_status: str | None
    own_division: int | None = None
    divisions: int = 0
    """How many divisions it has; 0 before it begins, and in lists."""
    deals: tuple[tuple[int, int, str], ...] = ()
    """Division, round and commitment of each deal that several tables share; none in lists."""


@dataclass(frozen=True)
class LeagueView:
    """A league with its seasons, newest first."""

    id: str
    name: str
    game: AnyGame
    terms: Terms
    listed: bool
    circle_id: str | None
    mine: bool
    """Whether the caller is its organiser."""
    ended: bool
    seasons: tuple[SeasonView, ...]


@dataclass(frozen=True)
class OwnMatch:
    """A match of the caller's in a season."""

    match_id: str
    division: int
    round: int
    seat: int
    names: tuple[str, ...]
    status: str
    epoch: int


@dataclass(frozen=True)
class OwnSeason:
    """A season that a player has entered, or that asks whether they play again (`asked`)."""

    id: str
    league: str
    number: int
    begun: bool
    asked: bool
    at: datetime
    """When it begins, or ends once it has begun."""
    playing: int
    """How many of their matches in it go on."""


def list_leagues(site: Site, who: Caller) -> tuple[LeagueView, ...]:
    """Returns the listed leagues that go on, and those that the caller organises or plays in; the newest first."""
    mine = (
        select(_s.c.league_id)
        .join(_e, _e.c.season_id == _s.c.id)
        .where(_e.c.player_id == who, _e.c.status.in_((ENTERED, INVITED)), _s.c.closed_at.is_(None))
    )
    found = _l.c.listed & _l.c.ended_at.is_(None)
    if isinstance(who, int):
        found = found | (_l.c.owner_id == who) | _l.c.id.in_(mine)
    with site.reading() as session:
        rows = session.execute(
            select(League).where(found).order_by(_l.c.ended_at.is_not(None), _l.c.created_at.desc()).limit(MOST)
        )
        return _views(session, who, list(rows.scalars()))


def read_league(site: Site, who: Caller, league_id: str) -> LeagueView:
    """Returns a league. One of a circle is shown to its members alone. Raises NotFound."""
    with site.reading() as session:
        league = lookups.league_of(session, league_id)
        lookups.check_may_see(session, league, who)
        (view,) = _views(session, who, [league])
        return view


def read_season(site: Site, who: Caller, season_id: str) -> tuple[LeagueView, SeasonView]:
    """Returns a season with its league. One of a circle is shown to its members alone. Raises NotFound."""
    with site.reading() as session:
        season = lookups.season_of(session, season_id)
        league = lookups.league_of(session, season.league_id)
        lookups.check_may_see(session, league, who)
        (view,) = _views(session, who, [league])
        placed = session.execute(select(func.max(_e.c.division)).where(_e.c.season_id == season_id)).scalar()
        deals = _deals(session, season_id)
    shown = next(one for one in view.seasons if one.id == season_id)
    return view, replace(shown, divisions=placed or 0, deals=deals)


def own_matches(site: Site, who: int, season_id: str) -> tuple[OwnMatch, ...]:
    """Returns the signed-in player's matches in a season, by round."""
    with site.reading() as session:
        return matches_of_player(session, who, season_id)


def own_seasons(site: Site, player_id: int) -> tuple[OwnSeason, ...]:
    """Returns the player's seasons that are open or run, in one statement; those that end first come first.

    A first season that somebody asked them to enter is not among them: anybody may found a league and ask.
    """
    goes_on = (
        select(func.count())
        .select_from(_sm)
        .join(_m, _m.c.id == _sm.c.match_id)
        .join(_seats, _seats.c.match_id == _sm.c.match_id)
        .where(_sm.c.season_id == _s.c.id, _seats.c.player_id == player_id, _m.c.status.in_(("running", "paused")))
        .scalar_subquery()
    )
    member = exists(
        select(_c.c.id).where(_c.c.circle_id == _l.c.circle_id, _c.c.player_id == player_id, _c.c.status == MEMBER)
    )
    found = (
        select(
            _s.c.id, _l.c.name, _s.c.number, _s.c.status != "open", _e.c.status == INVITED,
            case((_s.c.status == "open", _s.c.starts_at), else_=_s.c.ends_at), goes_on,
        )
        .join(_e, _e.c.season_id == _s.c.id)
        .join(_l, _l.c.id == _s.c.league_id)
        .where(_e.c.player_id == player_id, _s.c.closed_at.is_(None), _l.c.circle_id.is_(None) | member)
        .where((_e.c.status == ENTERED) | ((_e.c.status == INVITED) & (_s.c.status == "open") & (_s.c.number > 1)))
        .order_by(_s.c.ends_at, _s.c.id)
    )  # fmt: skip
    with site.reading() as session:
        return tuple(OwnSeason(*row) for row in session.execute(found))


def matches_of_player(session: Session, player_id: int, season_id: str) -> tuple[OwnMatch, ...]:
    """Returns the player's matches in a season, by round, in one statement."""
    mine = _seats.alias("mine")
    found = session.execute(
        select(_sm.c.match_id, _sm.c.division, _sm.c.round, mine.c.seat, mine.c.epoch, _m.c.status, _seats.c.name)
        .join(_m, _m.c.id == _sm.c.match_id)
        .join(mine, (mine.c.match_id == _sm.c.match_id) & (mine.c.player_id == player_id))
        .join(_seats, _seats.c.match_id == _sm.c.match_id)
        .where(_sm.c.season_id == season_id)
        .order_by(_sm.c.round, _sm.c.match_id, _seats.c.seat)
    ).all()
    made: dict[str, list[Any]] = {}
    for row in found:
        made.setdefault(row[0], []).append(row)
    return tuple(
        OwnMatch(match_id, rows[0][1], rows[0][2], rows[0][3], tuple(row[6] for row in rows), rows[0][5], rows[0][4])
        for match_id, rows in made.items()
    )


def entrant_of(session: Session, season_id: str, player_id: int) -> Entrant | None:
    """Returns the player's row in the season."""
    own = select(Entrant).where(col(Entrant.season_id) == season_id, col(Entrant.player_id) == player_id)
    return session.execute(own).scalars().first()


def _views(session: Session, who: Caller, leagues: list[League]) -> tuple[LeagueView, ...]:
    ids = [league.id for league in leagues]
    seasons = list(
        session.execute(
            select(Season).where(col(Season.league_id).in_(ids)).order_by(col(Season.number).desc())
        ).scalars()
    )
    numbers = [season.id for season in seasons]
    counts = dict(
        session.execute(
            select(_e.c.season_id, func.count())
            .where(_e.c.season_id.in_(numbers), _e.c.status.not_in((INVITED, "withdrawn")))
            .group_by(_e.c.season_id)
        ).all()
    )
    own: dict[str, tuple[int, str, int | None]] = {}
    if isinstance(who, int):
        mine = (_e.c.season_id.in_(numbers), _e.c.player_id == who, _e.c.status.in_((ENTERED, INVITED)))
        own = {row[0]: (row[1], row[2], row[3]) for row in session.execute(
            select(_e.c.season_id, _e.c.id, _e.c.status, _e.c.division).where(*mine)
        )}  # fmt: skip
    made: dict[str, list[SeasonView]] = {league.id: [] for league in leagues}
    for season in seasons:
        mine_there = own.get(season.id, (None, None, None))
        made[season.league_id].append(
            SeasonView(
                season.id, season.league_id, season.number, season.status, season.starts_at, season.ends_at,
                terms_of(season), counts.get(season.id, 0), *mine_there,
            )
        )  # fmt: skip
    return tuple(
        LeagueView(
            league.id, league.name, game_of(league), terms_of(league), league.listed, league.circle_id,
            isinstance(who, int) and league.owner_id == who, league.ended_at is not None, tuple(made[league.id]),
        )
        for league in leagues
    )  # fmt: skip


def _deals(session: Session, season_id: str) -> tuple[tuple[int, int, str], ...]:
    found = (
        select(_sm.c.division, _sm.c.round, _d.c.commitment)
        .join(_m, _m.c.id == _sm.c.match_id)
        .join(_d, _d.c.id == _m.c.deal_id)
        .where(_sm.c.season_id == season_id)
        .group_by(_sm.c.division, _sm.c.round, _d.c.commitment)
        .order_by(_sm.c.division, _sm.c.round)
    )
    return tuple((division, number, commitment) for division, number, commitment in session.execute(found))
