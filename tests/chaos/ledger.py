"""What the service has acknowledged, noted by the callers who received it, and answers that must never occur."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Ack:
    """A move that was acknowledged. For a move by a page, the version and the entries are unknown."""

    match_id: str
    seat: int
    key: str
    answer: Any
    """The move as it was sent: JSON to the API, notation to a page."""
    version: int | None = None
    entries: tuple[int, ...] | None = None


@dataclass
class Ledger:
    """Everything that was acknowledged to the players; many threads write to it."""

    acks: list[Ack] = field(default_factory=list)
    resigned: list[tuple[str, int]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """Answers that nobody should ever get, whatever is away."""
    counts: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, ack: Ack) -> None:
        """Notes a move that was acknowledged."""
        with self._lock:
            self.acks.append(ack)

    def resign(self, match_id: str, seat: int) -> None:
        """Notes a resignation."""
        with self._lock:
            self.resigned.append((match_id, seat))

    def complain(self, sentence: str) -> None:
        """Notes an answer that must not occur."""
        with self._lock:
            self.complaints.append(sentence)

    def count(self, what: str) -> None:
        """Increments the counter of this name."""
        with self._lock:
            self.counts[what] += 1

    def took(self, seconds: float) -> None:
        """Notes how long a caller waited for an answer, over all attempts."""
        with self._lock:
            self.slowest = max(self.slowest, seconds)
