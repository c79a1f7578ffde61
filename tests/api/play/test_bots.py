"""A person against bots over the API: from the list of bots to the first questions."""

from __future__ import annotations

import random

import pytest

from pbem.services.play.bots import play_quick_bots
from tests.api.cast import Api, body_of_match, check_problem, json_of
from tests.api.play.bots import against_bots
from tests.harness.cases import cases


def test_a_game_lists_its_bots(rest: Api) -> None:
    bots = json_of(rest.caller().get("/games/hogen"))["bots"]
    assert bots[0] == "random"
    assert len(bots) == len(set(bots))


def test_every_bot_that_a_game_lists_can_fill_a_seat(rest: Api) -> None:
    for bot in json_of(rest.caller().get("/games/hogen"))["bots"]:
        seats = [*body_of_match()["seats"][:2], {"bot": bot}]
        match_id = json_of(rest.caller().post("/matches", body_of_match() | {"seats": seats}), 201)["id"]
        assert json_of(rest.caller().get(f"/matches/{match_id}"))["seats"][2]["bot"] == bot


def test_the_sheet_says_which_seats_bots_fill(rest: Api) -> None:
    table = against_bots(rest)
    seats = json_of(table.alice.get(table.path))["seats"]
    assert [(seat["bot"], seat["status"]) for seat in seats] == [
        (None, "accepted"),
        ("random", "accepted"),
        ("random", "accepted"),
    ]


def test_bots_move_for_their_own_seats_only(rest: Api) -> None:
    table = against_bots(rest)
    assert table.seats_asked() == [0, 1, 2]
    assert play_quick_bots(rest.site) == 2
    assert table.seats_asked() == [0]
    entries = json_of(table.alice.get(f"{table.path}/events"))["events"]
    assert [entry["by"].get("bot") for entry in entries if entry["event"]["type"] == "AllyChosen"] == [1, 2]
    assert [entry["event"]["card"] for entry in entries if entry["event"]["type"] == "AllyChosen"] == [None, None]


@pytest.mark.long
@pytest.mark.parametrize("seed", [pytest.param(1, marks=pytest.mark.long), 2])
def test_a_match_against_bots_is_played_to_its_end_by_one_token(rest: Api, seed: int) -> None:
    table, luck = against_bots(rest), random.Random(seed)
    for _ in range(600):
        play_quick_bots(rest.site)
        if not table.seats_asked():
            break
        assert table.seats_asked() == [0]
        table.play(0, luck.choice(table.ask(0, "?limit=500")["legal"]))
    assert json_of(table.charlie.get(table.path))["status"] == "over"


@pytest.mark.long
@cases("seats", [[{"bot": "random"}] * 3, [*body_of_match()["seats"][:2], {"bot": ""}]])
def test_a_table_of_bots_alone_or_of_no_known_bot_is_refused(rest: Api, seats: list[dict[str, str]]) -> None:
    before = rest.trace("")
    check_problem(rest.caller().post("/matches", body_of_match() | {"seats": seats}), 422, "invalid")
    assert rest.trace("") == before
