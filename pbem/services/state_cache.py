"""The states of matches at their heads, as this process last left them, so that the next move need not fold again.

Only what was committed is kept, under the version it led to. Whoever uses one holds the match's lock and has read the
version under it: what another process has written meanwhile has another version, and the log is read. Few states are
kept, of the matches in which this process wrote last; losing them costs a look into the log and nothing else.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

KEPT = 256


@dataclass(frozen=True)
class Head:
    """The full state of a match after entry `version`, made by fold version `fold` of its game."""

    match_id: str
    version: int
    fold: int
    state: Any

    def at(self, match_id: str, version: int, fold: int) -> bool:
        """Whether it is this match's, at exactly this version, made by this fold."""
        return (self.match_id, self.version, self.fold) == (match_id, version, fold)


@dataclass
class StateCache:
    """The heads of one site, in one process."""

    _kept: OrderedDict[str, Head] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, head: Head) -> None:
        """Keeps a committed head in place of what was kept of its match."""
        with self._lock:
            self._kept[head.match_id] = head
            self._kept.move_to_end(head.match_id)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def find(self, match_id: str, version: int, fold: int) -> Head | None:
        """The head of the match at exactly this version, made by this fold."""
        with self._lock:
            head = self._kept.get(match_id)
        return head if head is not None and head.at(match_id, version, fold) else None
