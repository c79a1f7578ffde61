"""A service that slept gives every clock its time back, once."""

from datetime import datetime, timedelta
from functools import partial

import pytest
from sqlmodel import select

from pbem.models.tables import Match, Outage
from pbem.rules.replay import Extended
from pbem.services import clocks, outages, presence, store
from tests.services.test_races import at_once
from tests.table import START, House

DEADLINE = START + timedelta(days=3)


def awake(house: House, **time: float) -> None:
    """The service is awake and sweeps for so long."""
    until = house.clock.at + timedelta(**time)
    while house.clock.at < until:
        house.clock.at = min(until, house.clock.at + timedelta(minutes=9))
        clocks.tick(house.site)


def deadlines(house: House, match_id: str) -> set[datetime]:
    """When the open questions' time is up."""
    return {ask.deadline for ask in house.asked(match_id)}


def extensions(house: House, match_id: str) -> list[Extended]:
    """The log's entries about deadlines that moved."""
    events = [entry.event for entry in house.view(match_id, None).entries]
    return [event for event in events if isinstance(event, Extended)]


def test_sweeps_that_come_by_often_move_nothing(house: House) -> None:
    match_id = house.begin()
    house.drain()
    clocks.tick(house.site)
    awake(house, hours=5)
    assert deadlines(house, match_id) == {DEADLINE}
    assert extensions(house, match_id) == []


def test_after_hours_of_missed_ticks_nobody_has_lost_time(house: House) -> None:
    match_id = house.begin()
    house.drain()
    clocks.tick(house.site)
    house.clock.forward(days=4)
    assert clocks.tick(house.site) == 0
    assert deadlines(house, match_id) == {DEADLINE + timedelta(days=4)}
    assert extensions(house, match_id) == [Extended(4 * 86_400)]
    house.time_is_up(match_id)
    assert clocks.sweep_deadlines(house.site) == 3


def test_a_question_gets_back_what_its_own_clock_has_lost(house: House) -> None:
    match_id = house.begin()
    house.drain()
    clocks.tick(house.site)
    for seat in range(3):
        house.play(match_id, seat)
    house.clock.forward(hours=10)
    house.drain()  # the mail leaves while no clock is looked after
    house.clock.forward(hours=2)
    before = deadlines(house, match_id)
    clocks.tick(house.site)
    (ask,) = house.asked(match_id)
    assert {ask.deadline - timedelta(hours=2)} == before
    assert extensions(house, match_id)[-1].seconds == 7200


def test_what_was_due_before_the_service_slept_is_played(house: House) -> None:
    match_id = house.begin()
    house.drain()
    clocks.tick(house.site)
    presence.resign(house.site, match_id, 1)
    house.clock.forward(hours=3)
    assert clocks.tick(house.site) == 1


def test_two_sweeps_that_wake_at_once_move_each_deadline_once(house: House) -> None:
    match_ids = [house.begin() for _ in range(3)]
    house.drain()
    clocks.tick(house.site)
    house.clock.forward(days=2)
    at_once(*(partial(clocks.tick, house.site) for _ in range(3)))
    clocks.tick(house.site)
    for match_id in match_ids:
        assert deadlines(house, match_id) == {DEADLINE + timedelta(days=2)}
        assert extensions(house, match_id) == [Extended(2 * 86_400)]
    with house.site.reading() as session:
        assert [outage.done for outage in session.exec(select(Outage))] == [True]


def test_a_crash_in_the_middle_loses_nothing_and_moves_nothing_twice(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_ids = [house.begin() for _ in range(3)]
    house.drain()
    clocks.tick(house.site)
    house.clock.forward(days=4)
    catch_up = outages.catch_up
    done: list[str] = []

    def dies(session: object, match: Match, now: datetime) -> None:
        if done:
            raise KeyboardInterrupt
        done.append(match.id)
        catch_up(session, match, now)  # type: ignore[arg-type]

    monkeypatch.setattr(outages, "catch_up", dies)
    with pytest.raises(KeyboardInterrupt):
        clocks.tick(house.site)
    monkeypatch.undo()
    assert len({*map(tuple, (deadlines(house, match_id) for match_id in match_ids))}) == 2
    # A sweep without a beat, in another worker, still does not play against time that was lost.
    assert clocks.sweep_deadlines(house.site) == 0
    assert clocks.tick(house.site) == 0
    for match_id in match_ids:
        assert deadlines(house, match_id) == {DEADLINE + timedelta(days=4)}
        assert extensions(house, match_id) == [Extended(4 * 86_400)]


def test_two_outages_in_a_row_are_both_given_back(house: House) -> None:
    match_id = house.begin()
    house.drain()
    clocks.tick(house.site)
    for hours in (20, 30):
        house.clock.forward(hours=hours)
        clocks.tick(house.site)
    assert deadlines(house, match_id) == {DEADLINE + timedelta(hours=50)}


def test_a_match_that_begins_after_an_outage_knows_nothing_of_it(house: House) -> None:
    clocks.tick(house.site)
    house.clock.forward(days=4)
    clocks.tick(house.site)
    match_id = house.begin()
    house.drain()
    with house.site.writing() as session:
        outages.catch_up(session, store.lock_match(session, match_id), house.clock.at)
    assert extensions(house, match_id) == []
