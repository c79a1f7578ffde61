"""How likely each seat is to win when a witch is about to fly, without racing on.

A seat's standing is 0.22 for each step that its witches have made, 49 of them at most a witch, 1.2 for each point in
the goal, 1.8 for each witch on tiles 44 to 48, 1.5 for each magic symbol in hand and 0.12 for each step of the number
cards there, and 0.7 for the seat that flies now. With n steps from the seat that is farthest to its third witch in the
goal, a seat that is d behind the best is (1 + d / 8s)^-8 times as likely to win, where s = sqrt(10 + n).

Rounded from what made those likeliest who have won, in matches of `greedy` with two, three and four seats at each
choice of a witch. What cards are worth differs between them: `greedy` plays them as if they cost nothing. How well it
tells who wins in other matches: `python -m tests.games.calibration hexen-rennen`.
"""

from collections.abc import Sequence
from math import fsum, sqrt

from pbem.games.hexen_rennen.facts import COURSE, STEPS_OF, SYMBOL, State
from pbem.games.hexen_rennen.rules import scores

STEP, POINT, NEAR, SYMBOL_CARD, PIP, TURN = 0.22, 1.2, 1.8, 1.5, 0.12, 0.7
_NEAR = 44
_ARRIVED = COURSE + 1


def estimate(state: State) -> Sequence[float] | None:
    """Returns each seat's chance to win before a flight; None while a witch is under way, and after the end."""
    if not state.turn or state.witch is not None or state.finisher is not None:
        return None
    steps = [sum(min(place, _ARRIVED) for place in three) for three in state.witches]
    standings = [
        STEP * steps[seat] + POINT * points + _held(state.hands[seat]) + NEAR * _near(state.witches[seat])
        + (TURN if seat == state.active else 0.0)
        for seat, points in enumerate(scores(state))
    ]  # fmt: skip
    best, spread = max(standings), 8 * sqrt(10 + 3 * _ARRIVED - max(steps))
    weights = [_chance((best - standing) / spread) for standing in standings]
    total = fsum(weights)
    return [weight / total for weight in weights]


def _held(hand: tuple[str, ...]) -> float:
    return fsum(SYMBOL_CARD if card == SYMBOL else PIP * STEPS_OF[card] for card in hand)


def _near(three: tuple[int, ...]) -> int:
    return sum(_NEAR <= place <= COURSE for place in three)


def _chance(behind: float) -> float:
    """Returns (1 + behind)^-8 by products alone, which are the same on every machine."""
    squared = (1 + behind) * (1 + behind)
    fourth = squared * squared
    return 1 / (fourth * fourth)
