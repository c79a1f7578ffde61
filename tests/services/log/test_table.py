"""A locked table shows what its own transaction has done to it, and there is one of it."""

from datetime import date

import pytest
from sqlmodel import Session

from pbem.kit.replay import Extended, Resumed
from pbem.models.clocks import Vacation
from pbem.models.tables import Player
from pbem.services.calendar import calendar
from pbem.services.calendar.calendar import ALWAYS
from pbem.services.clock import holidays
from pbem.services.log.table import LockedTable, lock_table, lock_tables, lock_with_ask
from pbem.services.players.players import find_or_add
from pbem.services.views import match_views
from tests.services.letterbox import player_of
from tests.table import House, address_of

BOBS, CHARLIES = (date(2026, 3, 13), date(2026, 3, 20)), (date(2026, 4, 1), date(2026, 4, 2))


def test_a_locked_table_has_the_same_sheet_as_one_read_without_a_lock(house: House) -> None:
    match_id = house.begin()
    with house.site.writing() as work:
        assert match_views.sheet(lock_table(work, match_id), 0) == match_views.read_sheet(house.site, match_id, 0)


def send_away(house: House, session: Session, name: str, days: tuple[date, date]) -> Player:
    """Returns the player of this name, added if new, who is away on these days."""
    player = find_or_add(session, address_of(name), "en", house.clock())
    assert player.id is not None
    session.add(Vacation(player_id=player.id, first=days[0], last=days[1]))
    session.flush()
    return player


@pytest.mark.parametrize("asked", [False, True])
def test_a_player_taking_a_seat_of_a_locked_table_has_their_own_calendar(house: House, asked: bool) -> None:
    match_id = house.begin()
    with house.site.writing() as work:
        bob, charlie = send_away(house, work, "Bob", BOBS), send_away(house, work, "Charlie", CHARLIES)
        table = lock_with_ask(work, match_id, "t0.ally0", 0)[0] if asked else lock_table(work, match_id)
        seat = table.seats[1]
        assert (table.seats_with_players[1], table.holidays) == ((seat, bob), {1: (BOBS,)})
        seat.player_id = charlie.id
        assert (table.seats_with_players[1], table.calendar_of(seat).holidays) == ((seat, charlie), (CHARLIES,))
        seat.player_id = None
        assert (table.seats_with_players[1], table.calendar_of(seat)) == ((seat, None), ALWAYS)
        assert table.seats[1] is seat


def test_moving_deadlines_also_adds_entries_to_a_table_already_locked(house: House) -> None:
    match_id = house.begin()
    house.drain()
    with house.site.writing() as work:
        table, bob = lock_table(work, match_id), player_of(house, "Bob")
        before, length = calendar.calendar_of_player(work, bob), len(table.entries)
        send_away(house, work, "Bob", BOBS)
        holidays.move_deadlines(work, bob, [match_id], before, house.clock())
        assert [entry.event for entry in table.entries[length:]] == [Extended(8 * 86_400, 1)]
        table.record([Resumed()])
        assert [entry.n for entry in table.entries] == list(range(1, length + 3))


def test_relocking_a_match_gives_the_same_table_with_the_moment_last_given(house: House) -> None:
    match_id, before = house.begin(), house.clock()
    with house.site.writing() as work:
        table = lock_table(work, match_id)
        house.clock.forward(seconds=5)
        there: list[LockedTable] = [lock_table(work, match_id), lock_with_ask(work, match_id, "t0.ally0", 0)[0]]
        assert table.now == before, "what happens in a transaction happens at one moment"
        there += lock_tables(work, [match_id], house.clock()).values()
        assert all(one is table for one in there)
        assert table.now == house.clock()
    with house.site.writing() as work:
        assert lock_table(work, match_id) is not table
