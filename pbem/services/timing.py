"""How long a question may be thought about, and when the clock acts: decided here, kept in the question's row.

    opened ──mail is taken by the relay──> the time runs ──> deadline ──grace──> the clock acts

1. No clock runs before its mail was accepted, or before it was clear that none is due. A mail that leaves late
   moves the deadline, so that the whole time is left; the mail itself names the deadline that will hold.
2. Between the deadline and the moment the clock acts there is a grace, which pages show.
3. With a bank the seat's time for all its turns together is capped: a turn takes from it what was thought, and adds
   an increment. A deadline that moved costs nothing.
4. For a seat whose owner is absent, or has resigned, the clock acts at once, without a mail.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pbem.models.tables import AskRow, Match, SeatRow
from pbem.services import calendar
from pbem.services.calendar import ALWAYS, Calendar

GRACE_MIN, GRACE_MAX = timedelta(minutes=5), timedelta(hours=6)
BANK_MIN_S = 60
"""An empty bank still gives so much for a turn."""
LATE = timedelta(minutes=5)
"""A mail that leaves so much later than it was due moves the deadline."""


@dataclass(frozen=True)
class Time:
    """A question's time: what of its row the clock cares for."""

    deadline: datetime
    allowed_s: int
    mailed_at: datetime | None
    acts_at: datetime | None


def grace(allowed_s: int) -> timedelta:
    """What the clock waits after the deadline: a tenth of the time, but 5 minutes at least and 6 hours at most."""
    return min(max(timedelta(seconds=allowed_s) / 10, GRACE_MIN), GRACE_MAX)


def allowed(match: Match, seat: SeatRow, window: bool) -> int:
    """The seconds for a question to the seat: those of the table, or what is in its bank."""
    if window:
        return match.window_s
    return match.turn_s if seat.bank_s is None else max(seat.bank_s, BANK_MIN_S)


def charge(match: Match, seat: SeatRow, answered: AskRow, now: datetime, days: Calendar) -> None:
    """Takes from the bank what the seat has thought in its turn, and adds the increment."""
    if match.bank_s is None or seat.bank_s is None or seat.absent or seat.resigned:
        return
    thought = 0.0
    if answered.mailed_at is not None:
        left = calendar.elapsed(now, answered.deadline, days).total_seconds()
        thought = max(answered.allowed_s - left, 0)
    seat.bank_s = min(max(seat.bank_s - round(thought), 0) + match.increment_s, match.bank_s)


def opening(match: Match, seat: SeatRow, window: bool, now: datetime, due: datetime, days: Calendar) -> Time:
    """The time of a question that opens now and whose mail is due then."""
    allowed_s = allowed(match, seat, window)
    if seat.absent or seat.resigned:
        return Time(now, 0, now, now)
    if seat.bot is not None:
        return running(allowed_s, now)
    return Time(calendar.deadline(due, timedelta(seconds=allowed_s), days), allowed_s, None, None)


def going_on(answered: AskRow, seat: SeatRow, closed_by: str, now: datetime) -> Time:
    """The time of a question that continues a stretch: what is left of it, and nothing once the clock has acted."""
    if closed_by == "clock" or seat.absent or seat.resigned:
        return Time(answered.deadline, answered.allowed_s, answered.mailed_at or now, now)
    return Time(answered.deadline, answered.allowed_s, answered.mailed_at, answered.acts_at)


def running(allowed_s: int, start: datetime, days: Calendar = ALWAYS) -> Time:
    """The time of a question whose clock starts then."""
    deadline = calendar.deadline(start, timedelta(seconds=allowed_s), days)
    return Time(deadline, allowed_s, start, acting(deadline, allowed_s, days))


def acting(deadline: datetime, allowed_s: int, days: Calendar) -> datetime:
    """When the clock acts, after the grace."""
    return calendar.deadline(deadline, grace(allowed_s), days)


def moved(ask: AskRow, now: datetime, before: Calendar, after: Calendar) -> Time:
    """The time of an open question whose player has other days from now on: what was left of it is left."""
    deadline, acts_at = ask.deadline, ask.acts_at
    if deadline > now:
        deadline = calendar.deadline(now, calendar.elapsed(now, deadline, before), after)
        acts_at = acting(deadline, ask.allowed_s, after) if acts_at is not None else None
    elif acts_at is not None and acts_at > now:
        acts_at = calendar.deadline(now, calendar.elapsed(now, acts_at, before), after)
    return Time(deadline, ask.allowed_s, ask.mailed_at, acts_at)


def at_the_mail(ask: AskRow, at: datetime, days: Calendar) -> Time:
    """The time of an open question whose mail leaves at this moment; as it was where that had left before."""
    if ask.mailed_at is not None:
        return Time(ask.deadline, ask.allowed_s, ask.mailed_at, ask.acts_at)
    fresh = running(ask.allowed_s, at, days)
    if fresh.deadline - ask.deadline > LATE:
        return fresh
    return Time(ask.deadline, ask.allowed_s, at, acting(ask.deadline, ask.allowed_s, days))


def set_time(ask: AskRow, time: Time) -> None:
    """Gives the question this time."""
    ask.deadline, ask.allowed_s = time.deadline, time.allowed_s
    ask.mailed_at, ask.acts_at = time.mailed_at, time.acts_at
