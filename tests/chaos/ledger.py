"""What the service has acknowledged, noted by the callers who received it, and answers that must never occur."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
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
    sealed: bool = False
    """True if it was sealed in a silent window, so that it had no entries yet."""


@dataclass(frozen=True)
class Back:
    """What was taken back, as it was acknowledged: all that the game did after entry `to`."""

    match_id: str
    seat: int
    to: int
    version: int


@dataclass(frozen=True)
class Reply:
    """A mail in which a player answers a question of their seat by a move that is legal when they write it."""

    message_id: str
    match_id: str
    seat: int
    key: str
    answer: Any
    """The move as JSON."""


@dataclass
class Ledger:
    """Everything that was acknowledged to the players; many threads write to it."""

    acks: list[Ack] = field(default_factory=list)
    backs: list[Back] = field(default_factory=list)
    replies: dict[str, Reply] = field(default_factory=dict)
    """What was answered by mail, by Message-ID, whether it was acknowledged or not."""
    deliveries: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """The Message-ID and the recipients of each delivery of such a mail that was acknowledged."""
    resigned: list[tuple[str, int]] = field(default_factory=list)
    orders: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    """The orders that may stand, by match and seat, as they are typed: those acknowledged last, and those sent since.

    An answer can be lost: the same orders sent again are stale then, if something has happened meanwhile.
    """
    complaints: list[str] = field(default_factory=list)
    """Answers that nobody should ever get, whatever is away."""
    counts: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, ack: Ack) -> None:
        """Notes a move that was acknowledged."""
        with self._lock:
            self.acks.append(ack)

    def take_back(self, back: Back) -> None:
        """Notes that something was taken back."""
        with self._lock:
            self.backs.append(back)

    def reply(self, reply: Reply) -> None:
        """Notes that a mail is about to leave its author."""
        with self._lock:
            self.replies[reply.message_id] = reply

    def deliver(self, message_id: str, recipients: Sequence[str]) -> None:
        """Notes that the service has acknowledged a mail."""
        with self._lock:
            self.deliveries.append((message_id, tuple(sorted(recipients))))

    def resign(self, match_id: str, seat: int) -> None:
        """Notes a resignation."""
        with self._lock:
            self.resigned.append((match_id, seat))

    def order(self, match_id: str, seat: int, orders: Iterable[str], *, saved: bool) -> None:
        """Notes that these orders are sent, or that they were saved in the place of all before."""
        with self._lock:
            before = frozenset() if saved else self.orders.get((match_id, seat), frozenset())
            self.orders[match_id, seat] = before | frozenset(orders)

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
