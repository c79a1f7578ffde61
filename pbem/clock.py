"""The time, in one place: aware, in UTC, passed to the code that needs it."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def now() -> datetime:
    """Returns the present moment, aware, in UTC."""
    return datetime.now(UTC)


def iso(moment: datetime) -> str:
    """Returns the moment as logs and the API write it, to the second.

    >>> iso(datetime(2026, 3, 12, 12, 4, 0, 5, tzinfo=UTC))
    '2026-03-12T12:04:00Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
