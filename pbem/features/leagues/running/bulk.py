"""What an organiser does by program: starts a season, and makes the matches of one that they pair themselves.

All matches of a request are made in one transaction, or none: the season is locked, each table is checked against those
before it, and one idempotency key stands for all. Our own seasons call `starting.create_and_start_match`, too.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct
from sqlalchemy import select
from sqlmodel import Session, col

from pbem.errors import N_, Gone, Invalid
from pbem.features.leagues import lookups
from pbem.features.leagues.entry.entrants import withdraw_former_members
from pbem.features.leagues.news import ENTERED, ERASED
from pbem.features.leagues.running import starting
from pbem.features.leagues.running.starting import Pairing
from pbem.features.leagues.tables import Entrant, League, Season, SeasonMatch
from pbem.features.leagues.terms import game_of_league, terms_of
from pbem.models.deals import DealRow
from pbem.models.tables import Match, table
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.log import deals
from pbem.services.site import Site, Work
from pbem.services.who import Owner

MOST = 50
"""How many matches one request makes at most: on SQLite nobody else writes meanwhile."""
ROUND_MOST = 1000

_e, _s, _sm, _m = table(Entrant), table(Season), table(SeasonMatch), table(Match)


@dataclass(frozen=True)
class NewTable:
    """A match to be made: the ids of its entrants in seat order, and its round; None: their next one."""

    seats: tuple[int, ...]
    round: int | None = None


class TableMade(Struct, frozen=True):
    """A match that was made, with the commitment to its luck; `deal` is that of its shared deal."""

    id: str
    round: int
    commitment: str
    deal: str | None


def begin_season_early(site: Site, who: Owner, season_id: str) -> None:
    """Begins an open season before its date, on behalf of its organiser: nobody can enter from then on.

    One that is paired in rotation gets its matches by the next sweep; one that its organiser pairs runs at once. Raises
    NotFound, Forbidden, and Gone if it has begun, or too few have entered.
    """
    with site.writing() as work:
        lookups.lock_players_of_seasons(work, _s.c.id == season_id)
        league, season = lookups.lock_own_season(work, who, season_id)
        lookups.check_season_open(season)
        terms = terms_of(season)
        withdraw_former_members(site, work, season, league)
        if not starting.has_enough_entrants(work, season):
            message = N_("Fewer have entered than the season needs: %(least)s.")
            raise Gone(message, {"least": str(terms.least)})
        season.starts_at = season.due_at = site.now()
        season.ends_at = site.now() + terms.duration
        work.wakes = True
        if terms.pairing == "organiser":
            starting.fill_up_and_divide_entrants(site, work, league, season)
            starting.let_season_run_and_mail_entrants(site, work, season)


def create_and_start_tables(
    site: Site, who: Owner, season_id: str, wanted: Sequence[NewTable], *, same_deal: bool | None = None,
    once: IdempotencyKey | None = None,
) -> list[TableMade]:  # fmt: skip
    """Makes and starts these matches of a running season, all of them or none; returns them in order.

    With `same_deal` the tables with as many seats share one deal, which no further table gets; None: if the terms say
    so. In a duplicate season each round has deals of its own. Raises NotFound, Forbidden, Gone, KeyReused, and Invalid,
    also for an entrant who would get a deal twice: its fields name the match and the place.
    """
    if not 1 <= len(wanted) <= MOST:
        raise Invalid(
            N_("Between 1 and %(most)s matches can be made at once."), {"most": str(MOST)}, fields=("matches",)
        )
    with site.writing() as work:
        lookups.hold_players_of_entrants(work, {entrant for one in wanted for entrant in one.seats})
        league, season = lookups.lock_own_season(work, who, season_id)
        if (made := idempotency.claim_key(work, once, site.now())) is not None:
            return _tables_of_matches(work, made.split())
        if terms_of(season).pairing != "organiser":
            raise Gone(N_("This season is paired in rotation, as its terms say."))
        if season.status == "open":
            raise Gone(N_("This season has not begun: start it first."))
        lookups.check_season_running(season)
        playing = (col(Entrant.season_id) == season_id, col(Entrant.status).in_((ENTERED, ERASED)))
        entrants = {one.id: one for one in work.execute(select(Entrant).where(*playing)).scalars()}
        pairings = _check_tables_and_make_pairings(work, league, season, entrants, wanted)
        apart = terms_of(season).duplicate
        sharing = apart if same_deal is None else same_deal
        shared = _make_deals(site, work, league, season, pairings, apart) if sharing else {}
        ids = []
        for one in pairings:
            people, deal = (
                [entrants[entrant] for entrant in one.seats],
                shared.get(_key_of_tables_sharing_deal(one, apart)),
            )
            ids.append(starting.create_and_start_match(site, work, league, season, one, people, deal).id)
        for deal in shared.values():
            deals.close_deal(work, deal.id)
        idempotency.store_answer(work, once, " ".join(ids))
        return _tables_of_matches(work, ids)


def _key_of_tables_sharing_deal(one: Pairing, by_round: bool) -> tuple[int, int]:
    """Returns what the tables of a request have in common that share a deal."""
    return (one.round if by_round else 0), len(one.seats)


def _make_deals(
    site: Site, work: Work, league: League, season: Season, pairings: Sequence[Pairing], by_round: bool
) -> dict[tuple[int, int], DealRow]:  # fmt: skip
    """Returns a new deal for each number of seats, or for each in each round.

    Raises Invalid for a player who would sit at a deal whose cards they know from another table.
    """
    options, sitting = terms_of(season).options_json, dict[tuple[int, int], set[int]]()
    for at, one in enumerate(pairings):
        known = sitting.setdefault(_key_of_tables_sharing_deal(one, by_round), set())
        for place, entrant in enumerate(one.seats):
            if entrant in known:
                raise _refusal_at(
                    N_("Match %(table)s: entrant %(entrant)s would get the same deal twice."), at, place, entrant
                )
            known.add(entrant)
    return {key: deals.new_deal(site, work, league.game, options, key[1]) for key in sorted(sitting)}


def _tables_of_matches(session: Session, ids: Sequence[str]) -> list[TableMade]:
    found = (
        select(_m.c.id, _sm.c.round, _m.c.commitment, _m.c.deal_id)
        .join(_sm, _sm.c.match_id == _m.c.id)
        .where(_m.c.id.in_(ids))
    )
    rows = {row[0]: TableMade(*row) for row in session.execute(found)}
    return [rows[match_id] for match_id in ids if match_id in rows]


# --- checking tables -----------------------------------------------------------------------------------------


def _check_tables_and_make_pairings(
    session: Session, league: League, season: Season, entrants: Mapping[int, Entrant], wanted: Sequence[NewTable]
) -> list[Pairing]:  # fmt: skip
    """Returns the tables with their rounds. Raises Invalid for the first that cannot be made."""
    rounds, pairings = defaultdict[int, set[int]](set), []  # in which each entrant has a table
    known = select(_sm.c.round, _sm.c.seats).where(_sm.c.season_id == season.id)
    for number, seats in session.execute(known):
        for entrant in json.loads(seats):
            rounds[entrant].add(number)
    allowed, most = game_of_league(league).meta.seats, terms_of(season).matches
    for at, one in enumerate(wanted):
        if len(one.seats) not in allowed:
            raise _refusal_at(N_("Match %(table)s: the game is not played with that many seats."), at)
        _check_entrants_at_table(at, one.seats, entrants, rounds, most)
        taken = {number for entrant in one.seats for number in rounds[entrant]}
        number = one.round if one.round is not None else 1 + max(taken, default=0)
        if number in taken or not 1 <= number <= ROUND_MOST:
            raise _refusal_at(
                N_("Match %(table)s: somebody there has a match in this round already."), at, what="round"
            )
        for entrant in one.seats:
            rounds[entrant].add(number)
        division = max(entrants[entrant].division or 1 for entrant in one.seats)
        pairings.append(Pairing(division, number, one.seats))
    return pairings


def _check_entrants_at_table(
    at: int, seats: Sequence[int], entrants: Mapping[int, Entrant], rounds: Mapping[int, set[int]], most: int
) -> None:  # fmt: skip
    for place, entrant in enumerate(seats):
        if entrant not in entrants:
            raise _refusal_at(
                N_("Match %(table)s: entrant %(entrant)s has not entered this season."), at, place, entrant
            )
        if entrant in seats[:place]:
            raise _refusal_at(N_("Match %(table)s: entrant %(entrant)s is there twice."), at, place, entrant)
        if len(rounds[entrant]) >= most:
            message = N_("Match %(table)s: entrant %(entrant)s has all matches of the season’s terms: %(most)s.")
            raise _refusal_at(message, at, place, entrant, most=str(most))


def _refusal_at(
    message: str, at: int, place: int | None = None, entrant: int | None = None, what: str = "seats", **facts: str
) -> Invalid:  # fmt: skip
    field = f"matches.{at}.{what}" if place is None else f"matches.{at}.{what}.{place}"
    return Invalid(message, {"table": str(at + 1), "entrant": str(entrant), **facts}, fields=(field,))
