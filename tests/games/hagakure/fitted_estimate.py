"""Fits the chances between two rounds to matches of `greedy`, and compares predicted with actual victories.

    python -m tests.games.hagakure.fitted_estimate --seats 3 --matches 400

Even matches are fitted, odd ones compared.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from math import fsum, log, sqrt

import msgspec

from pbem.games.hagakure import GAME
from pbem.games.hagakure.bots import estimate, greedy
from pbem.games.hagakure.facts_cards import Nobori
from pbem.games.hagakure.facts_state import State, Terms
from pbem.kit.bots import QuickChance, chances_by_expected_points
from pbem.kit.chance import SeedChance
from pbem.kit.contract import PlayerView
from pbem.kit.secrecy import redact

COUNTED: tuple[Nobori, ...] = ("double", "zero", "villagers", "swap")
BINS = 10


class Begun(msgspec.Struct, frozen=True):
    """The state as a round begins, and that after the last."""

    state: State
    end: State

    @property
    def left(self) -> int:
        """The rounds to come, of those that are sure."""
        return max(1, self.state.rounds - self.state.number + 1)

    @property
    def shares_held(self) -> list[list[float]]:
        """The share of each counted Nobori's worth that is left to each seat."""
        share = self.left / (self.left + 1)
        return [[share * (one in left) for one in COUNTED] for left in self.state.nobori]

    @property
    def points_scored(self) -> list[int]:
        """What each seat scores in these rounds."""
        return [sum(points[seat] for points in self.end.sheet[self.state.number - 1 :]) for seat in self._seats]

    @property
    def shares_of_victory(self) -> list[float]:
        """Each seat's share of the victory."""
        return [(seat in self.end.winners) / len(self.end.winners) for seat in self._seats]

    @property
    def _seats(self) -> range:
        return range(self.state.seats)


def rounds_of(seats: int, numbers: Sequence[int]) -> Iterator[Begun]:
    """Every round of these matches of `greedy`, each seat of which knows what the marks of the state show it."""
    for number in numbers:
        chance = QuickChance(SeedChance(number.to_bytes(32, "big"), 1, "bot", 0))
        states: list[State] = []
        state: State | None = None
        for event in GAME.setup(seats, Terms(), chance):
            state = GAME.evolve(state, event)
        assert state is not None
        while asks := GAME.pending(state):
            if len(states) < state.number:
                states.append(state)
            seat = asks[0].seat
            move = greedy(PlayerView(redact(state, seat), seats), seat, chance)
            for event in GAME.decide(state, seat, move, chance):
                state = GAME.evolve(state, event)
        yield from (Begun(one, state) for one in states)


def gains_of_nobori(rounds: Sequence[Begun]) -> list[float]:
    """What each counted Nobori gains, by least squares; with k rounds left it weighs 1/k, for so much luck is left."""
    size = len(COUNTED)
    table = [[0.0] * (size + 1) for _ in range(size)]
    for one in rounds:
        rows = _beside_mean(
            [[*held, float(scored)] for held, scored in zip(one.shares_held, one.points_scored, strict=True)]
        )
        for row in rows:
            for at in range(size):
                for other in range(size + 1):
                    table[at][other] += row[at] * row[other] / one.left
    return _solve(table)


def _beside_mean(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    means = [fsum(column) / len(rows) for column in zip(*rows, strict=True)]
    return [[value - mean for value, mean in zip(row, means, strict=True)] for row in rows]


def _solve(table: list[list[float]]) -> list[float]:
    """Solves linear equations, each a row of factors and the result (Gauss and Jordan)."""
    for at, row in enumerate(table):
        table[at] = row = [value / row[at] for value in row]
        for other in range(len(table)):
            if other != at:
                factor = table[other][at]
                table[other] = [value - factor * one for value, one in zip(table[other], row, strict=True)]
    return [row[-1] for row in table]


def likeliest_spread(rounds: Sequence[Begun], worth: Sequence[float]) -> float:
    """The spread, in steps of a twentieth, under which what happened is likeliest."""
    expected = [
        [
            total + fsum(a * b for a, b in zip(held, worth, strict=True))
            for total, held in zip(one.state.totals, one.shares_held, strict=True)
        ]
        for one in rounds
    ]

    def unlikely(size: float) -> float:
        return -fsum(
            won * log(max(chance, 1e-9))
            for one, points in zip(rounds, expected, strict=True)
            for won, chance in zip(
                one.shares_of_victory, chances_by_expected_points(points, size * sqrt(one.left)), strict=True
            )
        )

    return min((step / 20 for step in range(10, 80)), key=unlikely)


def compare_in_bins(rounds: Sequence[Begun]) -> list[tuple[int, float, float]]:
    """In ten bins by the chance that `estimate` gives: how many, their mean chance, and the share that won."""
    bins = [list[tuple[float, float]]() for _ in range(BINS)]
    for one in rounds:
        told = estimate(one.state)
        assert told is not None
        for chance, won in zip(told, one.shares_of_victory, strict=True):
            bins[min(BINS - 1, int(chance * BINS))].append((chance, won))
    return [
        (len(pairs), *(fsum(column) / len(pairs) for column in zip(*pairs, strict=True)))  # type: ignore[misc]
        for pairs in bins
        if pairs
    ]


def main() -> None:
    """Prints the fit for one number of seats."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seats", type=int, required=True)
    parser.add_argument("--matches", type=int, default=400)
    told = parser.parse_args()
    fitted = [*rounds_of(told.seats, range(0, told.matches, 2))]
    worth = gains_of_nobori(fitted)
    lines = [
        f"gains   {dict(zip(COUNTED, (round(one, 2) for one in worth), strict=True))}",
        f"spread  {likeliest_spread(fitted, worth)}",
        "number  predicted  actual",
    ]
    for number, predicted, actual in compare_in_bins([*rounds_of(told.seats, range(1, told.matches, 2))]):
        lines.append(f"{number:6}  {predicted:9.3f}  {actual:6.3f}")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
