"""Who plays in a season, as a viewer may see them: those who have entered, and themselves. And who may still enter.

The organiser sees no more: an invitation that is missing would tell whose address belongs to whom.
"""

from typing import Annotated, Any

from msgspec import Struct
from sqlalchemy import ColumnElement, func, or_, select, update
from sqlmodel import Session, col

from pbem.answers import about, one_of
from pbem.errors import N_, Gone, Invalid, NotFound, TooManyOpen
from pbem.features.circles.rows import query_of_members_player_ids
from pbem.features.leagues import lookups
from pbem.features.leagues.news import ENTERED, ERASED, INVITED, WITHDRAWN
from pbem.features.leagues.tables import Entrant, League, Season, SeasonMatch
from pbem.features.leagues.terms import terms_of
from pbem.models.tables import Player, SeatRow, table
from pbem.names import looks_of_name
from pbem.services.players import open_matches
from pbem.services.players.mailboxes import has_same_mailbox_as_other
from pbem.services.site import Site, Work
from pbem.services.who import HOST, STRANGER, Caller, Owner

STATUSES = ("invited", "entered", "withdrawn", "erased")
PAGE = 500
"""How many entrants a page has at most."""
ENTRANTS_MOST = 20_000
PAIRED_MOST = 500
"""The same where the organiser pairs: all play in one division, whose table everybody is shown."""
BOTS_EACH, BOTS_FLOOR, BOTS_SEASON = 4, 8, 64
"""A season takes this many bots for each person who has entered, beside that many; never more than the last number."""

_e, _sm, _seat = table(Entrant), table(SeasonMatch), table(SeatRow)
PLAYING: ColumnElement[bool] = _e.c.status.in_((ENTERED, ERASED))
"""The condition on the entrants who play, or have played."""


class EntrantView(Struct, frozen=True):
    """Who plays in a season. `place`, `points` and `moves_to` are null before it is closed."""

    id: int
    name: Annotated[str, about("“?” for somebody who was erased.")]
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
        lookups.visible_league_and_season(session, who, season_id)
        found = query_of_entrant_views(season_id, _e.c.id > after, _visible_entrants_condition(who)).order_by(_e.c.id)
        rows = session.execute(found.limit(PAGE + 1)).all()
    entrants = [EntrantView(*row) for row in rows[:PAGE]]
    return entrants, entrants[-1].id if len(rows) > PAGE else None


def read_entrant(site: Site, who: Caller, season_id: str, entrant_id: int) -> EntrantView:
    """Returns one of the season's entrants. Raises NotFound."""
    with site.reading() as session:
        lookups.visible_league_and_season(session, who, season_id)
        this = _e.c.id == min(entrant_id, 2**31 - 1)
        found = session.execute(query_of_entrant_views(season_id, this, _visible_entrants_condition(who))).first()
    if found is None:
        raise NotFound(lookups.NO_ENTRANT)
    return EntrantView(*found)


def entrant_of_player(session: Session, season_id: str, player_id: int | None) -> Entrant | None:
    """Returns the player's row in the season as it is now; None for nobody: the rows of bots have no player either."""
    if player_id is None:
        return None
    own = select(Entrant).where(col(Entrant.season_id) == season_id, col(Entrant.player_id) == player_id)
    return session.execute(own.execution_options(populate_existing=True)).scalars().first()


def _visible_entrants_condition(who: Caller) -> ColumnElement[bool]:
    """Returns the condition on the entrants whom the caller may see."""
    return PLAYING if who is STRANGER else or_(PLAYING, _e.c.player_id == who)


def query_of_entrant_views(season_id: str, *which: Any) -> Any:
    """Returns the query for these entrants of the season, as a viewer may see them."""
    columns = (
        _e.c.id, _e.c.name, _e.c.bot, _e.c.status, _e.c.division, _e.c.place, _e.c.points, _e.c.moves_to,
    )  # fmt: skip
    return select(*columns).where(_e.c.season_id == season_id, *which)


# --- room and names ------------------------------------------------------------------------------------------


def check_room_for_entrants(session: Session, season: Season, more: int) -> None:
    """Raises Gone if this many more cannot enter. Only who has entered takes room: anybody can type addresses."""
    most = PAIRED_MOST if terms_of(season).pairing == "organiser" else ENTRANTS_MOST
    if _count_entered(session, season) + more > most:
        raise Gone(N_("This season is full."))


