"""How many matches it takes to rank bots of known strength, with the same deal at all tables and without.

    python -m benchmarks.duplicate niigata --seats 2 --rounds 400

Eight bots play rounds at a number of tables, on newly drawn seats. Bot i plays at random with probability i/40, else as
the game's own bot does: so it is known that bot 0 is the best, and each one better than the next. What a bot draws for
itself is its own at each table: only the deal is shared.

All rounds are played twice, with the same bots on the same seats: once with a deal for each table, once with one deal
for all. There are three ways to give points in a round:

    places   a deal for each table; the share of the others at the table that a seat has left behind
    scores   a deal for each table; the score itself (in a game without scores: as above)
    shared   one deal for all tables; against those who sat on the same seat (`pbem.features.leagues.scores.ranking`)

Each round then says how fast points fall from bot to bot: the slope of the line through them. The matches needed for an
equal error of that slope, relative to it, are as the squares of (standard deviation / mean) of the rounds' slopes. The
intervals are those of 2,000 bootstrap samples of the rounds. `decided by the deal` is how much of the variance of a
result the deal and the seat explain: the correlation of two results on one seat of a deal, less what the bots and the
seat do on average. No scoring can take away more luck than that.

The last lines say how many pairs of bots are ranked wrongly by the points of this many rounds, drawn from those played.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from statistics import fmean, pstdev, pvariance, variance
from typing import Any, NamedTuple

from pbem.features.lab.course import Course
from pbem.features.leagues.scores.ranking import points_at_duplicate_tables
from pbem.games import all_games
from pbem.kit.bots import RANDOM, bots_of, usual_bot
from pbem.kit.chance import Chance, StreamChance
from pbem.kit.contract import AnyGame, Outcome
from pbem.kit.endings import TABLE_ENDINGS
from pbem.kit.play import first_to_answer

BOTS = 8
FEWEST, TINY = 20, 1e-9
SAMPLES, DRAWN, SIZES = 2000, 400, (2, 6, 18, 54)
Round = dict[int, float]
"""The mean points of each bot in a round."""


def stream_of_luck(*names: object) -> Chance:
    """Returns luck of this name."""
    return StreamChance(sha256("|".join(map(str, names)).encode()).digest(), "benchmark|")


# --- playing -----------------------------------------------------------------------------------------------------


def sittings_of_round(seats: int, tables: int, number: int) -> list[list[int]]:
    """Returns who sits where in a round: each bot as often as the others."""
    chance = stream_of_luck("seats", number)
    order = [bot for _ in range(tables * seats // BOTS) for bot in chance.shuffled(range(BOTS))]
    return [order[at : at + seats] for at in range(0, len(order), seats)]


def play_match(game: AnyGame, deal: bytes, sitting: Sequence[int], own: str, spread: int) -> Outcome:
    """Returns how a match of these bots, in seat order, ends; `own` names the luck with which they choose."""
    seats, bots = len(sitting), bots_of(game)
    course, usual = Course(game, seats, game.meta.options(), deal, range(seats)), bots[usual_bot(game)]
    chances = [stream_of_luck("bot", own, seat) for seat in range(seats)]
    while course.asks:
        ask = first_to_answer(course.asks, course.luck, course.next_entry_number)
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


def share_left_behind(places: Sequence[int]) -> list[float]:
    """Returns the share of the others at the table that each seat has left behind; who is level counts half."""
    return [(sum((one < two) + (one == two) / 2 for two in places) - 0.5) / (len(places) - 1) for one in places]


class Played(NamedTuple):
    """A round: who sat where, and how each table ended, with a deal of its own and with the one for all."""

    sitting: list[list[int]]
    apart: list[Outcome]
    together: list[Outcome]


def play_round(game: AnyGame, seats: int, tables: int, spread: int, number: int) -> Played:
    """Returns a round, played both ways."""
    sitting = sittings_of_round(seats, tables, number)
    apart, together = [], []
    for at, table in enumerate(sitting):
        own, shared = (sha256(f"deal|{name}".encode()).digest() for name in (f"{number}|{at}", number))
        apart.append(play_match(game, own, table, f"apart|{number}|{at}", spread))
        together.append(play_match(game, shared, table, f"together|{number}|{at}", spread))
    return Played(sitting, apart, together)


def mean_points_by_bot(sitting: Sequence[Sequence[int]], points: Sequence[Sequence[float]]) -> Round:
    """Returns the mean points of each bot."""
    found = defaultdict[int, list[float]](list)
    for table, row in zip(sitting, points, strict=True):
        for bot, point in zip(table, row, strict=True):
            found[bot].append(point)
    return {bot: fmean(found[bot]) for bot in range(BOTS)}


# --- what it tells -----------------------------------------------------------------------------------------------


def slope_of_points(one: Round) -> float:
    """Returns by how much points fall from a bot to the next: the least-squares line through them."""
    middle = (BOTS - 1) / 2
    return sum((middle - bot) * points for bot, points in one.items()) / sum((bot - middle) ** 2 for bot in one)


def rounds_needed(slopes: Sequence[float]) -> float:
    """Returns how many rounds it takes until the standard error of the slope is as large as the slope."""
    return (pstdev(slopes) / (fmean(slopes) or TINY)) ** 2


def ratio_of_rounds_needed(one: Sequence[float], other: Sequence[float]) -> str:
    """Returns how many times as many rounds the first takes as the other, with the 95% interval."""
    chance, found = stream_of_luck("bootstrap"), []
    for _ in range(SAMPLES):
        some = [chance.below(len(one)) for _ in one]
        found.append(rounds_needed([one[at] for at in some]) / rounds_needed([other[at] for at in some]))
    found.sort()
    return (
        f"{rounds_needed(one) / rounds_needed(other):.1f} ({found[SAMPLES // 40]:.1f} to {found[-SAMPLES // 40]:.1f})"
    )


def variance_share_of_deal(rounds: Sequence[Played]) -> float:
    """Returns how much of the variance of a result is that of the deal and the seat."""
    rows = [
        (number, seat, bot, result)
        for number, one in enumerate(rounds)
        for table, outcome in zip(one.sitting, one.together, strict=True)
        for seat, (bot, result) in enumerate(zip(table, results_to_compare(outcome, len(table)), strict=True))
    ]
    of_bot, of_seat, of_deal = (defaultdict[Any, list[float]](list) for _ in range(3))
    for _, seat, bot, result in rows:
        of_bot[bot].append(result)
        of_seat[seat].append(result)
    usual = fmean(result for *_, result in rows)
    for number, seat, bot, result in rows:
        of_deal[number, seat].append(result - fmean(of_bot[bot]) - fmean(of_seat[seat]) + usual)
    tables = len(rounds[0].sitting)
    within = fmean(variance(some) for some in of_deal.values())
    between = pvariance([fmean(some) for some in of_deal.values()]) - within / tables
    return between / (between + within)


def results_to_compare(outcome: Outcome, seats: int) -> tuple[int, ...]:
    """Returns the results that tables of one deal compare: scores, or places if the people at the table ended it."""
    if outcome.scores is None or outcome.reason in TABLE_ENDINGS:
        return tuple(-place for place in places_of(outcome, seats))
    return outcome.scores


def share_ranked_wrongly(rounds: Sequence[Round], size: int) -> float:
    """Returns the share of pairs of bots that this many of these rounds rank wrongly; one that is level counts half."""
    chance, wrong = stream_of_luck("drawn", size), 0.0
    for _ in range(DRAWN):
        some = [chance.pick(rounds) for _ in range(size)]
        total = [sum(one[bot] for one in some) for bot in range(BOTS)]
        wrong += fmean((total[a] < total[b]) + (total[a] == total[b]) / 2 for a, b in combinations(range(BOTS), 2))
    return wrong / DRAWN


def report_on_rounds(game: AnyGame, rounds: Sequence[Played]) -> str:
    """Returns what the rounds tell."""
    seats, tables = len(rounds[0].sitting[0]), len(rounds[0].sitting)
    points: dict[str, list[Round]] = {"places": [], "scores": [], "shared": []}
    for one in rounds:
        places = [share_left_behind(places_of(outcome, seats)) for outcome in one.apart]
        points["places"].append(mean_points_by_bot(one.sitting, places))
        points["scores"].append(
            mean_points_by_bot(one.sitting, [results_to_compare(outcome, seats) for outcome in one.apart])
        )
        compared = points_at_duplicate_tables([results_to_compare(outcome, seats) for outcome in one.together])
        points["shared"].append(mean_points_by_bot(one.sitting, [[float(one) for one in row] for row in compared]))
    slopes = {name: [*map(slope_of_points, some)] for name, some in points.items()}
    lines = [
        f"{game.meta.slug}: {len(rounds)} rounds at {tables} tables of {seats}; "
        f"decided by the deal: {variance_share_of_deal(rounds):.0%}",
        *(
            f"  {name} / shared: {ratio_of_rounds_needed(slopes[name], slopes['shared'])}"
            for name in ("places", "scores")
        ),
    ]
    for name, some in points.items():
        wrong = "  ".join(f"{size}: {share_ranked_wrongly(some, size):.1%}" for size in SIZES)
        lines.append(f"  {name} rank wrongly after rounds  {wrong}")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> None:
    """Measures one game, or each with the fewest seats that it allows and that divide eight bots."""
    parser = argparse.ArgumentParser(description="How many matches it takes to rank bots, with a shared deal or not.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="only these games")
    parser.add_argument("--seats", type=int, help="how many sit at a table (the fewest)")
    parser.add_argument("--tables", type=int, default=4, help="how many tables play a round (%(default)s)")
    parser.add_argument("--rounds", type=int, default=200, help="(%(default)s)")
    parser.add_argument("--spread", type=int, default=40, help="bot i plays at random once in i/SPREAD (%(default)s)")
    asked = parser.parse_args(words)
    if asked.rounds < FEWEST:
        parser.error(f"fewer than {FEWEST} rounds tell nothing")
    for slug, game in sorted(all_games().items()):
        seats = asked.seats or next(number for number in sorted(game.meta.seats) if BOTS % number == 0)
        if (asked.games and slug not in asked.games) or seats not in game.meta.seats:
            continue
        if asked.tables * seats % BOTS:
            parser.error(f"{BOTS} bots cannot sit at {asked.tables} tables of {seats} equally often")
        numbers = range(asked.rounds)
        rounds = [play_round(game, seats, asked.tables, asked.spread, number) for number in numbers]
        sys.stdout.write(report_on_rounds(game, rounds) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
