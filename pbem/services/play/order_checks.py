"""Checks the orders that a seat sends, before any is saved; and what the rules refuse, as problems that name them."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from pbem.errors import N_, Illegal, Invalid, Problem
from pbem.errors import Unreadable as UnreadableProblem
from pbem.kit.codec import codec_for
from pbem.kit.contract import COMMON_REFUSALS, UNNUMBERED, AnyGame, IllegalMove, Move, Order, Unreadable
from pbem.kit.orders.following import Standing, standing_from_now_on
from pbem.kit.orders.shapes import ORDER_REFUSALS, refusal_of_order
from pbem.kit.orders.typed import parse_order
from pbem.kit.texts import LANGS

T = TypeVar("T")

MOST = 16
"""The most orders of a seat."""


def read_and_check_orders(game: AnyGame, own: Any, seat: int, said: Sequence[Any]) -> tuple[Standing, ...]:
    """Returns the orders as they stand from now on. Each of `said` is typed or parsed JSON; `own` is the seat's fold.

    Raises Invalid, Unreadable, Illegal with the rule; `extra["order"]` is the index of the one that was refused.
    """
    standing: list[Standing] = []
    check_order_count(said)
    for at, one in enumerate(said):
        try:
            standing.append(standing_from_now_on(read_and_check_order(game, own, seat, one), game, own))
        except Problem as problem:
            problem.extra["order"] = at
            raise
    return tuple(standing)


def check_order_count(orders: Sequence[T]) -> Sequence[T]:
    """Returns the orders, if they are no more than a seat may have. Raises Invalid."""
    if len(orders) > MOST:
        raise Invalid(N_("A seat has at most %(most)s orders at a time."), {"most": MOST}, fields=("orders",))
    return orders


def read_and_check_order(game: AnyGame, own: Any, seat: int, said: Any) -> Order:
    """Returns the order that this seat has sent. Raises Invalid, Unreadable, Illegal with the rule."""
    try:
        order = parse_order(said, game, seat) if isinstance(said, str) else codec_for(game).order_of(said)
    except msgspec.ValidationError as error:
        raise Invalid(N_("This is not an order of the game."), extra={"why": str(error)}, fields=("orders",)) from None
    except Unreadable as error:
        hints = {lang: error.hint[lang] for lang in LANGS}
        message = N_("“%(text)s” cannot be read as an order. %(hint)s")
        raise UnreadableProblem(message, {"text": said[:60], "hint": hints}) from None
    if why := refusal_of_order(order, game, own, seat):
        raise error_for_refused_move_or_order(game, order, why)
    return order


def error_for_refused_move_or_order(game: AnyGame, said: Move | Order, refusal: IllegalMove) -> Illegal:
    """Returns the refusal of a move or an order as a problem: rule, reason, and a sentence in every language."""
    code, common = refusal.code, {**COMMON_REFUSALS, **ORDER_REFUSALS}
    found = game.meta.refusals.get(code) or common[code]
    sentences: Mapping[str, str] = {lang: found.text.fill(**refusal.facts)[lang] for lang in LANGS}
    page = f"/rules/{game.meta.slug}#{found.rule}" if found.rule != UNNUMBERED else None
    return Illegal(code, found.rule, sentences, type(said).__name__, page)
