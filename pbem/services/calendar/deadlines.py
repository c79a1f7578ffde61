"""How long a question may be thought about, and when the clock acts: decided here, kept in the question's row.

    opened ──mail is taken by the relay──> the time runs ──> deadline ──grace──> the clock acts

1. No clock runs before its mail was accepted, or before it was clear that none is due. A mail that leaves late
   moves the deadline, so that the whole time is left; the mail itself names the deadline that will hold.
2. Between the deadline and the moment the clock acts there is a grace, which pages show.
3. With a bank the seat's time for all its turns together is capped: a turn takes from it what was thought, and adds
   an increment, one also where others are asked in the midst of it. A deadline that moved costs nothing, nor does a
   silence of the service that is still to be given back.
4. For a seat whose owner is absent, or has resigned, the clock acts at once, without a mail.
5. Quiet hours put off a deadline, and are no part of the time: whatever moves it later begins from `runs_out`, when
   the time itself is used up. So the same wait is never counted twice.
6. With the time goes the moment at which its first reminder is due (see `reminder_times`): wherever the one is
   computed, so is the other. A reminder that has been sent already is looked at once more then, and not sent again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy.orm.attributes import flag_modified

from pbem.models.tables import AskRow, Match, SeatRow
from pbem.services.calendar import calendar, reminder_times
from pbem.services.calendar.calendar import ALWAYS, Calendar

GRACE_MIN, GRACE_MAX = timedelta(minutes=5), timedelta(hours=6)
BANK_MIN_S = 60
"""An empty bank still gives so much for a turn."""
LATE = timedelta(minutes=5)
"""A mail that leaves so much later than it was due moves the deadline."""

Silence = tuple[datetime, datetime]
"""Since when and until when no clock was looked after."""


@dataclass(frozen=True)
class Time:
    """A question's time: what of its row the clock cares for."""

    deadline: datetime
    allowed_s: int
    mailed_at: datetime | None
    acts_at: datetime | None
    runs_out: datetime | None = None
    """When the running time is used up, where quiet hours put off the deadline; None: at the deadline."""
    remind_at: datetime | None = None
    """When it is to be looked at for a reminder; None: never."""

    @property
    def end(self) -> datetime:
        """When the running time is used up."""
        return self.runs_out or self.deadline


def time_of(ask: AskRow) -> Time:
    """The question's time as its row has it."""
    return Time(ask.deadline, ask.allowed_s, ask.mailed_at, ask.acts_at, ask.runs_out, ask.remind_at)


def grace(allowed_s: int) -> timedelta:
    """What the clock waits after the deadline: a tenth of the time, but 5 minutes at least and 6 hours at most."""
    return min(max(timedelta(seconds=allowed_s) / 10, GRACE_MIN), GRACE_MAX)


def allowed(match: Match, seat: SeatRow, window: bool) -> int:
    """The seconds for a question to the seat: those of the table, or what is in its bank."""
    if window:
        return match.window_s
    return match.turn_s if seat.bank_s is None else max(seat.bank_s, BANK_MIN_S)


def charge(
    match: Match, seat: SeatRow, answered: AskRow, now: datetime, days: Calendar, silences: Sequence[Silence] = (),
    *, increment_s: int,
) -> None:  # fmt: skip
    """Takes from the bank what the seat has thought in its turn, and adds the increment, if it has none for it yet.

    `silences` are those for which the question's deadline has not been moved yet.
    """
    if match.bank_s is None or seat.bank_s is None or seat.absent or seat.resigned:
        return
    thought = 0.0
    if answered.mailed_at is not None:
        time = time_of(answered)
        for since, until in silences:
            time = given_back(time, since, until, days)
        thought = max(answered.allowed_s - calendar.elapsed(now, time.end, days).total_seconds(), 0)
    seat.bank_s = min(max(seat.bank_s - round(thought), 0) + increment_s, match.bank_s)


def opening(match: Match, seat: SeatRow, window: bool, now: datetime, due: datetime, days: Calendar) -> Time:
    """The time of a question that opens now and whose mail is due then."""
    allowed_s = allowed(match, seat, window)
    if seat.absent or seat.resigned:
        return Time(now, 0, now, now)
    if seat.bot is not None:
        return replace(running(allowed_s, now), remind_at=None)
    return _ending(calendar.run(due, timedelta(seconds=allowed_s), days), allowed_s, None, days)


