"""The standings of a season, from `results` alone: live while it runs, and as they were when it was closed.

The matches of a season and their results are read in one statement, whatever its size. At tables that share a deal
results count only once all of them are over: a result would tell about the cards of the others. Of a deal that is
sealed nothing is read but its commitment: not how many of its tables are over, nor which.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf
from typing import Annotated

import msgspec
from msgspec import Struct
from sqlalchemy import select
from sqlmodel import Session

from pbem.answers import about
from pbem.features.leagues import lookups
from pbem.features.leagues.entry.entrants import PLAYING, EntrantView, query_of_entrant_views
from pbem.features.leagues.reading import SharedDeal, deals_that_tables_share
from pbem.features.leagues.scores.ranking import (
    DRAW,
    Line,
    Table,
    places_by_scores,
    points_at_duplicate_tables,
    points_of_places,
    rank_entrants,
)
from pbem.features.leagues.tables import Entrant, Season, SeasonMatch
from pbem.features.leagues.terms import SeasonTerms, terms_of
from pbem.kit.contract import Outcome
from pbem.kit.endings import TABLE_ENDINGS
from pbem.models.deals import DealRow
from pbem.models.results import Result
from pbem.models.tables import Match, table
from pbem.services.site import Site
from pbem.services.who import Caller

_outcome = msgspec.json.Decoder(Outcome).decode
_e, _sm, _m, _r, _d = table(Entrant), table(SeasonMatch), table(Match), table(Result), table(DealRow)


@dataclass(frozen=True)
class Played:
    """A match of a season as far as it has been played; `places` and `scores` are None before it has results."""

    match_id: str
    division: int
    seats: tuple[int, ...]
    """Its entrants in seat order."""
    deal_id: str | None
    public: bool
    """Whether its result may be told: all tables of its deal are over."""
    places: tuple[int, ...] | None
    scores: tuple[int, ...] | None
    resigned: tuple[int, ...] = ()
    by_people: bool = False
    """Whether the people at the table ended it, not the rules."""

    @property
    def has_comparable_scores(self) -> bool:
        """Whether its scores can be compared with those of other tables of the deal."""
        return self.scores is not None and not self.by_people


class StandingShown(Struct, frozen=True, rename={"entrant_id": "entrant"}):
    """An entrant in a division's table. Those who share a place are level by every tie-break, in this order."""

    entrant_id: int
    name: str
    bot: str | None
    place: int
    points: float
    against: Annotated[float, about("The first tie-break: points against those who are level.")]
    opponents: Annotated[float, about("The second one: the average of the points of their opponents.")]
    played: Annotated[int, about("Matches that count so far.")]
    matches: Annotated[int, about("Matches in all.")]
    moves_to: int | None


class Row(StandingShown, frozen=True):
    """The same for pages, with the entrant's status. `moves_to` is None before the season is closed."""

    status: str


class Division(Struct, frozen=True):
    """A division's table, best first."""

    number: int
    rows: tuple[Row, ...]


def read_divisions(site: Site, who: Caller, season_id: str, division: int | None = None) -> tuple[Division, ...]:
    """Returns the table of each division, or of this one. Before the start there is none. Raises NotFound.

    While a season runs, only matches that are over count. Afterwards the points and places are those of its end.
    """
    with site.reading() as session:
        _, season = lookups.visible_league_and_season(session, who, season_id)
        return tables_of_divisions(session, season, division)


def tables_of_divisions(session: Session, season: Season, division: int | None = None) -> tuple[Division, ...]:
    """Returns the tables of all divisions, or of this one, in two statements."""
    people, played = (
        entrants_by_id(session, season.id, division),
        matches_and_results_of_season(session, season.id, division),
    )
    told = [one for one in played if one.public]
    tables = tables_that_count(told)
    live = standings_of(terms_of(season), people, played, tables, final=season.status == "closed")
    seated = Counter(entrant for one in played for entrant in one.seats)
    divisions = []
    for number, lines in live.items():
        rows = [_row_of_standings(people, line, seated[line.entrant]) for line in lines]
        # Places of a closed season are those of its end, when unfinished matches counted as well.
        divisions.append(Division(number, tuple(sorted(rows, key=lambda row: row.place))))
    return tuple(divisions)


