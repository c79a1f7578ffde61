"""Compares the chances that games estimate with who wins, in matches of their own bots that no number was fitted to.

python -m tests.games.calibration --matches 400 [GAME …]
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import fsum, log
from typing import Any, NamedTuple

from pbem.features.lab.course import Course
from pbem.features.lab.plans import seed_of_match
from pbem.games import all_games
from pbem.kit.bots import bots_of, usual_bot, worth_by_seat_if_over
from pbem.kit.contract import AnyGame
from pbem.kit.play import first_to_answer

FRESH = b"calibration".ljust(32, b".")
BINS = 10


class Told(NamedTuple):
    """What one match was told: for each time the chances of all seats, and what each seat won of the victory."""

    chances: tuple[tuple[float, ...], ...]
    won: tuple[float, ...]


class Bin(NamedTuple):
    """The chances in this tenth: how often told, their mean, how often that seat won, and the error by matches."""

    tenth: int
    times: int
    said: float
    won: float
    error: float


class Played(NamedTuple):
    """One match: the states in which something is estimated, with that, and what each seat won of the victory."""

    estimated: tuple[tuple[Any, Sequence[float]], ...]
    won: tuple[float, ...]


def matches_played(game: AnyGame, seats: int, matches: int, draws: bytes) -> Iterator[Played]:
    """Yields this many matches of the game's own bot, with these draws."""
    assert game.estimate is not None, "the game estimates"
    bot = bots_of(game)[usual_bot(game)]
    for number in range(matches):
        course = Course(game, seats, game.meta.options(), seed_of_match(draws, seats, number), range(seats))
        estimated: list[tuple[Any, Sequence[float]]] = []
        while course.asks:
            if (said := game.estimate(course.state)) is not None:
                estimated.append((course.state, said))
            ask = first_to_answer(course.asks, course.luck, course.next_entry_number)
            chance = course.luck.bot(course.next_entry_number, ask.key, ask.seat)
            course.play(ask, bot(course.views[ask.seat], ask.seat, chance))
        won = worth_by_seat_if_over(game, seats, course.state)
        assert won is not None, "a match in which nobody is asked is over"
        yield Played(tuple(estimated), won)


def matches_told(game: AnyGame, seats: int, matches: int) -> Iterator[Told]:
    """Yields what is estimated in this many matches of the game's own bot."""
    for match in matches_played(game, seats, matches, FRESH):
        yield Told(tuple(tuple(told) for _, told in match.estimated), match.won)


def bins_of_chances(told: Sequence[Told]) -> list[Bin]:
    """Returns the tenths of the chance in which something was told.

    All that is told in one match is about one and the same victory, so the error is that of sums by match.
    """
    sums: dict[int, dict[int, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for number, match in enumerate(told):
        for chances in match.chances:
            for chance, won in zip(chances, match.won, strict=True):
                sums[min(BINS - 1, int(chance * BINS))][number].append((chance, won))
    found = []
    for tenth, by_match in sorted(sums.items()):
        pairs = [pair for some in by_match.values() for pair in some]
        said, won = (fsum(column) / len(pairs) for column in zip(*pairs, strict=True))
        off = [fsum(one - chance - (won - said) for chance, one in some) for some in by_match.values()]
        found.append(Bin(tenth, len(pairs), said, won, fsum(one * one for one in off) ** 0.5 / len(pairs)))
    return found


def gain_over_even_chances(told: Sequence[Told]) -> float:
    """Returns how much more likely what happened was by the chances told than by even ones, in nats a time told."""
    pairs = [(chances, match.won) for match in told for chances in match.chances]
    return fsum(
        won * log(max(chance, 1e-9) * len(all_won))
        for chances, all_won in pairs
        for chance, won in zip(chances, all_won, strict=True)
    ) / len(pairs)


def main() -> None:
    """Prints a table for each number of seats."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*")
    parser.add_argument("--matches", type=int, default=200)
    args = parser.parse_args()
    for slug, game in all_games().items():
        if game.estimate is None or (args.games and slug not in args.games):
            continue
        for seats in game.meta.seats:
            told = [*matches_told(game, seats, args.matches)]
            sys.stdout.write(
                f"{slug}, {seats} seats, {args.matches} matches, gain {gain_over_even_chances(told):.3f}: "
            )
            rows = (
                f"{100 * one.said:.0f} ({100 * one.won:.0f} ± {100 * one.error:.0f})" for one in bins_of_chances(told)
            )
            sys.stdout.write(" | ".join(rows) + "\n")


if __name__ == "__main__":
    main()
