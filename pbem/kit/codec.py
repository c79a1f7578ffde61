"""JSON for events, moves, options and states, under the names of their classes.

Encoding is canonical: the same value always gives the same bytes (keys sorted). Decoding is strict: an
unknown field, an unknown type or a value out of bounds raises an error that says where.
"""

import json
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Union

import msgspec

from pbem.kit.contract import AnyGame, Event, Move, Options, Order
from pbem.kit.orders.shapes import order_type

encode = msgspec.json.Encoder(order="sorted").encode
"""Returns the canonical JSON of anything the kit knows, such as `{"key":"t1.answer","seat":1}`."""


def plain(value: Any) -> Any:
    """Returns the value as dicts, lists and scalars, for a framework that encodes JSON itself."""
    return msgspec.to_builtins(value)


class DuplicateName(ValueError):
    """A JSON object contains the same name twice, so readers could disagree on its meaning. `name` is that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"the name {name!r} stands twice in one object")


def check_no_duplicate_names(pairs: list[tuple[str, Any]]) -> None:
    """Raises DuplicateName if these pairs contain a name twice.

    >>> check_names('{"a": {"b": 1}, "b": [{"b": 2}]}')
    >>> check_names('{"a": [{"b": 1, "\\u0062": 2}]}')
    Traceback (most recent call last):
    pbem.kit.codec.DuplicateName: the name 'b' stands twice in one object
    """
    if len(dict(pairs)) != len(pairs):
        names = [name for name, _ in pairs]
        raise DuplicateName(next(name for i, name in enumerate(names) if name in names[:i]))


check_names: Callable[[str], None] = json.JSONDecoder(
    object_pairs_hook=check_no_duplicate_names, parse_int=str, parse_float=str
).decode
"""Raises DuplicateName if an object in this well-formed JSON has the same name twice. May raise RecursionError.

msgspec silently keeps the last of two values (RFC 8259 leaves it open), hence this check.
"""


class Codec:
    """The decoders of one game. They raise msgspec.ValidationError, or DecodeError for anything but JSON.

    `move_of`, `order_of` and `options` take parsed JSON; integers and strings are not converted into each other.
    """

    def __init__(self, game: AnyGame) -> None:
        meta = game.meta
        moves: Any = Union[(*meta.moves,)]
        events: Any = Union[(*meta.events,)]
        orders = order_type(meta)
        self.event: Callable[[bytes | str], Event] = msgspec.json.Decoder(events).decode
        self.move: Callable[[bytes | str], Move] = msgspec.json.Decoder(moves).decode
        self.order: Callable[[bytes | str], Order] = msgspec.json.Decoder(orders).decode
        self.state: Callable[[bytes | str], Any] = msgspec.json.Decoder(meta.state).decode
        self.move_of: Callable[[Any], Move] = partial(msgspec.convert, type=moves)
        self.order_of: Callable[[Any], Order] = partial(msgspec.convert, type=orders)
        self.options: Callable[[Any], Options] = partial(msgspec.convert, type=meta.options)


@cache
def codec_for(game: AnyGame) -> Codec:
    """Returns the game's codec; it is built once."""
    return Codec(game)
