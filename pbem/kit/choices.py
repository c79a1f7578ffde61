"""Legal moves that are not all made in advance: lazy sequences with a cheap `in`, `len` and uniform draw."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from math import perm
from typing import Generic, TypeVar, overload

from pbem.kit.chance import Chance
from pbem.kit.contract import Move

M = TypeVar("M", bound=Move)
T = TypeVar("T")


class Lazy(Sequence[M]):
    """Moves that are made on access: `at(i)` for i in 0..size-1; `has(move)` decides membership."""

    def __init__(self, size: int, at: Callable[[int], M], has: Callable[[M], bool]) -> None:
        self._size = size
        self._at = at
        self._has = has

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, i: int) -> M: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[M]: ...
    def __getitem__(self, i: int | slice) -> M | Sequence[M]:
        if isinstance(i, slice):
            return [self._at(k) for k in range(*i.indices(self._size))]
        if not -self._size <= i < self._size:
            raise IndexError(i)
        return self._at(i % self._size)

    def __iter__(self) -> Iterator[M]:
        return map(self._at, range(self._size))

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._has(move)  # type: ignore[arg-type]  # has() checks the type


def nth_arrangement(items: Sequence[T], k: int, index: int) -> tuple[T, ...]:
    """Returns the index-th ordered selection of k different items, in the order of itertools.permutations.

    >>> [nth_arrangement("ABC", 2, i) for i in range(6)]
    [('A', 'B'), ('A', 'C'), ('B', 'A'), ('B', 'C'), ('C', 'A'), ('C', 'B')]
    """
    rest = list(items)
    out = []
    for left in range(k, 0, -1):
        block = perm(len(rest) - 1, left - 1)
        out.append(rest.pop(index // block))
        index %= block
    return tuple(out)


class Choices(Sequence[M], Generic[M]):
    """Legal moves in groups, one for each kind of move.

    `Choices((Call, calls), (Declare, declarations))` where each group is any sequence of that type of move.
    """

    __slots__ = ("_groups",)

    def __init__(self, *groups: tuple[type[Move], Sequence[M]]) -> None:
        self._groups = {kind.__name__: group for kind, group in groups if len(group)}

    @property
    def kinds(self) -> Mapping[str, Sequence[M]]:
        """The non-empty groups, by the name of the move's type."""
        return self._groups

    def __len__(self) -> int:
        return sum(len(group) for group in self._groups.values())

    @overload
    def __getitem__(self, i: int) -> M: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[M]: ...
    def __getitem__(self, i: int | slice) -> M | Sequence[M]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if i < 0:
            i += len(self)
        for group in self._groups.values():
            if 0 <= i < len(group):
                return group[i]
            i -= len(group)
        raise IndexError(i)

    def __iter__(self) -> Iterator[M]:
        return chain.from_iterable(self._groups.values())

    def __contains__(self, move: object) -> bool:
        group = self._groups.get(type(move).__name__)
        return group is not None and move in group

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # compared by content, never a key


def kinds_of(legal: Sequence[M]) -> Mapping[str, Sequence[M]]:
    """Returns the legal moves grouped by the name of their type."""
    if isinstance(legal, Choices):
        return legal.kinds
    groups: dict[str, list[M]] = {}
    for move in legal:
        groups.setdefault(type(move).__name__, []).append(move)
    return groups


def draw_random_move(legal: Sequence[M], weights: Mapping[str, int], chance: Chance) -> M:
    """Returns a random legal move: draws its kind by weight (1 by default), then one of that kind uniformly.

    A uniform draw over all moves would nearly always pick the kind that happens to have the most.
    """
    groups = kinds_of(legal)
    if len(groups) > 1:
        mark = chance.below(sum(weights.get(kind, 1) for kind in groups))
        for kind, group in groups.items():
            mark -= weights.get(kind, 1)
            if mark < 0:
                return chance.pick(group)
    return chance.pick(next(iter(groups.values())))
