"""Scoring of tables that play the same deal: each seat against those who sat on the same seat at the other tables.

This is matchpoint scoring of duplicate bridge (Laws of Duplicate Bridge 2017, Law 78A): a point for each other one with
a worse result, half a point for each one with the same. Here it is the mean over the others, from 0 to 1, so that deals
with more and with fewer tables count alike. Good cards do not help: the others on this seat had them, too.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeVar

from pbem.kit.contract import Outcome
from pbem.kit.endings import TABLE_ENDINGS

T = TypeVar("T", bound=float)
LEVEL = Fraction(1, 2)


def results_of(outcome: Outcome, places: Sequence[int]) -> tuple[int, ...]:
    """Returns how good the end was for each seat, comparable with the same seat at another table of the deal.

    That is its score; its place, the first one best, in a game without scores or if the people at the table ended it.

    >>> results_of(Outcome("done", (1,), (7, 9)), [2, 1]), results_of(Outcome("caught", (1,)), [2, 1])
    ((7, 9), (-2, -1))
    """
    if outcome.scores is None or outcome.reason in TABLE_ENDINGS:
        return tuple(-place for place in places)
    return outcome.scores


def compare(tables: Sequence[Sequence[T | None]]) -> tuple[tuple[Fraction | None, ...], ...]:
    """Returns the points of each seat at each of these tables, from the results in seat order; higher ones are better.

    None is a seat without a result, such as one of a match that goes on: it has no points, and nobody is compared with
    it. A seat that nobody else with a result sat on has no points, either. The points that a deal gives on a seat sum
    up to half the number of those who have any.

    >>> [[str(points) for points in table] for table in compare([[7, 3], [5, 3], [5, 9]])]
    [['1', '1/4'], ['1/4', '1/4'], ['1/4', '1']]

    Raises ValueError if the tables have different numbers of seats.
    """
    by_seat = [_points([*column]) for column in zip(*tables, strict=True)]
    return tuple(tuple(column[table] for column in by_seat) for table in range(len(tables)))


def _points(results: Sequence[T | None]) -> list[Fraction | None]:
    """Returns the points of those who sat on one seat."""
    return [_mean(own, (*results[:at], *results[at + 1 :])) for at, own in enumerate(results)]


def _mean(own: T | None, others: Iterable[T | None]) -> Fraction | None:
    if own is None:
        return None
    met = [_against(own, other) for other in others if other is not None]
    return sum(met, Fraction()) / len(met) if met else None


def _against(own: T, other: T) -> Fraction:
    return LEVEL if own == other else Fraction(own > other)
