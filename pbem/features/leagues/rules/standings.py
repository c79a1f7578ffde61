"""The order of a division, and who moves up or down.

Entrants are compared by what decides first:

1. points: the sum of what their places at their tables were worth (`points`);
2. against each other: what those with the same points have scored against one another at their common tables;
3. strength of opponents: the average points of all whom they have met;
4. those who are still level share the place, and the place after them is that of the next one in line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from pbem.features.leagues.rules.points import against


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


def rank(entrants: Sequence[int], tables: Sequence[Table], extra: Mapping[int, Fraction] | None = None) -> list[Line]:
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
        one: (points[one], _direct(one, level[points[one]], own[one]), _opponents(one, own[one], points))
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


def _direct(one: int, level: set[int], tables: Sequence[Table]) -> Fraction:
    total = Fraction()
    if len(level) == 1:
        return total
    for table in tables:
        if table.places is not None:
            own = table.places[table.seats.index(one)]
            pairs = zip(table.seats, table.places, strict=True)
            total += sum((against(own, place) for other, place in pairs if other != one and other in level), Fraction())
    return total


def _opponents(one: int, tables: Sequence[Table], points: Mapping[int, Fraction]) -> Fraction:
    met = [points[other] for table in tables for other in table.seats if other != one]
    return sum(met, Fraction()) / len(met) if met else Fraction()


def moves(division: int, divisions: int, size: int, promoted: int, relegated: int) -> list[int]:
    """Returns the division of the next season for each rank of a division, best first.

    This many go up and down as the terms say, but never more than half of a division in either direction.

    >>> moves(2, 3, 6, 1, 2)
    [1, 2, 2, 2, 3, 3]
    """
    up = min(promoted, size // 2) if division > 1 else 0
    down = min(relegated, size // 2) if division < divisions else 0
    return [division - 1] * up + [division] * (size - up - down) + [division + 1] * down