def entrants_by_id(session: Session, season_id: str, division: int | None = None) -> dict[int, EntrantView]:
    """Returns all who play or played in the season, or in this division, by their ids, as they entered."""
    which = (PLAYING,) if division is None else (PLAYING, _e.c.division == division)
    found = session.execute(query_of_entrant_views(season_id, *which).order_by(_e.c.at, _e.c.id))
    return {row[0]: EntrantView(*row) for row in found}


def matches_and_results_of_season(session: Session, season_id: str, division: int | None = None) -> list[Played]:
    """Returns the season's matches, or those of this division, by division and round.

    Those that go on are among them, without results.
    """
    found = (
        select(
            _sm.c.match_id, _sm.c.division, _sm.c.seats, _m.c.deal_id, _d.c.opened_at, _m.c.outcome,
            _r.c.seat, _r.c.place, _r.c.score, _r.c.resigned,
        )
        .join(_m, _m.c.id == _sm.c.match_id)
        .outerjoin(_d, _d.c.id == _m.c.deal_id)
        .outerjoin(_r, _r.c.match_id == _sm.c.match_id)
        .where(_sm.c.season_id == season_id)
        .order_by(_sm.c.division, _sm.c.round, _sm.c.match_id, _r.c.seat)
    )  # fmt: skip
    if division is not None:
        found = found.where(_sm.c.division == division)
    made = []
    for match_id, group in groupby(session.execute(found), key=lambda row: row.match_id):
        rows = [*group]
        one, tallied = rows[0], rows[0].seat is not None
        places = tuple(row.place for row in rows) if tallied else None
        scores = tuple(row.score for row in rows) if all(row.score is not None for row in rows) else None
        by_people = one.deal_id is not None and tallied and _outcome(one.outcome).reason in TABLE_ENDINGS
        resigned = tuple(row.seat for row in rows if row.resigned)
        public, seats = one.deal_id is None or one.opened_at is not None, tuple(json.loads(one.seats))
        made.append(Played(match_id, one.division, seats, one.deal_id, public, places, scores, resigned, by_people))
    return made


def tables_that_count(played: Sequence[Played]) -> dict[str, Table]:
    """Returns what each of these matches counts that is over, by its id.

    Tables that share a deal are compared with each other; one that is the only one so far counts like any other.
    """
    made, shared = dict[str, Table](), dict[str, list[Played]]()
    for one in played:
        if one.places is None:
            continue
        made[one.match_id] = Table(one.seats, points_of_places(one.places), one.places)
        if one.deal_id is not None:
            shared.setdefault(one.deal_id, []).append(one)
    for tables in shared.values():
        if len(tables) > 1:
            by_places = not all(one.has_comparable_scores for one in tables)
            compared = points_at_duplicate_tables([_comparable_results_by_seat(one, by_places) for one in tables])
            for one, points in zip(tables, compared, strict=True):
                made[one.match_id] = Table(one.seats, points, one.places)
    return made


def _comparable_results_by_seat(played: Played, by_places: bool) -> list[float]:
    """Returns how good the end was for each seat: its score, below all others if it was resigned, or its place.

    Tables of a deal are compared by places as soon as one has no scores, or was ended by the people at it.
    """
    if by_places or played.scores is None:
        return [float(-place) for place in played.places or ()]
    return [-inf if seat in played.resigned else float(score) for seat, score in enumerate(played.scores)]


def table_as_it_stands(played: Played, rule: str, scores: Mapping[str, Sequence[int] | None]) -> Table | None:
    """Returns what an unfinished match counts by the rule of the terms: half, standing or none; None for the last.

    Where a game keeps no scores, “standing” is a draw.
    """
    if rule == "none":
        return None
    now = scores.get(played.match_id) if rule == "standing" else None
    if now is None:
        return Table(played.seats, (DRAW,) * len(played.seats), over=False)
    places = places_by_scores(now)
    return Table(played.seats, points_of_places(places), places, over=False)


