"""Luck, handed in: the same seed always gives the same draws, so that a retry can never re-roll.

A match draws all its luck from one key. Each draw of the rules has a name, such as `deal:r2`, and each name its own
stream of digits: neither the number of an entry nor how many draws came before changes it. docs/chance.md specifies
the streams to the byte, and holds test vectors.

    MatchLuck        where a match's luck comes from
      KeyLuck        from the key of its seed and its players' words: `pbem-log/2`
      SeedLuck       from its seed and the numbers of its entries: `pbem-log/1`
    Luck             the luck of one decision of the rules: a stream for each name
    Chance           one stream
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import Struct
from typing import Any, Literal, Protocol, TypeVar

T = TypeVar("T")
Purpose = Literal["setup", "decide", "fallback", "bot", "memory", "window", "order"]
"""What luck is drawn for. Since `pbem-log/2` the setup draws for `decide`, as all rules do.

`window` draws how long a silent window stays open: no log holds that, and `pbem-log/1` has no such windows.
"""
WORDS = 1 << 32
_EIGHT_WORDS = Struct(">8I")
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
"""What makes of the key of an HMAC those of its two hashes: RFC 2104."""
NAME = re.compile(r"[a-z]+(?::[A-Za-z0-9.~-]+)*")
"""The form of a draw's name: its kind, then what tells it from the other draws of this kind, such as `die:s1:7`."""


class Luck(ABC):
    """The luck of one decision of the rules. It has no draws of its own: each belongs to a name."""

    @abstractmethod
    def named(self, name: str) -> "Chance":
        """Returns the stream of this name, which a match uses once. `name` begins with a key of `Meta.draws`."""


class NoLuck(Luck):
    """Luck for a move that is not legal, and so is refused before anything is drawn, or of which that is asked."""

    def named(self, name: str) -> "Chance":
        """Raises AssertionError."""
        raise AssertionError(f"an illegal move draws {name}")


NO_LUCK = NoLuck()


class NotedLuck(Luck):
    """Luck that notes whether anything was drawn from it."""

    def __init__(self, luck: Luck) -> None:
        self._luck, self.drew = luck, False

    def named(self, name: str) -> "Chance":
        self.drew = True
        return self._luck.named(name)


class Chance(ABC):
    """A stream of luck. Sub-classes supply `below`; the rest follows from it."""

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


class UnnamedChance(Chance, Luck):
    """A stream that continues under each name, as in `pbem-log/1` and in tests."""

    def named(self, name: str) -> Chance:
        """Returns the stream itself."""
        return self


class _Mac:
    """An HMAC-SHA256 that has read a text. It can read on, but neither go back nor tell its key.

    It is made of the two hashes of which the standard makes it, as those have read the key just once for all draws.
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise ValueError("a key of luck has 32 bytes")
        block = key.ljust(64, b"\0")
        self._inner, self._outer = sha256(block.translate(_INNER)), sha256(block.translate(_OUTER))

    def with_text(self, text: str) -> "_Mac":
        """Returns one that has read this text, too."""
        more = object.__new__(_Mac)
        more._inner, more._outer = self._inner.copy(), self._outer
        more._inner.update(text.encode())
        return more

    def digest(self, rest: bytes) -> bytes:
        """Returns the 32 bytes of what it has read with this rest."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(rest)
        outer.update(inner.digest())
        return outer.digest()


class StreamChance(Chance):
    """A stream of 32-bit words: HMAC-SHA256(key, prefix + block) for block = 0, 1, 2, …, big-endian.

    `below(n)` takes the next word w with w < 2^32 - (2^32 mod n) and returns w mod n: no result is favoured.

    It does not hold the key, which all draws of a match follow from, but an HMAC that has read the prefix: only what
    begins with that can be computed from it. So bots are handed one.
    """

    __slots__ = ("_at", "_block", "_mac", "_words")

    def __init__(self, key: "bytes | _Mac", prefix: str) -> None:
        """`key`: its bytes, or what has read it, and perhaps the beginning of the prefix."""
        self._mac = (key if isinstance(key, _Mac) else _Mac(key)).with_text(prefix)
        self._block = 0
        self._words: tuple[int, ...] = ()
        self._at = 0

    def below(self, n: int) -> int:
        if not 1 <= n <= WORDS:
            raise ValueError(f"below({n}): n must be from 1 to 2^32")
        limit = WORDS - WORDS % n
        while True:
            if self._at == len(self._words):
                self._words = _EIGHT_WORDS.unpack(self._mac.digest(b"%d" % self._block))
                self._block, self._at = self._block + 1, 0
            word = self._words[self._at]
            self._at += 1
            if word < limit:
                return word % n


