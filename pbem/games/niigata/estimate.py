"""How likely each seat is to win at the beginning of a round, without playing on.

    python -m tests.games.niigata.fitted_estimate --matches 300

plays matches of `greedy` with two to six players and prints the numbers below under which their winners are likeliest.
docs/bots.md compares what is estimated with what happened in other matches.
"""

from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

from pbem.games.niigata.facts import State
from pbem.games.niigata.rules import scores


class Terms(NamedTuple):
    """The numbers of the formula, for any number of players."""

    each: float
    """This many points a breeder brings that has all the time it needs."""
    crowd: float
    """This many rounds a breeder waits for each that its seat has left, before it has brought half of that."""
    spread: float
    """How uncertain one breeder a seat makes the points at the end."""
    least: float
    """The uncertainty of the rest, in breeders."""


FITTED = Terms(each=6.5, crowd=0.65, spread=1.45, least=0.1)


def estimate(state: State) -> Sequence[float] | None:
    """Returns each seat's chance to win at the beginning of a round; None within one, and after the end."""
    if state.phase != "pick" or state.step:
        return None
    return chances(scores(state), state.breeders, rounds_left(state))


def rounds_left(state: State) -> float:
    """Returns how many rounds there will be, the one that begins included."""
    return len(state.stock) / (2 * state.seats) + 1


def chances(
    points: Sequence[int], breeders: Sequence[int], rounds: float, terms: Terms = FITTED
) -> tuple[float, ...]:  # fmt: skip
    """Returns each seat's chance to end with most points, of these points and breeders: a logistic model.

    >>> [round(chance, 2) for chance in chances((9, 5, 5), (1, 1, 2), 4)]
    [0.45, 0.04, 0.51]
    """
    expected = [n + _gain(left, rounds, terms) for n, left in zip(points, breeders, strict=True)]
    spread = terms.spread * sqrt(terms.least + sum(breeders) / len(breeders))
    best = max(expected)
    weights = [_exp((n - best) / spread) for n in expected]
    total = fsum(weights)
    return tuple([weight / total for weight in weights])


def _gain(breeders: int, rounds: float, terms: Terms) -> float:
    """Returns how many points these breeders may bring."""
    return terms.each * breeders * rounds / (rounds + terms.crowd * breeders)


def _exp(x: float) -> float:
    """Returns about e to the power of x, for x up to 0, the same to the bit on every machine: by products alone."""
    power = max(0.0, 1 + x / 256)
    for _ in range(8):
        power *= power
    return power
