"""Take back by REST: what can be taken back, doing so, and what the others say to it."""

from __future__ import annotations

import pytest

from tests.api.cast import Api, Table, check_problem, json_of
from tests.api.play.takeback import niigata, table_with_reply


@pytest.mark.long
def test_taking_a_free_move_back_is_an_event_that_everybody_reads(rest: Api) -> None:
    table, mover, to = niigata(rest)
    seat, path = table.seat(mover), f"{table.path}/takeback"
    facts = json_of(seat.get(path))
    assert (facts["state"], facts["to"], facts["why"], facts["held_until"]) == ("free", to, None, None)
    done = json_of(seat.post(path, {"to": to}))
    assert (done["done"], done["state"], done["why"]["code"]) == (True, "no", "nothing")
    told = json_of(table.charlie.get(f"{table.path}/events?after={to}"))["events"]
    assert told[-1]["event"] == {"type": "Undone", "to": to}
    assert told[-1]["by"] == {"table": True}
    story = json_of(table.charlie.get(f"{table.path}/story"))["lines"]
    assert "takes back a move." in story[-1]["text"]
    ask = json_of(seat.get(f"{table.path}/ask"))["ask"]
    assert ask["key"].endswith("~1")
    again = json_of(table.play(mover, table.ask(mover)["legal"][-1]), 201)
    assert again["events"][0]["key"] == ask["key"]


@pytest.mark.long
def test_a_refused_take_back_says_why(rest: Api) -> None:
    table, mover, to = niigata(rest)
    path = f"{table.path}/takeback"
    assert check_problem(table.seat(mover).post(path, {"to": to + 5}), 409, "stale")["to"] == to
    assert check_problem(table.seat((mover + 1) % 3).post(path, {"to": to}), 409, "gone")["why"] == "nothing"
    check_problem(table.charlie.post(path, {"to": to}), 401, "unauthorized")
    check_problem(table.seat(mover).post(path, {}), 422, "invalid")


@pytest.mark.long
def test_a_take_back_happens_when_all_other_players_have_agreed(rest: Api) -> None:
    table, mover, to = table_with_reply(rest)
    path = f"{table.path}/takeback"
    asked = json_of(table.seat(mover).post(path, {"to": to}))
    others = sorted({0, 1, 2} - {mover})
    assert (asked["done"], asked["state"], asked["why"]["code"], asked["needed"]) == (False, "asked", "acted", others)
    sheet = table.charlie.get(table.path)
    assert json_of(sheet)["takeback"] == {"seat": mover, "to": to, "needed": others, "agreed": []}
    first = json_of(table.seat(others[0]).post(f"{path}/consent", {"to": to, "agree": True}))
    assert not first["done"]
    assert table.charlie.get(table.path).headers["ETag"] != sheet.headers["ETag"]
    assert json_of(table.seat(others[1]).post(f"{path}/consent", {"to": to, "agree": True}))["done"]
    assert json_of(table.charlie.get(table.path))["takeback"] is None
    check_problem(table.seat(others[1]).post(f"{path}/consent", {"to": to, "agree": True}), 409, "stale")


def test_a_declined_request_to_take_back_cannot_be_made_again(rest: Api) -> None:
    table, mover, to = table_with_reply(rest)
    path, other = f"{table.path}/takeback", table.seat((mover + 1) % 3)
    table.seat(mover).post(path, {"to": to})
    declined = json_of(other.post(f"{path}/consent", {"to": to, "agree": False}))
    assert not declined["done"]
    assert json_of(table.charlie.get(table.path))["takeback"] is None
    assert check_problem(table.seat(mover).post(path, {"to": to}), 409, "gone")["why"] == "asked_before"
    caller = table.seat(mover)
    gone = caller.client.delete(f"/api/v1{path}", headers=caller.headers())
    assert json_of(gone)["state"] == "no"


@pytest.mark.long
def test_a_match_sheet_names_the_tables_rule_for_take_backs(rest: Api) -> None:
    table = Table(rest, rest.start(game="niigata", takebacks="free"))
    assert json_of(table.charlie.get(table.path))["takebacks"] == "free"
    other = Table(rest, rest.start(game="niigata"))
    assert json_of(other.charlie.get(other.path))["takebacks"] == "consent"
