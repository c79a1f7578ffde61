"""When reminders are due: by the time that counts for the player, and never while they sleep."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings

from pbem.services.calendar import calendar, deadlines
from pbem.services.calendar.calendar import ALWAYS, Calendar
from tests.harness.cases import cases
from tests.services.calendar.calendars import calendars, moments, times
from tests.table import START

PARIS = ZoneInfo("Europe/Paris")
NIGHT = Calendar("Europe/Paris", quiet=(22, 7))


def moment_in_paris(day: int, hour: int, minute: int = 0, month: int = 3) -> datetime:
    """A moment of 2026 by the clocks of Paris."""
    return datetime(2026, month, day, hour, minute, tzinfo=PARIS).astimezone(UTC)


def reminders_of_turn(mailed: datetime, hours: int, days: Calendar) -> list[tuple[str, datetime]]:
    """Returns the reminders of a turn of this many hours, in the order in which they are due."""
    end = calendar.add_time(mailed, timedelta(hours=hours), days)
    deadline = calendar.next_waking_time(end, days)
    return [(stage.name, stage.at) for stage in deadlines.reminder_stages(mailed, end, deadline, days)]


@cases(
    "whole, gone, due",
    [
        ("72h", "35h", None), ("72h", "36h", "half"), ("72h", "62h", "half"), ("72h", "63h", "end"),
        ("48h", "24h", "half"), ("48h", "42h", "end"),
        ("47h", "24h", None), ("47h", "42h", "end"),
        ("24h", "20h", None), ("24h", "21h", "end"),
        ("6h", "3h", None), ("6h", "4h", "end"),
        ("4h", "1h", None), ("4h", "2h", "end"),
        ("3h", "2h", None), ("1h", "0h", None),
        ("720h", "359h", None), ("720h", "360h", "half"), ("720h", "695h", "half"), ("720h", "696h", "end"),
    ],
)  # fmt: skip
def test_the_reminder_due_depends_on_the_turns_length_and_the_time_passed(
    whole: str, gone: str, due: str | None
) -> None:
    deadline = START + timedelta(hours=int(whole[:-1]))
    found = deadlines.due_reminder(
        deadlines.reminder_stages(START, deadline, deadline, ALWAYS), START + timedelta(hours=int(gone[:-1]))
    )
    assert (found.name if found else None) == due


def test_a_mail_sent_seconds_late_does_not_cost_the_half_time_reminder() -> None:
    deadline = START + timedelta(hours=48)
    found = deadlines.reminder_stages(START + timedelta(seconds=8), deadline, deadline, ALWAYS)
    assert [stage.name for stage in found] == ["half", "end"]


def test_a_deadline_put_off_to_the_morning_brings_an_evening_reminder() -> None:
    # The time is used up on Friday at 22:30, and the deadline is on Saturday at 7:00.
    assert reminders_of_turn(moment_in_paris(12, 22, 30), 24, NIGHT) == [("end", moment_in_paris(13, 19, 30))]
    # The time is used up at 3:00, and an eighth before that is midnight: the reminder comes before bedtime.
    assert reminders_of_turn(moment_in_paris(13, 3), 24, NIGHT) == [("end", moment_in_paris(13, 21, 45))]


def test_a_night_reminder_moves_to_the_morning_if_an_hour_remains_then() -> None:
    assert reminders_of_turn(moment_in_paris(12, 9), 24, NIGHT) == [("end", moment_in_paris(13, 7))], (
        "6:00 is too early"
    )
    assert reminders_of_turn(moment_in_paris(12, 7, 30), 24, NIGHT) == [("end", moment_in_paris(12, 21, 45))], (
        "and 7:00 would be too late"
    )


def test_a_turn_begun_at_night_has_a_morning_reminder_if_an_hour_remains() -> None:
    assert reminders_of_turn(moment_in_paris(12, 22, 30), 9, NIGHT) == [("end", moment_in_paris(13, 7))]
    assert reminders_of_turn(moment_in_paris(12, 22, 30), 7, NIGHT) == []


def test_a_weekend_off_does_not_count_towards_the_half_time_reminder() -> None:
    weekends = Calendar("Europe/Paris", weekends_off=True)
    assert reminders_of_turn(moment_in_paris(13, 18), 24, weekends) == [("end", moment_in_paris(16, 15))]
    assert reminders_of_turn(moment_in_paris(13, 18), 48, weekends) == [
        ("half", moment_in_paris(16, 18)),
        ("end", moment_in_paris(17, 12)),
    ]


def test_half_time_comes_after_a_holiday_in_which_no_time_has_passed() -> None:
    holiday = Calendar("Europe/Paris", holidays=((date(2026, 3, 13), date(2026, 3, 24)),))
    assert reminders_of_turn(moment_in_paris(12, 12), 72, holiday) == [
        ("half", moment_in_paris(26, 0)),
        ("end", moment_in_paris(27, 3)),
    ]


def test_if_a_holiday_follows_the_night_the_reminder_comes_before_both() -> None:
    days = Calendar("Europe/Paris", True, (22, 9), ((date(2026, 3, 12), date(2026, 3, 13)),))
    # The time is used up on Monday at 2:00; what is left until the deadline at 9:00 is night.
    assert reminders_of_turn(moment_in_paris(10, 6), 44, days) == [("end", moment_in_paris(11, 20, 30))]
    assert reminders_of_turn(moment_in_paris(11, 4), 22, days) == [("end", moment_in_paris(11, 21, 45))]


@cases(
    "mailed, evening",
    # The clocks go forward at 2:00 on 29 March and back at 3:00 on 25 October; the time is used up at 7:00.
    [
        (moment_in_paris(28, 6), moment_in_paris(28, 21, 45)),
        (moment_in_paris(24, 8, month=10), moment_in_paris(24, 21, 45, 10)),
    ],
)
def test_on_nights_of_clock_changes_reminders_come_in_the_evening_before(mailed: datetime, evening: datetime) -> None:
    assert reminders_of_turn(mailed, 24, NIGHT) == [("end", evening)]


@settings(max_examples=40)
@given(moments, times, calendars)
def test_no_reminder_falls_into_quiet_hours_or_after_the_deadline(
    mailed: datetime, allowed: timedelta, days: Calendar
) -> None:
    end = calendar.add_time(mailed, allowed, days)
    deadline = calendar.next_waking_time(end, days)
    found = deadlines.reminder_stages(mailed, end, deadline, days)
    for stage in found:
        assert mailed <= stage.since <= stage.at < deadline
        assert calendar.next_waking_time(stage.at, days) == stage.at, "they are awake"
    assert [stage.at for stage in found] == sorted({stage.at for stage in found})
    if not days.quiet and allowed >= 2 * deadlines.LEAD_MIN:
        assert found, "who never has quiet hours is always told"
    if found and found[0].name == "half" and not days.quiet:
        assert calendar.running_time(mailed, found[0].at, days) == calendar.running_time(mailed, end, days) / 2
