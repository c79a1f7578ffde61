"""How long an order stands."""

from typing import Any

import msgspec
from msgspec.structs import replace

from pbem.kit.contract import AnyGame, Ask, Order


class Standing(msgspec.Struct, frozen=True):
    """An order with what its scope is reckoned from: the round in which it was made, and the first question since.

    `first`: the first question of its kinds that was answered since then, by the order or by its owner. `window`: the
    key of the question with whose answer it was given, in one sitting: it stands for what follows that window alone.
    """

    order: Order
    round: int
    first: Ask | None = None
    window: str | None = None


def stand(order: Order, game: AnyGame, fold: Any) -> Standing:
    """Returns the order as it stands from now on; `fold` is its owner's."""
    return Standing(order, game.round_of(fold))


def lasts(standing: Standing, game: AnyGame, fold: Any, ask: Ask) -> bool:
    """Returns whether the order still stands when its owner is asked this question of one of its kinds.

    A turn, or a window, is the one of the first such question. Only an order for the match outlives its round.
    """
    first, scope = standing.first, standing.order.scope
    if scope == "match":
        return True
    if game.round_of(fold) != standing.round:
        return False
    if scope == "question":
        return first is None or first.key == ask.key
    return scope == "round" or first is None or first.turn == ask.turn


def answered(standing: Standing, ask: Ask) -> Standing:
    """Returns the order after this question of one of its kinds was answered, by the order or by its owner.

    An order for one question that had to ask is over, too: it must not answer another, for which it was not made.
    """
    return standing if standing.first is not None else replace(standing, first=ask)
