"""When a player's clock runs: not on holidays, nor at weekends if the player has them off. At the end: as it is stored.

Time is counted in elapsed hours, so the two Sundays on which clocks change neither add nor remove an hour. A deadline
that would fall into a player's quiet hours moves to their end, and then to the next day on which the clock runs. Quiet
hours end when the player's clock shows an hour that is not one of them, also if it has just been changed.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlmodel import Session

from pbem.models.clocks import Vacation
from pbem.models.tables import Player, table
from pbem.services import statements

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
SATURDAY = 5


@dataclass(frozen=True)
class Calendar:
    """A player's days and hours. `holidays` are pairs of first and last day; quiet hours may span midnight."""

    zone: str = "UTC"
    weekends_off: bool = False
    quiet: tuple[int, int] | None = None
    holidays: tuple[tuple[date, date], ...] = ()

    @property
    def clock_always_runs(self) -> bool:
        """True if the clock always runs."""
        return not (self.weekends_off or self.quiet or self.holidays)

    def is_off(self, day: date) -> bool:
        """True if the clock is stopped on this day of the player's."""
        weekend = self.weekends_off and day.weekday() >= SATURDAY
        return weekend or any(first <= day <= last for first, last in self.holidays)

    def day_of(self, moment: datetime) -> date:
        """Returns the date in the player's time zone at this moment."""
        return moment.astimezone(ZoneInfo(self.zone)).date()


ALWAYS = Calendar()


def deadline_after(start: datetime, allowed: timedelta, calendar: Calendar) -> datetime:
    """Returns when this much running time has passed since the start; never within quiet hours or on a day off."""
    return next_waking_time(add_time(start, allowed, calendar), calendar)


def add_time(start: datetime, allowed: timedelta, calendar: Calendar) -> datetime:
    """Returns when this much running time has passed, on a day on which the clock runs; quiet hours count, too."""
    if calendar.clock_always_runs:
        return start + allowed
    at, left = start, allowed
    while True:
        midnight = _next_midnight(at, calendar)
        if not calendar.is_off(calendar.day_of(at)):
            if at + left < midnight:
                return at + left
            left -= midnight - at
        at = midnight


def subtract_time(end: datetime, passed: timedelta, calendar: Calendar) -> datetime:
    """Returns the moment from which this much running time has passed until the end."""
    if calendar.clock_always_runs:
        return end - passed
    at, left = end, passed
    while True:
        day = calendar.day_of(at - datetime.resolution)
        midnight = datetime.combine(day, time(0), ZoneInfo(calendar.zone)).astimezone(UTC)
        if not calendar.is_off(day):
            if at - left >= midnight:
                return at - left
            left -= at - midnight
        at = midnight


def next_waking_time(end: datetime, calendar: Calendar) -> datetime:
    """Returns the first moment, from this one on, that is neither in quiet hours nor on a day off."""
    if calendar.clock_always_runs:
        return end
    while True:
        later = _end_of_quiet_hours(add_time(end, timedelta(0), calendar), calendar)
        if later == end:
            return end
        end = later


def running_time(start: datetime, end: datetime, calendar: Calendar) -> timedelta:
    """Returns the running time between two moments; zero if the end is not after the start."""
    if calendar.clock_always_runs or end <= start:
        return max(end - start, timedelta(0))
    passed, at = timedelta(0), start
    while at < end:
        midnight = min(_next_midnight(at, calendar), end)
        if not calendar.is_off(calendar.day_of(at)):
            passed += midnight - at
        at = midnight
    return passed


def _next_midnight(moment: datetime, calendar: Calendar) -> datetime:
    """Returns the first moment of the player's next day, even if the clocks change that night."""
    zone = ZoneInfo(calendar.zone)
    day = calendar.day_of(moment) + DAY
    found = datetime.combine(day, time(0), zone).astimezone(UTC)
    return found if found > moment else datetime.combine(day, time(0, fold=1), zone).astimezone(UTC)


def _end_of_quiet_hours(moment: datetime, calendar: Calendar) -> datetime:
    """Returns the moment itself, or the end of the quiet hours that contain it; these may span midnight."""
    zone = ZoneInfo(calendar.zone)
    first, last = calendar.quiet or (0, 0)
    while (last - first) % 24 > (moment.astimezone(zone).hour - first) % 24:
        moment = _next_full_hour(moment, zone)
    return moment


def _next_full_hour(moment: datetime, zone: ZoneInfo) -> datetime:
    """Returns the next moment at which the zone's clock shows a full hour, or is changed."""
    local = moment.astimezone(zone)
    full = moment + HOUR - timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
    return _clock_change_between(moment, full, zone) or full


def last_full_hour(moment: datetime, zone: ZoneInfo) -> datetime:
    """Returns the last moment, up to this one, at which the zone's clock showed a full hour, or was changed."""
    local = moment.astimezone(zone)
    full = moment - timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
    return _clock_change_between(full, moment, zone) or full


def _clock_change_between(before: datetime, after: datetime, zone: ZoneInfo) -> datetime | None:
    """Returns when the zone's clock is changed in this hour; None if it is not."""
    offset = before.astimezone(zone).utcoffset()
    if after.astimezone(zone).utcoffset() == offset:
        return None
    while after - before > datetime.resolution:
        middle = before + (after - before) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after


# --- as it is stored -----------------------------------------------------------------------------------------


def calendar_of_player(session: Session, player: Player) -> Calendar:
    """Returns the player's calendar."""
    return calendar_with_holidays(player, holidays_of_player(session, player.id))


def calendar_with_holidays(player: Player, holidays: tuple[tuple[date, date], ...]) -> Calendar:
    """Returns the player's calendar with holidays that were already read."""
    quiet = None
    if player.quiet_from is not None and player.quiet_to is not None:
        quiet = (player.quiet_from, player.quiet_to)
    return Calendar(player.zone, player.weekends_off, quiet, holidays)


def holidays_of_player(session: Session, player_id: int | None) -> tuple[tuple[date, date], ...]:
    """Returns the first and last days of the player's holidays, in order."""
    found = statements.VACATIONS.flush_and_send(session, {"player": player_id}).rows()
    return tuple((first, last) for first, last in found)


def holidays_of_players(session: Session, players: Collection[int]) -> dict[int, tuple[tuple[date, date], ...]]:
    """Returns the first and last days of these players' holidays by player; players without holidays are left out."""
    if not players:
        return {}
    t = table(Vacation)
    found = select(t.c.player_id, t.c.first, t.c.last).where(t.c.player_id.in_(players)).order_by(t.c.first)
    return group_holidays_by_number(session.execute(found))


Holidays = dict[int, tuple[tuple[date, date], ...]]
"""First and last days, by seat or whatever else is counted."""


def group_holidays_by_number(rows: Iterable[Sequence[Any]]) -> Holidays:
    """Returns the holidays by seat, or by whatever number starts each row; numbers without any are left out."""
    out: Holidays = {}
    for seat, first, last in rows:
        out[seat] = (*out.get(seat, ()), (first, last))
    return out
