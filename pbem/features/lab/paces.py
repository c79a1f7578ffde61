"""When simulated people look: once a day, each at an hour of their own, which the seed fixes; and what a match took."""

from collections.abc import Mapping
from hashlib import sha256

import msgspec

from pbem.kit.contract import Outcome

DAY_S = 24 * 3600


class Played(msgspec.Struct, frozen=True):
    """One simulated match.

    `waits` counts how often it waited for a player other than the last one to act, `by_order` the decisions that orders
    made. `seconds` is how long it took where everybody looks once a day. `mails` counts who was asked at those waits,
    `idle` is the longest time, in seconds, between two decisions of a seat, or before its first. `barred` counts
    what each word has kept the restricted seat from.
    """

    decisions: int
    waits: int
    outcome: Outcome
    events: Mapping[str, int]
    by_order: int = 0
    seconds: int = 0
    mails: int = 0
    idle: int = 0
    barred: Mapping[str, int] = {}


class Pace:
    """The hours of one match: the time of day at which each seat looks."""

    def __init__(self, seed: bytes, seats: int) -> None:
        self._seed = seed
        # A second apart, so that no two seats ever look at once.
        self.looks = tuple(self._draw(f"look:s{seat}", DAY_S // 60) * 60 + seat for seat in range(seats))

    def next_look(self, seat: int, at: int) -> int:
        """Returns the first time from `at` on, in seconds since the beginning, at which the seat looks."""
        return at + (self.looks[seat] - at) % DAY_S

    def _draw(self, name: str, n: int) -> int:
        return int.from_bytes(sha256(b"pbem pace|%b|%b" % (self._seed, name.encode())).digest()[:8]) % n
