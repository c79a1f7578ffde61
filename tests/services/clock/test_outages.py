"""After an outage of the service every clock gets its time back, once."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest
from sqlmodel import select

from pbem.kit.replay import Extended
from pbem.models.clocks import Outage
from pbem.models.tables import SeatRow
from pbem.services.clock import holidays, outages
from pbem.services.log.table import LockedTable, lock_table
from pbem.services.play import presence, timeouts
from tests.services.clock.deadlines import deadlines, extensions_in_log, open_ask_of_seat
from tests.services.letterbox import player_of
from tests.services.play.stage.races import at_once
from tests.table import START, House, claim_of, deadline_of

DEADLINE = START + timedelta(days=3)


def run_heartbeat_and_sweeps(house: House, **time: float) -> None:
    """Runs the heartbeat and the sweeps for this long."""
    until = house.clock.at + timedelta(**time)
    while house.clock.at < until:
        house.clock.at = min(until, house.clock.at + timedelta(minutes=9))
        timeouts.beat_and_sweep_deadlines_if_web_up(house.site)


@pytest.mark.long
def test_regular_sweeps_move_no_deadline(house: House) -> None:
    match_id = house.begin()
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    run_heartbeat_and_sweeps(house, hours=5)
    assert deadlines(house, match_id) == {DEADLINE}
    assert extensions_in_log(house, match_id) == []


@pytest.mark.long
def test_hours_of_missed_sweeps_extend_all_deadlines(house: House) -> None:
    match_id = house.begin()
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=4)
    assert timeouts.beat_and_sweep_deadlines_if_web_up(house.site) == 0
    assert deadlines(house, match_id) == {DEADLINE + timedelta(days=4)}
    assert extensions_in_log(house, match_id) == [Extended(4 * 86_400)]
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 3


@pytest.mark.long
def test_a_question_gets_back_the_outage_time_its_own_clock_lost(house: House) -> None:
    match_id = house.begin()
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    for seat in range(3):
        house.play(match_id, seat)
    house.clock.forward(hours=10)
    house.drain()  # the mail leaves while no sweep runs
    house.clock.forward(hours=2)
    before = deadlines(house, match_id)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    (ask,) = house.asks(match_id)
    assert {deadline_of(ask) - timedelta(hours=2)} == before
    assert extensions_in_log(house, match_id)[-1].seconds == 7200


@pytest.mark.long
def test_a_resigned_players_move_due_before_an_outage_is_played_after_it(house: House) -> None:
    match_id = house.begin()
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    house.clock.forward(hours=3)
    assert timeouts.beat_and_sweep_deadlines_if_web_up(house.site) == 1


def moment_in_march(text: str) -> datetime:
    """A moment in London in March 2026, where it is UTC."""
    return datetime.fromisoformat(f"2026-03-{text}+00:00")


@pytest.mark.long
@pytest.mark.parametrize(
    ("asleep", "deadline"),
    [
        # Bob's three days would end on Tuesday at 12:04.
        (("12T12:04", "16T04:04"), "19T07:00"),  # a weekend away: Friday and some hours are lost, Thursday is quiet
        (("13T23:00", "16T00:00"), "17T13:04"),  # only the weekend, and an hour
        (("14T09:00", "15T21:00"), "17T12:04"),  # only the weekend
        (("17T08:00", "17T10:00"), "17T14:04"),
        (("17T08:00", "17T20:00"), "18T07:00"),
    ],
)
def test_the_time_an_outage_cost_is_counted_by_the_players_calendar(
    house: House, asleep: tuple[str, str], deadline: str
) -> None:
    match_id = house.begin()
    house.drain()
    holidays.set_clock_hours(house.site, player_of(house, "Bob").id or 0, True, (22, 7))
    assert open_ask_of_seat(house, match_id, 1).deadline == moment_in_march("17T12:04")
    house.clock.at = moment_in_march(asleep[0])
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.at = moment_in_march(asleep[1])
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    after = open_ask_of_seat(house, match_id, 1)
    assert after.deadline == moment_in_march(deadline)
    assert after.acts_at is not None
    assert after.acts_at.weekday() < 5
    assert 7 <= after.acts_at.hour < 22
    told = [event.seconds for event in extensions_in_log(house, match_id) if event.seat in (1, None)]
    assert sum(told) == (after.deadline - DEADLINE).total_seconds()


def test_an_outage_within_the_grace_period_leaves_the_rest_of_it(house: House) -> None:
    match_id = house.begin()
    house.drain()
    holidays.set_clock_hours(house.site, player_of(house, "Bob").id or 0, True, None)
    house.clock.at = moment_in_march("17T14:04")
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=1)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    after = open_ask_of_seat(house, match_id, 1)
    assert after.acts_at == moment_in_march("18T18:04")
    assert after.deadline == moment_in_march("18T12:04")


@pytest.mark.long
def test_after_an_outage_in_a_pause_the_clock_plays_at_once_for_the_absent(house: House) -> None:
    match_id = house.begin()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    while house.view(match_id, None).sheet.status == "running":
        house.time_is_up(match_id)
        timeouts.sweep_deadlines(house.site)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=3)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    known = extensions_in_log(house, match_id)
    asked = {ask.seat for ask in house.asks(match_id)}
    back = min({0, 1, 2} - asked, default=0)
    presence.end_own_absence(house.site, claim_of(house.site, match_id, back))
    assert timeouts.sweep_deadlines(house.site) > 0
    assert extensions_in_log(house, match_id) == known


@pytest.mark.long
def test_an_outage_neither_cancels_paused_matches_nor_lapses_invitations(house: House) -> None:
    paused, inviting = house.begin(), house.create()
    house.time_is_up(paused)
    with house.site.writing() as session:
        for number in range(3):
            session.get_one(SeatRow, (paused, number)).misses = 1
    timeouts.sweep_deadlines(house.site)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=33)
    assert timeouts.beat_and_check_web(house.site)
    assert timeouts.cancel_lapsed_matches(house.site) == 0
    assert house.view(paused, None).sheet.status == "paused"
    house.clock.forward(days=29, hours=23)
    timeouts.cancel_lapsed_matches(house.site)
    assert house.view(inviting, None).sheet.status == "cancelled"
    assert house.view(paused, None).sheet.status == "paused"
    house.clock.forward(hours=1)
    assert timeouts.cancel_lapsed_matches(house.site) == 1
    assert house.view(paused, None).sheet.cancelled == "abandoned"


@pytest.mark.long
def test_after_an_outage_the_clock_plays_at_once_for_a_resigned_player(house: House) -> None:
    match_id = house.begin()
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=2)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    house.clock.forward(days=2)
    assert timeouts.beat_and_sweep_deadlines_if_web_up(house.site) == 1
    assert [(event.seat, event.seconds) for event in extensions_in_log(house, match_id)] == [(0, 345_600), (2, 345_600)]


@pytest.mark.long
def test_while_the_web_is_away_the_clock_waits_and_the_time_is_given_back(house: House) -> None:
    match_id = house.begin(turn_s=3600)
    house.drain()
    outages.record_heartbeat(house.site, "web")
    run_heartbeat_and_sweeps(house, hours=2)
    assert {ask.kind for ask in house.asks(match_id)} == {"ally"}
    assert len(house.asks(match_id)) == 3
    outages.record_heartbeat(house.site, "web")
    assert timeouts.beat_and_sweep_deadlines_if_web_up(house.site) == 0
    assert deadlines(house, match_id) == {house.clock.at + timedelta(hours=1)}
    assert extensions_in_log(house, match_id) == [Extended(7200)]
    for _ in range(8):
        run_heartbeat_and_sweeps(house, minutes=9)
        outages.record_heartbeat(house.site, "web")
    assert {ask.kind for ask in house.asks(match_id)} == {"act"}


@pytest.mark.long
def test_a_sleep_of_the_machine_with_sweep_and_web_is_given_back_once(house: House) -> None:
    match_id = house.begin()
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(minutes=1)
    outages.record_heartbeat(house.site, "web")
    house.clock.forward(days=1)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(minutes=1)
    at_once(*(partial(outages.record_heartbeat, house.site, "web") for _ in range(3)))
    house.clock.forward(minutes=1)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    assert deadlines(house, match_id) == {DEADLINE + timedelta(days=1, minutes=1)}
    assert len(extensions_in_log(house, match_id)) == 1


@pytest.mark.on_postgresql
def test_web_outages_around_a_sleep_of_the_sweep_are_given_back_too(house: House) -> None:
    match_id = house.begin()
    house.drain()
    outages.record_heartbeat(house.site, "web")
    run_heartbeat_and_sweeps(house, hours=5)
    house.clock.forward(hours=2)
    run_heartbeat_and_sweeps(house, hours=4)
    outages.record_heartbeat(house.site, "web")
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    assert deadlines(house, match_id) == {DEADLINE + timedelta(hours=11)}
    assert sum(event.seconds for event in extensions_in_log(house, match_id)) == 11 * 3600


@pytest.mark.long
def test_two_sweeps_that_wake_at_once_move_each_deadline_once(house: House) -> None:
    match_ids = [house.begin() for _ in range(3)]
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=2)
    at_once(*(partial(timeouts.beat_and_sweep_deadlines_if_web_up, house.site) for _ in range(3)))
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    for match_id in match_ids:
        assert deadlines(house, match_id) == {DEADLINE + timedelta(days=2)}
        assert extensions_in_log(house, match_id) == [Extended(2 * 86_400)]
    with house.site.reading() as session:
        assert [outage.done for outage in session.exec(select(Outage))] == [True]


@pytest.mark.long
def test_a_crash_while_applying_an_outage_skips_and_repeats_no_match(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_ids = [house.begin() for _ in range(3)]
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=4)
    catch_up = outages.apply_outages_to_locked_match
    done: list[str] = []

    def dies(table: LockedTable) -> None:
        if done:
            raise KeyboardInterrupt
        done.append(table.id)
        catch_up(table)

    monkeypatch.setattr(outages, "apply_outages_to_locked_match", dies)
    with pytest.raises(KeyboardInterrupt):
        timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    monkeypatch.undo()
    assert len({*map(tuple, (deadlines(house, match_id) for match_id in match_ids))}) == 2
    # A sweep without a heartbeat, in another worker, still does not play against lost time.
    assert timeouts.sweep_deadlines(house.site) == 0
    assert timeouts.beat_and_sweep_deadlines_if_web_up(house.site) == 0
    for match_id in match_ids:
        assert deadlines(house, match_id) == {DEADLINE + timedelta(days=4)}
        assert extensions_in_log(house, match_id) == [Extended(4 * 86_400)]


@pytest.mark.long
def test_two_outages_in_a_row_are_both_given_back(house: House) -> None:
    match_id = house.begin()
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    for hours in (20, 30):
        house.clock.forward(hours=hours)
        timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    assert deadlines(house, match_id) == {DEADLINE + timedelta(hours=50)}


@pytest.mark.long
def test_a_match_begun_after_an_outage_gets_no_extension_for_it(house: House) -> None:
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=4)
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    match_id = house.begin()
    house.drain()
    with house.site.writing() as session:
        outages.apply_outages_to_locked_match(lock_table(session, match_id))
    assert extensions_in_log(house, match_id) == []


def test_a_match_failing_during_catch_up_delays_no_other_match(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    match_ids = sorted(house.begin() for _ in range(3))
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=4)
    catch_up = outages.apply_outages_to_locked_match

    def breaks(table: LockedTable) -> None:
        if table.id == match_ids[0]:
            raise ValueError("an entry of it cannot be read")
        catch_up(table)

    monkeypatch.setattr(outages, "apply_outages_to_locked_match", breaks)
    assert timeouts.beat_and_sweep_deadlines_if_web_up(house.site) == 0
    assert [deadlines(house, match_id) for match_id in match_ids] == [
        {DEADLINE}, *[{DEADLINE + timedelta(days=4)}] * 2,
    ]  # fmt: skip
    with house.site.reading() as session:
        assert [outage.done for outage in session.exec(select(Outage))] == [True]
    monkeypatch.undo()
    house.clock.forward(minutes=2)
    assert timeouts.beat_and_sweep_deadlines_if_web_up(house.site) == 0, (
        "the clock gives its time back before it plays there"
    )
    assert deadlines(house, match_ids[0]) == {DEADLINE + timedelta(days=4)}


@pytest.mark.long
def test_a_stopping_worker_leaves_the_rest_of_an_outage_to_the_next(house: House) -> None:
    match_ids = [house.begin() for _ in range(3)]
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.clock.forward(days=1)
    asked = iter([False])
    timeouts.beat_and_sweep_deadlines_if_web_up(replace(house.site, stopping=lambda: next(asked, True)))
    moved = [deadlines(house, match_id) == {DEADLINE + timedelta(days=1)} for match_id in match_ids]
    assert sorted(moved) == [False, False, True]
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    for match_id in match_ids:
        assert deadlines(house, match_id) == {DEADLINE + timedelta(days=1)}
