"""Skill: which bot is better, by how much, and how often luck decides all the same."""

from collections.abc import Sequence
from itertools import combinations
from math import fsum, log10

import msgspec

from pbem.features.lab.measures.estimates import Share
from pbem.features.lab.plans import Plan
from pbem.features.lab.tallies import Tally

ROUNDS = 200
"""The fit of strengths goes so often round; it has long come to rest by then."""


class Duel(msgspec.Struct, frozen=True):
    """How often the better of two bots comes out ahead of the other, where one of them wins the match."""

    better: str
    other: str
    ahead: Share

    @property
    def share_won_by_weaker_bot(self) -> float:
        """Returns the share of victories of the weaker bot: 0.5 if all is luck."""
        return 1 - self.ahead.value


class Rung(msgspec.Struct, frozen=True):
    """A bot on the ladder: the victories of its seats, what an even share of them would be, and its strength.

    `strength`: on Elo's scale, 0 for the first bot named; None if it won or lost all its duels.
    """

    bot: str
    won: Share
    even: float
    strength: float | None


class Skill(msgspec.Struct, frozen=True):
    """The ladder from the strongest bot down, and all pairs."""

    ladder: tuple[Rung, ...]
    duels: tuple[Duel, ...]


def pairwise_results(plan: Plan, tally: Tally) -> list[tuple[str, str, float]]:
    """Returns for each pair of bots in each match, in order, what the first one won of the victory of either.

    A seat that wins is ahead of every seat of another bot; shared victories are halves. Of several seats of a bot, all
    are counted.
    """
    found = []
    for number, winners in enumerate(tally.winners):
        names = plan.bots_of_match(number)
        for one, other in combinations(sorted(set(names), key=plan.bots.index), 2):
            won = [sum(names[seat] == name for seat in winners) for name in (one, other)]
            if sum(won):
                found.append((one, other, won[0] / sum(won)))
    return found


def measure_skill(plan: Plan, tally: Tally) -> Skill:
    """Returns the measure from matches in which the bots of the plan sat at one table, rotated."""
    bots = tuple(dict.fromkeys(plan.bots))
    results = pairwise_results(plan, tally)
    duels = []
    for one, other in combinations(bots, 2):
        points = [won for a, b, won in results if (a, b) == (one, other)]
        if points:
            ahead = fsum(points)
            better = ahead * 2 >= len(points)
            share = Share(round(ahead if better else len(points) - ahead, 6), len(points))
            duels.append(Duel(one, other, share) if better else Duel(other, one, share))
    strengths = _fit_strengths(bots, results)
    rungs = [_rung_of_bot(plan, tally, bot, strengths.get(bot)) for bot in bots]
    return Skill(
        tuple(sorted(rungs, key=lambda rung: (-rung.won.value / max(rung.even, 1e-9), rung.bot))), tuple(duels)
    )


def _rung_of_bot(plan: Plan, tally: Tally, bot: str, strength: float | None) -> Rung:
    won, seated, present = [], 0, 0
    for number, winners in enumerate(tally.winners):
        names = plan.bots_of_match(number)
        if winners and bot in names:
            present += 1
            seated += names.count(bot)
            won.append(sum(names[seat] == bot for seat in winners) / len(winners))
    even = seated / present / plan.seats if present else 0.0
    return Rung(bot, Share(round(fsum(won), 6), present), round(even, 4), strength)


def _fit_strengths(bots: Sequence[str], results: Sequence[tuple[str, str, float]]) -> dict[str, float]:
    """Returns the strengths that Bradley and Terry's model gives, fitted as by Hunter (2004), on Elo's scale."""
    wins = dict.fromkeys(((a, b) for a in bots for b in bots if a != b), 0.0)
    for one, other in combinations(bots, 2):
        points = [won for a, b, won in results if (a, b) == (one, other)]
        wins[one, other], wins[other, one] = fsum(points), len(points) - fsum(points)
    total = {bot: fsum(wins[bot, other] for other in bots if other != bot) for bot in bots}
    lost = {bot: fsum(wins[other, bot] for other in bots if other != bot) for bot in bots}
    fitted = [bot for bot in bots if total[bot] > 0 and lost[bot] > 0]
    if len(fitted) < 2:
        return {}
    power = dict.fromkeys(fitted, 1.0)
    for _ in range(ROUNDS):
        power = {
            bot: fsum(wins[bot, other] for other in fitted if other != bot)
            / fsum((wins[bot, o] + wins[o, bot]) / (power[bot] + power[o]) for o in fitted if o != bot)
            for bot in fitted
        }
        if min(power.values()) <= 0:
            return {}
    return {bot: round(400 * log10(power[bot] / power[fitted[0]]), 0) + 0.0 for bot in fitted}
