"""Quiet hours and days off around every change of a clock, against a reference that walks minute by minute."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from pbem.services.calendar.calendar import Calendar, add_time, next_waking_time, running_time, subtract_time
from pbem.services.calendar.deadlines import EVENING, reminder_stages

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ZONES = {  # with a year in which their clocks change in an unusual way
    "Europe/Paris": 2026, "Europe/London": 2026, "America/New_York": 2026, "America/Santiago": 2026,
    "America/Havana": 2026, "America/Asuncion": 2023, "America/Nuuk": 2024, "America/Scoresbysund": 2024,
    "America/Sao_Paulo": 2018, "Australia/Lord_Howe": 2026, "Pacific/Chatham": 2026, "Pacific/Apia": 2011,
    "Africa/Cairo": 2026, "Africa/Casablanca": 2026, "Asia/Beirut": 2026, "Asia/Gaza": 2026, "Asia/Pyongyang": 2018,
    "Antarctica/Troll": 2026, "Antarctica/Casey": 2018, "Antarctica/Vostok": 2023, "Atlantic/Azores": 2026,
}  # fmt: skip
QUIET = ((22, 7), (23, 2), (21, 0), (0, 1), (1, 3), (2, 3), (3, 2), (4, 1), (23, 0))


def clock_changes_of_zone(zone: str) -> Iterator[datetime]:
    """Yields the hours of the zone's year within which its clock changes."""
    begin = datetime(ZONES[zone], 1, 1, tzinfo=UTC)
    hours = [begin + timedelta(hours=n) for n in range(366 * 24)]
    for one, other in pairwise(hours):
        if one.astimezone(ZoneInfo(zone)).utcoffset() != other.astimezone(ZoneInfo(zone)).utcoffset():
            yield one


def is_quiet(hour: int, quiet: tuple[int, int]) -> bool:
    first, last = quiet
    return first <= hour < last if first < last else hour >= first or hour < last


@pytest.mark.long
@pytest.mark.parametrize("zone", ZONES)
def test_quiet_hours_follow_local_time_when_clocks_are_changed(zone: str) -> None:
    for change in clock_changes_of_zone(zone):
        minutes = [change.replace(minute=0) + n * MINUTE for n in range(-14 * 60, 40 * 60)]
        local = [at.astimezone(ZoneInfo(zone)).hour for at in minutes]
        for quiet in QUIET:
            calendar, began, found = Calendar(zone, quiet=quiet), minutes[0], dict[datetime, datetime]()
            for at, hour in zip(minutes, local, strict=True):
                began = began if is_quiet(hour, quiet) else at + MINUTE
                found[at] = began
            awake = minutes[-1]
            for at, hour in zip(reversed(minutes), reversed(local), strict=True):
                awake = awake if is_quiet(hour, quiet) else at
                if at.minute == 7 and awake != minutes[-1]:
                    assert next_waking_time(at, calendar) == awake, (at, quiet)
                if at.minute == 52 and max(minutes[0], at - 20 * HOUR) < found[at] < at and awake != minutes[-1]:
                    half, *_ = reminder_stages(at - 25 * HOUR, at + 25 * HOUR, awake, calendar)
                    assert half.at == found[at] - EVENING, (at, quiet)


@pytest.mark.long
@pytest.mark.parametrize("zone", ZONES)
def test_a_day_off_of_23_or_25_hours_stops_the_clock_just_that_long(zone: str) -> None:
    for change in clock_changes_of_zone(zone):
        minutes = [change.replace(minute=0) + n * MINUTE for n in range(-40 * 60, 60 * 60)]
        local = [at.astimezone(ZoneInfo(zone)).date() for at in minutes]
        for off in {local[40 * 60], local[40 * 60] + DAY, local[40 * 60] - DAY}:
            calendar = Calendar(zone, holidays=((off, off),))
            run = sum(day != off for day in local) * MINUTE
            end = minutes[-1] + MINUTE
            assert running_time(minutes[0], end, calendar) == run, (change, off)
            if date(1970, 1, 1) < local[-1] != off:
                assert add_time(minutes[0], run - MINUTE, calendar) == minutes[-1], (change, off)
            if local[0] != off:
                assert subtract_time(end, run, calendar) == minutes[0], (change, off)
