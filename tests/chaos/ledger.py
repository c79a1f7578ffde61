"""What the service has acknowledged, as those wrote down who heard it, and what nobody should be told."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Ack:
    """A move that was answered with success. Of a page neither the version nor the entries are known."""

    match_id: str
    seat: int
    key: str
    answer: Any
    """The move as it was sent: JSON to the API, notation to a page."""
    version: int | None = None
    entries: tuple[int, ...] | None = None


@dataclass
class Ledger:
    """Everything that all players together have heard; many threads write into it."""

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
        """Notes a seat that was given up."""
        with self._lock:
            self.resigned.append((match_id, seat))

    def complain(self, sentence: str) -> None:
        """Notes an answer that should not have been."""
        with self._lock:
            self.complaints.append(sentence)

    def count(self, what: str) -> None:
        """Counts one of something."""
        with self._lock:
            self.counts[what] += 1

    def took(self, seconds: float) -> None:
        """Notes how long somebody waited for an answer, all tries together."""
        with self._lock:
            self.slowest = max(self.slowest, seconds)
