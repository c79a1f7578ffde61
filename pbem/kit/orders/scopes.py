"""How long an order stands."""

from typing import Any

import msgspec
from msgspec.structs import replace

from pbem.kit.contract import AnyGame, Ask, Order


class Standing(msgspec.Struct, frozen=True):
    """An order with what its scope is reckoned from: the round in which it was made, the first question it answered."""

    order: Order
    round: int
    first: Ask | None = None


def stand(order: Order, game: AnyGame, fold: Any) -> Standing:
    """Returns the order as it stands from now on; `fold` is its owner's."""
    return Standing(order, game.round_of(fold))


def lasts(standing: Standing, game: AnyGame, fold: Any, ask: Ask) -> bool:
    """Returns whether the order still stands when its owner is asked this.

    A turn, or a window, is the one in which the order answers for the first time.
    """
    first = standing.first
    match standing.order.scope:
        case "question":
            return first is None or first.key == ask.key
        case "turn":
            return first is None or first.turn == ask.turn
        case "round":
            return game.round_of(fold) == standing.round
        case "match":
            return True


def answered(standing: Standing, ask: Ask) -> Standing:
    """Returns the order after it has answered this question."""
    return standing if standing.first is not None else replace(standing, first=ask)
