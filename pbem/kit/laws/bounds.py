"""The law of bounds: an event of a log from elsewhere can carry no more than a table holds."""

import types
import typing
from collections.abc import Iterator
from typing import Any

import msgspec

from pbem.kit.contract import AnyGame
from pbem.kit.play import LawBroken

_CONTAINERS = (tuple, list, set, frozenset, dict)


def check_bounds(game: AnyGame) -> None:
    """Checks that every tuple in an event, at any depth, declares its length or a `max_length`. Raises LawBroken."""
    endless = [where for kind in game.meta.events for where in endless_fields(kind)]
    if endless:
        raise LawBroken(f"{game.meta.slug}: no max_length bounds {', '.join(endless)}")


def endless_fields(kind: type[msgspec.Struct]) -> Iterator[str]:
    """Yields the names of the struct's fields that may hold any number of things, nested structs included."""
    for name, hint in typing.get_type_hints(kind, include_extras=True).items():
        if _is_endless(hint, bounded=False):
            yield f"{kind.__name__}.{name}"


def _is_endless(hint: Any, bounded: bool) -> bool:
    if hasattr(hint, "__metadata__"):
        marks = (m for m in hint.__metadata__ if isinstance(m, msgspec.Meta))
        return _is_endless(typing.get_args(hint)[0], bounded or any(m.max_length is not None for m in marks))
    kind, args = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind in (typing.Union, types.UnionType):
        return any(_is_endless(arg, bounded) for arg in args)
    if kind in _CONTAINERS:
        fixed = kind is tuple and bool(args) and Ellipsis not in args
        return not (bounded or fixed) or any(_is_endless(arg, bounded=False) for arg in args)
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct) and any(endless_fields(kind))
