"""The deals of a division that several tables share: sealed, or open, and then how they went on each seat.

Of a deal that is sealed nothing is read but its commitment: not how many of its tables are over, nor which.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sqlalchemy import func, select
from sqlmodel import Session

from pbem.features.leagues import lookups
from pbem.features.leagues.scores import standings
from pbem.features.leagues.scores.standings import Person, Played
from pbem.features.leagues.tables import SeasonMatch
from pbem.models.deals import DealRow
from pbem.models.tables import Match, table
from pbem.services.site import Site
from pbem.services.who import Caller

_sm, _m, _d = table(SeasonMatch), table(Match), table(DealRow)


@dataclass(frozen=True)
class Compared:
    """How somebody did on a seat. `score` is None where places are compared, because not all tables have scores."""

    person: Person
    score: int | None
    place: int
    points: float
    resigned: bool
    """They resigned, which counts as less than any score."""


@dataclass(frozen=True)
class DealTable:
    """A table of a deal that is open. `watched`: strangers may see its replay."""

    match_id: str
    people: tuple[Person, ...]
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


def read_deals(site: Site, who: Caller, season_id: str, division: int) -> tuple[ComparedDeal, ...]:
    """Returns the deals of a division that several tables share, by round. Raises NotFound."""
    with site.reading() as session:
        lookups.visible_season(session, who, season_id)
        found = _deals(session, season_id, division)
        if not any(deal.open for deal in found.values()):
            return tuple(found.values())
        public = [one for one in standings.matches_of(session, season_id, division) if one.public]
        people = standings.entrants_of(session, season_id, division)
        watched = _watched(session, [one.match_id for one in public])
    points = {match_id: [float(got) for got in of.points] for match_id, of in standings.tables_of(public).items()}
    played = _by_deal(public)
    return tuple(
        _compared(deal, played.get(deal_id, []), people, points, watched) if deal.open else deal
        for deal_id, deal in found.items()
    )


def _deals(session: Session, season_id: str, division: int) -> dict[str, ComparedDeal]:
    rows = session.execute(
        select(_d.c.id, func.min(_sm.c.round), _d.c.commitment, _d.c.opened_at.is_not(None))
        .join(_m, _m.c.deal_id == _d.c.id)
        .join(_sm, _sm.c.match_id == _m.c.id)
        .where(_sm.c.season_id == season_id, _sm.c.division == division)
        .group_by(_d.c.id, _d.c.commitment, _d.c.opened_at)
        .order_by(func.min(_sm.c.round), _d.c.id)
    )
    return {deal_id: ComparedDeal(number, commitment, bool(opened)) for deal_id, number, commitment, opened in rows}


def _watched(session: Session, ids: Sequence[str]) -> frozenset[str]:
    return frozenset(session.execute(select(_m.c.id).where(_m.c.id.in_(ids), _m.c.spectators)).scalars())


def _by_deal(public: Iterable[Played]) -> dict[str, list[Played]]:
    over = sorted((one for one in public if one.deal_id and one.places is not None), key=lambda one: one.deal_id or "")
    return {deal_id or "": [*tables] for deal_id, tables in groupby(over, key=lambda one: one.deal_id)}


def _compared(
    deal: ComparedDeal, played: Sequence[Played], people: Mapping[int, Person], points: Mapping[str, Sequence[float]],
    watched: frozenset[str],
) -> ComparedDeal:  # fmt: skip
    by_score = all(one.comparable for one in played)
    seats = tuple(
        tuple(sorted((_on_seat(one, seat, people, points, by_score) for one in played), key=lambda one: -one.points))
        for seat in range(len(played[0].seats) if played else 0)
    )
    tables = tuple(
        DealTable(one.match_id, tuple(people[number] for number in one.seats), one.match_id in watched)
        for one in played
    )
    return ComparedDeal(deal.round, deal.commitment, True, seats, tables)


def _on_seat(
    one: Played, seat: int, people: Mapping[int, Person], points: Mapping[str, Sequence[float]], by_score: bool
) -> Compared:
    score = one.scores[seat] if by_score and one.scores is not None else None
    place = one.places[seat] if one.places is not None else 0
    return Compared(people[one.seats[seat]], score, place, points[one.match_id][seat], seat in one.resigned)
