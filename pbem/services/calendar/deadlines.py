"""How much time an ask allows, and when the clock acts. Computed here, stored in the row of the ask.

    opened ──relay accepts the mail──> the time runs ──> deadline ──grace──> the clock acts

1. No clock runs before its mail was accepted, or before it is settled that no mail is due. A mail that leaves late
   moves the deadline, so that the player has the whole time; the mail itself states the deadline that will apply.
2. Between the deadline and the moment the clock acts there is a grace period, which pages show.
3. A bank caps the time of a seat for all its turns together: a turn uses up its thinking time and adds one increment,
   even if others are asked in the middle of it. Moved deadlines and outages that are still to be given back cost
   nothing.
4. For a seat whose owner is absent or has resigned, the clock acts at once, without a mail.
5. Quiet hours put off a deadline but are not part of the time: anything that moves the deadline later starts from
   `runs_out`, when the time itself is used up. So the same wait is never counted twice.
6. Those who are asked together in a silent window have one deadline and one grace, which nothing about a single one
   of them moves: no late mail, no change of their calendar. Its clock runs as soon as it opens.
7. The time of the first reminder (see `time_of_first_reminder`) is computed together with the deadline, always. If that
   reminder was already sent, the sweep looks at the ask once more but does not send it again.

Reminders are counted in running time, and sent outside quiet hours:

1. There is a reminder at half-time, if the whole time is 48 hours or more; and one near the end: an eighth of the time
   before it is used up, at least 2 hours and at most 24. If that is more than half of the time, there is none near the
   end.
2. A reminder that would fall into quiet hours or on a day off is put off until they end. If that would leave less than
   an hour, the player is reminded shortly before the quiet hours begin.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy.orm.attributes import flag_modified

from pbem.models.tables import AskRow, Match, SeatRow
from pbem.services.calendar import calendar
from pbem.services.calendar.calendar import ALWAYS, Calendar

GRACE_MIN, GRACE_MAX = timedelta(minutes=5), timedelta(hours=6)
BANK_MIN_S = 60
"""The seconds that a turn gets even with an empty bank."""
LATE = timedelta(minutes=5)
"""A mail that leaves more than this after it was due moves the deadline."""

Silence = tuple[datetime, datetime]
"""Start and end of a time in which the service was down; or, if it ends before it starts, from which moment to which
one the clock was set back."""


@dataclass(frozen=True)
class Time:
    """The time of an ask: the columns of its row that matter to the clock."""

    deadline: datetime
    allowed_s: int
    mailed_at: datetime | None
    acts_at: datetime | None
    runs_out: datetime | None = None
    """When the running time is used up, if quiet hours put off the deadline; None if that is the deadline itself."""
    remind_at: datetime | None = None
    """When the sweep checks the ask for a reminder; None means never."""

    @property
    def end_of_running_time(self) -> datetime:
        """Returns when the running time is used up."""
        return self.runs_out or self.deadline


def time_in_row_of_ask(ask: AskRow) -> Time:
    """Returns the time of the ask as stored in its row; the ask has a deadline."""
    assert ask.deadline is not None, "at an untimed table no clock runs"
    return Time(ask.deadline, ask.allowed_s, ask.mailed_at, ask.acts_at, ask.runs_out, ask.remind_at)


def grace_period(allowed_s: int) -> timedelta:
    """Returns how long the clock waits after the deadline: a tenth of the time, between 5 minutes and 6 hours."""
    return min(max(timedelta(seconds=allowed_s) / 10, GRACE_MIN), GRACE_MAX)


def seconds_allowed(match: Match, seat: SeatRow, window: bool) -> int:
    """Returns the seconds allowed for an ask to the seat: set by the match, or what is left in the seat's bank."""
    if window:
        return match.window_s
    return match.turn_s if seat.bank_s is None else max(seat.bank_s, BANK_MIN_S)