def going_on(answered: AskRow, seat: SeatRow, closed_by: str, now: datetime) -> Time:
    """The time of a question that continues a stretch: what is left of it, and nothing once the clock has acted."""
    if closed_by == "clock" or seat.absent or seat.resigned:
        return replace(time_of(answered), mailed_at=answered.mailed_at or now, acts_at=now, remind_at=None)
    return time_of(answered)


def running(allowed_s: int, start: datetime, days: Calendar = ALWAYS) -> Time:
    """The time of a question whose clock starts then."""
    return _ending(calendar.run(start, timedelta(seconds=allowed_s), days), allowed_s, start, days)


def _ending(end: datetime, allowed_s: int, mailed_at: datetime | None, days: Calendar) -> Time:
    """The time that is used up then. Its clock acts if the mail has left."""
    deadline = calendar.settled(end, days)
    runs_out = end if end != deadline else None
    if mailed_at is None:
        return Time(deadline, allowed_s, None, None, runs_out)
    remind_at = reminder_times.first(mailed_at, end, deadline, days)
    return Time(deadline, allowed_s, mailed_at, acting(deadline, allowed_s, days), runs_out, remind_at)


def acting(deadline: datetime, allowed_s: int, days: Calendar) -> datetime:
    """When the clock acts, after the grace."""
    return calendar.deadline(deadline, grace(allowed_s), days)


def moved(ask: AskRow, now: datetime, before: Calendar, after: Calendar) -> Time:
    """The time of an open question whose player has other days from now on: what was left of it is left.

    Only what the clock would have counted is left over: quiet hours that are changed over and over move nothing on.
    """
    time = time_of(ask)
    if ask.vote_since is not None:
        return time
    if time.deadline <= now:
        return _late(time, now, before, after)
    end = calendar.run(now, calendar.elapsed(now, time.end, before), after) if time.end > now else time.end
    fresh = _ending(end, time.allowed_s, time.mailed_at, after)
    if fresh.deadline < now:  # his quiet hours were all that was left
        acts_at = acting(now, time.allowed_s, after)
        fresh = replace(fresh, deadline=now, runs_out=end, acts_at=acts_at, remind_at=None)
    return fresh if time.acts_at is not None else replace(fresh, acts_at=None)


def _late(time: Time, now: datetime, before: Calendar, after: Calendar) -> Time:
    """The time of a question within its grace, of which no more has been used than before."""
    if time.acts_at is None or time.acts_at <= now:
        return time
    return _up_for(time, calendar.elapsed(time.deadline, now, before), now, after)


def _up_for(time: Time, used: timedelta, now: datetime, days: Calendar) -> Time:
    """The time of a question of whose grace so much is used up: its deadline moves so that the clock acts in time."""
    deadline = max(time.deadline, calendar.back(now, used, days))
    acts_at = acting(deadline, time.allowed_s, days)
    return replace(time, deadline=deadline, runs_out=None, acts_at=acts_at, remind_at=None)


def given_back(time: Time, since: datetime, until: datetime, days: Calendar) -> Time:
    """The time of a question after a silence of the service: what was left at its beginning is left at its end."""
    if time.mailed_at is None or time.acts_at is None or time.acts_at <= since:
        return time
    start = max(since, time.mailed_at)
    if not calendar.elapsed(start, until, days):
        return time
    if time.deadline <= start:
        return _up_for(time, calendar.elapsed(time.deadline, start, days), until, days)
    end = calendar.run(until, calendar.elapsed(start, time.end, days), days)
    return _ending(end, time.allowed_s, time.mailed_at, days)


def at_the_mail(ask: AskRow, at: datetime, days: Calendar) -> Time:
    """The time of an open question whose mail leaves at this moment; as it was where that had left before."""
    time = time_of(ask)
    if time.mailed_at is not None:
        return time
    fresh = running(time.allowed_s, at, days)
    if fresh.end - time.end > LATE:
        return fresh
    remind_at = reminder_times.first(at, time.end, time.deadline, days)
    return replace(time, mailed_at=at, acts_at=acting(time.deadline, time.allowed_s, days), remind_at=remind_at)


def set_time(ask: AskRow, time: Time) -> None:
    """Gives the question this time."""
    ask.deadline, ask.allowed_s, ask.runs_out = time.deadline, time.allowed_s, time.runs_out
    ask.mailed_at, ask.acts_at = time.mailed_at, time.acts_at
    ask.remind_at = time.remind_at if ask.bot is None else None
    flag_modified(ask, "remind_at")  # written even if it is what was read: the sweep has perhaps moved it on meanwhile
