"""How far declarations lie below the best one that counting all deals finds.

    python -m tests.games.hogen.counted_declarations --matches 60

`strong` and `greedy` sit at one table, each in every other seat, and change places after each match. A declaration is
right in a share of all deals that agree with what its seat knows; the best one is right in most of them.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from math import fsum
from typing import NamedTuple

from pbem.features.lab.course import Course
from pbem.features.lab.plans import seed_of_match
from pbem.games.hogen import GAME
from pbem.games.hogen.bots_belief import belief_of_seat
from pbem.games.hogen.facts import Declare, State, opponents_in_seat_order
from pbem.kit.bots import bots_of
from pbem.kit.contract import Bot
from pbem.kit.play import first_to_answer

DRAWS = b"declarations".ljust(32, b".")
NAMES = "strong", "greedy"


class Declaration(NamedTuple):
    """Whose it is, the share of deals in which it is right, and the greatest share of any."""

    bot: str
    chance: float
    best: float


def chances_of_declaration(fold: State, seat: int, move: Declare) -> tuple[float, float]:
    """The shares of all deals in which this declaration is right, and in which the likeliest is."""
    belief = belief_of_seat(fold, seat)
    named = {guess.seat: guess.card for guess in move.allies}
    allies = tuple(named[other] for other in opponents_in_seat_order(fold, seat))
    return belief.weights.get(allies, 0) / belief.total, belief.likeliest_allies_with_count()[1] / belief.total


def declarations_of_matches(seats: int, numbers: Iterable[int], bots: Mapping[str, Bot]) -> Iterator[Declaration]:
    """Every declaration of these matches, in each of which two bots alternate."""
    names = tuple(bots)
    for number in numbers:
        course = Course(GAME, seats, GAME.meta.options(), seed_of_match(DRAWS, seats, number), range(seats))
        while course.asks:
            ask = first_to_answer(course.asks, course.luck, course.next_entry_number)
            view, name = course.views[ask.seat], names[(ask.seat + number) % len(names)]
            move = bots[name](view, ask.seat, course.luck.bot(course.next_entry_number, ask.key, ask.seat))
            if isinstance(move, Declare):
                yield Declaration(name, *chances_of_declaration(view.fold, ask.seat, move))
            course.play(ask, move)


def main() -> None:
    """Prints a line for each bot and number of seats."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=60)
    matches = parser.parse_args().matches
    bots = {name: bots_of(GAME)[name] for name in NAMES}
    for seats in GAME.meta.seats:
        made = [*declarations_of_matches(seats, range(matches), bots)]
        for name in NAMES:
            own = [one for one in made if one.bot == name]
            lost = [one.best - one.chance for one in own]
            mean = fsum(lost) / len(own)
            error = (fsum((one - mean) ** 2 for one in lost) / len(own) / max(1, len(own) - 1)) ** 0.5
            right = fsum(one.chance for one in own) / len(own)
            sys.stdout.write(
                f"{seats} seats, {name}: {len(own)} declarations, right in {100 * right:.1f} % of the deals, "
                f"{100 * mean:.1f} ± {100 * error:.1f} points below the best; {lost.count(0.0)} were the best\n"
            )


if __name__ == "__main__":
    main()
