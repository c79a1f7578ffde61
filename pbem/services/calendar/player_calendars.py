"""The calendars of players, read from the database: holidays, weekends off and quiet hours."""

from collections.abc import Collection, Iterable
from datetime import date

from sqlalchemy import select
from sqlmodel import Session

from pbem.models.clocks import Vacation
from pbem.models.tables import Player, table
from pbem.services import statements
from pbem.services.calendar.calendar import Calendar


def of_player(session: Session, player: Player) -> Calendar:
    """Returns the player's calendar."""
    return with_holidays(player, vacations_of(session, player.id))


def with_holidays(player: Player, holidays: tuple[tuple[date, date], ...]) -> Calendar:
    """Returns the player's calendar with holidays that were already read."""
    quiet = None
    if player.quiet_from is not None and player.quiet_to is not None:
        quiet = (player.quiet_from, player.quiet_to)
    return Calendar(player.zone, player.weekends_off, quiet, holidays)


def of_id(session: Session, player_id: int) -> Calendar:
    """Returns the calendar of the player with this id."""
    return of_player(session, session.get_one(Player, player_id))


def vacations_of(session: Session, player_id: int | None) -> tuple[tuple[date, date], ...]:
    """Returns the first and last days of the player's holidays, in order."""
    found = statements.VACATIONS.ask(session, {"player": player_id}).rows()
    return tuple((first, last) for first, last in found)


def vacations_of_all(session: Session, players: Collection[int]) -> dict[int, tuple[tuple[date, date], ...]]:
    """Returns the first and last days of these players' holidays by player; players without holidays are left out."""
    if not players:
        return {}
    t = table(Vacation)
    found = select(t.c.player_id, t.c.first, t.c.last).where(t.c.player_id.in_(players)).order_by(t.c.first)
    return holidays_by_seat((player, first, last) for player, first, last in session.execute(found))


Holidays = dict[int, tuple[tuple[date, date], ...]]
"""First and last days, by seat or whatever else is counted."""


def holidays_by_seat(rows: Iterable[tuple[int, date, date]]) -> Holidays:
    """Returns the holidays by seat, or by whatever number starts each row; numbers without any are left out."""
    out: Holidays = {}
    for seat, first, last in rows:
        out[seat] = (*out.get(seat, ()), (first, last))
    return out
