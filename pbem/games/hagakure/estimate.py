"""A seat's chance to win between two rounds, from its points, its Nobori and the rounds that are left.

    python -m tests.games.hagakure.fitted_estimate --seats 3 --matches 400

plays matches of `greedy`, prints the numbers below that fit them best, and compares predicted with actual victories.
"""

from collections.abc import Sequence
from math import fsum, sqrt

from pbem.games.hagakure.facts import Nobori, State

GAINS: dict[int, dict[Nobori, float]] = {
    3: {"double": 1.4, "zero": 0.3, "villagers": 1.3, "swap": 1.8},
    4: {"double": 0.5, "zero": 0.6, "villagers": 0.6, "swap": 1.3},
    5: {"double": 0.6, "zero": 0.2, "villagers": 0.1, "swap": 1.0},
}
"""The points that each Nobori still to be played gains, if it may wait for the best of many rounds. A look gains none.

Least squares over the points that each seat scores after each round more than the others, given the Nobori it has left.
"""
SPREADS = {3: 1.65, 4: 1.75, 5: 2.0}
"""By how much the points of one round vary, such that the chances to win are likeliest."""


def estimate(state: State) -> Sequence[float] | None:
    """Returns each seat's chance to win as a round begins, whatever its cards; None at any other time."""
    if state.over or not _begins(state):
        return None
    left = max(1, state.rounds - state.number + 1)  # an extra round is the last one as far as anybody knows
    gains = GAINS[state.seats]
    share = left / (left + 1)
    points = [
        total + share * fsum(gains.get(one, 0.0) for one in nobori)
        for total, nobori in zip(state.totals, state.nobori, strict=True)
    ]
    return chances(points, SPREADS[state.seats] * sqrt(left))


def chances(points: Sequence[float], spread: float) -> tuple[float, ...]:
    """Returns each seat's chance to end with most points, given those expected: a logistic model.

    >>> [round(chance, 3) for chance in chances((4.0, 2.0, 2.0), 2.0)]
    [0.577, 0.212, 0.212]
    """
    most = max(points)
    weights = [_exp((one - most) / spread) for one in points]
    total = fsum(weights)
    return tuple([weight / total for weight in weights])


def _exp(x: float) -> float:
    """Returns about e to the power of x, for x up to 0, the same to the bit on every machine: by products alone.

    >>> round(_exp(0.0), 3), round(_exp(-1.0), 3), round(_exp(-300.0), 3)
    (1.0, 0.367, 0.0)
    """
    power = max(0.0, 1 + x / 256)
    for _ in range(8):
        power *= power
    return power


def _begins(state: State) -> bool:
    """Returns whether nobody has answered in this round yet; seats without Nobori are passed over."""
    if state.trick or any(state.tricks) or any(state.raised):
        return False
    first = (state.dealer + 1) % state.seats
    passed = state.seats if state.phase == "play" else (state.active - first) % state.seats
    return not any(state.nobori[(first + step) % state.seats] for step in range(passed))
