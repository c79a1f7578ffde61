"""When a player is to be reminded of an open question: by the time that counts for him, and while he is awake. Pure.

1. At half-time, when that is 48 hours or more; and near the end: an eighth of the time before it is used up, but 2
   hours at least and 24 at most. Where these 2 hours are more than half of it, there is no reminder.
2. What would fall into quiet hours or on a day off is put off until he is awake. Where less than an hour would be left
   then, he is told shortly before his quiet hours begin.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pbem.services.calendar import calendar
from pbem.services.calendar.calendar import Calendar

LONG = timedelta(hours=48)
SHORT_OF = timedelta(minutes=5)
"""A turn of 48 hours whose mail left so late is long all the same."""
LEAD_MIN, LEAD_MAX = timedelta(hours=2), timedelta(hours=24)
APART = timedelta(hours=1)
"""No two mails about a match come closer to each other, and no reminder to the deadline if there is a choice."""
EVENING = timedelta(minutes=15)
"""So long before the quiet hours a reminder still reaches somebody who is awake."""


class Stage(NamedTuple):
    """A reminder: "half" or "end", since when it is true, and when the player is told."""

    name: str
    since: datetime
    at: datetime


def stages(mailed: datetime, end: datetime, deadline: datetime, days: Calendar) -> list[Stage]:
    """The reminders of a question in order: of its mail, of when its running time is used up, and its deadline."""
    whole = calendar.elapsed(mailed, end, days)
    lead = min(max(whole / 8, LEAD_MIN), LEAD_MAX)
    passed = {"half": whole / 2} if whole >= LONG - SHORT_OF else {}
    if lead <= whole / 2:
        passed["end"] = whole - lead
    found: list[Stage] = []
    for name, after in passed.items():
        since = calendar.run(mailed, after, days)
        at = _awake(since, mailed, deadline, days)
        if at is not None:
            found = [stage for stage in found if stage.at < at]
            found.append(Stage(name, min(since, at), at))
    return found


def first(mailed: datetime, end: datetime, deadline: datetime, days: Calendar) -> datetime | None:
    """When the question is to be looked at for its first reminder; None: it has none."""
    return following(stages(mailed, end, deadline, days), mailed)


def due(found: Sequence[Stage], now: datetime) -> Stage | None:
    """The newest reminder that is due: who was away sends one and not both."""
    return next((stage for stage in reversed(found) if stage.at <= now), None)


def following(found: Sequence[Stage], now: datetime) -> datetime | None:
    """When the next reminder after this moment is due, if there is one."""
    return next((stage.at for stage in found if stage.at > now), None)


def _awake(since: datetime, mailed: datetime, deadline: datetime, days: Calendar) -> datetime | None:
    """When the player is told of what is true since then; None: he sleeps from the mail on until it is too late."""
    awake = calendar.settled(since, days)
    if awake == since or deadline - awake >= APART:
        return awake
    evening = _asleep_since(since, days) - EVENING
    if evening >= mailed + APART:
        return evening
    return awake if awake < deadline else None


def _asleep_since(moment: datetime, days: Calendar) -> datetime:
    """When the quiet hours or days off began that last at this moment; they begin with an hour of his clock."""
    zone = ZoneInfo(days.zone)
    while True:
        before = moment - datetime.resolution
        local = before.astimezone(zone)
        if days.off(local.date()):
            began = datetime.combine(local.date(), time(0), zone).astimezone(UTC)
        elif calendar.settled(before, days) != before:
            began = before - timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        else:
            return moment
        moment = min(began, before)
