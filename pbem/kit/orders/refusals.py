"""Why an order cannot be saved."""

from typing import Any

from pbem.kit.contract import (
    COMMON_REFUSALS,
    UNNUMBERED,
    AnyGame,
    IllegalMove,
    Move,
    Order,
    Refusal,
    ask_of,
    require_legal,
)  # fmt: skip
from pbem.kit.orders.shapes import Always, Line, Prefer, kinds_of_asks
from pbem.kit.texts import Text
from pbem.kit.words import T

ORDER_REFUSALS: dict[str, Refusal] = {
    code: Refusal(UNNUMBERED, text)
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


def refusal(order: Order, game: AnyGame, fold: Any, seat: int) -> IllegalMove | None:
    """Returns why the seat cannot save the order now, or None. `fold` is the seat's own.

    The code is a key of `ORDER_REFUSALS`, of the game's `Meta.refusals` or of `COMMON_REFUSALS`.
    """
    try:
        _check_kinds(order, game)
        _check_window(order, game)
        _check_open_question(order, game, fold, seat)
        game.check_order(order, fold, seat)
    except IllegalMove as refused:
        return refused
    return None


def text_of(refused: IllegalMove, game: AnyGame) -> Text:
    """Returns the sentence of a refusal of an order, or of a move of this game."""
    code = refused.code
    found = ORDER_REFUSALS.get(code) or game.meta.refusals.get(code) or COMMON_REFUSALS[code]
    return found.text.fill(**refused.facts)


def moves_of(order: Order) -> tuple[Move, ...]:
    """Returns the moves that stand in the order; () for a rule of the game."""
    match order:
        case Always(move=move) | Line(move=move):
            return (move,)
        case Prefer(moves=moves):
            return moves
    return ()


def _check_kinds(order: Order, game: AnyGame) -> None:
    meta = game.meta
    for guard in order.ask_if:
        if guard not in meta.guards:
            raise IllegalMove("order_guard", guard=guard, guards=", ".join(meta.guards) or "-")
    for kind in kinds_of_asks(meta, order):
        if kind not in meta.asks:
            raise IllegalMove("order_kind", kind=kind, kinds=", ".join(meta.asks))
        for move in moves_of(order):
            if not isinstance(move, meta.asks[kind].moves):
                raise IllegalMove("order_move", kind=kind, move=game.format(move))


def _check_window(order: Order, game: AnyGame) -> None:
    """Refuses an order for a window that could make its owner be asked. A rule of the game answers every case."""
    for kind in kinds_of_asks(game.meta, order):
        asked = game.meta.asks[kind]
        certain = not isinstance(order, (Always, Prefer, Line)) or (
            not isinstance(order, Line) and not set(moves_of(order)).isdisjoint(asked.always)
        )
        if asked.window and (order.ask_if or not certain):
            always = ", ".join(map(game.format, asked.always)) or "-"
            raise IllegalMove("order_may_ask", kind=kind, always=always)


def _check_open_question(order: Order, game: AnyGame, fold: Any, seat: int) -> None:
    """Refuses an order for one question if that is open and none of its moves is legal, with the rule behind it."""
    ask = ask_of(game, fold, seat)
    if isinstance(order, Line) or order.scope != "question" or ask is None:
        return
    moves = moves_of(order)
    if ask.kind in kinds_of_asks(game.meta, order) and moves and not any(m in game.legal(fold, seat) for m in moves):
        raise refusal_of(game, fold, seat, moves[0])


def refusal_of(game: AnyGame, fold: Any, seat: int, move: Move) -> IllegalMove:
    """Returns why a move that is not legal is refused; `fold` is the seat's own."""
    try:
        require_legal(game, fold, seat, move)
    except IllegalMove as refused:
        return refused
    raise AssertionError(f"{move} is legal")
