"""How well bots play: the tables of docs/bots.md under "Figures", printed as they stand there.

    make bench-strength

Each share has its Wilson interval of 95 %. The same numbers of matches give the same figures on every machine.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
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


def play_matches(game: AnyGame, bots: Sequence[str], matches: int) -> Tally:
    """Returns the tally of this many matches with these bots on the seats, and the usual options."""
    return play_chunk(Chunk(Plan(game.meta.slug, len(bots), SEED, tuple(bots), {}), 0, matches))


def share_of(bot: str, others: str, game: AnyGame, seats: int, matches: int) -> Share:
    """Returns the share of the matches that `bot` won against `others` on all other seats, in each seat in turn.

    Shared victories count in parts. The seats get the same number of matches, at least one.
    """
    each, won = max(1, matches // seats), 0.0
    for seat in range(seats):
        bots = [bot if place == seat else others for place in range(seats)]
        won += play_matches(game, bots, each).victory_shares_by_seat[seat]
    return Share(won, each * seats)


def table_of_wins(bot: str, others: str, tables: Mapping[AnyGame, Sequence[int]], matches: int) -> Iterator[str]:
    """Yields the table of how often `bot` won against `others`, a row for each game, by the number of seats."""
    yield f"| game | `{bot}` won, by seats |"
    yield "|---|---|"
    for game, sizes in tables.items():
        shares = [(seats, share_of(bot, others, game, seats, matches)) for seats in sizes]
        yield f"| {game.meta.slug} | {'; '.join(f'{seats}: {_in_words(share)}' for seats, share in shares)} |"


def _in_words(share: Share) -> str:
    low, high = share.interval(0.95)
    return f"{100 * share.value:.1f} % ({100 * low:.0f}–{100 * high:.0f})"


def table_of_greedy_seats(tables: Mapping[AnyGame, Sequence[int]], matches: int) -> Iterator[str]:
    """Yields the table of matches that `greedy` plays in all seats, a row for each game that counts an event."""
    yield "| game | event | by seats: decisions, winner's score, events in all |"
    yield "|---|---|---|"
    for game, sizes in tables.items():
        if event := COUNTED.get(game.meta.slug):
            tallies = [(seats, play_matches(game, ["greedy"] * seats, matches)) for seats in sizes]
            cells = (f"{seats}: {_figures(tally, event)}" for seats, tally in tallies)
            yield f"| {game.meta.slug} | `{event}` | {'; '.join(cells)} |"


def _figures(tally: Tally, event: str) -> str:
    score = sum(tally.winning) / len(tally.winning)
    return f"{median(tally.decisions):g}, {score:.2f}, {tally.events[event]}"


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
    tables = {game: game.meta.seats for game in games}
    parts = [table_of_wins("greedy", "random", tables, args.matches), table_of_greedy_seats(tables, args.matches)]
    if args.strong:
        parts.append(table_of_wins("strong", "greedy", {game: game.meta.seats[:1] for game in games}, args.strong))
    for part in parts:
        for row in part:
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
