"""What a position is worth to each seat: what playouts say, of which there are as many as it takes to know well enough.

Only sums by `math.fsum`, products, quotients and square roots are computed, rounded to a ten-thousandth in the end:
equal luck gives equal numbers on every machine.
"""

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import Any

import msgspec

from pbem.kit.bots import QuickChance, Worth, worth_by_playout
from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame

BATCH = 40
"""This many playouts are made before it is asked whether they are enough."""
WELL = 0.03
"""A chance is known well enough when its standard error is 3 points of a hundred."""
DIGITS = 4


class Chances(msgspec.Struct, frozen=True):
    """Each seat's share of the victory that can be expected, in seat order, and its standard error.

    Of a match that the rules have ended it is what each seat has won: no playout, no error.
    """

    worth: tuple[float, ...]
    error: tuple[float, ...]
    playouts: int


def chances_by_playouts(
    game: AnyGame, seats: int, imagined: Callable[[Chance], Any], chance: Chance, most: int
) -> Chances:  # fmt: skip
    """Returns what a position is worth by at most this many playouts, fewer if it is known well enough before.

    `imagined` gives a state for each playout, always the same if the position is known. A playout goes on for as many
    decisions as there are seats before it ends at an estimate of the game, which may ignore what lies in hands.
    """
    quick, found = QuickChance(chance), list[Worth]()
    while True:
        found += [
            worth_by_playout(game, seats, imagined(quick), quick, seats) for _ in range(min(BATCH, most - len(found)))
        ]
        columns = [*zip(*found, strict=True)]
        told = [mean_and_error(column) for column in columns]
        if len(found) >= most or all(error <= WELL for _, error in told):
            return Chances(tuple(mean for mean, _ in told), tuple(error for _, error in told), len(found))


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Returns the mean and its standard error.

    The sum of squares has 0.25 added, that of half a victory, so that equal results do not look certain.

    >>> mean_and_error([1.0, 0.0, 1.0, 0.0])
    (0.5, 0.3227)
    >>> mean_and_error([0.0] * 40)
    (0.0, 0.0127)
    """
    count = len(values)
    mean = fsum(values) / count
    spread = fsum([0.25, *((one - mean) * (one - mean) for one in values)])
    return round(mean, DIGITS), round(sqrt(spread / count / max(1, count - 1)), DIGITS)
