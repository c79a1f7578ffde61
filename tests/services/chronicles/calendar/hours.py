"""When clocks run, what time a question has, and when a player is reminded: tables of pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from pbem.models.tables import AskRow, Match, SeatRow
from pbem.services.calendar import calendar, deadlines, heartbeats
from pbem.services.calendar.calendar import Calendar
from pbem.services.calendar.deadlines import Silence, Time
from pbem.services.clock import holidays, setbacks
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
CALENDARS = {
    "always": Calendar(),
    "Paris, weekends off": Calendar("Europe/Paris", weekends_off=True),
    "London, quiet from 22 to 7": Calendar("Europe/London", quiet=(22, 7)),
    "New York, quiet from 1 to 3": Calendar("America/New_York", quiet=(1, 3)),
    "Kathmandu, holidays": Calendar(
        "Asia/Kathmandu", holidays=((date(2026, 3, 14), date(2026, 3, 14)), (date(2026, 3, 16), date(2026, 3, 18)))
    ),
    "Havana, all of it": Calendar("America/Havana", True, (20, 6), ((date(2026, 3, 5), date(2026, 3, 6)),)),
}
"""In New York and Havana the clocks change on 8 March, in Havana at midnight."""


def moment_in_march(day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    """A moment in March."""
    return datetime(2026, 3, 1, hour, minute, second, tzinfo=UTC) + timedelta(days=day - 1)


STARTS = (
    moment_in_march(5, 4, 59, 59),
    moment_in_march(6, 21, 30),
    moment_in_march(8, 4),
    moment_in_march(8, 6, 20),
    moment_in_march(13, 18, 15),
    moment_in_march(29, 0, 30),
)


def tell(house: House, told: Chronicle) -> None:
    told.part("how a time is told: its deadline (when it runs out), seconds allowed, mailed, acts, reminded")
    _tell_days(told)
    _tell_reminders(told)
    _tell_times(told)
    _tell_moving(told)
    _tell_silences(told)
    _tell_others(told)


def _table(rows: Callable[..., Iterator[tuple[str, Any]]], *given: Any) -> dict[str, Any]:
    return dict(rows(*given))


def _tell_days(told: Chronicle) -> None:
    told.part("when clocks run")
    for name, days in CALENDARS.items():
        told.do(f"{name}: days", partial(_table, _words_of_days, days))
        told.do(f"{name}: hours", partial(_table, _words_of_hours, days))


def _words_of_days(days: Calendar) -> Iterator[tuple[str, Any]]:
    yield "plain", days.clock_always_runs
    yield "off", [day for day in range(1, 32) if days.is_off(date(2026, 3, day))]
    yield (
        "midnights",
        [
            days.day_of(one)
            for one in (
                moment_in_march(8, 4, 59, 59),
                moment_in_march(8, 5),
                moment_in_march(13, 18, 14, 59),
                moment_in_march(13, 18, 15),
            )
        ],
    )


def _words_of_hours(days: Calendar) -> Iterator[tuple[str, Any]]:
    for start in STARTS:
        for hours in (0, 1, 100):
            allowed = timedelta(hours=hours)
            end = calendar.add_time(start, allowed, days)
            spent = calendar.running_time(start, end, days), calendar.running_time(start, end + 5 * HOUR, days)
            until, back = calendar.deadline_after(start, allowed, days), calendar.subtract_time(end, allowed, days)
            moments = f"{_words(end)} awake {_words(until)} back {_words(back)}"
            yield f"{_words(start)} + {hours} h", [moments, f"{spent[0]} or {spent[1]}"]
    yield "nothing runs backwards", calendar.running_time(moment_in_march(6), moment_in_march(5), days)
    awake = (calendar.next_waking_time(moment_in_march(8) + hour * HOUR / 4, days) for hour in range(0, 48, 3))
    yield "awake", [_words(one) for one in dict.fromkeys(awake)]
    zone = ZoneInfo(days.zone)
    yield (
        "hours began",
        [
            calendar.last_full_hour(one, zone)
            for one in (moment_in_march(8, 6, 20), moment_in_march(8, 7, 20), moment_in_march(29, 1, 15, 9))
        ],
    )


def _tell_reminders(told: Chronicle) -> None:
    told.part("reminders")
    for name, days in CALENDARS.items():
        told.do(name, partial(_table, _words_of_reminders, days))
    found = deadlines.reminder_stages(moment_in_march(2), moment_in_march(6), moment_in_march(6), Calendar())
    moments = (
        moment_in_march(3),
        moment_in_march(4) - SECOND,
        moment_in_march(4),
        moment_in_march(5, 12),
        moment_in_march(6),
    )
    told.do("due by then", lambda: [deadlines.due_reminder(found, one) for one in moments])
    told.do("and following", lambda: [deadlines.time_of_next_reminder(found, one) for one in moments])


def _words_of_reminders(days: Calendar) -> Iterator[tuple[str, Any]]:
    for mailed in (moment_in_march(2, 9), moment_in_march(6, 15, 40)):
        for hours in (1, 3.99, 4, 15, 17, 24, 47.9, 47.92, 48, 100, 192, 240):
            end = calendar.add_time(mailed, timedelta(hours=hours), days)
            limit = calendar.next_waking_time(end, days)
            stages = deadlines.reminder_stages(mailed, end, limit, days)
            said = [f"{one.name} {_words(one.since)} at {_words(one.at)}" for one in stages]
            first = deadlines.time_of_first_reminder(mailed, end, limit, days)
            yield f"{_words(mailed)} {hours} h", [*said, f"first {_words(first)}"]
    for minutes in (30, 59, 60, 61, 120):
        end = moment_in_march(4, 7) + timedelta(minutes=minutes)
        stages = deadlines.reminder_stages(moment_in_march(3, 21), end, end, days)
        yield f"overnight {minutes}", [one.at for one in stages]


def _ask(time: Time, **more: Any) -> AskRow:
    row = AskRow(
        match_id="m", key="k", seat=0, kind="ally", turn="t0", origin="k", opened_n=1, opened_at=moment_in_march(2)
    )
    deadlines.store_time_in_ask(row, time)
    for name, value in more.items():
        setattr(row, name, value)
    return row


def _words(moment: datetime | None) -> str:
    """The day and the time, with seconds only if there are any."""
    return "-" if moment is None else f"{moment:%d/%H:%M:%S}".removesuffix(":00")


def _match(**more: Any) -> Match:
    made: dict[str, Any] = {
        "id": "m",
        "game": "hogen",
        "options": {},
        "status": "running",
        "created_at": moment_in_march(2),
    }
    made.update(seed=bytes(32), commitment="", turn_s=86_400, window_s=7200)
    made.update(more)
    return Match(**made)


def _seat(**more: Any) -> SeatRow:
    return SeatRow(match_id="m", seat=0, name="Alice", status="accepted", **more)


def _short(time: Time) -> str:
    mailed, acts = _words(time.mailed_at), _words(time.acts_at)
    out, remind = _words(time.runs_out), _words(time.remind_at)
    return f"{_words(time.deadline)} ({out}) {time.allowed_s} {mailed} {acts} {remind}"


def _tell_times(told: Chronicle) -> None:
    told.part("the time of a question")
    told.do("grace", lambda: {str(s): deadlines.grace_period(s) for s in (0, 2999, 3001, 86_400, 215_999, 216_001)})
    match = _match(turn_s=86_400, window_s=7200, bank_s=500)
    here = _seat()
    seats = {
        "no bank": here,
        "a bank": _seat(bank_s=400),
        "an empty bank": _seat(bank_s=59),
        "absent": _seat(absent=True),
        "resigned": _seat(resigned=True),
        "bot": _seat(bot="greedy"),
    }
    days = CALENDARS["London, quiet from 22 to 7"]
    for name, seat in seats.items():
        told.do(name, partial(_table, _of_seat, match, seat, days))
    told.do(
        "windows",
        lambda: {
            name: _short(
                deadlines.common_time_of_silent_window(7200, moment_in_march(3, 21), moment_in_march(3, 20), those)
            )
            for name, those in {
                "nobody": [],
                "London": [days],
                "two": [Calendar(), days],
                "more": [*CALENDARS.values()],
            }.items()
        },
    )
    for name, other in CALENDARS.items():
        told.do(f"from now: {name}", partial(_from_now, other))
    told.do("banks", lambda: dict(_banks(match)))
    told.do("mails", lambda: dict(_mails(days)))


def _from_now(days: Calendar) -> list[str]:
    return [_short(deadlines.time_if_clock_starts_at(seconds, moment_in_march(6, 20), days)) for seconds in TURNS]


TURNS = (60, 7200, 86_400, 259_200)


def _of_seat(match: Match, seat: SeatRow, days: Calendar) -> Iterator[tuple[str, Any]]:
    yield "allowed", [deadlines.seconds_allowed(match, seat, window) for window in (False, True)]
    yield (
        "new",
        _short(deadlines.time_of_new_ask(match, seat, False, moment_in_march(3, 9), moment_in_march(3, 10), days)),
    )
    yield (
        "window",
        _short(deadlines.time_of_new_ask(match, seat, True, moment_in_march(3, 21), moment_in_march(3, 22), days)),
    )
    for name, by, mailed in (
        ("goes on", "seat", moment_in_march(2)),
        ("unsent", "clock", None),
        ("after the clock", "clock", moment_in_march(2)),
    ):
        before = _ask(Time(moment_in_march(5), 9, mailed, moment_in_march(6), None, moment_in_march(4)))
        yield name, _short(deadlines.time_of_continuing_ask(before, seat, by, moment_in_march(4)))


def _banks(match: Match) -> Iterator[tuple[str, Any]]:
    time = Time(moment_in_march(3, 0, 10), 400, moment_in_march(3, 0, 3, 20), moment_in_march(3, 1))
    outage: list[Silence] = [(moment_in_march(3, 0, 4), moment_in_march(3, 0, 20))]
    setback: list[Silence] = [(moment_in_march(3, 0, 4), moment_in_march(2, 23))]
    for name, now, row, silences, gain in (
        ("at once", moment_in_march(3, 0, 3, 20), _ask(time), [], 0),
        ("after 100 s", moment_in_march(3, 0, 5), _ask(time), [], 0),
        ("after 100 s, 30 more", moment_in_march(3, 0, 5), _ask(time), [], 30),
        ("up to the cap", moment_in_march(3, 0, 4), _ask(time), [], 300),
        ("late", moment_in_march(3, 0, 11), _ask(time), [], 7),
        ("an outage", moment_in_march(3, 0, 21), _ask(time), outage, 0),
        ("a setback", moment_in_march(3, 0, 5), _ask(time), setback, 1),
        ("never mailed", moment_in_march(3, 0, 9), _ask(replace(time, mailed_at=None)), [], 5),
    ):
        for bank in (400, 450):
            seat = _seat(bank_s=bank)
            deadlines.charge_bank_and_add_increment(match, seat, row, now, Calendar(), silences, increment_s=gain)
            yield f"{name}, {bank}", seat.bank_s
    for name, seat in (
        ("absent", _seat(bank_s=9, absent=True)),
        ("resigned", _seat(bank_s=9, resigned=True)),
        ("none", _seat()),
    ):
        deadlines.charge_bank_and_add_increment(
            match, seat, _ask(time), moment_in_march(3, 0, 5), Calendar(), increment_s=3
        )
        yield name, seat.bank_s
    seat = _seat(bank_s=9)
    deadlines.charge_bank_and_add_increment(
        _match(), seat, _ask(time), moment_in_march(3, 0, 5), Calendar(), increment_s=3
    )
    yield "a table without banks", seat.bank_s


def _mails(days: Calendar) -> Iterator[tuple[str, Any]]:
    waiting = deadlines.time_of_new_ask(
        _match(turn_s=86_400), _seat(), False, moment_in_march(3, 9), moment_in_march(3, 9), days
    )
    for late in (0, 300, 301, 36_000):
        moment = moment_in_march(3, 9) + timedelta(seconds=late)
        yield f"late by {late} s", _short(deadlines.time_after_mail(_ask(waiting), moment, days))
    left = replace(waiting, mailed_at=moment_in_march(3, 9))
    yield "a second one", _short(deadlines.time_after_mail(_ask(left), moment_in_march(4), days))
    night = replace(waiting, deadline=moment_in_march(4, 7), runs_out=moment_in_march(4, 1))
    yield "until the night", _short(deadlines.time_after_mail(_ask(night), moment_in_march(3, 9), days))
    yield (
        "a bot",
        _short(deadlines.time_in_row_of_ask(_ask(replace(left, remind_at=moment_in_march(3, 12)), bot="greedy"))),
    )
    row = _ask(left, bot="greedy")
    deadlines.store_time_in_ask(row, replace(left, remind_at=moment_in_march(3, 12)))
    yield "set for a bot", row.remind_at


def _tell_moving(told: Chronicle) -> None:
    told.part("after a change of the calendar")
    time = deadlines.time_if_clock_starts_at(172_800, moment_in_march(5, 9), Calendar())
    for name, after in CALENDARS.items():
        told.do(name, partial(_table, _change, time, Calendar(), after))
    quiet = CALENDARS["London, quiet from 22 to 7"]
    put_off = deadlines.time_if_clock_starts_at(50_400, moment_in_march(5, 9), quiet)
    told.do("no quiet hours any more", lambda: dict(_change(put_off, quiet, Calendar("Europe/London"))))
    told.do("quiet hours for weekends", lambda: dict(_change(put_off, quiet, CALENDARS["Paris, weekends off"])))


def _change(time: Time, before: Calendar, after: Calendar) -> Iterator[tuple[str, Any]]:
    moments = [
        moment_in_march(5, 10),
        moment_in_march(5, 22, 59),
        moment_in_march(5, 23, 1),
        moment_in_march(6, 3),
        moment_in_march(7, 8, 59),
        moment_in_march(7, 9),
        moment_in_march(7, 11),
    ]
    for now in (*moments, time.acts_at or moment_in_march(9), (time.acts_at or moment_in_march(9)) + SECOND):
        yield f"at {now:%d/%H:%M}", _short(deadlines.time_after_calendar_change(_ask(time), now, before, after))
    unsent = _ask(replace(time, mailed_at=None, acts_at=None))
    yield "unsent", _short(deadlines.time_after_calendar_change(unsent, moment_in_march(6), before, after))
    yield (
        "stopped",
        _short(
            deadlines.time_after_calendar_change(_ask(replace(time, acts_at=None)), moment_in_march(6), before, after)
        ),
    )
    late = _ask(replace(time, acts_at=None))
    yield "late", _short(deadlines.time_after_calendar_change(late, moment_in_march(7, 10), before, after))
    vote = _ask(time, vote_since=moment_in_march(6))
    yield "voted on", _short(deadlines.time_after_calendar_change(vote, moment_in_march(6), before, after))


def _tell_silences(told: Chronicle) -> None:
    told.part("after outages")
    for name in ("always", "Paris, weekends off", "London, quiet from 22 to 7"):
        told.do(name, partial(_table, _after_outages, CALENDARS[name]))
    told.part("after the clock was set back")
    for name in ("always", "Paris, weekends off"):
        told.do(name, partial(_table, _after_setbacks, CALENDARS[name]))
    told.do("what matters", lambda: dict(_that_matter()))
    told.do("what the clock said", lambda: dict(_words_then()))


def _after_outages(days: Calendar) -> Iterator[tuple[str, Any]]:
    time = deadlines.time_if_clock_starts_at(86_400, moment_in_march(6, 9), days)
    acts = time.acts_at or moment_in_march(9)
    for name, since, until in (
        ("before", moment_in_march(6, 7), moment_in_march(6, 8)),
        ("as the mail left", moment_in_march(6, 8), moment_in_march(6, 9)),
        ("over the mail", moment_in_march(6, 8), moment_in_march(6, 10)),
        ("in the middle", moment_in_march(6, 12), moment_in_march(6, 15)),
        ("over the end", time.deadline - HOUR, time.deadline + HOUR),
        ("from the end", time.deadline, time.deadline + HOUR),
        ("in the grace", time.deadline + HOUR, time.deadline + 2 * HOUR),
        ("as the clock acts", acts, acts + HOUR),
        ("just before it acts", acts - SECOND, acts + HOUR),
        ("at the weekend", moment_in_march(7, 6), moment_in_march(7, 12)),
    ):
        yield name, _short(deadlines.time_after_outage(time, since, until, days))
    for name, other in (("unsent", replace(time, mailed_at=None)), ("stopped", replace(time, acts_at=None))):
        yield name, _short(deadlines.time_after_outage(other, moment_in_march(6, 12), moment_in_march(6, 15), days))


def _after_setbacks(days: Calendar) -> Iterator[tuple[str, Any]]:
    time = deadlines.time_if_clock_starts_at(86_400, moment_in_march(5, 9), days)
    acts = time.acts_at or moment_in_march(9)
    for name, since, until in (
        ("before the mail", moment_in_march(5, 12), moment_in_march(5, 8)),
        ("after the mail", moment_in_march(5, 12), moment_in_march(5, 10)),
        ("from the end", time.deadline, moment_in_march(5, 12)),
        ("from the grace", time.deadline + HOUR, moment_in_march(5, 12)),
        ("from long after", acts + 48 * HOUR, moment_in_march(5, 12)),
        ("to when it acts", acts + HOUR, acts),
        ("to just before", acts + HOUR, acts - SECOND),
    ):
        yield name, _short(deadlines.time_after_setback(time, since, until, days))
        unsent = replace(time, mailed_at=None, acts_at=None, remind_at=None)
        yield f"{name}, unsent", _short(deadlines.time_after_setback(unsent, since, until, days))
    stopped = replace(time, acts_at=None)
    yield "stopped", _short(deadlines.time_after_setback(stopped, moment_in_march(5, 12), moment_in_march(5, 10), days))


def _that_matter() -> Iterator[tuple[str, Any]]:
    ahead: list[Silence] = [
        (moment_in_march(1), moment_in_march(20)),
        (moment_in_march(20), moment_in_march(2)),
        (moment_in_march(3), moment_in_march(4)),
        (moment_in_march(9), moment_in_march(8)),
    ]
    for begun in (
        moment_in_march(1),
        moment_in_march(2),
        moment_in_march(3),
        moment_in_march(8),
        moment_in_march(8, 1),
        moment_in_march(20),
    ):
        for now in (moment_in_march(5), moment_in_march(8), moment_in_march(9), moment_in_march(21)):
            found = deadlines.silences_that_matter(ahead, begun, now)
            yield f"{begun:%d %H} at {now:%d}", [ahead.index(one) for one in found]
    yield "not begun", len(deadlines.silences_that_matter(ahead, None, moment_in_march(9)))
    time = deadlines.time_if_clock_starts_at(86_400, moment_in_march(5, 9))
    both: list[Silence] = [
        (moment_in_march(5, 12), moment_in_march(15, 12)),
        (moment_in_march(15, 14), moment_in_march(5, 14)),
    ]
    for false in (None, both[0]):
        for now in (moment_in_march(5, 14), moment_in_march(15, 13)):
            moved = deadlines.time_after_silences(time, both, now, Calendar(), false)
            yield f"{'wrong' if false else 'unknown'} at {now:%d}", _short(moved)


def _words_then() -> Iterator[tuple[str, Any]]:
    false = (moment_in_march(5), moment_in_march(15))
    for mailed in (None, moment_in_march(4), moment_in_march(5), moment_in_march(5, 6), moment_in_march(6)):
        for given in (0, 4, 5, 6, 10):
            time = Time(moment_in_march(7) + timedelta(days=given), 86_400, mailed, None)
            time = time if mailed is None else replace(time, deadline=mailed + timedelta(days=1 + given))
            for since, until in (
                (moment_in_march(16), moment_in_march(6)),
                (moment_in_march(15, 6), moment_in_march(5, 12)),
            ):
                said = deadlines.moment_on_old_clock(time, since, until, false)
                yield f"{mailed and mailed.strftime('%d/%H')} +{given} {since:%d/%H}→{until:%d/%H}", said
    yield (
        "nothing false",
        deadlines.moment_on_old_clock(
            Time(moment_in_march(9), 9, moment_in_march(4), None), moment_in_march(16), moment_in_march(6), None
        ),
    )


def _tell_others(told: Chronicle) -> None:
    told.part("parts of a time")
    others: list[Silence] = [
        (moment_in_march(5), moment_in_march(6)),
        (moment_in_march(1), moment_in_march(2)),
        (moment_in_march(5), moment_in_march(7)),
        (moment_in_march(8), moment_in_march(9)),
        (moment_in_march(9), moment_in_march(10)),
    ]
    for since, until in (
        (moment_in_march(1), moment_in_march(12)),
        (moment_in_march(2), moment_in_march(5)),
        (moment_in_march(5, 12), moment_in_march(8, 12)),
        (moment_in_march(5), moment_in_march(7)),
        (moment_in_march(4), moment_in_march(4)),
    ):
        told.do(f"{since:%d} to {until:%d}", partial(heartbeats.parts_not_covered, since, until, others))
    moments = [
        moment_in_march(4),
        moment_in_march(5),
        moment_in_march(5, 0, 0, 1),
        moment_in_march(6),
        moment_in_march(8),
    ]
    told.do(
        "moments after silences",
        lambda: {
            f"{since:%d}→{until:%d}": [setbacks.moment_after_silence(one, since, until) for one in moments]
            for since, until in (
                (moment_in_march(5), moment_in_march(7)),
                (moment_in_march(7), moment_in_march(5)),
                (moment_in_march(20), moment_in_march(5)),
            )
        },
    )
    back: list[Silence] = [(moment_in_march(5), moment_in_march(7)), (moment_in_march(20), moment_in_march(6))]
    told.do(
        "last days",
        lambda: [
            setbacks.lapse_after_silences(lapses, back, begun, false)
            for lapses in (moment_in_march(6), moment_in_march(10), moment_in_march(18), moment_in_march(30))
            for begun in (moment_in_march(2), moment_in_march(6), moment_in_march(8))
            for false in (None, (moment_in_march(5), moment_in_march(19)))
        ],
    )
    told.do("begun by now", lambda: dict(_begin_by()))
    told.do(
        "quiet hours as entered",
        lambda: [
            holidays.parse_quiet_hours(*one) for one in (("", ""), ("0", "23"), ("23", "07"), ("7", "7"), ("07", "7"))
        ],
    )
    for first, last in (
        ("", "7"),
        ("7", ""),
        ("24", "7"),
        ("7", "24"),
        ("007", "8"),
        ("x", "8"),
        ("-1", "8"),
        ("²", "8"),
    ):
        told.do(f"from “{first}” to “{last}”", partial(holidays.parse_quiet_hours, first, last))
    told.do("hours of a form", lambda: [holidays.clock_hours(days) for days in CALENDARS.values()])


def _begin_by() -> Iterator[tuple[str, Any]]:
    now = moment_in_march(5)
    time = Time(moment_in_march(9), 9, moment_in_march(4), moment_in_march(10))
    for name, more in {
        "opened later": {"opened_at": moment_in_march(5, 1)},
        "opened later, in a window": {"opened_at": moment_in_march(5, 1), "floor_at": moment_in_march(5, 3)},
        "opened now": {"opened_at": moment_in_march(5), "floor_at": moment_in_march(5, 3)},
        "voted on later": {"vote_since": moment_in_march(6)},
        "voted on earlier": {"vote_since": moment_in_march(4)},
        "claimed for an hour": {"claimed_until": moment_in_march(5, 1)},
        "claimed for more": {"claimed_until": moment_in_march(5, 1, 0, 1)},
        "sealed later": {"sealed_at": moment_in_march(5, 1), "follow_at": moment_in_march(5, 2)},
        "sealed earlier": {"sealed_at": moment_in_march(4, 1), "follow_at": moment_in_march(4, 2)},
    }.items():
        for acts in (False, True):
            row = _ask(time, **more)
            setbacks.ensure_ask_begun(row, now, acts)
            yield (
                f"{name}{', away' if acts else ''}",
                [
                    row.opened_at,
                    row.vote_since,
                    row.acts_at,
                    row.claimed_until,
                    row.sealed_at,
                    row.follow_at,
                    row.floor_at,
                ],
            )