class SeedChance(StreamChance, UnnamedChance):
    """The luck of one decision in `pbem-log/1`, which the number of its first entry identifies: one stream for all.

    >>> chance = SeedChance(bytes(32), position=1, purpose="setup")
    >>> [chance.below(6) for _ in range(8)]
    [5, 1, 2, 3, 3, 0, 2, 4]
    """

    __slots__ = ()

    def __init__(self, seed: bytes, position: int, purpose: Purpose, seat: int | None = None) -> None:
        super().__init__(seed, f"pbem/1|{position}|{purpose}|{'-' if seat is None else seat}|")


class MatchLuck(Protocol):
    """Where a match's luck comes from. `position` is the number of the entry that comes next."""

    def rules(self, position: int, seat: int | None = None) -> Luck:
        """Returns the luck of the rules, for a move of `seat`; for the setup if it is None."""

    def fallback(self, position: int, key: str, seat: int) -> Chance:
        """Returns the luck with which the clock answers the ask with this key."""

    def bot(self, position: int, key: str, seat: int) -> Chance:
        """Returns the luck with which a bot answers the ask with this key."""

    def memory(self, seat: int) -> Luck:
        """Returns luck for what a bot at this seat remembers: each name gives the same all through the match."""


class _Memory(Luck):
    """What a bot at this seat remembers: the prefix of each of its streams is the name between these two."""

    __slots__ = ("_after", "_mac")

    def __init__(self, mac: _Mac, before: str, after: str) -> None:
        self._mac, self._after = mac.with_text(before), after

    def named(self, name: str) -> Chance:
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a draw")
        return StreamChance(self._mac, f"{name}{self._after}")


class SeedLuck(MatchLuck):
    """The luck of a match in `pbem-log/1`: it depends on the numbers of the entries."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def rules(self, position: int, seat: int | None = None) -> Luck:
        return SeedChance(self._seed, position, "setup" if seat is None else "decide", seat)

    def fallback(self, position: int, key: str, seat: int) -> Chance:
        return SeedChance(self._seed, position, "fallback", seat)

    def bot(self, position: int, key: str, seat: int) -> Chance:
        return SeedChance(self._seed, position, "bot", seat)

    def memory(self, seat: int) -> Luck:
        """See `MatchLuck`. Handed out only where a log is checked, which tells the seed."""
        return _Memory(_Mac(self._seed), "pbem/1|", f"|memory|{seat}|")


class _Named(Luck):
    """The luck of the rules in `pbem-log/2`."""

    __slots__ = ("_mac", "_takebacks")

    def __init__(self, mac: _Mac, takebacks: int) -> None:
        self._mac, self._takebacks = mac, takebacks

    def named(self, name: str) -> Chance:
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a draw")
        return StreamChance(self._mac, f"pbem/2|decide|{name}|{self._takebacks}|")


class KeyLuck(MatchLuck):
    """The luck of a match in `pbem-log/2`: streams named by what is drawn, whatever the log holds around it.

    `takebacks` is how many moves have been taken back so far: what is drawn again after that is drawn afresh.

    >>> KeyLuck(bytes(32)).rules(1).named("deal:r1").shuffled("abcdef")
    ('f', 'b', 'c', 'a', 'd', 'e')
    >>> KeyLuck(bytes(32)).rules(9, seat=2).named("deal:r1").shuffled("abcdef")
    ('f', 'b', 'c', 'a', 'd', 'e')
    """

    def __init__(self, key: bytes, takebacks: int = 0) -> None:
        self._mac, self._takebacks = _Mac(key), takebacks

    def rules(self, position: int, seat: int | None = None) -> Luck:
        """See `MatchLuck`; neither the position nor the seat changes anything."""
        return _Named(self._mac, self._takebacks)

    def fallback(self, position: int, key: str, seat: int) -> Chance:
        return self._answer("fallback", key, seat)

    def bot(self, position: int, key: str, seat: int) -> Chance:
        return self._answer("bot", key, seat)

    def memory(self, seat: int) -> Luck:
        """See `MatchLuck`. A take-back changes nothing: what was forgotten stays so."""
        return _Memory(self._mac, "pbem/2|memory|", f":s{seat}|0|")

    def window(self, key: str, seat: int) -> Chance:
        """Returns the luck with which a silent window stays open; this ask is the first that it consists of."""
        return self._answer("window", key, seat)

    def order(self, key: str, seat: int) -> Chance:
        """Returns the luck with which an order waits before it answers this question."""
        return self._answer("order", key, seat)

    def _answer(self, purpose: Purpose, key: str, seat: int) -> Chance:
        return StreamChance(self._mac, f"pbem/2|{purpose}|{key}:s{seat}|{self._takebacks}|")


class ScriptedChance(UnnamedChance):
    """Luck that a test has scripted: each draw takes the next item of the script, under whatever name.

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
