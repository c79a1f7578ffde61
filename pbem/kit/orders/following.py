"""What an order answers: the same as its owner would have to answer by hand, from their own fold alone.

If it does not answer, `why_failed` says why, unless its owner wanted to be asked.
"""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec.structs import replace

from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, Ask, Event, Move, Order
from pbem.kit.orders.refusals import moves_of, refusal_of, text_of
from pbem.kit.orders.shapes import Always, Line, Prefer, kinds_of_asks
from pbem.kit.orders.telling import name_of
from pbem.kit.replay import TableEvent
from pbem.kit.secrecy import redact
from pbem.kit.texts import Text
from pbem.kit.words import T

OTHERWISE = T("Il s’est passé autre chose que ce que votre consigne prévoyait.",
              "Something else has happened than your order foresaw.")  # fmt: skip
NOT_ALLOWED = T("Votre consigne n’a pas pu être suivie. {move} : {why}",
                "Your order could not be followed. {move}: {why}")  # fmt: skip


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


def why_failed(order: Order, game: AnyGame, fold: Any, ask: Ask) -> Text | None:
    """Returns why the order could not answer this question, which is of one of its kinds, for its owner.

    None if they wanted to be asked: one of its guards holds, or its rule leaves such a question to them. `fold` is
    theirs.
    """
    if asks_first(order, game, fold, ask.seat):
        return None
    if isinstance(order, Line):
        return OTHERWISE
    moves = moves_of(order)
    if not moves:
        return None
    why = text_of(refusal_of(game, fold, ask.seat, moves[0]), game)
    return NOT_ALLOWED.fill(move=Text(name_of(moves[0], game, "fr"), name_of(moves[0], game, "en")), why=why)


def progress(after: Sequence[Event], since: Sequence[Event]) -> Literal["waits", "come", "missed"]:
    """Returns how far a line of facts has come true: not all of them yet, exactly they, or something else.

    `since` holds what has happened since the line was made. Both are compared as everybody sees them.
    """
    happened = public(since)
    foreseen = public(after)
    if happened == foreseen:
        return "come"
    return "waits" if happened == foreseen[: len(happened)] else "missed"


def waits(order: Order, since: Sequence[Event]) -> bool:
    """Returns whether the order is a line of which a part has come true so far: it answers a later question."""
    return isinstance(order, Line) and progress(order.after, since) == "waits"


def left_to_come(order: Order, since: Sequence[Event]) -> Order | None:
    """Returns the order as it would be made now: a line without what has come true; None if it cannot any more."""
    if not isinstance(order, Line):
        return order
    return replace(order, after=order.after[len(public(since)) :]) if waits(order, since) else None


def public(events: Sequence[Event]) -> tuple[Event, ...]:
    """Returns the facts of the game as everybody sees them."""
    return tuple(redact(event, None) for event in events if not isinstance(event, TableEvent))


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
            return (move,) if progress(after, since) == "come" else ()
    move = game.follow(order, fold, ask, chance)
    return () if move is None else (move,)
