"""Leagues and seasons as their viewer may see them, in one shape for pages and programs.

Anyone who has the id of a league may look at it, but for one of a circle, which its members see alone. Only the two
lists differ: `list_current_leagues` is a page's, with what goes on, and `list_all_leagues` is read by programs a page
at a
time, with what is over, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct
from sqlalchemy import ColumnElement, and_, func, null, or_, select
from sqlmodel import Session, col

from pbem.answers import about, answer_from, one_of
from pbem.errors import N_, Invalid
from pbem.features.circles.rows import member_condition
from pbem.features.leagues import lookups
from pbem.features.leagues.entry import entrants
from pbem.features.leagues.entry.entrants import PLAYING, EntrantView
from pbem.features.leagues.news import ENTERED, INVITED
from pbem.features.leagues.tables import Entrant, League, Season, SeasonMatch
from pbem.features.leagues.terms import SeasonTerms, terms_of
from pbem.games import find_game
from pbem.kit.contract import AnyGame
from pbem.kit.texts import Lang
from pbem.models.deals import DealRow
from pbem.models.tables import Match, SeatRow, table
from pbem.services.log.store import game_by_slug
from pbem.services.site import Site
from pbem.services.who import STRANGER, Caller

MOST = 100
"""How many leagues a page's list shows."""
PAGE = 50
"""How many leagues programs get at once."""
SEASONS_MOST = 200
"""How many seasons a league is shown with, the newest ones."""

_e, _s, _l = table(Entrant), table(Season), table(League)
_sm, _m, _d, _seats = table(SeasonMatch), table(Match), table(DealRow), table(SeatRow)


Page = Annotated[str, about("Its page, for people."), Meta(extra_json_schema={"format": "uri"})]


class LeagueView(Struct, frozen=True, rename={"slug": "game", "circle_id": "circle", "mine": "organised"}):
    """A league. `slug` is its game's; `mine`: the viewer is its organiser."""

    id: str
    name: str
    slug: str
    circle_id: Annotated[str | None, about("Only members of this circle may enter; null: all.")]
    listed: Annotated[bool, about("Whether the site lists it for everybody.")]
    mine: Annotated[bool, about("Whether the caller organises it.")]
    terms: Annotated[SeasonTerms, about("Those of its next season.")]
    created_at: datetime
    ended_at: datetime | None
    page: Page

    @property
    def game(self) -> AnyGame:
        """Its game. Raises GameUnavailable."""
        return game_by_slug(self.slug)

    def game_title(self, lang: Lang) -> str:
        """Returns what its game is called; its slug if it is unavailable."""
        game = find_game(self.slug)
        return game.meta.title[lang] if game is not None else self.slug


Shown = TypeVar("Shown", bound=LeagueView)


class SeasonListed(Struct, frozen=True):
    """A season in its league's sheet."""

    id: str
    number: Annotated[int, about("1 for the first one.")]
    status: Annotated[str, one_of(("open", "starting", "running", "closed", "cancelled"))]
    starts_at: datetime
    ends_at: datetime
    closed_at: datetime | None


class SeasonLine(SeasonListed, frozen=True):
    """A season in its league, for pages. `entered` is how many play.

    `own_status` is the viewer's, None if they were not asked.
    """

    entered: int
    own_status: str | None


class LeagueWithSeasons(LeagueView, frozen=True):
    """A league with its seasons, the newest first, `SEASONS_MOST` at most."""

    seasons: tuple[SeasonLine, ...]


class SharedDeal(Struct, frozen=True):
    """A deal that several tables share. `commitment` fixes it; its tables stay sealed until `opened_at`."""

    id: str
    commitment: str
    division: int
    round: int
    tables: int
    opened_at: datetime | None


