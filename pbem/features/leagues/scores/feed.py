"""The results of a season as a feed that only grows, in the order in which they became public.

A match has a result once it was tallied, and it is public from then on; at tables that share a deal, only once all of
them are over, since a result tells about the cards of the others. Then it gets the next number of its season. Numbers
are given under the season's lock, so a reader who has read up to a number never misses a lower one, however late a
tally or a commit was. A match that was called off has no result.
"""

import json
from datetime import datetime
from typing import Annotated

from msgspec import Struct
from sqlalchemy import func, select, update
from sqlmodel import Session

from pbem.answers import about
from pbem.features.leagues import lookups
from pbem.features.leagues.tables import SeasonMatch
from pbem.models.results import Result
from pbem.models.tables import Match, table
from pbem.services.log import deals
from pbem.services.site import Site
from pbem.services.who import Caller

PAGE = 100
"""How many results a page has at most."""
AT_ONCE = 500
"""How many results of a season one transaction makes public at most."""

_sm, _m = table(SeasonMatch), table(Match)
_r = table(Result)
_UNTOLD = _sm.join(_m, _m.c.id == _sm.c.match_id)
_READY = (_sm.c.tallied, _sm.c.result_no.is_(None), deals.condition_of_unsealed())
"""As the index of these rows says it: a sweep reads no match that runs or was called off."""


class SeatResult(Struct, frozen=True):
    """How a seat ended. `place` is 1 for the winners; seats that share a place are level."""

    entrant: int
    place: int
    score: Annotated[int | None, about("Null: the game keeps none.")]
    resigned: bool


class MatchResult(Struct, frozen=True):
    """The result of a match, its seats in seat order."""

    number: Annotated[int, about("Its number in the feed, from 1.")]
    match: str
    game: str
    division: int
    round: int
    ended_at: datetime
    seats: tuple[SeatResult, ...]


class Results(Struct, frozen=True):
    """Results in the order in which they became public; send `cursor` as `after` for what follows, also later."""

    cursor: int
    results: tuple[MatchResult, ...]
    more: Annotated[bool, about("Whether there are more at once.")]


# --- making results public -----------------------------------------------------------------------------------


def publish_results(site: Site) -> int:
    """Gives each new result its number in its season's feed; returns how many there were. May run twice at once."""
    ready = select(_sm.c.season_id).select_from(_UNTOLD).where(*_READY).distinct().order_by(_sm.c.season_id)
    with site.one_statement() as connection:
        seasons = connection.execute(ready).scalars().all()
    numbered = 0
    for season_id in seasons:
        some = AT_ONCE
        while some == AT_ONCE and not site.stopping():  # in transactions of bounded length
            with site.writing() as work:
                some = assign_result_numbers(work, season_id)
                if some:
                    work.wakes = True  # webhooks tell them
            numbered += some
    return numbered


def assign_result_numbers(session: Session, season_id: str) -> int:
    """Numbers up to AT_ONCE results of the season that have become public; returns how many. Locks the season."""
    season, connection = lookups.lock_season(session, season_id), session.connection()
    place = func.row_number().over(order_by=(_m.c.tallied_at, _m.c.id))
    new = (
        select(_sm.c.match_id, place.label("place"))
        .select_from(_UNTOLD)
        .where(*_READY, _sm.c.season_id == season_id)
        .order_by(_m.c.tallied_at, _m.c.id)
        .limit(AT_ONCE)
        .subquery("new")
    )
    numbering = update(_sm).where(_sm.c.match_id == new.c.match_id).values(result_no=season.results + new.c.place)
    some = connection.execute(numbering).rowcount
    season.results += some
    session.flush()
    return some


# --- reading -------------------------------------------------------------------------------------------------


def read_results(site: Site, who: Caller, season_id: str, after: int) -> Results:
    """Returns the season's results with numbers above `after`, as many as a page holds. Raises NotFound."""
    with site.reading() as session:
        lookups.visible_league_and_season(session, who, season_id)
        return read_page_of_results(session, season_id, after)


def read_page_of_results(session: Session, season_id: str, after: int, most: int = PAGE) -> Results:
    """Returns the season's results with numbers above `after`, in two queries."""
    listed = (
        select(_sm.c.result_no, _sm.c.match_id, _m.c.game, _sm.c.division, _sm.c.round, _m.c.ended_at, _sm.c.seats)
        .join(_m, _m.c.id == _sm.c.match_id)
        .where(_sm.c.season_id == season_id, _sm.c.result_no > after)
        .order_by(_sm.c.result_no)
        .limit(most + 1)
    )
    rows = session.execute(listed).all()
    more, rows = len(rows) > most, rows[:most]
    seats = _seat_results(session, {row.match_id: json.loads(row.seats) for row in rows})
    results = tuple(
        MatchResult(
            row.result_no, row.match_id, row.game, row.division, row.round, row.ended_at,
            tuple(seats.get(row.match_id, ())),
        )
        for row in rows
    )  # fmt: skip
    return Results(results[-1].number if results else after, results, more)


def _seat_results(session: Session, entrants: dict[str, list[int]]) -> dict[str, list[SeatResult]]:
    """Returns the results of these matches' seats, in seat order; the entrants are given in seat order."""
    found: dict[str, list[SeatResult]] = {}
    wanted = (
        select(_r.c.match_id, _r.c.seat, _r.c.place, _r.c.score, _r.c.resigned)
        .where(_r.c.match_id.in_(entrants))
        .order_by(_r.c.match_id, _r.c.seat)
    )
    for match_id, seat, place, score, resigned in session.execute(wanted):
        found.setdefault(match_id, []).append(SeatResult(entrants[match_id][seat], place, score, resigned))
    return found
