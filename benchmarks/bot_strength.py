"""How well bots play: the tables of docs/bots.md under "Figures", printed as they stand there.

    make bench-strength

Each share has its Wilson interval of 95 %. The same numbers of matches give the same figures on every machine.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from statistics import median

from pbem.features.lab.measures.estimates import Share
from pbem.features.lab.plans import Chunk, Plan
from pbem.features.lab.simulations import play_chunk
from pbem.features.lab.tallies import Tally
from pbem.games import all_games
from pbem.kit.contract import AnyGame

SEED = "5e" * 32
COUNTED = {"hagakure": "Looked", "hexen-rennen": "Spared", "niigata": "Claimed"}
"""The events that show how greedy bots use what is scarce; games without one have no row."""


def play(game: AnyGame, bots: Sequence[str], matches: int) -> Tally:
    """Returns the tally of this many matches with these bots on the seats, and the usual options."""
    return play_chunk(Chunk(Plan(game.meta.slug, len(bots), SEED, tuple(bots), {}), 0, matches))


def share_of(bot: str, others: str, game: AnyGame, seats: int, matches: int) -> Share:
    """Returns the share of the matches that `bot` won against `others` on all other seats, in each seat in turn.

    Shared victories count in parts. The seats get the same number of matches, at least one.
    """
    each, won = max(1, matches // seats), 0.0
    for seat in range(seats):
        bots = [bot if place == seat else others for place in range(seats)]
        won += play(game, bots, each).shares[seat]
    return Share(won, each * seats)


def ahead(bot: str, others: str, tables: Sequence[tuple[AnyGame, int]], matches: int) -> Iterator[str]:
    """Yields the table of how often `bot` won against `others`, row by row."""
    yield f"| game | seats | matches | `{bot}` won | even share |"
    yield "|---|---|---|---|---|"
    for game, seats in tables:
        share = share_of(bot, others, game, seats, matches)
        low, high = share.interval(0.95)
        won = f"{100 * share.value:.1f} % ({100 * low:.0f}–{100 * high:.0f})"
        yield f"| {game.meta.slug} | {seats} | {share.of} | {won} | {100 / seats:.1f} % |"


def among(tables: Sequence[tuple[AnyGame, int]], matches: int) -> Iterator[str]:
    """Yields the table of matches that `greedy` plays in all seats, row by row."""
    yield "| game | seats | matches | decisions: median | score: winner, mean | more, in all |"
    yield "|---|---|---|---|---|---|"
    for game, seats in tables:
        if game.meta.slug not in COUNTED:
            continue
        tally, event = play(game, ["greedy"] * seats, matches), COUNTED[game.meta.slug]
        score = sum(tally.winning) / len(tally.winning)
        cells = (game.meta.slug, seats, matches, f"{median(tally.decisions):g}", f"{score:.2f}")
        yield f"| {' | '.join(map(str, cells))} | `{event}` {tally.events[event]} |"


def main(words: Sequence[str] | None = None) -> None:
    """Plays the matches and prints the tables."""
    parser = argparse.ArgumentParser(description="Measures how well bots play.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="only these games")
    parser.add_argument("--matches", type=int, default=200, help="of greedy bots, for each table")
    parser.add_argument("--strong", type=int, default=30, help="matches of strong bots, for each game; 0 for none")
    args = parser.parse_args(words)
    unknown = set(args.games) - set(all_games())
    if unknown:
        parser.error(f"there is no game {', '.join(sorted(unknown))}")
    games = [game for slug, game in sorted(all_games().items()) if not args.games or slug in args.games]
    tables = [(game, seats) for game in games for seats in game.meta.seats]
    parts = [ahead("greedy", "random", tables, args.matches), among(tables, args.matches)]
    if args.strong:
        parts.append(ahead("strong", "greedy", [(game, game.meta.seats[0]) for game in games], args.strong))
    for part in parts:
        for row in part:
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
