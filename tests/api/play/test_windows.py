"""Silent windows over the API: an answer is sealed, and its owner alone reads and changes it until it is told."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.client import Pbem, Refused
from pbem.services.play.timeouts import sweep_deadlines
from tests.api.access_tokens import sign_in
from tests.api.cast import Api, Table, json_of
from tests.api.client import HERE, Wire
from tests.table import FOUR, MovedClock


@pytest.fixture
def window(rest: Api) -> tuple[Table, int, dict[int, str]]:
    """A match of Allégeance at its first window: its announcer, and the keys of the questions of the others."""
    table = Table(rest, rest.start(FOUR, game="allegeance"))
    while len(table.seats_asked()) == 1:
        seat = table.seats_asked()[0]
        question = table.ask(seat)
        play_move(table, seat, question["ask"]["key"], question["legal"][0]["text"])
    (announcer,) = {*range(4)} - {*table.seats_asked()}
    return table, announcer, {seat: table.ask(seat)["ask"]["key"] for seat in table.seats_asked()}


def play_move(table: Table, seat: int, key: str, text: str) -> Any:
    return json_of(table.seat(seat).post(f"{table.path}/moves", {"key": key, "text": text}), 201)


def sheet_of_match(table: Table, seat: int) -> Any:
    return json_of(table.seat(seat).get(table.path))


@pytest.mark.long
def test_a_sealed_answer_has_no_events_and_changes_nothing_for_others(
    window: tuple[Table, int, dict[int, str]],
) -> None:
    table, announcer, keys = window
    seat = (announcer + 1) % 4
    before, question = sheet_of_match(table, announcer), table.ask(seat)
    assert (question["ask"]["silent"], question["ask"]["sealed"]) == (True, None)
    receipt = play_move(table, seat, keys[seat], "challenge")
    assert (receipt["sealed"], receipt["events"], receipt["version"]) == (True, [], before["version"])
    assert sheet_of_match(table, announcer) == before
    assert play_move(table, seat, keys[seat], "challenge") == receipt
    own = table.ask(seat)["ask"]
    assert own["sealed"]["move"] == {"type": "Challenge"}
    assert table.ask((announcer + 2) % 4)["ask"]["sealed"] is None
    play_move(table, seat, keys[seat], "pass")
    assert table.ask(seat)["ask"]["sealed"]["move"] == {"type": "LetPass"}


def test_an_answer_replaces_the_sealed_one_that_it_names_and_no_other(
    window: tuple[Table, int, dict[int, str]],
) -> None:
    table, announcer, keys = window
    seat = (announcer + 1) % 4

    def say(text: str, instead: str, status: int) -> Any:
        sent = {"key": keys[seat], "text": text, "instead": instead}
        return json_of(table.seat(seat).post(f"{table.path}/moves", sent), status)

    say("pass", "", 201)
    assert say("challenge", "", 409)["code"] == "answered"
    assert table.ask(seat)["ask"]["sealed"]["move"] == {"type": "LetPass"}
    say("challenge", table.ask(seat)["ask"]["sealed"]["text"], 201)
    assert table.ask(seat)["ask"]["sealed"]["move"] == {"type": "Challenge"}


def test_the_python_client_replaces_only_the_sealed_answer_it_has_read(
    window: tuple[Table, int, dict[int, str]],
) -> None:
    table, announcer, keys = window
    seat = (announcer + 1) % 4
    match = Pbem(HERE, table.api.token("play", table.id, seat), opener=Wire(table.api)).match(table.id)
    early = match.ask()
    match.play(early, "pass")
    with pytest.raises(Refused) as refused:
        match.play(early, "challenge")
    assert refused.value.code == "answered"
    match.play(match.ask(), "challenge")
    with pytest.raises(Refused):
        match.play(early, "pass")
    match.play(keys[seat], "pass")
    assert match.ask()["ask"]["sealed"]["move"] == {"type": "LetPass"}


@pytest.mark.long
def test_a_closing_window_reveals_its_answers_but_not_who_sent_them(
    window: tuple[Table, int, dict[int, str]], clock: MovedClock
) -> None:
    table, announcer, keys = window
    before = sheet_of_match(table, announcer)["version"]
    for seat, key in keys.items():
        assert play_move(table, seat, key, "pass")["sealed"]
    clock.forward(hours=2)
    sweep_deadlines(table.api.site)
    told = json_of(table.seat(announcer).get(f"{table.path}/events?after={before}"))["events"]
    seats = [(announcer + step) % 4 for step in (1, 2, 3)]
    assert [one["event"].get("seat") for one in told[:3]] == seats
    assert [one["by"] for one in told] == [{}] * len(told)
    own = json_of(table.seat(seats[1]).get(f"{table.path}/events?after={before}"))["events"]
    assert [one["by"] for one in own[:3]] == [{}, {"seat": seats[1], "via": "api"}, {}]
    assert {one["at"] for one in told} == {clock().isoformat().replace("+00:00", "Z")}


@pytest.mark.long
def test_an_answer_after_a_silent_windows_time_is_sealed_like_any_other(
    window: tuple[Table, int, dict[int, str]], clock: MovedClock
) -> None:
    table, announcer, keys = window
    *first, last = [(announcer + step) % 4 for step in (1, 2, 3)]
    for seat in first:
        play_move(table, seat, keys[seat], "pass")
    clock.forward(hours=2)
    receipt = play_move(table, last, keys[last], "pass")
    assert (receipt["sealed"], receipt["events"]) == (True, [])
    clock.forward(minutes=10)
    sweep_deadlines(table.api.site)
    assert sheet_of_match(table, last)["version"] > receipt["version"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("asked", "given"), [({}, "silent"), ({"windows": "silent"}, "silent"), ({"windows": "at_once"}, "at_once")]
)
def test_windows_are_silent_unless_the_match_is_created_with_at_once(
    rest: Api, asked: dict[str, str], given: str
) -> None:
    table = Table(rest, rest.start(FOUR, game="allegeance", clock=asked))
    assert sheet_of_match(table, 0)["clock"]["windows"] == given


@pytest.mark.long
def test_the_match_list_asks_nothing_of_a_player_with_a_sealed_answer(
    window: tuple[Table, int, dict[int, str]],
) -> None:
    table, announcer, keys = window
    seat = (announcer + 1) % 4
    assert [one["asked"] for one in list_of(table, seat)] == [True]
    play_move(table, seat, keys[seat], "pass")
    assert [one["asked"] for one in list_of(table, seat)] == [False]


def list_of(table: Table, seat: int) -> Any:
    return json_of(sign_in(table.api, FOUR[seat]).get("/me/matches"))["matches"]
