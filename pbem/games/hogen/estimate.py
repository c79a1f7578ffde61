"""How likely each seat is to win when somebody may call or declare, without playing on.

    python -m tests.games.hogen.fitted_estimate --matches 600

plays matches of `greedy` and prints how likely their winners are by this and by other formulas of the kind.
docs/bots.md compares what is estimated with what happened in other matches.
"""

from collections.abc import Sequence
from math import fsum, sqrt

from msgspec.structs import replace

from pbem.games.hogen.bots import enough
from pbem.games.hogen.bots_belief import Belief
from pbem.games.hogen.facts import State


def estimate(state: State) -> Sequence[float] | None:
    """Returns each seat's chance to win where somebody calls or declares; None at any other time."""
    if state.over or state.active is None or state.call is not None:
        return None
    sure = sureness(state)
    active = state.active
    now = sure[active]
    if now < enough(state, active):
        return chances(sure)
    # Declares, and is out unless that is right.
    others = chances([0.0 if seat == active else one for seat, one in enumerate(sure)])
    return tuple([now if seat == active else (1 - now) * chance for seat, chance in enumerate(others)])


def sureness(state: State) -> list[float]:
    """Returns the chance of each seat's likeliest allies, by what that seat knows; 0 for a seat that is out."""
    return [0.0 if out else _sure(state, seat) for seat, out in enumerate(state.out)]


def chances(sure: Sequence[float]) -> tuple[float, ...]:
    """Returns each seat's chance to be the first who knows enough: as its sureness to the power of three quarters.

    >>> [round(chance, 2) for chance in chances((0.5, 0.25, 0.0))], chances((0.0, 0.0, 0.0))
    ([0.63, 0.37, 0.0], (0.0, 0.0, 0.0))
    """
    weights = [sqrt(one) * sqrt(sqrt(one)) for one in sure]  # roots are the same to the bit on every machine
    total = fsum(weights) or 1.0
    return tuple([weight / total for weight in weights])


def _sure(state: State, seat: int) -> float:
    """Returns the chance of the allies that are likeliest to this seat, which sees its own cards and what was shown."""
    hands = tuple(
        [
            hand if other == seat else tuple([card if card in shown else None for card in hand])
            for other, (hand, shown) in enumerate(zip(state.hands, state.shown, strict=True))
        ]
    )
    allies = tuple([ally if other == seat else None for other, ally in enumerate(state.allies)])
    belief = Belief(replace(state, hands=hands, allies=allies), seat)
    return belief.likeliest()[1] / belief.total
