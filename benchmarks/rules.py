"""How fast the rules are: every game's random play and replay, beside python-chess in the same run.

    make bench-rules

*Random play* draws a move from the legal ones, decides it and folds its events: what `pbem simulate` does. *Replay*
decodes the rows of a stored match, as the store does, and folds the events. The same goes for python-chess: random
games by `legal_moves` and `push`, and stored games replayed from their moves in UCI. Each figure is the best of several
rounds: other work on the machine only makes a round slower.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import chess

from pbem.features.lab.plans import seed_of_match
from pbem.games import all_games
from pbem.kit.choices import draw_random_move
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Event
from pbem.kit.play import first_to_answer, luck_from_seed
from pbem.kit.replay import evolve_all

STORED = 20
"""The number of matches that are replayed."""
PLIES = 400
"""A random game of chess ends after this many moves, which all cost the same."""
SEED = bytes(32)


class Speed(NamedTuple):
    """The figures of one engine: decisions per second, and microseconds per replayed event."""

    name: str
    decisions: float
    event_us: float


def random_match(game: AnyGame, seats: int, seed: bytes) -> tuple[int, list[Event]]:
    """Plays one match of random moves; returns the number of its decisions, and its events."""
    luck = luck_from_seed(seed, seats)
    events = list(game.setup(seats, game.meta.options(), luck.rules(1)))
    state = evolve_all(game, None, events)
    asks, decisions = game.pending(state), 0
    while asks:
        position = len(events) + 1
        ask = first_to_answer(asks, luck, position)
        move = draw_random_move(game.legal(state, ask.seat), game.meta.weights, luck.bot(position, ask.key, ask.seat))
        new = game.decide(state, ask.seat, move, luck.rules(position, ask.seat))
        events += new
        for event in new:
            state = game.evolve(state, event)
        asks = game.pending(state)
        decisions += 1
    return decisions, events


def speed_of(game: AnyGame, seats: int, seconds: float, rounds: int) -> Speed:
    """Measures the speed of a game with this number of seats."""
    number = iter(range(sys.maxsize))

    def play() -> int:
        return random_match(game, seats, seed_of_match(SEED, seats, next(number)))[0]

    matches = [random_match(game, seats, seed_of_match(SEED, seats, n))[1] for n in range(STORED)]
    stored = [[encode(event).decode() for event in events] for events in matches]

    def replay() -> int:
        return sum(replay_events(game, rows) for rows in stored)

    return Speed(
        f"{game.meta.slug}, {seats} seats",
        rate_of_work(play, seconds, rounds),
        1e6 / rate_of_work(replay, seconds, rounds),
    )


def replay_events(game: AnyGame, rows: Sequence[str]) -> int:
    """Decodes and folds events; returns their number."""
    decode, state = codec_for(game).event, None
    for row in rows:
        state = game.evolve(state, decode(row))
    return len(rows)


def speed_of_chess(seconds: float, rounds: int) -> Speed:
    """Measures the speed of python-chess."""
    luck = random.Random(1)

    def play() -> int:
        return len(random_chess(luck))

    stored = [[move.uci() for move in random_chess(luck)] for _ in range(STORED)]

    def replay() -> int:
        for game in stored:
            board = chess.Board()
            for uci in game:
                board.push(chess.Move.from_uci(uci))
        return sum(map(len, stored))

    return Speed(
        f"python-chess {chess.__version__}",
        rate_of_work(play, seconds, rounds),
        1e6 / rate_of_work(replay, seconds, rounds),
    )


def random_chess(luck: random.Random) -> list[chess.Move]:
    """Returns the moves of one random game, which ends when nobody can move or at the limit."""
    board = chess.Board()
    for _ in range(PLIES):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(luck.choice(moves))
    return board.move_stack


def rate_of_work(work: Callable[[], int], seconds: float, rounds: int) -> float:
    """Returns the work done per second of this process's own CPU time, in the best of the rounds."""
    best = 0.0
    for _ in range(rounds):
        done, start = 0, time.process_time()
        while (spent := time.process_time() - start) < seconds:
            done += work()
        best = max(best, done / spent)
    return best


def table_of_speeds(speeds: Sequence[Speed], reference: Speed) -> str:
    """Returns the speeds as a table, each beside the reference."""
    width = max(len(speed.name) for speed in speeds)
    lines = [f"{'':<{width}}  {'decisions/s':>11}  {'ratio':>6}  {'us an event':>11}  {'ratio':>6}"]
    for speed in speeds:
        play, replay = speed.decisions / reference.decisions, reference.event_us / speed.event_us
        lines.append(
            f"{speed.name:<{width}}  {speed.decisions:>11,.0f}  {play:>6.1f}  {speed.event_us:>11.2f}  {replay:>6.1f}"
        )
    return "\n".join([*lines, "ratio: speed relative to python-chess in this run"])


def main(words: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="Measures every game's rules beside python-chess.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="only these games")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long a round is")
    parser.add_argument("--rounds", type=int, default=3, help="the number of rounds, of which the best counts")
    parser.add_argument("--json", action="store_true", help="prints JSON instead of a table")
    args = parser.parse_args(words)
    unknown = set(args.games) - set(all_games())
    if unknown:
        parser.error(f"there is no game {', '.join(sorted(unknown))}")
    games = [game for slug, game in all_games().items() if not args.games or slug in args.games]
    reference = speed_of_chess(args.seconds, args.rounds)
    speeds = [speed_of(g, seats, args.seconds, args.rounds) for g in games for seats in g.meta.seats]
    every = [*speeds, reference]
    out = encode([speed._asdict() for speed in every]).decode() if args.json else table_of_speeds(every, reference)
    sys.stdout.write(out + "\n")


if __name__ == "__main__":
    main()
