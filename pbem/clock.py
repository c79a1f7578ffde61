"""The time, in one place: aware, in UTC, passed to the code that needs it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]

_COUNT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The count that goes on while the machine sleeps, under the name that the system has for it."""


def now() -> datetime:
    """Returns the present moment, aware, in UTC, as the machine's clock says it: which may be wrong, and jump."""
    return datetime.now(UTC)


def seconds_since_boot() -> float:
    """Returns the seconds that have passed since the machine was started; nobody can set it, and it counts sleep."""
    return time.clock_gettime(_COUNT)


def iso_format(moment: datetime) -> str:
    """Returns the moment as logs and the API write it, to the second.

    >>> iso_format(datetime(2026, 3, 12, 12, 4, 0, 5, tzinfo=UTC))
    '2026-03-12T12:04:00Z'
    """
    at = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return at.isoformat()[:19] + "Z"  # in half the time that `strftime` takes
