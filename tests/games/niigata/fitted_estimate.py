"""Fits the chances at the beginning of a round to matches of `greedy` with two to six players.

    python -m tests.games.niigata.fitted_estimate --matches 300

One number after another is moved up or down while that makes those who have won likelier, by ever smaller steps; each
number of players counts as much as another. `python -m tests.games.calibration` compares other matches.
"""

import argparse
import sys
from collections.abc import Sequence
from math import fsum, log
from typing import NamedTuple

from pbem.games.niigata import GAME
from pbem.games.niigata.bots import FITTED, Terms, chances_to_win, rounds_left
from pbem.games.niigata.rules_ponds import scores
from tests.games.calibration import matches_played

DRAWS = b"f" * 32
STEPS = Terms(each=0.5, crowd=0.1, spread=0.1, least=0.1)
SMALLEST = 0.05
HALVINGS = 2


class Begun(NamedTuple):
    """What the chances depend on as a round begins, and what each seat won in the end."""

    points: tuple[int, ...]
    breeders: tuple[int, ...]
    rounds: float
    won: tuple[float, ...]


def rounds_of(seats: int, matches: int) -> list[Begun]:
    """Every round of this many matches."""
    return [
        Begun(scores(state), state.breeders, rounds_left(state), match.won)
        for match in matches_played(GAME, seats, matches, DRAWS)
        for state, _ in match.estimated
    ]


def likelihood_of_winners(rounds: Sequence[Begun], terms: Terms) -> float:
    """How likely those are who have won: the mean logarithm."""
    return fsum(
        won * log(max(chance, 1e-9))
        for one in rounds
        for won, chance in zip(one.won, chances_to_win(one.points, one.breeders, one.rounds, terms), strict=True)
        if won
    ) / len(rounds)


def fit_terms(tables: Sequence[Sequence[Begun]], start: Terms) -> Terms:
    """The terms from which no step of any of them is better."""

    def all_likely(terms: Terms) -> float:
        return fsum(likelihood_of_winners(rounds, terms) for rounds in tables)

    terms, best = start, all_likely(start)
    for halving in range(HALVINGS + 1):
        moved = True
        while moved:
            moved = False
            for name, step in STEPS._asdict().items():
                for by in (step / 2**halving, -step / 2**halving):
                    other = terms._replace(**{name: max(SMALLEST, round(getattr(terms, name) + by, 3))})
                    if (found := all_likely(other)) > best:
                        terms, best, moved = other, found, True
                        break
    return terms


def main() -> None:
    """Prints the fit, and what it brings for each number of players."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=300)
    matches = parser.parse_args().matches
    tables = [rounds_of(seats, matches) for seats in GAME.meta.seats]
    found = fit_terms(tables, FITTED)
    sys.stdout.write(f"{found}\n")
    for seats, rounds in zip(GAME.meta.seats, tables, strict=True):
        now, then = (
            likelihood_of_winners(rounds, FITTED) + log(seats),
            likelihood_of_winners(rounds, found) + log(seats),
        )
        sys.stdout.write(f"{seats} seats: better than even chances by {now:.4f}, fitted {then:.4f} nats a round\n")


if __name__ == "__main__":
    main()
