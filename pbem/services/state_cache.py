"""A cache of the latest states of matches in this process, so that the next move need not fold the log again.

Only committed states are kept, under the version they led to. A caller must hold the match's lock and have read the
version under it: if another process has written meanwhile, the version differs and the log is read. The cache is small
and holds the matches to which this process wrote last; a miss only costs reading the log.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

KEPT = 256


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


@dataclass
class StateCache:
    """The heads of one site, in one process."""

    _kept: OrderedDict[str, Head] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, head: Head) -> None:
        """Caches a committed head in place of the match's previous one."""
        with self._lock:
            self._kept[head.match_id] = head
            self._kept.move_to_end(head.match_id)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def find(self, match_id: str, version: int, fold: int) -> Head | None:
        """Returns the head of the match at exactly this version, computed by this fold; None if it is not cached."""
        with self._lock:
            head = self._kept.get(match_id)
        return head if head is not None and head.at(match_id, version, fold) else None