def check_number_of_bots(site: Site, session: Session, who: Owner, season: Season, more: int) -> None:
    """Raises Invalid if the locked season takes fewer bots; the host, and a site without caps, may enter any number.

    Nobody organises their matches: they count against the open matches of no player.
    """
    if not site.config.has_caps or who is HOST:
        return
    bots = _count_entered(session, season, _e.c.bot.is_not(None))
    people = _count_entered(session, season, _e.c.bot.is_(None))
    most = min(BOTS_SEASON, BOTS_FLOOR + BOTS_EACH * people)
    if bots + more > most:
        facts = {"most": str(most), "have": str(bots), "each": str(BOTS_EACH), "all": str(BOTS_SEASON)}
        message = N_(
            "The season takes %(most)s bots now, and has %(have)s. Each person who enters makes room for %(each)s more,"
            " up to %(all)s."
        )
        raise Invalid(message, facts)


def _count_entered(session: Session, season: Season, *which: ColumnElement[bool]) -> int:
    own = select(func.count()).where(_e.c.season_id == season.id, _e.c.status == ENTERED, *which)
    number: int = session.execute(own).scalar_one()
    return number


def looks_of_names_taken(session: Session, season: Season, *statuses: str, but: int | None = None) -> frozenset[str]:
    """Returns what the names of the season's entrants with these statuses look like, all but one's."""
    names = select(_e.c.name).where(_e.c.season_id == season.id, _e.c.status.in_(statuses), _e.c.id != (but or 0))
    return frozenset[str]().union(*map(looks_of_name, session.execute(names).scalars()))


def check_entrant_name_is_free(session: Session, season: Season, entrant: Entrant, name: str) -> None:
    """Raises Invalid if somebody who has entered is called so, or nearly so: the standings would show it twice."""
    if looks_of_name(name) & looks_of_names_taken(session, season, ENTERED, but=entrant.id):
        message = N_("Somebody called “%(name)s”, or nearly so, has entered already. Please choose another name.")
        raise Invalid(message, {"name": name}, fields=("name",))


def check_not_entered_twice(session: Session, season: Season, player: Player) -> None:
    """Raises Gone if the player has entered with another spelling of their mailbox, which then could play itself."""
    entered = select(_e.c.player_id).where(_e.c.season_id == season.id, _e.c.status == ENTERED)
    if has_same_mailbox_as_other(session, player.id, session.execute(entered).scalars().all()):
        raise Gone(N_("You have entered with another spelling of your address: one mailbox enters once."))


# --- open matches ------------------------------------------------------------------------------------------------


def check_limit_of_open_matches(site: Site, session: Session, player_id: int, needed: int) -> None:
    """Raises TooManyOpen unless the locked player may have this many more matches open, beside those promised."""
    opened = open_matches.open_matches_with_limit(site, session, player_id)
    if opened.most is None:
        return
    have = opened.count + _count_promised_matches(session, player_id)
    if have + needed > opened.most:
        facts = {"needed": str(needed), "have": str(have), "most": str(opened.most)}
        message = N_(
            "The season has %(needed)s matches, you have %(have)s open or promised, and may have %(most)s. Play some to"
            " their end, then enter."
        )
        raise TooManyOpen(message, facts)


def _count_promised_matches(session: Session, player_id: int) -> int:
    """Returns how many matches of the player's seasons are still to be made."""
    theirs = (
        select(Season)
        .join(Entrant, col(Entrant.season_id) == col(Season.id))
        .where(col(Entrant.player_id) == player_id, col(Entrant.status) == ENTERED)
        .where(col(Season.status).in_(("open", "starting", "running")))
    )
    seasons = [
        (season, terms) for season in session.execute(theirs).scalars() for terms in (terms_of(season),)
        if season.status != "running" or terms.pairing == "organiser"
    ]  # fmt: skip
    had = (
        select(_sm.c.season_id, func.count())
        .join(_seat, _seat.c.match_id == _sm.c.match_id)
        .where(_sm.c.season_id.in_([season.id for season, _ in seasons]), _seat.c.player_id == player_id)
        .group_by(_sm.c.season_id)
    )
    made = {row[0]: row[1] for row in session.execute(had)}
    return sum(max(0, terms.matches - made.get(season.id, 0)) for season, terms in seasons)


def withdraw_former_members(site: Site, work: Work, season: Season, league: League) -> None:
    """Withdraws anyone who has entered the locked season of a circle and is no member any more."""
    if league.circle_id is None:
        return
    gone = (
        _e.c.season_id == season.id, _e.c.player_id.is_not(None),
        _e.c.player_id.not_in(query_of_members_player_ids(league.circle_id)), _e.c.status.in_((ENTERED, INVITED)),
    )  # fmt: skip
    work.flush()
    work.connection().execute(update(_e).where(*gone).values(status=WITHDRAWN, at=site.now()))
