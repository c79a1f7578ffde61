"""What an order answers: the same as its owner would have to answer by hand, from their own fold alone."""

from collections.abc import Sequence
from typing import Any

from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, Ask, Event, Move, Order
from pbem.kit.orders.shapes import Always, Line, Prefer, kinds_of_asks
from pbem.kit.secrecy import redact


def follow(
    order: Order, game: AnyGame, fold: Any, ask: Ask, chance: Chance, since: Sequence[Event] = ()
) -> Move | None:
    """Returns the legal move with which the order answers; None if its owner has to be asked.

    `fold` is the owner's own. `since` holds the events since the order was made, as the owner sees them: a line needs
    them, no other shape does. Scopes are not looked at: see `scopes.lasts`.
    """
    if ask.kind not in kinds_of_asks(game.meta, order) or asks_first(order, game, fold, ask.seat):
        return None
    legal = game.legal(fold, ask.seat)
    return next((move for move in _wanted(order, game, fold, ask, chance, since) if move in legal), None)


def asks_first(order: Order, game: AnyGame, fold: Any, seat: int) -> bool:
    """Returns whether one of the order's guards holds."""
    return any(game.meta.guards[word].holds(fold, seat) for word in order.ask_if)


def _wanted(
    order: Order, game: AnyGame, fold: Any, ask: Ask, chance: Chance, since: Sequence[Event]
) -> tuple[Move, ...]:
    match order:
        case Always(move=move):
            return (move,)
        case Prefer(moves=moves):
            return moves
        case Line(after=after, move=move):
            return (move,) if tuple(redact(event, None) for event in since) == after else ()
    move = game.follow(order, fold, ask, chance)
    return () if move is None else (move,)
