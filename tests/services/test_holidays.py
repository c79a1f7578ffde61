"""Holidays, weekends and quiet hours of a player move the deadlines of what he is asked, and the log says so."""

from datetime import date, datetime, timedelta
from functools import partial

import pytest

from pbem.errors import Invalid, NotFound
from pbem.rules.replay import Extended
from pbem.services import clocks, days, holidays
from tests.services.letterbox import player_of
from tests.services.test_races import at_once
from tests.table import START, House

DEADLINE = START + timedelta(days=3)
DAY = timedelta(days=1)


def bob(house: House) -> int:
    """Bob's number."""
    found = player_of(house, "Bob").id
    assert found is not None
    return found


def deadline(house: House, match_id: str, seat: int) -> datetime:
    """When the seat's time is up."""
    return next(ask.deadline for ask in house.asked(match_id) if ask.seat == seat)


def extensions(house: House, match_id: str) -> list[Extended]:
    """The log's entries about deadlines that moved."""
    events = [entry.event for entry in house.view(match_id, None).entries]
    return [event for event in events if isinstance(event, Extended)]


def test_a_holiday_moves_the_players_own_deadlines_and_is_announced(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.announce(house.site, bob(house), date(2026, 3, 13), date(2026, 3, 20))
    assert deadline(house, match_id, 1) == DEADLINE + 8 * DAY
    assert deadline(house, match_id, 0) == DEADLINE
    assert extensions(house, match_id) == [Extended(8 * 86_400, 1)]
    seats = house.view(match_id, None).sheet.seats
    assert [seat.holidays for seat in seats] == [(), ((date(2026, 3, 13), date(2026, 3, 20)),), ()]
    house.clock.forward(days=4)
    assert clocks.sweep_deadlines(house.site) == 2
    house.clock.forward(days=8)
    assert [ask.seat for ask in house.asked(match_id)] == [1]
    assert clocks.sweep_deadlines(house.site) >= 1


def test_a_turn_that_begins_on_a_holiday_has_its_whole_time_afterwards(house: House) -> None:
    house.create()
    holidays.announce(house.site, bob(house), date(2026, 3, 12), date(2026, 3, 15))
    match_id = house.begin()
    # Bob lives in London: his clock starts on 16 March at midnight.
    assert deadline(house, match_id, 1) == datetime.fromisoformat("2026-03-19T00:00+00:00")
    house.drain()
    assert deadline(house, match_id, 1) == datetime.fromisoformat("2026-03-19T00:00+00:00")


def test_a_holiday_that_is_taken_back_takes_its_time_back(house: House) -> None:
    match_id = house.begin()
    house.drain()
    for _ in range(3):
        holidays.announce(house.site, bob(house), date(2026, 3, 13), date(2026, 3, 20))
        holidays.take_back(house.site, bob(house), date(2026, 3, 13))
    assert deadline(house, match_id, 1) == DEADLINE
    assert sum(event.seconds for event in extensions(house, match_id)) == 0


def test_who_comes_back_early_has_used_only_the_days_he_was_away(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.announce(house.site, bob(house), date(2026, 3, 13), date(2026, 4, 11))
    house.clock.forward(days=5)
    holidays.take_back(house.site, bob(house), date(2026, 3, 13))
    with house.site.reading() as session:
        assert days.vacations_of(session, bob(house)) == ((date(2026, 3, 13), date(2026, 3, 16)),)
    # On 12 March 11 h 56 min had passed; the other 60 h 4 min run from the moment he is back.
    assert deadline(house, match_id, 1) == datetime.fromisoformat("2026-03-20T00:08+00:00")
    with pytest.raises(NotFound):
        holidays.take_back(house.site, bob(house), date(2026, 3, 13))


def test_the_allowance_is_thirty_days_in_each_calendar_year(house: House) -> None:
    house.create()
    announce = partial(holidays.announce, house.site, bob(house))
    announce(date(2026, 4, 1), date(2026, 4, 20))
    with pytest.raises(Invalid, match=r"days of holiday"):
        announce(date(2026, 5, 1), date(2026, 5, 11))
    announce(date(2026, 12, 22), date(2027, 1, 10))
    with pytest.raises(Invalid, match=r"days of holiday"):
        announce(date(2026, 6, 1), date(2026, 6, 1))
    announce(date(2027, 2, 1), date(2027, 2, 20))


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2026, 3, 11), date(2026, 3, 12)), (date(2026, 3, 14), date(2026, 3, 13)),
        (date(2027, 3, 14), date(2027, 3, 15)), (date(2026, 4, 20), date(2026, 4, 22)),
    ],
)  # fmt: skip
def test_a_holiday_that_cannot_be_is_refused(house: House, first: date, last: date) -> None:
    house.create()
    holidays.announce(house.site, bob(house), date(2026, 4, 1), date(2026, 4, 20))
    with pytest.raises(Invalid):
        holidays.announce(house.site, bob(house), first, last)


def test_two_announcements_at_once_do_not_exceed_the_allowance(house: House) -> None:
    house.create()
    jobs = [(date(2026, 5, 1), date(2026, 5, 20)), (date(2026, 6, 1), date(2026, 6, 20))]
    at_once(*(partial(holidays.announce, house.site, bob(house), *job) for job in jobs))
    with house.site.reading() as session:
        assert len(days.vacations_of(session, bob(house))) == 1


def test_weekends_off_and_quiet_hours_are_kept_by_new_and_open_questions(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.set_hours(house.site, bob(house), True, (10, 18))
    # Thursday 12 March 12:04 and three days: Friday, Monday, Tuesday 12:04, which is within the quiet hours.
    assert deadline(house, match_id, 1) == datetime.fromisoformat("2026-03-17T18:00+00:00")
    other = house.begin()
    assert deadline(house, other, 1) == datetime.fromisoformat("2026-03-17T18:00+00:00")
    assert deadline(house, other, 0) == DEADLINE


def test_within_the_grace_a_holiday_moves_what_is_left_of_it(house: House) -> None:
    match_id = house.begin()
    house.drain()
    house.clock.forward(days=3, hours=1)
    holidays.announce(house.site, bob(house), date(2026, 3, 15), date(2026, 3, 16))
    house.clock.forward(hours=6)
    assert clocks.sweep_deadlines(house.site) == 2
    assert [ask.seat for ask in house.asked(match_id)] == [1]
    assert deadline(house, match_id, 1) == DEADLINE


@pytest.mark.parametrize(("first", "last"), [("7", ""), ("7", "24"), ("x", "3"), ("-1", "3"), ("٣", "4")])
def test_quiet_hours_that_are_none_are_refused(first: str, last: str) -> None:
    with pytest.raises(Invalid):
        holidays.checked_quiet(first, last)


def test_quiet_hours_of_a_form() -> None:
    assert holidays.checked_quiet("", "") is None
    assert holidays.checked_quiet("22", "7") == (22, 7)
    assert holidays.checked_quiet("7", "7") is None
