"""What those who watch the site are told: how much work is overdue, and what a check of `pbem doctor` has found."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, func, select

Level = Literal["OK", "WARN", "FAIL"]


@dataclass(frozen=True)
class Due:
    """What should have been done by now: how much, and for how many seconds the oldest has been waiting."""

    count: int
    age_s: float


def due_with_age_of_oldest(count: int, oldest: datetime | None, now: datetime) -> Due:
    """Returns that so much is due, the oldest of it since that moment."""
    return Due(count, max(0.0, (now - oldest).total_seconds()) if oldest is not None else 0.0)


def count_due(connection: Connection, now: datetime, since: Any, *conditions: Any) -> Due:
    """Returns how many rows are due by these conditions, the oldest since the least value of this column."""
    count, oldest = connection.execute(select(func.count(), func.min(since)).where(*conditions)).one()
    return due_with_age_of_oldest(count, oldest, now)


@dataclass(frozen=True)
class Finding:
    """What a check found, and what to do about it ("" if all is well)."""

    check: str
    level: Level
    said: str
    todo: str = ""


def grade_figure(check: str, figure: float, warn: float, fail: float, said: str, todo: str) -> Finding:
    """Returns a finding whose level depends on a figure that should be small."""
    level: Level = "FAIL" if figure >= fail else "WARN" if figure >= warn else "OK"
    return Finding(check, level, said, "" if level == "OK" else todo)
