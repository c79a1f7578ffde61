"""What viewers know of matches, as this process has last shown it: a page that is looked at again is not folded again.

It is kept for each viewer by himself, made of his own redacted log, and found under his own seat alone. A match's log
only grows, so what one knows at a version stays what it was. Few are kept, the ones used last.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from pbem.kit.replay import AnyEntry

KEPT = 128


@dataclass(frozen=True)
class Known:
    """A viewer's log, his fold of it, and the story as far as he was told it."""

    entries: tuple[AnyEntry, ...]
    fold: Any
    told: dict[Any, Any] = field(default_factory=dict)


@dataclass
class ViewCache:
    """What one site has shown, in one process: by match, version and viewer."""

    _kept: OrderedDict[Hashable, Known] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, key: Hashable, known: Known) -> None:
        """Keeps what a viewer knows."""
        with self._lock:
            self._kept[key] = known
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def find(self, key: Hashable) -> Known | None:
        """What was kept under exactly this key."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)
