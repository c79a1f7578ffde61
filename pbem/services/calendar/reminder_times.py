"""When a player is reminded of an open ask: counted in running time, and sent outside quiet hours. Pure functions.

1. There is a reminder at half-time, if the whole time is 48 hours or more; and one near the end: an eighth of the time
   before it is used up, at least 2 hours and at most 24. If that is more than half of the time, there is none near the
   end.
2. A reminder that would fall into quiet hours or on a day off is put off until they end. If that would leave less than
   an hour, the player is reminded shortly before the quiet hours begin.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pbem.services.calendar import calendar
from pbem.services.calendar.calendar import Calendar

LONG = timedelta(hours=48)
SHORT_OF = timedelta(minutes=5)
"""A turn of 48 hours still counts as long if its mail left this much late."""
LEAD_MIN, LEAD_MAX = timedelta(hours=2), timedelta(hours=24)
APART = timedelta(hours=1)
"""The shortest time between the turn mail and a reminder, and, if possible, between a reminder and the deadline."""
EVENING = timedelta(minutes=15)
"""How long before the quiet hours a reminder is sent so that the player still sees it."""


class Stage(NamedTuple):
    """A reminder: "half" or "end", the moment from which it is true, and when it is sent."""

    name: str
    since: datetime
    at: datetime


def stages(mailed: datetime, end: datetime, deadline: datetime, days: Calendar) -> list[Stage]:
    """Returns the reminders of an ask in order. `end` is when its running time is used up."""
    whole = calendar.running_time(mailed, end, days)
    lead = min(max(whole / 8, LEAD_MIN), LEAD_MAX)
    passed = {"half": whole / 2} if whole >= LONG - SHORT_OF else {}
    if lead <= whole / 2:
        passed["end"] = whole - lead
    found: list[Stage] = []
    for name, after in passed.items():
        since = calendar.add_time(mailed, after, days)
        at = _awake(since, mailed, deadline, days)
        if at is not None:
            found = [stage for stage in found if stage.at < at]
            found.append(Stage(name, min(since, at), at))
    return found


def first(mailed: datetime, end: datetime, deadline: datetime, days: Calendar) -> datetime | None:
    """Returns when to check the ask for its first reminder; None if it has none."""
    return following(stages(mailed, end, deadline, days), mailed)


def due(found: Sequence[Stage], now: datetime) -> Stage | None:
    """Returns the latest reminder that is due, or None: after a break only that one is sent, not both."""
    return next((stage for stage in reversed(found) if stage.at <= now), None)


def following(found: Sequence[Stage], now: datetime) -> datetime | None:
    """Returns when the next reminder after this moment is due, or None."""
    return next((stage.at for stage in found if stage.at > now), None)


def _awake(since: datetime, mailed: datetime, deadline: datetime, days: Calendar) -> datetime | None:
    """Returns when to send a reminder that is true from `since` on; None if no suitable moment is left."""
    awake = calendar.next_waking_time(since, days)
    if awake == since or deadline - awake >= APART:
        return awake
    evening = _asleep_since(since, days) - EVENING
    if evening >= mailed + APART:
        return evening
    return awake if awake < deadline else None


def _asleep_since(moment: datetime, days: Calendar) -> datetime:
    """Returns when the quiet hours or days off around this moment began."""
    zone = ZoneInfo(days.zone)
    while True:
        before = moment - datetime.resolution
        local = before.astimezone(zone)
        if days.is_off(local.date()):
            began = datetime.combine(local.date(), time(0), zone).astimezone(UTC)
        elif calendar.next_waking_time(before, days) != before:
            began = calendar.hour_before(before, zone)
        else:
            return moment
        moment = min(began, before)
