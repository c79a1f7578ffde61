"""How long bots think: CPU time a decision, of every bot of every game at the same positions.

    make bench-bots

The games' own bots play matches at tables with the fewest and with the most seats. At every this many decisions at
which there is a choice, each bot is asked, and timed. Forced moves are left out: nobody thinks about them.
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

from benchmarks.service.report import percentile
from pbem.features.lab.course import Course
from pbem.features.lab.plans import seed_of_match
from pbem.games import all_games
from pbem.kit.bots import RANDOM, bots_of, usual_bot
from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, PlayerView
from pbem.kit.play import first_to_answer

SEED = bytes(32)
Decision = tuple[PlayerView, int, Chance]


def sample_decisions(game: AnyGame, seats: int, every: int) -> Iterator[Decision]:
    """Yields one in `every` decisions with a choice, of match after match: a view, its seat, and luck."""
    usual, met = bots_of(game)[usual_bot(game)], 0
    for number in count():
        course = Course(game, seats, game.meta.options(), seed_of_match(SEED, seats, number), range(seats))
        while course.asks:
            ask = first_to_answer(course.asks, course.luck, course.next_entry_number)
            view = course.views[ask.seat]
            if len(game.legal(view.fold, ask.seat)) > 1:
                if met % every == 0:
                    yield view, ask.seat, course.luck.bot(course.next_entry_number, "measured", ask.seat)
                met += 1
            course.play(ask, usual(view, ask.seat, course.luck.bot(course.next_entry_number, ask.key, ask.seat)))


def times_of_bots(game: AnyGame, seats: int, asked: int, every: int) -> dict[str, list[float]]:
    """Returns how many milliseconds of CPU each bot took for each of this many decisions."""
    took: dict[str, list[float]] = defaultdict(list)
    for _, (view, seat, chance) in zip(range(asked), sample_decisions(game, seats, every), strict=False):
        for name, bot in bots_of(game).items():
            if name != RANDOM:
                start = time.process_time()
                bot(view, seat, chance)
                took[name].append(1000 * (time.process_time() - start))
    return took


def main(words: Sequence[str] | None = None) -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(description="Measures how long bots think.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="only these games")
    parser.add_argument("--decisions", type=int, default=100, help="how many decisions of each table")
    parser.add_argument("--every", type=int, default=7, help="of the decisions with a choice one in so many")
    args = parser.parse_args(words)
    unknown = set(args.games) - set(all_games())
    if unknown:
        parser.error(f"there is no game {', '.join(sorted(unknown))}")
    sys.stdout.write(f"| {'game':<12} | seats | bot    | p50, ms | p95, ms |\n|---|---|---|---|---|\n")
    for slug, game in all_games().items():
        if args.games and slug not in args.games:
            continue
        for seats in dict.fromkeys((game.meta.seats[0], game.meta.seats[-1])):
            for name, took in times_of_bots(game, seats, args.decisions, args.every).items():
                figures = f"{percentile(0.5, took):7.1f} | {percentile(0.95, took):7.1f}"
                sys.stdout.write(f"| {slug:<12} | {seats:>5} | {name:<6} | {figures} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