def charge_bank_and_add_increment(
    match: Match, seat: SeatRow, answered: AskRow, now: datetime, days: Calendar, silences: Sequence[Silence] = (),
    *, increment_s: int,
) -> None:  # fmt: skip
    """Subtracts the seat's thinking time from its bank and adds `increment_s`, which is 0 if the turn already had it.

    `silences` are the outages for which the deadline of the ask has not been moved yet.
    """
    if match.bank_s is None or seat.bank_s is None or seat.absent or seat.resigned:
        return
    thought = 0.0
    if answered.mailed_at is not None:
        time = time_after_silences(time_in_row_of_ask(answered), silences, now, days)
        thought = max(
            answered.allowed_s - calendar.running_time(now, time.end_of_running_time, days).total_seconds(), 0
        )
    if any(until < since for since, until in silences):
        thought = 0.0  # the clock has just been set back: how long it was is not known
    seat.bank_s = min(max(seat.bank_s - round(thought), 0) + increment_s, match.bank_s)


def time_of_new_ask(match: Match, seat: SeatRow, window: bool, now: datetime, due: datetime, days: Calendar) -> Time:
    """Returns the time of an ask that opens now and whose mail is due at `due`."""
    allowed_s = seconds_allowed(match, seat, window)
    if seat.absent or seat.resigned:
        return Time(now, 0, now, now)
    if seat.bot is not None:
        return replace(time_if_clock_starts_at(allowed_s, now), remind_at=None)
    return _time_ending_at(calendar.add_time(due, timedelta(seconds=allowed_s), days), allowed_s, None, days)


def common_time_of_silent_window(allowed_s: int, start: datetime, now: datetime, calendars: Iterable[Calendar]) -> Time:
    """Returns the common time of all who are asked in a silent window: that of the player whose time ends last.

    `calendars` are those of the people asked who are not absent; without any, no hours are left out.
    """
    days = [*calendars] or [ALWAYS]
    ends = [calendar.add_time(start, timedelta(seconds=allowed_s), one) for one in days]
    deadline = max(calendar.next_waking_time(end, one) for end, one in zip(ends, days, strict=True))
    return Time(deadline, allowed_s, now, max(clock_acts_at(deadline, allowed_s, one) for one in days))


def time_of_continuing_ask(answered: AskRow, seat: SeatRow, closed_by: str, now: datetime) -> Time:
    """Returns the time of an ask that continues a stretch: what is left of it, or nothing once the clock has acted."""
    if closed_by == "clock" or seat.absent or seat.resigned:
        return replace(time_in_row_of_ask(answered), mailed_at=answered.mailed_at or now, acts_at=now, remind_at=None)
    return time_in_row_of_ask(answered)


def time_if_clock_starts_at(allowed_s: int, start: datetime, days: Calendar = ALWAYS) -> Time:
    """Returns the time of an ask whose clock starts at `start`."""
    return _time_ending_at(calendar.add_time(start, timedelta(seconds=allowed_s), days), allowed_s, start, days)


def _time_ending_at(end: datetime, allowed_s: int, mailed_at: datetime | None, days: Calendar) -> Time:
    """Returns the time that is used up at `end`. Its clock acts only if the mail has left."""
    deadline = calendar.next_waking_time(end, days)
    runs_out = end if end != deadline else None
    if mailed_at is None:
        return Time(deadline, allowed_s, None, None, runs_out)
    remind_at = time_of_first_reminder(mailed_at, end, deadline, days)
    return Time(deadline, allowed_s, mailed_at, clock_acts_at(deadline, allowed_s, days), runs_out, remind_at)


def clock_acts_at(deadline: datetime, allowed_s: int, days: Calendar) -> datetime:
    """Returns when the clock acts, after the grace period."""
    return calendar.deadline_after(deadline, grace_period(allowed_s), days)


def time_after_calendar_change(ask: AskRow, now: datetime, before: Calendar, after: Calendar) -> Time:
    """Returns the time of an open ask after its player's calendar changed: the remaining time stays the same.

    Only running time carries over, so changing quiet hours again and again gains nothing.
    """
    time = time_in_row_of_ask(ask)
    if ask.vote_since is not None:
        return time
    if time.deadline <= now:  # in its grace period, of which the part that was used stays the same
        grace_runs = time.acts_at is not None and time.acts_at > now
        return (
            _time_in_grace(time, calendar.running_time(time.deadline, now, before), now, after) if grace_runs else time
        )
    end = (
        calendar.add_time(now, calendar.running_time(now, time.end_of_running_time, before), after)
        if time.end_of_running_time > now
        else time.end_of_running_time
    )
    fresh = _time_ending_at(end, time.allowed_s, time.mailed_at, after)
    if fresh.deadline < now:  # only quiet hours were left before the deadline
        acts_at = clock_acts_at(now, time.allowed_s, after)
        fresh = replace(fresh, deadline=now, runs_out=end, acts_at=acts_at, remind_at=None)
    return fresh if time.acts_at is not None else replace(fresh, acts_at=None)


