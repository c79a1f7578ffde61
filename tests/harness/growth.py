"""How the cost of some work grows with its input: a ratio, which other load on the machine does not change."""

from __future__ import annotations

import time
from collections.abc import Callable

LINEAR = 4.0
"""Work ten times as long may cost this many times ten: less than a quarter of what quadratic work would."""


def cpu_seconds_of(work: Callable[[], object]) -> float:
    """Returns this thread's processor time for the work, the least of three attempts."""

    def once() -> float:
        start = time.thread_time()
        work()
        return time.thread_time() - start

    return min(once() for _ in range(3))


def growth_of_cpu_time(small: Callable[[], object], large: Callable[[], object]) -> float:
    """Returns how many times as much processor time the large work takes as the small one."""
    return cpu_seconds_of(large) / max(cpu_seconds_of(small), 1e-9)
