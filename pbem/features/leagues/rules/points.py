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
