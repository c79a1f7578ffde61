"""A cache of what viewers may see of matches in this process, so that showing a page again needs no folding.

Each viewer has their own entry, made from their own redacted log and found under their own seat only. A match's log
only grows, so what a viewer may know at a version never changes. The cache is small and keeps the entries used last.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pbem.kit.replay import AnyEntry

KEPT = 128
T = TypeVar("T")


@dataclass(frozen=True)
class Known:
    """A viewer's log, their fold of it, and the story as far as it has been told."""

    entries: tuple[AnyEntry, ...]
    fold: Any
    told: dict[Any, Any] = field(default_factory=dict)


@dataclass
class ViewCache(Generic[T]):
    """What one site has shown, in one process: by match, version and viewer."""

    _kept: OrderedDict[Hashable, T] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, key: Hashable, known: T) -> None:
        """Caches what a viewer may know."""
        with self._lock:
            self._kept[key] = known
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def find(self, key: Hashable) -> T | None:
        """Returns what was cached under exactly this key, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)
