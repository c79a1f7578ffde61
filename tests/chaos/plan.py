"""A plan of faults: drawn from a seed, every kind at least once if there is time for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.chaos.relay import BAD_MOODS

KILLS = (
    ("web", "all"), ("web", "main"), ("web", "child"), ("worker", "all"), ("worker", "main"), ("worker", "child"),
    ("beat", "all"), ("inbound", "all"), ("redis", "all"), ("postgres", "main"), ("postgres", "child"),
)  # fmt: skip
"""What is killed with -9: a process with all it started, only the one that was started, or one of its children."""
OF_HOSTS = (("host", "all"),)
"""Where there are several hosts: all processes of one of them."""
KINDS = (*KILLS, *(("mail", mood) for mood in BAD_MOODS), *[("clock", "up")] * 3)
"""And the mail server's moods, and a clock that is up for everybody who is thinking."""
LASTS = {
    "web": 3.0,
    "worker": 3.0,
    "beat": 6.0,
    "inbound": 3.0,
    "redis": 5.0,
    "postgres": 4.0,
    "mail": 7.0,
    "clock": 1.0,
    "host": 10.0,
}
"""The longest that something stays away."""


@dataclass(frozen=True)
class Fault:
    """At this second this part fails in this way, for this long; `which` selects one of several processes."""

    at: float
    part: str
    how: str
    lasts: float
    which: int

    def __str__(self) -> str:
        return f"{self.part} {self.how}"


def plan_faults(
    seed: str, seconds: float, every: float, kinds: Sequence[tuple[str, str]] = KINDS, lasts: float = 1.0
) -> list[Fault]:
    """Returns the faults of a run of this length; `lasts` shortens how long each part is away."""
    luck = Random(seed)
    faults, at = list[Fault](), every / 2
    pile: list[tuple[str, str]] = []
    while at < seconds:
        if not pile:
            pile = luck.sample(list(kinds), len(kinds))
        part, how = pile.pop()
        away = luck.uniform(0.2, 1.0) * LASTS[part] * lasts
        faults.append(Fault(round(at, 2), part, how, round(away, 2), luck.randrange(100)))
        at += every * luck.uniform(0.5, 1.5)
    return faults