class SeasonView(SeasonListed, frozen=True):
    """A season without its standings, which `standings.read_divisions` reads.

    `entered` is how many play, `divisions` how many there are (0 before it begins), `results` the number of the last
    result in its feed, and `entrant` the viewer's own; None: they were never asked.
    """

    terms: SeasonTerms
    entered: int
    divisions: int
    matches: int
    results: int
    entrant: EntrantView | None

    @property
    def own_entrant_id(self) -> int | None:
        """The id of the viewer's entrant."""
        return self.entrant.id if self.entrant is not None else None

    @property
    def own_status(self) -> str | None:
        """What the viewer's entrant says."""
        return self.entrant.status if self.entrant is not None else None


@dataclass(frozen=True)
class OwnMatch:
    """A match of the caller's in a season."""

    match_id: str
    round: int
    seat: int
    others: tuple[str, ...]
    """The names of the others, in seat order."""
    status: str
    epoch: int
    commitment: str | None = None
    """That to the deal which it shares with other tables."""


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


# --- leagues -------------------------------------------------------------------------------------------------


def list_current_leagues(site: Site, who: Caller) -> tuple[LeagueWithSeasons, ...]:
    """Returns the listed leagues that go on, and those that the caller organises or plays in; the newest first.

    Each has its newest season alone.
    """
    plays = (_e.c.status.in_((ENTERED, INVITED)), _s.c.closed_at.is_(None))
    found = _condition_to_list_league(who, _l.c.listed & _l.c.ended_at.is_(None), *plays)
    with site.reading() as session:
        rows = session.execute(
            select(League).where(found).order_by(_l.c.ended_at.is_not(None), _l.c.created_at.desc()).limit(MOST)
        )
        return tuple(_with_seasons(site, session, who, rows.scalars().all(), most=1))


def list_all_leagues(site: Site, who: Caller, after: str = "") -> tuple[list[LeagueWithSeasons], str | None]:
    """Returns the leagues that are listed, and those that the caller organises or played in, newest first.

    A page and the `after` of the next one, None at the end. Raises Invalid for an `after` that is no league's.
    """
    with site.reading() as session:
        found = select(League).where(_condition_to_list_league(who, _l.c.listed, _e.c.status == ENTERED))
        if after:
            last = session.get(League, after) if lookups.ID.fullmatch(after) else None
            if last is None:
                message = N_("This is not a cursor: send “next” of the previous page unchanged.")
                raise Invalid(message, fields=("after",))
            same = and_(col(League.created_at) == last.created_at, col(League.id) < last.id)
            found = found.where(or_(col(League.created_at) < last.created_at, same))
        found = found.order_by(col(League.created_at).desc(), col(League.id).desc()).limit(PAGE + 1)
        rows = session.execute(found).scalars().all()
        views = _with_seasons(site, session, who, rows[:PAGE])
    return views, views[-1].id if len(rows) > PAGE else None


def _condition_to_list_league(
    who: Caller, listed: ColumnElement[bool], *plays: ColumnElement[bool]
) -> ColumnElement[bool]:
    """Returns the condition that a league is listed, or that the caller organises it or `plays` in a season."""
    if who is STRANGER:
        return listed
    theirs = or_(_l.c.owner_id == who, lookups.entrant_of_league_condition(who, *plays))
    return or_(listed, and_(theirs, lookups.visible_leagues_condition(who)))


def read_league(site: Site, who: Caller, league_id: str) -> LeagueWithSeasons:
    """Returns a league. One of a circle is shown to its members alone. Raises NotFound."""
    with site.reading() as session:
        league = lookups.league_of(session, league_id)
        lookups.check_league_visible(session, league, who)
        (view,) = _with_seasons(site, session, who, [league])
        return view


def _with_seasons(
    site: Site, session: Session, who: Caller, leagues: Sequence[League], most: int = SEASONS_MOST
) -> list[LeagueWithSeasons]:  # fmt: skip
    """Returns the leagues, each with its newest seasons, this many at most."""
    seasons = _newest_season_lines(session, who, [league.id for league in leagues], most)
    return [_league_view(LeagueWithSeasons, site, one, who, seasons=tuple(seasons.get(one.id, ()))) for one in leagues]


