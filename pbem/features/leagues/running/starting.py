"""The start of a season: divisions, pairings, and its matches, which begin at once for everybody.

The matches are made in slices, each in a transaction of its own under the season's lock. A table is known by its
division, its round and its seats: after a crash the next sweep finds those that exist and makes the others, so no table
is made twice. Entering was the agreement to play, so nobody is invited. In a duplicate season all tables of a round of
a division with as many seats play one deal.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import bindparam, func, select, tuple_, update
from sqlmodel import Session, col

from pbem.errors import N_, Gone
from pbem.features.leagues import lookups, news
from pbem.features.leagues.entry.entering import add_bot_entrants
from pbem.features.leagues.entry.entrants import withdraw_former_members
from pbem.features.leagues.news import ENTERED
from pbem.features.leagues.running.pairing import division_sizes, pair_division
from pbem.features.leagues.tables import Entrant, League, Season, SeasonMatch
from pbem.features.leagues.terms import game_of_league, terms_of
from pbem.kit.bots import usual_bot
from pbem.kit.contract import AnyGame
from pbem.models.deals import DealRow
from pbem.models.tables import Match, table
from pbem.services.lobby import seating
from pbem.services.lobby.match_request import Terms
from pbem.services.lobby.seating import FIRST_EPOCH, Place
from pbem.services.log import deals, store
from pbem.services.log.consent import FREE
from pbem.services.log.table import table_of
from pbem.services.site import Site, Work

SLICE = 20
"""How many matches one transaction makes."""

_e, _s, _sm, _m, _d = table(Entrant), table(Season), table(SeasonMatch), table(Match), table(DealRow)
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


def fill_up_and_divide_entrants(site: Site, work: Work, league: League, season: Season) -> int:
    """Stores the division of each entrant of the locked season; returns how many play, 0 if too few have entered.

    A player who played the last season that was closed has the division into which they moved; new ones follow, as they
    entered. The best fill the first division. Bots of the terms fill up the last tables.
    """
    terms, game = terms_of(season), game_of_league(league)
    withdraw_former_members(site, work, season, league)
    playing = _entrants_best_first(work, league, season)
    if not has_enough_entrants(work, season):
        return 0
    if terms.pairing == "organiser":
        work.connection().execute(
            update(_e).where(_e.c.season_id == season.id, _e.c.status == ENTERED).values(division=1)
        )
        return len(playing)
    missing = -len(playing) % terms.seats
    if terms.bots and missing:
        fillers = add_bot_entrants(
            site, work, league, season, [terms.bots[at % len(terms.bots)] for at in range(missing)]
        )
        work.connection().execute(update(_e).where(_e.c.id.in_(fillers)).values(filler=True))
        playing += fillers
    sizes = division_sizes(len(playing), terms.division_size, min(game.meta.seats))
    placed = [division for division, size in enumerate(sizes, 1) for _ in range(size)]
    rows = [{"entrant": one, "placed": division} for one, division in zip(playing, placed, strict=True)]
    work.connection().execute(_SET_DIVISION, rows)
    return len(playing)


def has_enough_entrants(session: Session, season: Season) -> bool:
    """Returns whether as many have entered as the terms ask for; bots count that the organiser has entered.

    After the first season somebody must be among them: bots alone would stay in for ever.
    """
    entered = select(func.count(), func.count(_e.c.player_id)).where(
        _e.c.season_id == season.id, _e.c.status == ENTERED
    )
    number, people = session.execute(entered).one()
    return number >= max(1, terms_of(season).least) and (people > 0 or season.number == 1)


def _entrants_best_first(session: Session, league: League, season: Season) -> list[int]:
    """Returns the entrants, best first: by division and place of the last closed season, then as they entered."""
    last = lookups.latest_season(session, league.id, _s.c.number < season.number, _s.c.status == "closed")
    past = select(_e).where(_e.c.season_id == (last.id if last is not None else None)).subquery()
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


def all_pairings_of_season(site: Site, season_id: str) -> list[Pairing]:
    """Returns all tables of a season whose entrants have their divisions; each time the same.

    Who has which number in the pairing of their division is drawn by a keyed hash of their row.
    """
    with site.reading() as session:
        season = lookups.season_of(session, season_id)
        terms, game = terms_of(season), game_of_league(lookups.league_of(session, season.league_id))
        placed = select(_e.c.division, _e.c.id).where(_e.c.season_id == season_id, _e.c.division.is_not(None))
        rows = session.execute(placed.order_by(_e.c.division)).all()
    if terms.pairing == "organiser":
        return []
    pairings = []
    for division, group in groupby(rows, key=lambda row: int(row.division)):
        drawn = sorted((row.id for row in group), key=lambda one: site.tokens.request_digest(b"season %d" % one))
        for number, seats in pair_division(len(drawn), terms.seats, tuple(game.meta.seats), terms.matches):
            pairings.append(Pairing(division, number, tuple(drawn[seat] for seat in seats)))
    return pairings


# --- matches -------------------------------------------------------------------------------------------------


def create_missing_matches(site: Site, season_id: str, pairings: Sequence[Pairing]) -> bool:
    """Makes those of the tables that do not exist yet; returns False if this process must stop before the last one."""
    with site.reading() as session:
        made = session.execute(select(_sm.c.division, _sm.c.round, _sm.c.seats).where(_sm.c.season_id == season_id))
        known = {tuple(row) for row in made}
    missing = [one for one in pairings if one.key not in known]
    for first in range(0, len(missing), SLICE):
        if site.stopping():
            return False
        create_tables(site, season_id, missing[first : first + SLICE])
    return True


def let_season_run_and_mail_entrants(site: Site, work: Work, season: Season) -> None:
    """Lets the locked season run until its date, and tells its entrants."""
    season.status, season.due_at = "running", season.ends_at
    work.flush()
    # No further table gets a deal of the season: each opens when its last table is over.
    found = (
        select(_d.c.id)
        .join(_m, _m.c.deal_id == _d.c.id)
        .join(_sm, _sm.c.match_id == _m.c.id)
        .where(_sm.c.season_id == season.id, _d.c.closed.is_(False))
        .distinct()
        .order_by(_d.c.id)
    )
    for deal_id in list(work.execute(found).scalars()):
        deals.close_deal(work, deal_id)
    news.queue_mail_to_entrants(work, season.id, "kickoff", site.now())


def create_tables(site: Site, season_id: str, pairings: Sequence[Pairing]) -> None:
    """Makes these tables in one transaction, but for those that somebody has made since they were read."""
    ids = {entrant for one in pairings for entrant in one.seats}
    with site.writing() as work:
        lookups.hold_players_of_entrants(work, ids)
        season = lookups.lock_season(work, season_id)
        if season.status not in ("starting", "running"):
            raise Gone(N_("This season is over."))
        league = lookups.league_of(work, season.league_id)
        entrants = {one.id: one for one in work.execute(select(Entrant).where(col(Entrant.id).in_(ids))).scalars()}
        named = {(one.division, one.round) for one in pairings}
        rows = work.execute(
            select(_sm.c.division, _sm.c.round, _sm.c.seats, DealRow)
            .join(_m, _m.c.id == _sm.c.match_id)
            .outerjoin(DealRow, _m.c.deal_id == _d.c.id)
            .where(_sm.c.season_id == season_id, tuple_(_sm.c.division, _sm.c.round).in_(named))
        ).all()  # fmt: skip
        there = {(division, number, seats) for division, number, seats, _ in rows}
        shared = {
            (division, number, len(json.loads(seats))): deal
            for division, number, seats, deal in rows
            if deal is not None and not deal.closed
        }
        terms = terms_of(season)
        for one in pairings:
            if one.key in there:
                continue
            same = (one.division, one.round, len(one.seats))
            if terms.duplicate and same not in shared:
                shared[same] = deals.new_deal(site, work, league.game, terms.options_json, len(one.seats))
            sitting = [entrants[entrant] for entrant in one.seats]
            create_and_start_match(
                site, work, league, season, one, sitting, shared.get(same) if terms.duplicate else None
            )


def create_and_start_match(
    site: Site, work: Work, league: League, season: Season, pairing: Pairing, sitting: Sequence[Entrant],
    deal: DealRow | None,
) -> Match:  # fmt: skip
    """Makes a match of the locked season, whose players are held, and starts it; returns it."""
    terms, game = terms_of(season), game_of_league(league)
    new = Terms(
        game.meta.slug, terms.options_json, terms.turn_s, terms.window_s, spectators=True, organiser_id=None,
        takebacks=FREE,  # consent of bots is no consent: a player who plays against them alone could look first
    )  # fmt: skip
    places = [_place_of_entrant(game, one) for one in sitting]
    match = seating.set_up_match(site, work, new, places, deal=deal)
    for seat, entrant in zip(store.seats_of(work, match.id), sitting, strict=True):
        if entrant.bot is not None:
            seat.name = entrant.name  # as the standings call it
    division, number, seats = pairing.key
    work.add(SeasonMatch(match_id=match.id, season_id=season.id, division=division, round=number, seats=seats))
    seating.start_if_full(table_of(work, match))
    return match


def _place_of_entrant(game: AnyGame, entrant: Entrant) -> Place:
    """Returns the entrant's place; a bot plays on the seat of somebody who has been erased meanwhile."""
    if entrant.player_id is not None and entrant.status == ENTERED:
        return Place("accepted", entrant.name, entrant.player_id)
    return Place("accepted", bot=entrant.bot or usual_bot(game), epoch=FIRST_EPOCH)
