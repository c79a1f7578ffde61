"""How many matches it takes to rank bots of known strength, with the same deal at all tables and without.

    python -m benchmarks.duplicate niigata --seats 2

Eight bots play rounds at a number of tables, on seats drawn anew. Bot i plays at random with probability i/8, else as
the game's own bot does: so it is known that bot 0 is the best, and each one better than the next. What a bot draws for
itself is its own at each table: only the deal is shared.

All rounds are played twice, with the same bots on the same seats: once each table has its own deal, and a bot gets its
points against those at its table; once all tables of a round play one deal, and it gets them against those on its seat
(`pbem.kit.duplicate`). Each round then says how fast points fall from bot to bot: the slope of the line through them.
Matches needed for an equal error of that slope, relative to it, are as the squares of (standard deviation / mean) of
the slopes of the rounds. The interval is that of 2,000 bootstrap samples of the rounds.

Beside it stands how many pairs of bots are ranked wrongly by the points of so many rounds, drawn from those played; the
columns are to be compared at numbers of matches that differ by the factor found.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from statistics import fmean, pstdev

from pbem.games import all_games
from pbem.kit.bots import RANDOM, bots_of, usual_bot
from pbem.kit.chance import Chance, StreamChance
from pbem.kit.contract import AnyGame, Outcome
from pbem.kit.duplicate import compare, results_of
from pbem.kit.play import first_to_answer
from pbem.services.lab.course import Course

BOTS = 8
SAMPLES, DRAWN = 2000, 400
Round = dict[int, float]
"""The mean points of each bot in a round."""


def stream(*names: object) -> Chance:
    """Returns luck of this name."""
    return StreamChance(sha256("|".join(map(str, names)).encode()).digest(), "benchmark|")


# --- playing -----------------------------------------------------------------------------------------------------


def tables_of(seats: int, tables: int, number: int) -> list[list[int]]:
    """Returns who sits where in a round: each bot as often as the others."""
    chance = stream("seats", number)
    order = [bot for _ in range(tables * seats // BOTS) for bot in chance.shuffled(range(BOTS))]
    return [order[at : at + seats] for at in range(0, len(order), seats)]


def play(game: AnyGame, deal: bytes, sitting: Sequence[int], own: str, spread: int = BOTS) -> Outcome:
    """Returns how a match of these bots, in seat order, ends; `own` names the luck with which they choose."""
    seats, bots = len(sitting), bots_of(game)
    course, usual = Course(game, seats, game.meta.options(), deal, range(seats)), bots[usual_bot(game)]
    chances = [stream("bot", own, seat) for seat in range(seats)]
    while course.asks:
        ask = first_to_answer(course.asks, course.luck, course.position)
        chance = chances[ask.seat]
        bot = bots[RANDOM] if chance.below(spread) < sitting[ask.seat] else usual
        course.play(ask, bot(course.views[ask.seat], ask.seat, chance))
    outcome = game.outcome(course.state)
    assert outcome is not None, "nobody is asked any more"
    return outcome


def places_of(outcome: Outcome, seats: int) -> list[int]:
    """Returns the place of each seat: winners first, then by scores if there are any."""
    scores = outcome.scores or (0,) * seats
    worth = [(True, 0) if seat in outcome.winners else (False, scores[seat]) for seat in range(seats)]
    return [1 + sum(other > one for other in worth) for one in worth]


def at_own_table(places: Sequence[int]) -> list[float]:
    """Returns the share of the others at the table that each seat has left behind; who is level counts half."""
    return [(sum((one < two) + (one == two) / 2 for two in places) - 0.5) / (len(places) - 1) for one in places]


def play_round(game: AnyGame, seats: int, tables: int, number: int) -> tuple[Round, Round]:
    """Returns the points of a round with a deal for each table, and with one for all."""
    sitting = tables_of(seats, tables, number)
    apart, together = [], []
    for at, table in enumerate(sitting):
        outcome = play(game, sha256(f"deal|{number}|{at}".encode()).digest(), table, f"apart|{number}|{at}")
        apart.append(at_own_table(places_of(outcome, seats)))
        outcome = play(game, sha256(f"deal|{number}".encode()).digest(), table, f"together|{number}|{at}")
        together.append(results_of(outcome, places_of(outcome, seats)))
    return by_bot(sitting, apart), by_bot(sitting, [[float(one or 0) for one in row] for row in compare(together)])


def by_bot(sitting: Sequence[Sequence[int]], points: Sequence[Sequence[float]]) -> Round:
    """Returns the mean points of each bot."""
    found = defaultdict[int, list[float]](list)
    for table, row in zip(sitting, points, strict=True):
        for bot, point in zip(table, row, strict=True):
            found[bot].append(point)
    return {bot: fmean(found[bot]) for bot in range(BOTS)}


# --- what it tells -----------------------------------------------------------------------------------------------


def slope(one: Round) -> float:
    """Returns by how much points fall from a bot to the next: the least-squares line through them."""
    middle = (BOTS - 1) / 2
    return sum((middle - bot) * points for bot, points in one.items()) / sum((bot - middle) ** 2 for bot in one)


def needed(slopes: Sequence[float]) -> float:
    """Returns how many rounds it takes until the standard error of the slope is as large as the slope."""
    return (pstdev(slopes) / fmean(slopes)) ** 2


def factor(apart: Sequence[float], together: Sequence[float]) -> tuple[float, float, float]:
    """Returns how many times as many matches it takes without a shared deal, and the 95% interval."""
    chance, found = stream("bootstrap"), []
    for _ in range(SAMPLES):
        some = [chance.below(len(apart)) for _ in apart]
        found.append(needed([apart[at] for at in some]) / needed([together[at] for at in some]))
    found.sort()
    return needed(apart) / needed(together), found[SAMPLES // 40], found[-SAMPLES // 40]


def ranked_wrongly(rounds: Sequence[Round], size: int) -> float:
    """Returns the share of pairs of bots that so many of these rounds rank wrongly; one that is level counts half."""
    chance, wrong = stream("drawn", size), 0.0
    for _ in range(DRAWN):
        some = [chance.pick(rounds) for _ in range(size)]
        total = [sum(one[bot] for one in some) for bot in range(BOTS)]
        wrong += fmean((total[a] < total[b]) + (total[a] == total[b]) / 2 for a, b in combinations(range(BOTS), 2))
    return wrong / DRAWN


def measure(game: AnyGame, seats: int, tables: int, rounds: int) -> None:
    """Plays the rounds, and prints what they tell."""
    played = [play_round(game, seats, tables, number) for number in range(rounds)]
    apart, together = [one for one, _ in played], [one for _, one in played]
    times, low, high = factor([*map(slope, apart)], [*map(slope, together)])
    print(f"{game.meta.slug}, {tables} tables of {seats}, {rounds} rounds: ", end="")
    print(f"{times:.1f} times as many matches without a shared deal (95%: {low:.1f} to {high:.1f})")
    for name, some in (("a deal each", apart), ("one deal", together)):
        means = " ".join(f"{fmean(one[bot] for one in some):.2f}" for bot in range(BOTS))
        wrong = " ".join(f"{ranked_wrongly(some, size):.3f}" for size in (2, 4, 6, 12, 18, 36))
        print(f"  {name:<12} points {means}   pairs ranked wrongly by 2 4 6 12 18 36 rounds: {wrong}", flush=True)


def main(words: Sequence[str] | None = None) -> None:
    """Measures one game, or each with the fewest seats that it allows and that divide eight bots."""
    parser = argparse.ArgumentParser(description="How many matches it takes to rank bots, with a shared deal or not.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="only these games")
    parser.add_argument("--seats", type=int, help="how many sit at a table (the fewest)")
    parser.add_argument("--tables", type=int, default=4, help="how many tables play a round (%(default)s)")
    parser.add_argument("--rounds", type=int, default=60, help="(%(default)s)")
    asked = parser.parse_args(words)
    for slug, game in sorted(all_games().items()):
        seats = asked.seats or next(number for number in sorted(game.meta.seats) if BOTS % number == 0)
        if (not asked.games or slug in asked.games) and seats in game.meta.seats:
            if asked.tables * seats % BOTS:
                parser.error(f"{BOTS} bots cannot sit at {asked.tables} tables of {seats} equally often")
            measure(game, seats, asked.tables, asked.rounds)


if __name__ == "__main__":
    main()
