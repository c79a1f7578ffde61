"""What a position is worth to each seat, by playouts until that is known well enough.

Only sums by `math.fsum`, products, quotients and square roots are computed, rounded to a ten-thousandth in the end:
equal luck gives equal numbers on every machine.
"""

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import Any

import msgspec

from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame
from pbem.kit.thinking.playouts import Worth, play_on, worth_of
from pbem.kit.thinking.quick import QuickChance

BATCH = 40
"""So many playouts are made before it is asked whether they are enough."""
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


def chances_in(
    game: AnyGame, seats: int, imagined: Callable[[Chance], Any], chance: Chance, most: int
) -> Chances:  # fmt: skip
    """Returns what a position is worth by at most so many playouts, fewer if it is known well enough before.

    `imagined` gives a state for each playout, always the same if the position is known. A playout goes on for as many
    decisions as there are seats before it ends at an estimate of the game, which may ignore what lies in hands.
    """
    quick, found = QuickChance(chance), list[Worth]()
    while True:
        found += [play_on(game, seats, imagined(quick), quick, seats) for _ in range(min(BATCH, most - len(found)))]
        columns = [*zip(*found, strict=True)]
        told = [mean_and_error(column) for column in columns]
        if len(found) >= most or all(error <= WELL for _, error in told):
            return Chances(tuple(mean for mean, _ in told), tuple(error for _, error in told), len(found))


def chances_at(game: AnyGame, seats: int, state: Any, chance: Chance, most: int) -> Chances:
    """Returns what this state is worth: what it has brought if its match is over, else as `chances_in`."""
    ended = worth_of(game, seats, state)
    if ended is not None:
        return Chances(tuple(round(one, DIGITS) for one in ended), (0.0,) * seats, 0)
    return chances_in(game, seats, lambda _: state, chance, most)


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
