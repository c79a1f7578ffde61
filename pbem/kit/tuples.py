"""Changes to frozen tuples, as a fold makes them."""

from typing import TypeVar

T = TypeVar("T")


def put(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    """Returns the items with this one in that place.

    >>> put(("a", "b", "c"), 1, "x")
    ('a', 'x', 'c')
    """
    return (*items[:at], item, *items[at + 1 :])


def less(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """Returns the items without this one, once. Raises ValueError if it is not there; see `without` for hidden ones.

    >>> less(("a", "b", "a"), "a")
    ('b', 'a')
    """
    at = items.index(item)
    return items[:at] + items[at + 1 :]
