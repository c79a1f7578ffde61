"""JSON for events, moves, options and states, under the names of their classes.

Encoding is canonical: the same value always gives the same bytes (keys sorted). Decoding is strict: an
unknown field, an unknown type or a value out of bounds raises an error that says where.
"""

import functools
import json
import operator
import typing
from collections.abc import Sequence
from typing import Any

import msgspec

from pbem.kit.contract import AnyGame, Event, Move, Options, Order
from pbem.kit.orders.shapes import order_type

Decoder = msgspec.json.Decoder[Any]

_encoder = msgspec.json.Encoder(order="sorted")


def encode(value: Any) -> bytes:
    """Returns the canonical JSON of anything the kit knows.

    >>> from pbem.kit.contract import Ask
    >>> encode(Ask(seat=1, key="t1.answer", turn="t1", kind="answer"))
    b'{"key":"t1.answer","kind":"answer","seat":1,"turn":"t1"}'
    """
    return _encoder.encode(value)


def plain(value: Any) -> Any:
    """Returns the value as dicts, lists and scalars, for a framework that encodes JSON itself."""
    return msgspec.to_builtins(value)


class DuplicateName(ValueError):
    """A JSON object contains the same name twice, so readers could disagree on its meaning. `name` is that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"the name {name!r} stands twice in one object")


def check_names(data: bytes | str) -> None:
    """Raises DuplicateName if an object in this well-formed JSON has the same name twice; else returns None.

    msgspec silently keeps the last of two values (RFC 8259 leaves it open), hence this check. May raise RecursionError.

    >>> check_names(b'{"a": {"b": 1}, "b": [{"b": 2}]}')
    >>> check_names(b'{"a": [{"b": 1, "\\\\u0062": 2}]}')
    Traceback (most recent call last):
    pbem.kit.codec.DuplicateName: the name 'b' stands twice in one object
    """
    json.loads(data, object_pairs_hook=check_object, parse_int=str, parse_float=str)


def check_object(pairs: list[tuple[str, Any]]) -> None:
    """Raises DuplicateName if these pairs contain a name twice."""
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise DuplicateName(next(name for i, name in enumerate(names) if name in names[:i]))


class Codec:
    """The decoders of one game. Raises msgspec.ValidationError, or DecodeError for anything but JSON."""

    def __init__(self, game: AnyGame) -> None:
        meta = game.meta
        self._move_types: Any = _one_of(meta.moves)
        self._events: Decoder = msgspec.json.Decoder(_one_of(meta.events))
        self._moves: Decoder = msgspec.json.Decoder(self._move_types)
        self._order_types: Any = order_type(meta)
        self._orders: Decoder = msgspec.json.Decoder(self._order_types)
        self._state: Decoder = msgspec.json.Decoder(meta.state)
        self._options = meta.options

    def event(self, data: bytes | str) -> Event:
        """Returns the event in this JSON."""
        return typing.cast(Event, self._events.decode(data))

    def move(self, data: bytes | str) -> Move:
        """Returns the move in this JSON."""
        return typing.cast(Move, self._moves.decode(data))

    def move_of(self, value: Any) -> Move:
        """Returns the move in this already parsed JSON. Integers and strings are not converted into each other."""
        return typing.cast(Move, msgspec.convert(value, self._move_types, strict=True))

    def order(self, data: bytes | str) -> Order:
        """Returns the order in this JSON."""
        return typing.cast(Order, self._orders.decode(data))

    def order_of(self, value: Any) -> Order:
        """Returns the order in this already parsed JSON. Integers and strings are not converted into each other."""
        return typing.cast(Order, msgspec.convert(value, self._order_types, strict=True))

    def state(self, data: bytes | str) -> Any:
        """Returns the state in this JSON."""
        return self._state.decode(data)

    def options(self, value: Any) -> Options:
        """Returns the options in this already parsed JSON object."""
        return msgspec.convert(value, self._options, strict=True)


def _one_of(kinds: Sequence[type]) -> Any:
    return functools.reduce(operator.or_, kinds)


@functools.cache
def codec_for(game: AnyGame) -> Codec:
    """Returns the game's codec; it is built once."""
    return Codec(game)
