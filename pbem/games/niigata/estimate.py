"""How likely each seat is to win at the beginning of a round, without playing on.

A seat can expect its points so far, and something for every breeder it has left: with b breeders and t rounds to come,
the one that begins included, 7 b t / (t + 0.7 b) points, so nearly seven each while there is time. A seat that is d
points behind the best is (1 + d / 8s)^-8 times as likely to win, where s = 1.4 sqrt(0.1 + m) is what m breeders, the
mean of all seats, make uncertain.

Fitted by hand to matches of `greedy` of two, three, four and six players, at each beginning of a round: of a few values
of each number those that made who has won likeliest. docs/bots.md compares what is estimated with what happened.
"""

from collections.abc import Sequence
from math import fsum, sqrt

from pbem.games.niigata.facts import State
from pbem.games.niigata.rules import scores

EACH, CROWD = 7.0, 0.7
SPREAD, LEAST = 1.4, 0.1


def estimate(state: State) -> Sequence[float] | None:
    """Returns each seat's chance to win at the beginning of a round; None within one, and after the end."""
    if state.phase != "pick" or state.step:
        return None
    rounds = len(state.stock) / (2 * state.seats) + 1
    expected = [points + _gain(left, rounds) for points, left in zip(scores(state), state.breeders, strict=True)]
    spread = 8 * SPREAD * sqrt(LEAST + sum(state.breeders) / state.seats)
    best = max(expected)
    weights = [_chance((best - points) / spread) for points in expected]
    total = fsum(weights)
    return [weight / total for weight in weights]


def _gain(breeders: int, rounds: float) -> float:
    """Returns how many points these breeders may bring."""
    return EACH * breeders * rounds / (rounds + CROWD * breeders)


def _chance(behind: float) -> float:
    """Returns (1 + behind)^-8 by products alone, which are the same on every machine."""
    squared = (1 + behind) * (1 + behind)
    fourth = squared * squared
    return 1 / (fourth * fourth)