def standings_of(
    terms: SeasonTerms,
    people: Mapping[int, EntrantView],
    played: Sequence[Played],
    tables: Mapping[str, Table],
    *,
    final: bool,
) -> dict[int, list[Line]]:
    """Returns the lines of each division, best first, from the tables that count, by match.

    At the end a round without a table counts as a draw for a player who had none, if the site has paired it.
    """
    members: dict[int, list[int]] = {}
    for one in people.values():
        if one.division is not None:
            members.setdefault(one.division, []).append(one.id)
    of_division: dict[int, list[Table]] = {}
    seated = Counter(entrant for match in played for entrant in match.seats)
    for match in played:
        if match.match_id in tables:
            of_division.setdefault(match.division, []).append(tables[match.match_id])
    has_byes = final and terms.pairing == "rotation"
    byes = {one: DRAW * max(0, terms.matches - seated[one]) for one in people} if has_byes else {}
    if terms.pairing == "organiser":  # an organiser's divisions may meet
        of_division = {number: [one for tables in of_division.values() for one in tables] for number in members}
    return {number: rank_entrants(members[number], of_division.get(number, []), byes) for number in sorted(members)}


def _row_of_standings(people: Mapping[int, EntrantView], line: Line, matches: int) -> Row:
    one = people[line.entrant]
    closed = (one.place, one.points) if one.place is not None and one.points is not None else None
    place, points = closed or (line.place, float(line.points))
    return Row(
        one.id, one.name, one.bot, place, points, float(line.against), float(line.opponents), line.played, matches,
        one.moves_to, one.status,
    )  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """How somebody did on a seat. `score` is None where places are compared, because not all tables have scores."""

    person: EntrantView
    score: int | None
    place: int
    points: float
    resigned: bool
    """They resigned, which counts as less than any score."""


@dataclass(frozen=True)
class DealTable:
    """A table of a deal that is open. `watched`: strangers may see its replay."""

    match_id: str
    people: tuple[EntrantView, ...]
    watched: bool


@dataclass(frozen=True)
class ComparedDeal:
    """A deal that several tables share. Nothing is in `seats` and `tables` while it is sealed.

    `seats` has, for each seat, everybody who sat on it, best first.
    """

    round: int
    commitment: str
    open: bool
    seats: tuple[tuple[Compared, ...], ...] = ()
    tables: tuple[DealTable, ...] = ()


def read_compared_deals(site: Site, who: Caller, season_id: str, division: int) -> tuple[ComparedDeal, ...]:
    """Returns the deals of a division that several tables share, by round. Raises NotFound."""
    with site.reading() as session:
        lookups.visible_league_and_season(session, who, season_id)
        deals = deals_that_tables_share(session, season_id, _sm.c.division == division)
        opened = any(deal.opened_at is not None for deal in deals)
        public = (
            [one for one in matches_and_results_of_season(session, season_id, division) if one.public] if opened else []
        )
        people = entrants_by_id(session, season_id, division)
        watchable = select(_m.c.id).where(_m.c.id.in_([one.match_id for one in public]), _m.c.spectators)
        watched = frozenset(session.execute(watchable).scalars())
    points = {match_id: [float(got) for got in of.points] for match_id, of in tables_that_count(public).items()}
    played = defaultdict[str | None, list[Played]](list)
    for one in public:
        if one.places is not None:
            played[one.deal_id].append(one)
    return tuple(_compare_tables(deal, played[deal.id], people, points, watched) for deal in deals)


def _compare_tables(
    deal: SharedDeal, played: Sequence[Played], people: Mapping[int, EntrantView],
    points: Mapping[str, Sequence[float]], watched: frozenset[str],
) -> ComparedDeal:  # fmt: skip
    """Compares those who sat on each seat of the deal; of one that is sealed no table has been `played`."""
    by_score = all(one.has_comparable_scores for one in played)

    def result(one: Played, seat: int) -> Compared:
        score = one.scores[seat] if by_score and one.scores is not None else None
        place = one.places[seat] if one.places is not None else 0
        return Compared(people[one.seats[seat]], score, place, points[one.match_id][seat], seat in one.resigned)

    seats = (
        sorted((result(one, seat) for one in played), key=lambda one: -one.points)
        for seat in range(len(played[0].seats) if played else 0)
    )
    tables = tuple(
        DealTable(one.match_id, tuple(people[number] for number in one.seats), one.match_id in watched)
        for one in played
    )
    return ComparedDeal(deal.round, deal.commitment, deal.opened_at is not None, tuple(map(tuple, seats)), tables)
