"""The shapes of orders that work in every game, and why an order cannot be saved.

The fourth shape, a rule of the game, is declared by each game. They are generic, because each game has moves and events
of its own: `order_type(meta)` is what a codec decodes.
"""

from typing import Annotated, Any, Generic, TypeVar, Union

import msgspec

from pbem.kit import contract
from pbem.kit.texts import Text
from pbem.kit.words import T

M = TypeVar("M", bound=contract.Move)
E = TypeVar("E", bound=contract.Event)

AskName = Annotated[str, msgspec.Meta(max_length=20, title="Kind of question")]
"""A key of `Meta.asks`."""


class Always(contract.Order, Generic[M], frozen=True, tag="Always"):
    """Answer every question of one kind with the same move."""

    kind: AskName
    move: M


class Prefer(contract.Order, Generic[M], frozen=True, tag="Prefer"):
    """Answer a question of one kind with the first of these moves that is legal."""

    kind: AskName
    moves: Annotated[tuple[M, ...], msgspec.Meta(min_length=1, max_length=16)]


class Line(contract.Order, Generic[M, E], frozen=True, tag="Line"):
    """If exactly these facts follow, as everybody sees them, answer the question after them with this move."""

    after: Annotated[tuple[E, ...], msgspec.Meta(min_length=1, max_length=32)]
    kind: AskName
    move: M


_GENERIC: tuple[Any, ...] = (Always, Prefer, Line)  # what stands in their brackets is built at run time


def order_type(meta: contract.Meta) -> Any:
    """Returns the union of all orders of a game: the shapes of all games with its moves, and its own rules."""
    moves, events = Union[(*meta.moves,)], Union[(*meta.events,)]
    always, prefer, line = _GENERIC
    return Union[(always[moves], prefer[moves], line[moves, events], *(kind.order for kind in meta.orders))]


def kinds_of_asks(meta: contract.Meta, order: contract.Order) -> tuple[str, ...]:
    """Returns the kinds of questions that the order answers. Raises TypeError if it is no order of this game."""
    if isinstance(order, (Always, Prefer, Line)):
        return (order.kind,)
    for kind in meta.orders:
        if type(order) is kind.order:
            return kind.asks
    raise TypeError(f"{type(order).__name__} is no order of {meta.slug}")


# --- why an order cannot be saved ----------------------------------------------------------------------------

ORDER_REFUSALS: dict[str, contract.Refusal] = {
    code: contract.Refusal(contract.UNNUMBERED, text)
    for code, text in {
        "order_kind": T(
            "Ce jeu ne pose pas de question « {kind} ». Il pose : {kinds}.",
            "This game asks no question “{kind}”. It asks: {kinds}.",
        ),
        "order_move": T(
            "« {move} » ne répond pas à la question « {kind} » : choisissez un coup qui y répond.",
            "“{move}” does not answer the question “{kind}”: choose a move that does.",
        ),
        "order_guard": T(
            "Ce jeu ne connaît pas la condition « {guard} ». Il connaît : {guards}.",
            "This game knows no condition “{guard}”. It knows: {guards}.",
        ),
        "order_may_ask": T(
            "La question « {kind} » interrompt le tour d’un autre : une consigne doit y répondre dans tous les cas, "
            "car le temps que vous mettriez à répondre en dirait trop. Ôtez « demander si », et terminez-la par un "
            "coup toujours permis : {always}.",
            "The question “{kind}” interrupts another’s turn: an order must answer every case there, since the time "
            "that you would take tells too much. Leave out “ask if”, and end it with a move that is always allowed: "
            "{always}.",
        ),
    }.items()
}
"""Refusals of orders that mean the same in every game."""


def refusal_of_order(
    order: contract.Order, game: contract.AnyGame, fold: Any, seat: int
) -> contract.IllegalMove | None:
    """Returns why the seat cannot save the order now, or None. `fold` is the seat's own.

    The code is a key of `ORDER_REFUSALS`, of the game's `Meta.refusals` or of `COMMON_REFUSALS`.
    """
    try:
        _check_guards_kinds_and_moves(order, game)
        _check_window(order, game)
        _refuse_order_illegal_now(order, game, fold, seat)
        game.check_order(order, fold, seat)
    except contract.IllegalMove as refused:
        return refused
    return None


def text_of_refusal(refused: contract.IllegalMove, game: contract.AnyGame) -> Text:
    """Returns the sentence of a refusal of an order, or of a move of this game."""
    code = refused.code
    found = ORDER_REFUSALS.get(code) or game.meta.refusals.get(code) or contract.COMMON_REFUSALS[code]
    return found.text.fill(**refused.facts)


def moves_of(order: contract.Order) -> tuple[contract.Move, ...]:
    """Returns the moves that stand in the order; () for a rule of the game."""
    match order:
        case Always(move=move) | Line(move=move):
            return (move,)
        case Prefer(moves=moves):
            return moves
    return ()


def _check_guards_kinds_and_moves(order: contract.Order, game: contract.AnyGame) -> None:
    meta = game.meta
    for guard in order.ask_if:
        if guard not in meta.guards:
            raise contract.IllegalMove("order_guard", guard=guard, guards=", ".join(meta.guards) or "-")
    for kind in kinds_of_asks(meta, order):
        if kind not in meta.asks:
            raise contract.IllegalMove("order_kind", kind=kind, kinds=", ".join(meta.asks))
        for move in moves_of(order):
            if not isinstance(move, meta.asks[kind].moves):
                raise contract.IllegalMove("order_move", kind=kind, move=game.format(move))


def _check_window(order: contract.Order, game: contract.AnyGame) -> None:
    """Refuses an order for a window that could make its owner be asked. A rule of the game answers every case."""
    for kind in kinds_of_asks(game.meta, order):
        asked = game.meta.asks[kind]
        certain = not isinstance(order, (Always, Prefer, Line)) or (
            not isinstance(order, Line) and not set(moves_of(order)).isdisjoint(asked.always)
        )
        if asked.window and (order.ask_if or not certain):
            always = ", ".join(map(game.format, asked.always)) or "-"
            raise contract.IllegalMove("order_may_ask", kind=kind, always=always)


def _refuse_order_illegal_now(order: contract.Order, game: contract.AnyGame, fold: Any, seat: int) -> None:
    """Refuses an order for one question if that is open and none of its moves is legal, with the rule behind it."""
    ask = contract.ask_of(game, fold, seat)
    if isinstance(order, Line) or order.scope != "question" or ask is None:
        return
    moves = moves_of(order)
    if ask.kind in kinds_of_asks(game.meta, order) and moves and not any(m in game.legal(fold, seat) for m in moves):
        raise refusal_of_move(game, fold, seat, moves[0])


def refusal_of_move(game: contract.AnyGame, fold: Any, seat: int, move: contract.Move) -> contract.IllegalMove:
    """Returns why a move that is not legal is refused; `fold` is the seat's own."""
    try:
        contract.require_legal(game, fold, seat, move)
    except contract.IllegalMove as refused:
        return refused
    raise AssertionError(f"{move} is legal")
