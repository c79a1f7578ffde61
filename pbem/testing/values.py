"""The single values within events and states, and by what two of them differ."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec


def leaf_values_with_types(value: Any) -> Iterator[tuple[str, Any]]:
    """Yields the single values within, with their types, as True equals 1; nothing for None."""
    if isinstance(value, msgspec.Struct):
        value = tuple(getattr(value, field) for field in value.__struct_fields__)
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple):
        for item in value:
            yield from leaf_values_with_types(item)
    elif value is not None:
        yield type(value).__name__, value


def leaf_values_that_differ(value: Any, other: Any) -> Iterator[tuple[str, Any]]:
    """Yields what a value has where another one has something else."""
    if isinstance(value, tuple) and isinstance(other, tuple) and len(value) == len(other):
        for one, two in zip(value, other, strict=True):
            yield from leaf_values_that_differ(one, two)
    elif isinstance(value, msgspec.Struct) and type(value) is type(other):
        for field in value.__struct_fields__:
            yield from leaf_values_that_differ(getattr(value, field), getattr(other, field))
    elif value != other:
        yield from leaf_values_with_types(value)
