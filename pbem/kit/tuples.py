"""Changes to frozen tuples, as a fold makes them."""

from typing import TypeVar

T = TypeVar("T")


def put(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    """The items with this one in that place.

    >>> put(("a", "b", "c"), 1, "x")
    ('a', 'x', 'c')
    """
    return (*items[:at], item, *items[at + 1 :])
