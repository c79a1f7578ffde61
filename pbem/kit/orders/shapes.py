"""The shapes of orders that work in every game; the fourth, rules of the game, is declared by each game.

They are generic, because each game has moves and events of its own: `order_type(meta)` is what a codec decodes.
"""

import functools
import operator
from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from pbem.kit.contract import Event, Meta, Move, Order

M = TypeVar("M", bound=Move)
E = TypeVar("E", bound=Event)

AskName = Annotated[str, msgspec.Meta(max_length=20, title="Kind of question")]
"""A key of `Meta.asks`."""


class Always(Order, Generic[M], frozen=True, tag="Always"):
    """Answer every question of one kind with the same move."""

    kind: AskName
    move: M


class Prefer(Order, Generic[M], frozen=True, tag="Prefer"):
    """Answer a question of one kind with the first of these moves that is legal."""

    kind: AskName
    moves: Annotated[tuple[M, ...], msgspec.Meta(min_length=1, max_length=16)]


class Line(Order, Generic[M, E], frozen=True, tag="Line"):
    """If exactly these facts follow, as everybody sees them, answer the question after them with this move."""

    after: Annotated[tuple[E, ...], msgspec.Meta(min_length=1, max_length=32)]
    kind: AskName
    move: M


_GENERIC: tuple[Any, ...] = (Always, Prefer, Line)  # what stands in their brackets is built at run time


def order_type(meta: Meta) -> Any:
    """Returns the union of all orders of a game: the shapes of all games with its moves, and its own rules."""
    moves, events = _one_of(meta.moves), _one_of(meta.events)
    always, prefer, line = _GENERIC
    shapes = [always[moves], prefer[moves], line[moves, events]]
    return _one_of([*shapes, *(kind.order for kind in meta.orders)])


def kinds_of_asks(meta: Meta, order: Order) -> tuple[str, ...]:
    """Returns the kinds of questions that the order answers. Raises TypeError if it is no order of this game."""
    if isinstance(order, (Always, Prefer, Line)):
        return (order.kind,)
    for kind in meta.orders:
        if type(order) is kind.order:
            return kind.asks
    raise TypeError(f"{type(order).__name__} is no order of {meta.slug}")


def _one_of(kinds: Sequence[Any]) -> Any:
    return functools.reduce(operator.or_, kinds)
