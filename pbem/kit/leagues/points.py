"""What the places of a table are worth.

A seat gets a share of the others that it has left behind: one for each that is placed lower, half of one for each that
is level. So the winner of any table gets 1 and its last seat 0, however many sit there, and a draw of all is 1/2.
"""

from collections.abc import Sequence
from fractions import Fraction

DRAW = Fraction(1, 2)
"""What a match is worth that counts as a draw, and a round in which an entrant has no table."""


def points_of(places: Sequence[int]) -> tuple[Fraction, ...]:
    """Returns the points of each seat of a table with these places, 1 for the first.

    >>> [str(one) for one in points_of([1, 2, 2])]
    ['1', '1/4', '1/4']
    """
    others = max(1, len(places) - 1)
    return tuple(_beaten(places, seat) / others for seat in range(len(places)))


def duplicate_points(results: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[Fraction, ...]]:
    """Returns the points of each seat at each of these tables, all of which have played the same deal.

    A result is a score, or minus the place where a game keeps none; ties are decided by the second number. A seat is
    compared with the same seat of each other table, and gets the mean: 1 for each that did worse there, 1/2 for each
    that did as well. So luck, which was the same for both, cancels out.

    >>> duplicate_points([[(5, 0), (3, 0)], [(4, 0), (3, 0)]])
    [(Fraction(1, 1), Fraction(1, 2)), (Fraction(0, 1), Fraction(1, 2))]
    """
    others = max(1, len(results) - 1)
    return [
        tuple(
            sum((_better(own, other[seat]) for j, other in enumerate(results) if j != i), Fraction()) / others
            for seat, own in enumerate(table)
        )
        for i, table in enumerate(results)
    ]


def _better(own: tuple[int, int], other: tuple[int, int]) -> Fraction:
    return DRAW if own == other else Fraction(own > other)


def against(own: int, other: int) -> Fraction:
    """Returns what one place is worth against another: 1, 1/2 or 0."""
    return DRAW if own == other else Fraction(own < other)


def places_by(scores: Sequence[int]) -> tuple[int, ...]:
    """Returns the place of each seat if the highest score wins.

    >>> places_by([7, 9, 7])
    (2, 1, 2)
    """
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def _beaten(places: Sequence[int], seat: int) -> Fraction:
    others = (place for other, place in enumerate(places) if other != seat)
    return sum((against(places[seat], place) for place in others), Fraction())
