"""A capped time bank for all turns, with an increment."""

import random
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import col, select

from pbem.errors import Invalid
from pbem.models.clocks import Heartbeat
from pbem.models.tables import AskRow
from pbem.services.clock import holidays, outages
from pbem.services.play import timeouts
from tests.harness.cases import cases
from tests.services.letterbox import player_of
from tests.table import House

DAY = 86_400


def time_in_banks(house: House, match_id: str) -> list[int | None]:
    """Returns the time left in the seats' banks."""
    return [seat.bank_s for seat in house.view(match_id, None).sheet.seats]


def bank_table(house: House) -> str:
    """A match of three, of five days for all turns, each of which adds one; its mails have left."""
    match_id = house.begin(bank_s=5 * DAY, increment_s=DAY)
    house.drain()
    return match_id


def test_a_turns_deadline_is_the_time_in_the_bank(house: House) -> None:
    match_id = bank_table(house)
    assert time_in_banks(house, match_id) == [5 * DAY] * 3
    assert {ask.deadline for ask in house.asks(match_id)} == {house.clock.at + timedelta(days=5)}


def test_a_move_costs_the_time_thought_and_adds_an_increment_up_to_the_cap(house: House) -> None:
    match_id = bank_table(house)
    house.clock.forward(hours=10)
    house.play(match_id, 0)
    assert time_in_banks(house, match_id)[0] == 5 * DAY
    house.clock.forward(days=3)
    house.play(match_id, 1)
    assert time_in_banks(house, match_id)[1] == 5 * DAY - 3 * DAY - 10 * 3600 + DAY


@pytest.mark.long
def test_a_player_with_an_empty_bank_has_the_increment_for_the_next_turn(house: House) -> None:
    match_id = bank_table(house)
    house.time_is_up(match_id)
    assert timeouts.sweep_deadlines(house.site) == 3
    assert time_in_banks(house, match_id) == [DAY] * 3


def test_waiting_for_the_turn_mail_costs_no_bank_time(house: House) -> None:
    match_id = house.begin(bank_s=5 * DAY, increment_s=0)
    house.clock.forward(days=4)
    house.play(match_id, 0)
    house.drain()
    house.clock.forward(days=1)
    house.play(match_id, 1)
    assert time_in_banks(house, match_id)[:2] == [5 * DAY, 4 * DAY]


@pytest.mark.long
def test_consecutive_questions_of_a_turn_charge_the_time_bank_once(house: House) -> None:
    match_id = house.begin(bank_s=5 * DAY, increment_s=3600)
    for seat in range(3):
        house.play(match_id, seat)
    while True:
        house.drain()
        (first,) = house.asks(match_id)
        before = time_in_banks(house, match_id)[first.seat] or 0
        house.clock.forward(hours=2)
        house.play(match_id, first.seat)
        (then,) = house.asks(match_id)
        if (then.seat, then.turn) == (first.seat, first.turn):
            break
    assert time_in_banks(house, match_id)[first.seat] == before, "the stretch goes on"
    hours = 2
    while (then.seat, then.turn) == (first.seat, first.turn):
        house.clock.forward(hours=3)
        hours += 3
        house.play(match_id, first.seat)
        (then,) = house.asks(match_id)
    assert time_in_banks(house, match_id)[first.seat] == before - hours * 3600 + 3600


def stretches_of_turns(house: House, match_id: str) -> Counter[tuple[int, str]]:
    """Returns the turns that the seats have finished, with the number of stretches of each; windows do not count."""
    game = house.view(match_id, None).game
    open_ones = {(ask.seat, ask.turn) for ask in house.asks(match_id)}
    with house.site.reading() as session:
        asks = session.exec(select(AskRow).where(col(AskRow.match_id) == match_id, col(AskRow.closed_by) == "seat"))
        found = {(ask.seat, ask.turn, ask.origin) for ask in asks if not game.meta.asks[ask.kind].window}
    return Counter((seat, turn) for seat, turn, _ in found if (seat, turn) not in open_ones)


def play_until_interrupted(house: House, match_id: str) -> Counter[tuple[int, str]]:
    """Plays Hexen Rennen until a seat finishes a turn in two stretches; returns the seconds thought in each turn.

    All seats that are asked think for ten minutes, then one of them moves.
    """
    luck, thought = random.Random(5), Counter[tuple[int, str]]()
    meta = house.view(match_id, None).game.meta
    while 2 not in stretches_of_turns(house, match_id).values():
        house.drain()
        asks = house.asks(match_id)
        house.clock.forward(minutes=10)
        thought.update({(ask.seat, ask.turn): 600 for ask in asks if not meta.asks[ask.kind].window})
        seat = luck.choice(asks).seat
        house.play(match_id, seat, luck.randrange(len(house.view(match_id, seat).legal())))
    return thought


@pytest.mark.sample(1)
@pytest.mark.on_postgresql
@pytest.mark.parametrize("increment_s", [0, 60])
def test_an_interrupted_turn_costs_the_time_thought_and_adds_one_increment(house: House, increment_s: int) -> None:
    match_id = house.begin(3, "hexen-rennen", bank_s=5 * DAY, increment_s=increment_s)
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE seats SET bank_s = 400000"))
    thought = play_until_interrupted(house, match_id)
    expected = [400_000] * 3
    for seat, turn in stretches_of_turns(house, match_id):
        expected[seat] += increment_s - thought[seat, turn]
    assert time_in_banks(house, match_id) == expected


@pytest.mark.long
@pytest.mark.parametrize("gone", ["sweep", "web"])
def test_an_outage_never_charges_the_time_bank_even_before_it_is_recorded(house: House, gone: str) -> None:
    match_id = house.begin(bank_s=5 * DAY, increment_s=0)
    house.drain()
    for name in ("sweep", "web"):
        outages.record_heartbeat(house.site, name)
    house.clock.forward(hours=6)
    other = {"sweep": "web", "web": "sweep"}[gone]
    with house.site.writing() as session:
        session.get_one(Heartbeat, gone).at = house.clock.at
    for _ in range(8):
        house.clock.forward(minutes=9)
        with house.site.writing() as session:
            session.get_one(Heartbeat, other).at = house.clock.at
    house.clock.forward(days=4)
    house.play(match_id, 0)  # before anybody has noted the outage
    outages.record_heartbeat(house.site, gone)
    house.play(match_id, 1)  # before the deadlines have moved
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    house.play(match_id, 2)
    assert time_in_banks(house, match_id) == [5 * DAY - 6 * 3600] * 3


@pytest.mark.long
def test_time_bank_used_before_an_outage_stays_used(house: House) -> None:
    match_id = house.begin(bank_s=DAY, increment_s=0)
    house.drain()
    timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    with house.site.writing() as session:
        session.get_one(Heartbeat, "sweep").at += timedelta(hours=25)
    house.clock.forward(days=3)
    house.play(match_id, 0)
    assert time_in_banks(house, match_id)[0] == 0


@pytest.mark.long
def test_waiting_for_the_end_of_quiet_hours_costs_time_from_the_bank(house: House) -> None:
    match_id = house.begin(bank_s=DAY, increment_s=0)
    house.drain()
    holidays.set_clock_hours(house.site, player_of(house, "Bob").id or 0, False, (12, 20))
    house.clock.forward(hours=20)
    house.play(match_id, 1)
    assert time_in_banks(house, match_id)[1] == 4 * 3600


@cases("wrong", [{"bank_s": 5}, {"bank_s": 3600, "increment_s": 7200}, {"increment_s": 60}])
def test_an_impossible_time_bank_is_refused(house: House, wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        house.create(**wrong)
