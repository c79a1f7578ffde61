"""Caches of what this process has worked out of matches, so that the next request need not fold a log again.

Each is small, and keeps what was used last. The states of matches are kept once they are committed, under the version
they led to: a caller holds the match's lock and has read the version under it, so if another process has written
meanwhile, the version differs and the log is read. What a viewer may know is made from their own redacted log, and
found under their own seat only; a log only grows, so what they may know at a version never changes.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Head:
    """The full state of a match after entry `version`, computed by fold version `fold` of its game."""

    match_id: str
    version: int
    fold: int
    state: Any

    def at(self, match_id: str, version: int, fold: int) -> bool:
        """True if it is this match's, at exactly this version, computed by this fold."""
        return (self.match_id, self.version, self.fold) == (match_id, version, fold)


class Cache(Generic[T]):
    """The values used last, `most` of them, by their keys."""

    def __init__(self, most: int = 128) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, key: Hashable, value: T) -> None:
        """Caches a value in place of the former one."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def find(self, key: Hashable) -> T | None:
        """Returns what was cached under exactly this key, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)
