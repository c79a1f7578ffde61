"""The start of a season: divisions, pairings, and its matches, which begin at once for everybody."""

from collections.abc import Iterator, Sequence

from sqlalchemy import bindparam, func, select, update
from sqlmodel import Session

from pbem.features.leagues import lookups, news
from pbem.features.leagues.entry.admission import withdraw_former_members
from pbem.features.leagues.entry.entering import add_bots
from pbem.features.leagues.news import ENTERED
from pbem.features.leagues.rules.pairing import division_sizes, pair
from pbem.features.leagues.running.making import Pairing, close_deals, known_tables, make_tables, slices
from pbem.features.leagues.tables import Entrant, League, Season
from pbem.features.leagues.terms import SeasonTerms, game_of, terms_of
from pbem.kit.contract import AnyGame
from pbem.models.tables import table
from pbem.services.site import Site, Work

_e = table(Entrant)
_SET_DIVISION = update(_e).where(_e.c.id == bindparam("entrant")).values(division=bindparam("placed"))


# --- divisions -----------------------------------------------------------------------------------------------


def place_entrants(site: Site, work: Work, league: League, season: Season) -> int:
    """Stores the division of each entrant of the locked season; returns how many play, 0 if too few have entered.

    A player who played the last season that was closed has the division into which they moved; new ones follow, as they
    entered. The best fill the first division. Bots of the terms fill up the last tables.
    """
    terms, game = terms_of(season), game_of(league)
    withdraw_former_members(site, work, season, league)
    playing = _in_order(work, league, season)
    if not enough_entered(work, season):
        return 0
    if terms.pairing == "organiser":
        work.connection().execute(
            update(_e).where(_e.c.season_id == season.id, _e.c.status == ENTERED).values(division=1)
        )
        return len(playing)
    missing = -len(playing) % terms.seats
    if terms.bots and missing:
        fillers = add_bots(site, work, league, season, [terms.bots[at % len(terms.bots)] for at in range(missing)])
        work.connection().execute(update(_e).where(_e.c.id.in_(fillers)).values(filler=True))
        playing += fillers
    sizes = division_sizes(len(playing), terms.division_size, min(game.meta.seats))
    placed = [division for division, size in enumerate(sizes, 1) for _ in range(size)]
    rows = [{"entrant": one, "placed": division} for one, division in zip(playing, placed, strict=True)]
    work.connection().execute(_SET_DIVISION, rows)
    return len(playing)


def enough_entered(session: Session, season: Season) -> bool:
    """Returns whether as many have entered as the terms ask for; bots count that the organiser has entered.

    After the first season somebody must be among them: bots alone would stay in for ever.
    """
    entered = select(func.count(), func.count(_e.c.player_id)).where(
        _e.c.season_id == season.id, _e.c.status == ENTERED
    )
    number, people = session.execute(entered).one()
    return number >= max(1, terms_of(season).least) and (people > 0 or season.number == 1)


def _in_order(session: Session, league: League, season: Season) -> list[int]:
    """Returns the entrants, best first: by division and place of the last closed season, then as they entered."""
    before = _e.alias("before")
    earlier = table(Season)
    last = (
        select(earlier.c.id)
        .where(earlier.c.league_id == league.id, earlier.c.number < season.number, earlier.c.status == "closed")
        .order_by(earlier.c.number.desc())
        .limit(1)
        .scalar_subquery()
    )
    past = (
        select(before.c.player_id, before.c.bot, before.c.name, before.c.moves_to, before.c.division, before.c.place)
        .where(before.c.season_id == last)
        .subquery()
    )
    same = (past.c.player_id == _e.c.player_id) | (
        past.c.player_id.is_(None) & _e.c.player_id.is_(None) & (past.c.bot == _e.c.bot) & (past.c.name == _e.c.name)
    )
    found = (
        select(_e.c.id)
        .join(past, same, isouter=True)
        .where(_e.c.season_id == season.id, _e.c.status == ENTERED)
        .order_by(
            past.c.moves_to.is_(None), past.c.moves_to, past.c.division.desc(), past.c.place, _e.c.at, _e.c.id
        )
    )  # fmt: skip
    return list(session.execute(found).scalars())


def pairings_of(site: Site, season_id: str) -> list[Pairing]:
    """Returns all tables of a season whose entrants have their divisions; each time the same.

    Who has which number in the pairing of their division is drawn by a keyed hash of their row.
    """
    with site.reading() as session:
        season = lookups.season_of(session, season_id)
        terms, game = terms_of(season), game_of(lookups.league_of(session, season.league_id))
        rows = session.execute(
            select(_e.c.division, _e.c.id).where(_e.c.season_id == season_id, _e.c.division.is_not(None))
        ).all()
    if terms.pairing == "organiser":
        return []
    divisions: dict[int, list[int]] = {}
    for division, entrant in rows:
        divisions.setdefault(division, []).append(entrant)
    return [
        one for division in sorted(divisions) for one in _pairings(site, terms, game, division, divisions[division])
    ]


def _pairings(
    site: Site, terms: SeasonTerms, game: AnyGame, division: int, entrants: Sequence[int]
) -> Iterator[Pairing]:  # fmt: skip
    drawn = sorted(entrants, key=lambda one: site.tokens.request_digest(b"season %d" % one))
    for number, seats in pair(len(drawn), terms.seats, tuple(game.meta.seats), terms.matches):
        yield Pairing(division, number, tuple(drawn[seat] for seat in seats))


# --- matches -------------------------------------------------------------------------------------------------


def make_matches(site: Site, season_id: str, pairings: Sequence[Pairing]) -> bool:
    """Makes those of the tables that do not exist yet; returns False if this process must stop before the last one."""
    known = known_tables(site, season_id)
    for some in slices([one for one in pairings if one.key not in known]):
        if site.stopping():
            return False
        make_tables(site, season_id, some)
    return True


def begin_running(site: Site, work: Work, season: Season) -> None:
    """Lets the locked season run until its date, and tells its entrants."""
    if season.status == "open":
        work.connection().execute(
            update(_e).where(_e.c.season_id == season.id, _e.c.status == ENTERED).values(division=1)
        )
        if season.starts_at > site.now():  # its organiser has begun early
            season.starts_at, season.ends_at = site.now(), site.now() + terms_of(season).lasts
    season.status, season.due_at = "running", season.ends_at
    work.flush()
    close_deals(work, season.id)
    news.tell_entered(work, season.id, "kickoff", site.now())