def _time_in_grace(time: Time, used: timedelta, now: datetime, days: Calendar) -> Time:
    """Returns the time of an ask in its grace, its deadline moved so that exactly `used` of the grace is gone."""
    deadline = max(time.deadline, calendar.subtract_time(now, used, days))
    acts_at = clock_acts_at(deadline, time.allowed_s, days)
    return replace(time, deadline=deadline, runs_out=None, acts_at=acts_at, remind_at=None)


def time_after_outage(time: Time, since: datetime, until: datetime, days: Calendar) -> Time:
    """Returns the time of an ask after an outage from `since` to `until`: the remaining time stays the same."""
    if time.mailed_at is None or time.acts_at is None or time.acts_at <= since:
        return time
    start = max(since, time.mailed_at)
    if not calendar.running_time(start, until, days):
        return time
    if time.deadline <= start:
        return _time_in_grace(time, calendar.running_time(time.deadline, start, days), until, days)
    end = calendar.add_time(until, calendar.running_time(start, time.end_of_running_time, days), days)
    return _time_ending_at(end, time.allowed_s, time.mailed_at, days)


def time_after_setback(time: Time, since: datetime, until: datetime, days: Calendar) -> Time:
    """Returns the time of an ask after the clock was set back from `since` to `until`: the remaining time stays.

    This holds for an ask whose mail has not left, too. The ask must have been opened before the clock was set back.
    """
    begun = None if time.mailed_at is None else min(time.mailed_at, until)
    acts = time.acts_at if begun is not None else time.deadline
    if acts is None or acts <= until:
        return replace(time, mailed_at=begun)
    if time.deadline > since:
        end = calendar.add_time(until, calendar.running_time(since, time.end_of_running_time, days), days)
        return _time_ending_at(end, time.allowed_s, begun, days)
    deadline = calendar.subtract_time(until, calendar.running_time(time.deadline, since, days), days)
    acts_at = None if begun is None else max(clock_acts_at(deadline, time.allowed_s, days), until)
    return replace(time, deadline=deadline, runs_out=None, mailed_at=begun, acts_at=acts_at, remind_at=None)


def time_after_silences(
    time: Time, silences: Iterable[Silence], now: datetime, days: Calendar, false: Silence | None = None
) -> Time:
    """Returns the time of an ask after these silences, which are in the order in which they were recorded.

    `false` is the result of `false_outage`: an outage that was recorded because the clock had jumped ahead. An ask that
    never got time back for it loses nothing when the clock is set right.
    """
    for since, until in silences_that_matter(silences, time.mailed_at, now):
        if since < until:
            time = time_after_outage(time, since, until, days)
        elif (ahead := moment_on_old_clock(time, since, until, false, days)) is not None:
            time = time_after_setback(time, ahead, until, days)
    return time


def moment_on_old_clock(
    time: Time, since: datetime, until: datetime, false: Silence | None, days: Calendar = ALWAYS
) -> datetime | None:
    """Returns what the clock, which was set back to `until`, would have said then to this ask; None if nothing."""
    if false is None or time.mailed_at is None or time.mailed_at > until:
        return since
    given = calendar.running_time(time.mailed_at, time.end_of_running_time, days) - timedelta(seconds=time.allowed_s)
    if given <= calendar.running_time(max(false[0], time.mailed_at), false[1], days) / 2:
        return None
    was_up = since - false[1] >= until - false[0]
    return since - max(time.mailed_at - false[0], timedelta()) if was_up else since


