"""Take back by REST: what can be taken back, doing so, and what the others say to it."""

from __future__ import annotations

import pytest

from tests.api.cast import Api, Table, body, problem
from tests.api.play.takeback import niigata, table_with_reply


@pytest.mark.long
def test_a_taken_back_move_is_an_event_that_every_seat_reads(rest: Api) -> None:
    table, mover, to = niigata(rest)
    seat, path = table.seat(mover), f"{table.path}/takeback"
    facts = body(seat.get(path))
    assert (facts["state"], facts["to"], facts["why"], facts["held_until"]) == ("free", to, None, None)
    done = body(seat.post(path, {"to": to}))
    assert (done["done"], done["state"], done["why"]["code"]) == (True, "no", "nothing")
    told = body(table.charlie.get(f"{table.path}/events?after={to}"))["events"]
    assert told[-1]["event"] == {"type": "Undone", "to": to}
    assert told[-1]["by"] == {"table": True}
    story = body(table.charlie.get(f"{table.path}/story"))["lines"]
    assert "takes back a move." in story[-1]["text"]
    ask = body(seat.get(f"{table.path}/ask"))["ask"]
    assert ask["key"].endswith("~1")
    again = body(table.play(mover, table.ask(mover)["legal"][-1]), 201)
    assert again["events"][0]["key"] == ask["key"]


@pytest.mark.long
def test_a_refused_take_back_says_why(rest: Api) -> None:
    table, mover, to = niigata(rest)
    path = f"{table.path}/takeback"
    assert problem(table.seat(mover).post(path, {"to": to + 5}), 409, "stale")["to"] == to
    assert problem(table.seat((mover + 1) % 3).post(path, {"to": to}), 409, "gone")["why"] == "nothing"
    problem(table.charlie.post(path, {"to": to}), 401, "unauthorized")
    problem(table.seat(mover).post(path, {}), 422, "invalid")


@pytest.mark.long
def test_a_take_back_happens_when_the_other_players_agree(rest: Api) -> None:
    table, mover, to = table_with_reply(rest)
    path = f"{table.path}/takeback"
    asked = body(table.seat(mover).post(path, {"to": to}))
    others = sorted({0, 1, 2} - {mover})
    assert (asked["done"], asked["state"], asked["why"]["code"], asked["needed"]) == (False, "asked", "acted", others)
    sheet = table.charlie.get(table.path)
    assert body(sheet)["takeback"] == {"seat": mover, "to": to, "needed": others, "agreed": []}
    first = body(table.seat(others[0]).post(f"{path}/consent", {"to": to, "agree": True}))
    assert not first["done"]
    assert table.charlie.get(table.path).headers["ETag"] != sheet.headers["ETag"]
    assert body(table.seat(others[1]).post(f"{path}/consent", {"to": to, "agree": True}))["done"]
    assert body(table.charlie.get(table.path))["takeback"] is None
    problem(table.seat(others[1]).post(f"{path}/consent", {"to": to, "agree": True}), 409, "stale")


def test_a_request_to_take_back_is_withdrawn_or_declined(rest: Api) -> None:
    table, mover, to = table_with_reply(rest)
    path, other = f"{table.path}/takeback", table.seat((mover + 1) % 3)
    table.seat(mover).post(path, {"to": to})
    declined = body(other.post(f"{path}/consent", {"to": to, "agree": False}))
    assert not declined["done"]
    assert body(table.charlie.get(table.path))["takeback"] is None
    assert problem(table.seat(mover).post(path, {"to": to}), 409, "gone")["why"] == "asked_before"
    caller = table.seat(mover)
    gone = caller.client.delete(f"/api/v1{path}", headers=caller.headers())
    assert body(gone)["state"] == "no"


@pytest.mark.long
def test_a_match_sheet_names_the_tables_rule_for_take_backs(rest: Api) -> None:
    table = Table(rest, rest.start(game="niigata", takebacks="free"))
    assert body(table.charlie.get(table.path))["takebacks"] == "free"
    other = Table(rest, rest.start(game="niigata"))
    assert body(other.charlie.get(other.path))["takebacks"] == "consent"
