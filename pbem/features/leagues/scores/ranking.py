"""The order of a division, and who moves up or down.

Entrants are compared by what decides first:

1. points: the sum of what their places at their tables were worth (`points`);
2. against each other: what those with the same points have scored against one another at their common tables;
3. strength of opponents: the average points of all whom they have met;
4. those who are still level share the place, and the place after them is that of the next one in line.

A seat gets a share of the others at its table that it has left behind: one for each that is placed lower, half of one
for each that is level. So the winner of any table gets 1 and its last seat 0, however many sit there, and a draw of all
is 1/2.

Where tables play the same deal, each seat is compared with those who sat on it at the other tables. This is matchpoint
scoring of duplicate bridge (Laws of Duplicate Bridge 2017, Law 78A): a point for each other one with a worse result,
half a point for each one with the same. Here it is the mean over the others, from 0 to 1, so that deals with more and
with fewer tables count alike. Good cards do not help: the others on this seat had them, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby


@dataclass(frozen=True)
class Table:
    """A table that counts: its entrants in seat order, what each gets for it, and the places if they are known."""

    seats: tuple[int, ...]
    points: tuple[Fraction, ...]
    places: tuple[int, ...] | None = None
    """None: nobody was placed, as in a match that counts as a draw."""
    over: bool = True


@dataclass(frozen=True)
class Line:
    """An entrant in the standings; `opponents` is the average of the points of those whom they have met."""

    entrant: int
    place: int
    points: Fraction
    against: Fraction
    opponents: Fraction
    played: int
    """How many of their matches are over."""


def rank_entrants(
    entrants: Sequence[int], tables: Sequence[Table], extra: Mapping[int, Fraction] | None = None
) -> list[Line]:
    """Returns the standings, best first; entrants that share a place stand in the order in which they were given.

    `extra` are points that come from no table, as for a bye.
    """
    points = {one: (extra or {}).get(one, Fraction()) for one in entrants}
    own: dict[int, list[Table]] = {one: [] for one in entrants}
    for table in tables:
        for seat, one in enumerate(table.seats):
            points[one] += table.points[seat]
            own[one].append(table)
    level: dict[Fraction, set[int]] = {}
    for one in entrants:
        level.setdefault(points[one], set()).add(one)
    keys = {
        one: (
            points[one],
            _direct_points(one, level[points[one]], own[one]),
            _average_points([points[other] for table in own[one] for other in table.seats if other != one]),
        )
        for one in entrants
    }
    lines: list[Line] = []
    order = sorted(entrants, key=keys.__getitem__, reverse=True)  # stable, so the given order stays among equals
    for key, group in groupby(order, key=keys.__getitem__):
        place, members = len(lines) + 1, [*group]
        lines += [
            Line(one, place, *key, sum(table.over for table in own[one])) for one in members
        ]  # fmt: skip
    return lines


def _direct_points(one: int, level: set[int], tables: Sequence[Table]) -> Fraction:
    total = Fraction()
    if len(level) == 1:
        return total
    for table in tables:
        if table.places is not None:
            own = table.places[table.seats.index(one)]
            pairs = zip(table.seats, table.places, strict=True)
            total += sum(
                (worth_of_place_against(own, place) for other, place in pairs if other != one and other in level),
                Fraction(),
            )
    return total


def next_divisions_by_rank(division: int, divisions: int, size: int, promoted: int, relegated: int) -> list[int]:
    """Returns the division of the next season for each rank of a division, best first.

    This many go up and down as the terms say, but never more than half of a division in either direction.

    >>> next_divisions_by_rank(2, 3, 6, 1, 2)
    [1, 2, 2, 2, 3, 3]
    """
    up = min(promoted, size // 2) if division > 1 else 0
    down = min(relegated, size // 2) if division < divisions else 0
    return [division - 1] * up + [division] * (size - up - down) + [division + 1] * down


# --- what places are worth ------------------------------------------------------------------------------------

DRAW = Fraction(1, 2)
"""What a match is worth that counts as a draw, and a round in which an entrant has no table."""


def points_of_places(places: Sequence[int]) -> tuple[Fraction, ...]:
    """Returns the points of each seat of a table with these places, 1 for the first.

    >>> [str(one) for one in points_of_places([1, 2, 2])]
    ['1', '1/4', '1/4']
    """
    met = [(own, (*places[:seat], *places[seat + 1 :])) for seat, own in enumerate(places)]
    return tuple(_average_points([worth_of_place_against(own, other) for other in others]) for own, others in met)


def worth_of_place_against(own: float, other: float) -> Fraction:
    """Returns what one place is worth against another: 1, 1/2 or 0."""
    return DRAW if own == other else Fraction(own < other)


def places_by_scores(scores: Sequence[int]) -> tuple[int, ...]:
    """Returns the place of each seat if the highest score wins.

    >>> places_by_scores([7, 9, 7])
    (2, 1, 2)
    """
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def points_at_duplicate_tables(tables: Sequence[Sequence[float]]) -> tuple[tuple[Fraction, ...], ...]:
    """Returns the points of each seat at each of these tables, from the results in seat order; higher ones are better.

    The points that a deal of several tables gives on a seat sum up to half their number; a single table gives none.

    >>> [[str(points) for points in table] for table in points_at_duplicate_tables([[7, 3], [5, 3], [5, 9]])]
    [['1', '1/4'], ['1/4', '1/4'], ['1/4', '1']]

    Raises ValueError if the tables have different numbers of seats.
    """
    by_seat = [
        [_points_against_other_results(at, column) for at in range(len(column))] for column in zip(*tables, strict=True)
    ]
    return tuple(zip(*by_seat, strict=True))


def _average_points(points: Sequence[Fraction]) -> Fraction:
    return sum(points, Fraction()) / len(points) if points else Fraction()


def _points_against_other_results(at: int, results: Sequence[float]) -> Fraction:
    """Returns the points of one of those who sat on a seat, from their results against all the others."""
    return _average_points(
        [worth_of_place_against(other, results[at]) for other in (*results[:at], *results[at + 1 :])]
    )
