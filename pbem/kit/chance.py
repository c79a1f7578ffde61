"""Luck, handed in: the same seed and log position always give the same draws, so a retry can never re-roll.

The stream of a `SeedChance` is the concatenation, for block = 0, 1, 2, …, of

    HMAC-SHA256(key = seed, message = "pbem/1|<position>|<purpose>|<seat>|<block>")

with the message in ASCII, numbers in decimal and "-" for no seat. It is read as 32-bit big-endian words.
`below(n)` takes the next word w with w < 2^32 - (2^32 mod n) and returns w mod n (rejection: no bias).
`shuffled` is Fisher-Yates from the last place down. docs/chance.md holds test vectors.
"""

import hmac
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar

T = TypeVar("T")
Purpose = Literal["setup", "decide", "fallback", "bot"]
WORDS = 1 << 32


class Chance(ABC):
    """A source of luck. Sub-classes supply `below`; the rest follows from it."""

    @abstractmethod
    def below(self, n: int) -> int:
        """Returns a uniform integer in 0..n-1; n is from 1 to 2^32."""

    def roll(self, faces: Sequence[T]) -> T:
        """Returns a face of a die; all are equally likely."""
        return faces[self.below(len(faces))]

    def pick(self, items: Sequence[T]) -> T:
        """Returns one of the items; all are equally likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        """Returns the items in a random order; all orders are equally likely."""
        out = list(items)
        for last in range(len(out) - 1, 0, -1):
            other = self.below(last + 1)
            out[last], out[other] = out[other], out[last]
        return tuple(out)


class SeedChance(Chance):
    """The luck of one decision of one match.

    >>> chance = SeedChance(bytes(32), position=1, purpose="setup")
    >>> [chance.below(6) for _ in range(8)]
    [5, 1, 2, 3, 3, 0, 2, 4]
    """

    __slots__ = ("_at", "_block", "_prefix", "_seed", "_words")

    def __init__(self, seed: bytes, position: int, purpose: Purpose, seat: int | None = None) -> None:
        if len(seed) != 32:
            raise ValueError("a seed has 32 bytes")
        self._seed = seed
        self._prefix = f"pbem/1|{position}|{purpose}|{'-' if seat is None else seat}|"
        self._block = 0
        self._words: tuple[int, ...] = ()
        self._at = 0

    def _word(self) -> int:
        if self._at == len(self._words):
            message = f"{self._prefix}{self._block}".encode()
            digest = hmac.digest(self._seed, message, "sha256")
            self._words = tuple(int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4))
            self._block += 1
            self._at = 0
        self._at += 1
        return self._words[self._at - 1]

    def below(self, n: int) -> int:
        if not 1 <= n <= WORDS:
            raise ValueError(f"below({n}): n must be from 1 to 2^32")
        limit = WORDS - WORDS % n
        while True:
            word = self._word()
            if word < limit:
                return word % n


class ScriptedChance(Chance):
    """Luck that a test has scripted: each draw takes the next item of the script.

    `below`, `roll` and `pick` take the result itself; `shuffled` takes the wanted order, or its beginning:
    items that it does not name follow in the order given.

    >>> chance = ScriptedChance(["M1", "F4"], 2, "B")
    >>> chance.shuffled(["F4", "T3", "M1"]), chance.below(3), chance.pick("ABC")
    (('M1', 'F4', 'T3'), 2, 'B')
    """

    def __init__(self, *script: Any) -> None:
        self._script = list(script)

    def _next(self, what: str) -> Any:
        if not self._script:
            raise AssertionError(f"the script is at its end, but {what} is drawn")
        return self._script.pop(0)

    @property
    def left(self) -> int:
        """The number of items of the script that have not been drawn."""
        return len(self._script)

    def below(self, n: int) -> int:
        value = self._next(f"below({n})")
        if not (isinstance(value, int) and 0 <= value < n):
            raise AssertionError(f"the script says {value!r} where below({n}) is drawn")
        return value

    def pick(self, items: Sequence[T]) -> T:
        value = self._next(f"one of {items!r}")
        if value not in items:
            raise AssertionError(f"the script says {value!r} where one of {items!r} is drawn")
        return items[items.index(value)]

    def roll(self, faces: Sequence[T]) -> T:
        return self.pick(faces)

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        rest = list(items)
        front = list(self._next(f"an order of {rest!r}"))
        for item in front:
            if item not in rest:
                raise AssertionError(f"the script orders {item!r}, which is not among {rest!r}")
            rest.remove(item)
        return (*front, *rest)
