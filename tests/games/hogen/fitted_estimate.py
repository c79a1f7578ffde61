"""Compares how the chances follow from what each seat knows, in matches of `greedy` with three and four players.

    python -m tests.games.hogen.fitted_estimate --matches 600

`python -m tests.games.calibration` compares what is told with who wins, in other matches.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from math import fsum, log
from typing import NamedTuple

from pbem.games.hogen import GAME
from pbem.games.hogen.bots import sureness_of_seats, sureness_to_declare
from tests.games.calibration import matches_played

DRAWS = b"f" * 32
POWERS = (0.25, 0.5, 0.75, 1.0, 1.25)


class Turn(NamedTuple):
    """What each seat knows as somebody calls, 0 if it is out, and what each won in the end."""

    sure: tuple[float, ...]
    won: tuple[float, ...]


def positions_before_calls(seats: int, matches: int) -> list[Turn]:
    """Every position of this many matches in which somebody will call."""
    return [
        Turn(sure, match.won)
        for match in matches_played(GAME, seats, matches, DRAWS)
        for state, _ in match.estimated
        if (sure := tuple(sureness_of_seats(state)))[state.active] < sureness_to_declare(state, state.active)
    ]


Formula = Callable[[Sequence[float]], Sequence[float]]
"""From what each seat knows to its chance to win."""


def by_power(power: float) -> Formula:
    """The formula of `chances` with another power."""

    def formula(sure: Sequence[float]) -> Sequence[float]:
        weights = [one**power if one else 0.0 for one in sure]
        return [weight / fsum(weights) for weight in weights]

    return formula


def gain_of_formula(found: Sequence[Turn], formula: Formula) -> float:
    """How much likelier those are who have won, by this formula, than by even chances: nats a turn."""
    return fsum(
        won * log(chance * sum(map(bool, turn.sure)))
        for turn in found
        for chance, won in zip(formula(turn.sure), turn.won, strict=True)
        if won
    ) / len(found)


def main() -> None:
    """Prints the powers side by side for each number of players."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=600)
    matches = parser.parse_args().matches
    for seats in GAME.meta.seats:
        found = positions_before_calls(seats, matches)
        gains = "  ".join(f"{power}: {gain_of_formula(found, by_power(power)):.4f}" for power in POWERS)
        sys.stdout.write(f"{seats} seats, {len(found)} turns, nats a turn by power: {gains}\n")


if __name__ == "__main__":
    main()
