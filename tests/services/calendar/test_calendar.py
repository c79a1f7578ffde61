"""When a player's clock runs: laws for all zones and days, and the two days on which clocks change."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings

from pbem.services.calendar import deadlines
from pbem.services.calendar.calendar import (
    ALWAYS,
    Calendar,
    add_time,
    deadline_after,
    next_waking_time,
    running_time,
    subtract_time,
)
from tests.harness.cases import cases
from tests.services.calendar.calendars import calendars, moments, times


@pytest.mark.long
@settings(max_examples=40)
@given(moments, times, calendars)
def test_deadlines_leave_the_full_time_and_avoid_days_off_and_quiet_hours(
    start: datetime, allowed: timedelta, calendar: Calendar
) -> None:
    end = deadline_after(start, allowed, calendar)
    assert end >= start + allowed
    assert running_time(start, end, calendar) >= allowed
    assert not calendar.is_off(calendar.day_of(end))
    hour = end.astimezone(ZoneInfo(calendar.zone)).hour
    if calendar.quiet is not None:
        first, last = calendar.quiet
        assert not (first <= hour < last if first < last else hour >= first or hour < last)


@pytest.mark.long
@settings(max_examples=40)
@given(moments, times, calendars)
def test_without_quiet_hours_just_the_allowed_time_runs_to_the_deadline(
    start: datetime, allowed: timedelta, calendar: Calendar
) -> None:
    loud = Calendar(calendar.zone, calendar.weekends_off, None, calendar.holidays)
    assert running_time(start, deadline_after(start, allowed, loud), loud) == allowed


@pytest.mark.long
@settings(max_examples=40)
@given(moments, times, times, calendars)
def test_a_longer_time_limit_never_ends_sooner(
    start: datetime, one: timedelta, more: timedelta, calendar: Calendar
) -> None:
    assert deadline_after(start, one, calendar) <= deadline_after(start, one + more, calendar)


@settings(max_examples=40)
@given(moments, times, times, calendars)
def test_the_running_time_of_adjacent_intervals_adds_up(
    start: datetime, one: timedelta, more: timedelta, calendar: Calendar
) -> None:
    middle, end = start + one, start + one + more
    parts = running_time(start, middle, calendar), running_time(middle, end, calendar)
    assert sum(parts, timedelta(0)) == running_time(start, end, calendar)
    assert running_time(start, end, calendar) <= end - start


@settings(max_examples=40)
@given(moments, times, calendars)
def test_counting_back_running_time_is_the_inverse_of_counting_forward(
    end: datetime, passed: timedelta, calendar: Calendar
) -> None:
    start = subtract_time(end, passed, calendar)
    assert running_time(start, end, calendar) == passed
    assert start <= end - passed


@settings(max_examples=40)
@given(moments, times, times, calendars)
def test_quiet_hours_delay_a_deadline_while_running_time_goes_on(
    start: datetime, one: timedelta, more: timedelta, calendar: Calendar
) -> None:
    end = add_time(start, one, calendar)
    assert running_time(start, end, calendar) == one
    late = next_waking_time(end, calendar)
    assert deadline_after(start, one, calendar) == late == next_waking_time(late, calendar)
    middle = start + min(one, more)
    assert add_time(middle, running_time(middle, end, calendar), calendar) == end


def test_a_clock_change_leaves_three_days_without_days_off_at_72_hours() -> None:
    start = datetime(2026, 3, 28, 12, tzinfo=UTC)
    assert deadline_after(start, timedelta(days=3), ALWAYS) == start + timedelta(days=3)
    assert running_time(start, start - timedelta(hours=1), ALWAYS) == timedelta(0)


@cases(
    "start, end",
    [
        # Paris: forward on 29 March 2026, back on 25 October; both nights belong to a weekend, and do not count.
        ("2026-03-27T12:00+01:00", "2026-03-30T12:00+02:00"),
        ("2026-10-23T12:00+02:00", "2026-10-26T12:00+01:00"),
    ],
)
def test_after_a_weekend_off_with_a_dst_change_a_deadline_keeps_its_hour(start: str, end: str) -> None:
    calendar = Calendar("Europe/Paris", weekends_off=True)
    assert deadline_after(datetime.fromisoformat(start), timedelta(days=1), calendar) == datetime.fromisoformat(end)


@cases(
    "at, end",
    [
        ("2026-03-29T01:30+01:00", "2026-03-29T03:00+02:00"),  # 2 o'clock does not exist: it is 3 at once
        ("2026-10-25T01:30+02:00", "2026-10-25T02:00+02:00"),  # 2 o'clock comes twice: the first is meant
        ("2026-06-01T23:30+02:00", "2026-06-02T02:00+02:00"),
        ("2026-06-01T12:00+02:00", "2026-06-01T12:00+02:00"),
    ],
)
def test_quiet_hours_end_by_local_time_on_clock_changes_too(at: str, end: str) -> None:
    calendar = Calendar("Europe/Paris", quiet=(23, 2))
    start = datetime.fromisoformat(at) - timedelta(minutes=30)
    assert deadline_after(start, timedelta(minutes=30), calendar) == datetime.fromisoformat(end)


def test_a_deadline_late_on_friday_moves_to_monday_morning() -> None:
    calendar = Calendar("Europe/Paris", weekends_off=True, quiet=(22, 7))
    friday = datetime.fromisoformat("2026-06-05T23:00+02:00")
    assert deadline_after(friday - timedelta(hours=1), timedelta(hours=1), calendar) == datetime.fromisoformat(
        "2026-06-08T07:00+02:00"
    )


def test_a_holiday_stops_the_clock_from_its_first_day_to_its_last() -> None:
    calendar = Calendar("Asia/Tokyo", holidays=((date(2026, 6, 2), date(2026, 6, 10)),))
    start = datetime.fromisoformat("2026-06-01T18:00+09:00")
    assert deadline_after(start, timedelta(days=1), calendar) == datetime.fromisoformat("2026-06-11T18:00+09:00")


def test_weekends_and_holidays_stop_the_clock_and_nights_delay_deadlines() -> None:
    """12 March 2026 is a Thursday; Paris is an hour ahead."""
    seventeenth, eighteenth = date(2026, 3, 17), date(2026, 3, 18)
    busy = Calendar("Europe/Paris", weekends_off=True, quiet=(22, 7), holidays=((seventeenth, eighteenth),))
    off = [day for day in range(12, 20) if busy.is_off(date(2026, 3, day))]
    assert off == [14, 15, 17, 18]

    def at(day: int, hour: int, minute: int = 0) -> datetime:
        return datetime(2026, 3, day, hour, minute, tzinfo=ZoneInfo("Europe/Paris")).astimezone(UTC)

    hour = timedelta(hours=1)
    friday_noon = at(13, 12)
    for allowed, until in (
        (9 * hour + timedelta(minutes=59), at(13, 21, 59)),
        (10 * hour, at(16, 7)),
        (19 * hour, at(16, 7)),
        (24 * hour, at(16, 12)),
        (34 * hour, at(19, 7)),
        (36 * hour, at(19, 7)),
        (44 * hour, at(19, 8)),
    ):
        assert deadline_after(friday_noon, allowed, busy) == until
        assert deadline_after(friday_noon, allowed, ALWAYS) == friday_noon + allowed
    assert subtract_time(at(16, 12), 24 * hour, busy) == friday_noon
    assert subtract_time(at(19, 0), 24 * hour, busy) == at(16, 0)
    assert running_time(friday_noon, at(16, 12), busy) == 24 * hour
    assert running_time(at(14, 3), at(15, 3), busy) == timedelta(0)
    assert running_time(at(16, 12), friday_noon, busy) == timedelta(0)
    day_shift = Calendar("Europe/Paris", quiet=(9, 17))
    assert [next_waking_time(at(13, *one), day_shift) for one in ((8, 59), (9, 0), (16, 59), (17, 0))] == [
        at(13, 8, 59), at(13, 17), at(13, 17), at(13, 17),
    ]  # fmt: skip


def test_the_grace_period_is_a_tenth_of_the_turn_time_within_its_bounds() -> None:
    minutes = {60: 5, 3000: 5, 3600: 6, 216_000: 360, 2_592_000: 360}
    assert {allowed: deadlines.grace_period(allowed) / timedelta(minutes=1) for allowed in minutes} == minutes