def _league_view(kind: type[Shown], site: Site, row: League, who: Caller, **more: Any) -> Shown:
    page = site.url(f"/league/{row.id}")
    return answer_from(kind, row, slug=row.game, mine=row.owner_id == who, terms=terms_of(row), page=page, **more)


def _newest_season_lines(
    session: Session, who: Caller, leagues: Sequence[str], most: int
) -> dict[str, list[SeasonLine]]:
    """Returns the newest seasons of these leagues, by league, newest first, in one statement."""
    newest = func.row_number().over(partition_by=_s.c.league_id, order_by=_s.c.number.desc()).label("newest")
    columns = (_s.c.league_id, _s.c.id, _s.c.number, _s.c.status, _s.c.starts_at, _s.c.ends_at, _s.c.closed_at)
    ranked = select(*columns, newest).where(_s.c.league_id.in_(leagues)).subquery()
    there = _e.c.season_id == ranked.c.id
    entered = select(func.count()).where(there, PLAYING).scalar_subquery()
    own = null() if who is STRANGER else select(_e.c.status).where(there, _e.c.player_id == who).scalar_subquery()
    told = [ranked.c[column.name] for column in columns]
    found = select(*told, entered, own).where(ranked.c.newest <= most)
    listed: dict[str, list[SeasonLine]] = {}
    for league_id, *season in session.execute(found.order_by(ranked.c.league_id, ranked.c.newest)):
        listed.setdefault(league_id, []).append(SeasonLine(*season))
    return listed


# --- a season ------------------------------------------------------------------------------------------------


def read_league_and_season(site: Site, who: Caller, season_id: str) -> tuple[LeagueView, SeasonView]:
    """Returns a season with its league. One of a circle is shown to its members alone. Raises NotFound."""
    with site.reading() as session:
        league, season = lookups.visible_league_and_season(session, who, season_id)
        matches = select(func.count()).where(_sm.c.season_id == season_id).scalar_subquery()
        counted = select(func.count(), func.max(_e.c.division), matches).where(_e.c.season_id == season_id, PLAYING)
        entered, divisions, made = session.execute(counted).one()
        mine = entrants.query_of_entrant_views(season_id, _e.c.player_id == who)
        own = None if who is STRANGER else session.execute(mine).first()
        view = answer_from(
            SeasonView, season, terms=terms_of(season), entered=entered, divisions=divisions or 0, matches=made,
            entrant=EntrantView(*own) if own is not None else None,
        )  # fmt: skip
        return _league_view(LeagueView, site, league, who), view


def read_open_following_season(site: Site, who: Caller, season_id: str) -> SeasonLine | None:
    """Returns the league's later season that players can still enter; None if there is none, or not for the caller.

    Raises NotFound.
    """
    with site.reading() as session:
        league, season = lookups.visible_league_and_season(session, who, season_id)
        if isinstance(who, int) and not lookups.may_enter(session, league.circle_id, who):
            return None
        (newest,) = _newest_season_lines(session, who, [league.id], 1)[league.id]
    return newest if newest.number > season.number and newest.status == "open" else None


def read_shared_deals(site: Site, who: Caller, season_id: str) -> tuple[SharedDeal, ...]:
    """Returns the deals that tables of a season share, each with the first division and round that play it.

    Raises NotFound.
    """
    with site.reading() as session:
        lookups.visible_league_and_season(session, who, season_id)
        return deals_that_tables_share(session, season_id)


def deals_that_tables_share(session: Session, season_id: str, *which: ColumnElement[bool]) -> tuple[SharedDeal, ...]:
    """Returns the deals that tables of a season share, or these of its tables."""
    first = (func.min(_sm.c.division), func.min(_sm.c.round))
    found = (
        select(_d.c.id, _d.c.commitment, *first, func.count(), _d.c.opened_at)
        .select_from(_sm.join(_m, _m.c.id == _sm.c.match_id).join(_d, _d.c.id == _m.c.deal_id))
        .where(_sm.c.season_id == season_id, *which)
        .group_by(_d.c.id, _d.c.commitment, _d.c.opened_at)
        .order_by(*first, _d.c.id)
    )
    return tuple(SharedDeal(*row) for row in session.execute(found))


