"""The start of a season: divisions, pairings, and its matches, which begin at once for everybody.

Matches are made in slices, each in a transaction of its own under the season's lock. A table is known by its division,
its round and its seats: whoever goes on after a crash finds those that exist and makes the others, so no table is made
twice. Entering was the agreement to play, so nobody is invited: the matches run from the first moment.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select, tuple_, update
from sqlmodel import Session, col

from pbem.errors import N_, Gone, Invalid
from pbem.kit.bots import usual_bot
from pbem.kit.contract import AnyGame
from pbem.kit.leagues.pairing import division_sizes, pair
from pbem.models.leagues import DealRow, Entrant, League, Season, SeasonMatch
from pbem.models.tables import Match, table
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.leagues import lookups, news
from pbem.services.leagues.entering import add_bots
from pbem.services.leagues.news import ENTERED, ERASED
from pbem.services.leagues.terms import Terms, game_of, terms_of
from pbem.services.lobby import seating
from pbem.services.lobby.seating import FIRST_EPOCH, Place
from pbem.services.log import locks, store
from pbem.services.site import Site
from pbem.services.who import Owner
from pbem.services.work import Work

SLICE = 20
"""How many matches one transaction makes."""
PAIRINGS_MOST = 1000
"""How many tables an organiser hands over at once."""

_e, _sm = table(Entrant), table(SeasonMatch)
_SET_DIVISION = update(_e).where(_e.c.id == bindparam("entrant")).values(division=bindparam("placed"))


@dataclass(frozen=True)
class Pairing:
    """A table of a season: the ids of its entrants in seat order."""

    division: int
    round: int
    seats: tuple[int, ...]

    @property
    def key(self) -> tuple[int, int, str]:
        """What a table is known by."""
        return self.division, self.round, json.dumps(self.seats)


# --- divisions -----------------------------------------------------------------------------------------------


def place_entrants(site: Site, work: Work, league: League, season: Season) -> int:
    """Stores the division of each entrant of the locked season; returns how many play, 0 if too few have entered.

    Whoever played the season before has the division into which they moved; new ones follow, as they entered. The best
    fill the first division. Bots of the terms fill up the last tables.
    """
    terms, game = terms_of(season), game_of(league)
    playing = _in_order(work, league, season)
    if len(playing) < terms.least:
        return 0
    if terms.pairing == "organiser":
        work.connection().execute(
            update(_e).where(_e.c.season_id == season.id, _e.c.status == ENTERED).values(division=1)
        )
        return len(playing)
    missing = -len(playing) % terms.seats
    if terms.bots and missing:
        playing += add_bots(site, work, league, season, [terms.bots[at % len(terms.bots)] for at in range(missing)])
    sizes = division_sizes(len(playing), terms.division_size, min(game.meta.seats))
    placed = [division for division, size in enumerate(sizes, 1) for _ in range(size)]
    rows = [{"entrant": one, "placed": division} for one, division in zip(playing, placed, strict=True)]
    work.connection().execute(_SET_DIVISION, rows)
    return len(playing)


def _in_order(session: Session, league: League, season: Season) -> list[int]:
    """Returns the entrants, best first: by the division and place of the season before, then by when they entered."""
    before = _e.alias("before")
    earlier = table(Season).alias("earlier")
    past = (
        select(before.c.player_id, before.c.bot, before.c.name, before.c.moves_to, before.c.division, before.c.place)
        .join(earlier, earlier.c.id == before.c.season_id)
        .where(earlier.c.league_id == league.id, earlier.c.number == season.number - 1)
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
    site: Site, terms: Terms, game: AnyGame, division: int, entrants: Sequence[int]
) -> Iterator[Pairing]:  # fmt: skip
    drawn = sorted(entrants, key=lambda one: site.tokens.request_digest(b"season %d" % one))
    for number, seats in pair(len(drawn), terms.seats, tuple(game.meta.seats), terms.matches):
        yield Pairing(division, number, tuple(drawn[seat] for seat in seats))


# --- matches -------------------------------------------------------------------------------------------------


def start_matches(
    site: Site, who: Owner, season_id: str, pairings: Sequence[Pairing], once: IdempotencyKey | None = None
) -> list[str]:  # fmt: skip
    """Makes these tables of a season that its organiser pairs, and starts them; returns their matches, in order.

    The first ones begin the season. A table that exists already is not made again, with or without a key. Raises
    NotFound, Forbidden, Gone, Invalid.
    """
    _check_pairings(site, who, season_id, pairings)
    with site.writing() as work:
        locks.hold_entrants(work, season_id)
        _, season = lookups.own_season(work, who, season_id)
        if (made := idempotency.claim_key(work, once, site.now())) is None:
            idempotency.remember(work, once, season_id)
        assert made in (None, season_id), "the digest of the key covers the address of the season"
        if season.status == "open":
            begin_running(site, work, season)
    known = _known(site, season_id)
    for some in _slices([one for one in pairings if one.key not in known]):
        _make(site, season_id, some)
    known = _known(site, season_id)
    return [known[one.key] for one in pairings]


def make_matches(site: Site, season_id: str, pairings: Sequence[Pairing]) -> bool:
    """Makes those of the tables that do not exist yet; returns False if this process must stop before the last one."""
    known = _known(site, season_id)
    for some in _slices([one for one in pairings if one.key not in known]):
        if site.stopping():
            return False
        _make(site, season_id, some)
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
    work.add(season)
    work.flush()
    news.tell_entered(work, season.id, "kickoff", site.now())


def _check_pairings(site: Site, who: Owner, season_id: str, pairings: Sequence[Pairing]) -> None:
    """Raises Invalid, with the number of the first table that cannot be made, counted from 1."""
    if not 1 <= len(pairings) <= PAIRINGS_MOST:
        raise Invalid(N_("Between 1 and %(most)s tables can be handed over at once."), {"most": str(PAIRINGS_MOST)})
    with site.reading() as session:
        season = lookups.season_of(session, season_id)
        league = lookups.league_of(session, season.league_id)
        lookups.check_owner(league, who)
        if terms_of(season).pairing != "organiser":
            raise Gone(N_("This season is paired in rotation, as its terms say."))
        if season.status not in ("open", "running"):
            raise Gone(N_("This season is over."))
        entered = set(session.execute(
            select(_e.c.id).where(_e.c.season_id == season_id, _e.c.status.in_((ENTERED, ERASED)))
        ).scalars())  # fmt: skip
    taken = {(number, entrant): key for key in _known(site, season_id) for number, entrant in _places(key[1], key[2])}
    allowed = game_of(league).meta.seats
    for at, one in enumerate(pairings, 1):
        _check_pairing(at, one, entered, allowed, taken)
        taken.update(dict.fromkeys(_places(one.round, one.key[2]), one.key))


def _places(number: int, seats: str) -> list[tuple[int, int]]:
    return [(number, entrant) for entrant in json.loads(seats)]


def _check_pairing(
    at: int, one: Pairing, entered: set[int], allowed: Sequence[int],
    taken: dict[tuple[int, int], tuple[int, int, str]],
) -> None:  # fmt: skip
    facts = {"at": str(at)}
    if len(one.seats) not in allowed or len({*one.seats}) != len(one.seats):
        raise Invalid(
            N_("Table %(at)s: the game is not played with these seats, or an entrant sits there twice."), facts
        )
    if not {*one.seats} <= entered:
        raise Invalid(N_("Table %(at)s: somebody there has not entered the season."), facts)
    if one.round < 1 or one.division < 1 or max(one.round, one.division) > 1000:
        raise Invalid(N_("Table %(at)s: rounds and divisions are numbered from 1."), facts)
    for place in _places(one.round, one.key[2]):
        if taken.get(place, one.key) != one.key:
            raise Invalid(N_("Table %(at)s: somebody there has a table in this round already."), facts)


def _slices(pairings: Sequence[Pairing]) -> Iterable[Sequence[Pairing]]:
    return (pairings[first : first + SLICE] for first in range(0, len(pairings), SLICE))


def _known(site: Site, season_id: str) -> dict[tuple[int, int, str], str]:
    with site.reading() as session:
        rows = session.execute(
            select(_sm.c.division, _sm.c.round, _sm.c.seats, _sm.c.match_id).where(_sm.c.season_id == season_id)
        ).all()
    return {(division, number, seats): match_id for division, number, seats, match_id in rows}


def _make(site: Site, season_id: str, pairings: Sequence[Pairing]) -> None:
    """Makes these tables in one transaction, but for those that somebody has made since they were read."""
    ids = {entrant for one in pairings for entrant in one.seats}
    with site.reading() as session:
        players = session.execute(select(_e.c.player_id).where(_e.c.id.in_(ids))).scalars().all()
    with site.writing() as work:
        locks.hold_players(work, players)
        season = lookups.lock_season(work, season_id)
        if season.status not in ("starting", "running"):
            raise Gone(N_("This season is over."))
        league = lookups.league_of(work, season.league_id)
        entrants = {one.id: one for one in work.execute(select(Entrant).where(col(Entrant.id).in_(ids))).scalars()}
        named = {(one.division, one.round) for one in pairings}
        rows = work.execute(
            select(_sm.c.division, _sm.c.round, _sm.c.seats)
            .where(_sm.c.season_id == season_id, tuple_(_sm.c.division, _sm.c.round).in_(named))
        ).all()  # fmt: skip
        there = {tuple(row) for row in rows}
        for one in pairings:
            if one.key not in there:
                start_match(site, work, league, season, one, [entrants[entrant] for entrant in one.seats])


def start_match(
    site: Site, work: Work, league: League, season: Season, pairing: Pairing, sitting: Sequence[Entrant],
    deal: DealRow | None = None,
) -> Match:  # fmt: skip
    """Makes a match of the locked season and starts it; returns it. Its players are held, see `locks`."""
    terms, game = terms_of(season), game_of(league)
    new = seating.Terms(
        game.meta.slug, terms.options_json, terms.turn_s, terms.window_s, spectators=True, organiser_id=None
    )
    places = [_place(game, one) for one in sitting]
    match = seating.set_up_match(site, work, new, places, deal=deal)
    _name_seats(work, match.id, sitting)
    division, number, seats = pairing.key
    work.add(SeasonMatch(match_id=match.id, season_id=season.id, division=division, round=number, seats=seats))
    seating.start_if_full(site, work, match)
    return match


def _place(game: AnyGame, entrant: Entrant) -> Place:
    """Returns the entrant's place; a bot plays on the seat of somebody who has been erased meanwhile."""
    if entrant.player_id is not None and entrant.status == ENTERED:
        return Place("accepted", entrant.name, entrant.player_id)
    return Place("accepted", bot=entrant.bot or usual_bot(game), epoch=FIRST_EPOCH)


def _name_seats(work: Work, match_id: str, sitting: Sequence[Entrant]) -> None:
    """Calls bots as the standings do."""
    for seat, entrant in zip(store.seats_of(work, match_id), sitting, strict=True):
        if entrant.bot is not None:
            seat.name = entrant.name
            work.add(seat)
    work.flush()