def silences_that_matter(silences: Iterable[Silence], begun: datetime | None, now: datetime) -> list[Silence]:
    """Returns the silences that matter to what has begun at that moment, in the same order.

    What began after the clock was set back is not affected by what the clock said before. A beginning that is still to
    come was noted while the clock was ahead.

    >>> def at(hour): return datetime(2026, 3, 12, hour)
    >>> ahead = [(at(1), at(20)), (at(20), at(2))]
    >>> [len(silences_that_matter(ahead, at(begun), at(4))) for begun in (1, 3, 20)]
    [2, 0, 2]
    """
    known = list(silences)
    for number, (since, until) in reversed([*enumerate(known)]):
        if until < since and begun is not None and until <= begun <= now:
            return known[number + 1 :]
    return known


def time_after_mail(ask: AskRow, at: datetime, days: Calendar) -> Time:
    """Returns the time of an open ask whose mail leaves at this moment; unchanged if a mail had left before."""
    time = time_in_row_of_ask(ask)
    if time.mailed_at is not None:
        return time
    end = calendar.add_time(at, timedelta(seconds=time.allowed_s), days)
    if end - time.end_of_running_time > LATE:
        return _time_ending_at(end, time.allowed_s, at, days)
    remind_at = time_of_first_reminder(at, time.end_of_running_time, time.deadline, days)
    return replace(time, mailed_at=at, acts_at=clock_acts_at(time.deadline, time.allowed_s, days), remind_at=remind_at)


def store_time_in_ask(ask: AskRow, time: Time) -> None:
    """Stores this time in the row of the ask."""
    ask.deadline, ask.allowed_s, ask.runs_out = time.deadline, time.allowed_s, time.runs_out
    ask.mailed_at, ask.acts_at = time.mailed_at, time.acts_at
    ask.remind_at = time.remind_at if ask.bot is None else None
    flag_modified(ask, "remind_at")  # write it even if unchanged: the sweep may have moved it meanwhile


# --- reminders -----------------------------------------------------------------------------------------------


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


def reminder_stages(mailed: datetime, end: datetime, deadline: datetime, days: Calendar) -> list[Stage]:
    """Returns the reminders of an ask in order. `end` is when its running time is used up."""
    whole = calendar.running_time(mailed, end, days)
    lead = min(max(whole / 8, LEAD_MIN), LEAD_MAX)
    passed = {"half": whole / 2} if whole >= LONG - SHORT_OF else {}
    if lead <= whole / 2:
        passed["end"] = whole - lead
    found: list[Stage] = []
    for name, after in passed.items():
        since = calendar.add_time(mailed, after, days)
        at = _next_time_to_remind(since, mailed, deadline, days)
        if at is not None:
            found = [stage for stage in found if stage.at < at]
            found.append(Stage(name, min(since, at), at))
    return found


def time_of_first_reminder(mailed: datetime, end: datetime, deadline: datetime, days: Calendar) -> datetime | None:
    """Returns when to check the ask for its first reminder; None if it has none."""
    return time_of_next_reminder(reminder_stages(mailed, end, deadline, days), mailed)


def due_reminder(found: Sequence[Stage], now: datetime) -> Stage | None:
    """Returns the latest reminder that is due, or None: after a break only that one is sent, not both."""
    return next((stage for stage in reversed(found) if stage.at <= now), None)


def time_of_next_reminder(found: Sequence[Stage], now: datetime) -> datetime | None:
    """Returns when the next reminder after this moment is due, or None."""
    return next((stage.at for stage in found if stage.at > now), None)


def _next_time_to_remind(since: datetime, mailed: datetime, deadline: datetime, days: Calendar) -> datetime | None:
    """Returns when to send a reminder that is true from `since` on; None if no suitable moment is left."""
    awake = calendar.next_waking_time(since, days)
    if awake == since or deadline - awake >= APART:
        return awake
    evening = _quiet_since(since, days) - EVENING
    if evening >= mailed + APART:
        return evening
    return awake if awake < deadline else None


def _quiet_since(moment: datetime, days: Calendar) -> datetime:
    """Returns when the quiet hours or days off around this moment began."""
    zone = ZoneInfo(days.zone)
    while True:
        before = moment - datetime.resolution
        local = before.astimezone(zone)
        if days.is_off(local.date()):
            began = datetime.combine(local.date(), time(0), zone).astimezone(UTC)
        elif calendar.next_waking_time(before, days) != before:
            began = calendar.last_full_hour(before, zone)
        else:
            return moment
        moment = min(began, before)