# --- what is a player's own ----------------------------------------------------------------------------------


def read_own_matches(site: Site, who: int, season_id: str) -> tuple[OwnMatch, ...]:
    """Returns the signed-in player's matches in a season, by round."""
    with site.reading() as session:
        return matches_of_player(session, who, season_id)


def read_own_current_seasons(site: Site, player_id: int) -> tuple[OwnSeason, ...]:
    """Returns the player's seasons that are open or run, as `current_seasons_of_player`, for their start page."""
    with site.reading() as session:
        found = current_seasons_of_player(session, player_id)
        going = (
            select(_sm.c.season_id, func.count().label("playing"))
            .join(_m, _m.c.id == _sm.c.match_id)
            .join(_seats, _seats.c.match_id == _sm.c.match_id)
            .where(_sm.c.season_id.in_([season.id for _, season, _ in found]), _seats.c.player_id == player_id)
            .where(_m.c.status.in_(("running", "paused")))
            .group_by(_sm.c.season_id)
        )
        playing = {row.season_id: row.playing for row in session.execute(going)} if found else {}
    return tuple(
        OwnSeason(
            season.id, league.name, season.number, season.status != "open", entrant.status == INVITED,
            season.starts_at if season.status == "open" else season.ends_at, playing.get(season.id, 0),
        )
        for entrant, season, league in found
    )  # fmt: skip


def current_seasons_of_player(session: Session, player_id: int) -> list[tuple[Entrant, Season, League]]:
    """Returns the seasons that are open or run and have the player, those that end first before the others.

    A first season that somebody asked them to enter is not among them: anybody may found a league and ask. Nor is an
    open one of a circle that they have left: they do not enter it.
    """
    enters = or_(_l.c.circle_id.is_(None), member_condition(player_id, _l.c.circle_id))
    asked = and_(_e.c.status == INVITED, _s.c.status == "open", _s.c.number > 1)
    found = (
        select(Entrant, Season, League)
        .join(Season, _s.c.id == _e.c.season_id)
        .join(League, _l.c.id == _s.c.league_id)
        .where(_e.c.player_id == player_id, _s.c.closed_at.is_(None), or_(_e.c.status == ENTERED, asked))
        .where(or_(_s.c.status != "open", enters))
        .order_by(_s.c.ends_at, _s.c.id)
    )
    return [(entrant, season, league) for entrant, season, league in session.execute(found)]


def matches_of_player(session: Session, player_id: int, season_id: str) -> tuple[OwnMatch, ...]:
    """Returns the player's matches in a season, by round, in one statement."""
    mine = _seats.alias("mine")
    found = session.execute(
        select(
            _sm.c.match_id, _sm.c.round, mine.c.seat, _m.c.status, mine.c.epoch, _d.c.commitment,
            _seats.c.seat.label("at"), _seats.c.name,
        )
        .join(_m, _m.c.id == _sm.c.match_id)
        .outerjoin(_d, _d.c.id == _m.c.deal_id)
        .join(mine, (mine.c.match_id == _sm.c.match_id) & (mine.c.player_id == player_id))
        .join(_seats, _seats.c.match_id == _sm.c.match_id)
        .where(_sm.c.season_id == season_id)
        .order_by(_sm.c.round, _sm.c.match_id, _seats.c.seat)
    )  # fmt: skip
    made = []
    for match_id, group in groupby(found, key=lambda row: row.match_id):
        rows = [*group]
        one, others = rows[0], tuple(row.name for row in rows if row.at != row.seat)
        made.append(OwnMatch(match_id, one.round, one.seat, others, one.status, one.epoch, one.commitment))
    return tuple(made)
