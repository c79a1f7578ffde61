"""Orders by REST: saved at a position, followed at once, told to their owner alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.cast import Api, Table, check_problem, json_of

NONE = "always nobori: none for match"


def hagakure(rest: Api) -> Table:
    return Table(rest, rest.start(game="hagakure"))


@pytest.mark.long
def test_orders_are_saved_read_followed_and_stopped(rest: Api) -> None:
    table = hagakure(rest)
    path, version = f"{table.path}/orders", json_of(table.charlie.get(table.path))["version"]
    first = json_of(table.charlie.get(table.path))["asks"][0]["seat"]
    callers = [table.seat(seat) for seat in range(3)]
    other = (first + 1) % 3
    assert json_of(callers[other].get(path))["orders"] == []
    saved = json_of(callers[other].put(path, {"version": version, "orders": [NONE]}))
    assert (saved["version"], saved["answered"]) == (version, 0)
    (order,) = json_of(callers[other].get(path))["orders"]
    assert order["text"] == NONE
    assert "until you stop it" in order["says"].lower()
    stopped = callers[other].client.delete(f"/api/v1{path}", headers=callers[other].headers())
    assert (stopped.status_code, stopped.data) == (204, b"")
    assert json_of(callers[other].get(path))["orders"] == []
    now = json_of(callers[first].put(path, {"version": version, "orders": [NONE]}))
    assert now["answered"] == 1
    assert now["version"] > version


@pytest.mark.long
def test_orders_for_an_old_version_are_stale_and_get_the_missed_events(rest: Api) -> None:
    table = hagakure(rest)
    path, version = f"{table.path}/orders", json_of(table.charlie.get(table.path))["version"]
    told = check_problem(table.alice.put(path, {"version": version - 1, "orders": [NONE]}), 409, "stale")
    assert told["version"] == version
    assert [entry["n"] for entry in told["events"]] == [version]


def test_unreadable_orders_are_refused_with_a_hint_and_illegal_ones_too(rest: Api) -> None:
    table = hagakure(rest)
    path, version = f"{table.path}/orders", json_of(table.charlie.get(table.path))["version"]
    told = check_problem(table.alice.put(path, {"version": version, "orders": ["whatever"]}), 422, "unreadable")
    assert "always" in told["detail"]
    check_problem(table.alice.put(path, {"version": version, "orders": ["always chess: none"]}), 422, "illegal")


def test_nobody_reads_the_orders_of_another(rest: Api) -> None:
    table = hagakure(rest)
    path, version = f"{table.path}/orders", json_of(table.charlie.get(table.path))["version"]
    first = json_of(table.charlie.get(table.path))["asks"][0]["seat"]
    callers = [table.seat(seat) for seat in range(3)]
    other = (first + 1) % 3
    before = [json_of(one.get(table.path)) for one in (table.charlie, callers[first])]
    json_of(callers[other].put(path, {"version": version, "orders": [NONE]}))
    assert [json_of(one.get(table.path)) for one in (table.charlie, callers[first])] == before
    check_problem(table.charlie.get(path), 401, "unauthorized")
    assert json_of(callers[first].get(path))["orders"] == []


@pytest.mark.long
def test_orders_sent_together_with_a_move_are_saved(rest: Api) -> None:
    table = hagakure(rest)
    first = json_of(table.charlie.get(table.path))["asks"][0]["seat"]
    caller = table.seat(first)
    key = json_of(caller.get(f"{table.path}/ask"))["ask"]["key"]
    sent = {"key": key, "text": "none", "orders": ["lowest for match"]}
    told = json_of(caller.post(f"{table.path}/moves", sent), 201)
    assert [(one["key"], one["kind"], one["outcome"], one["problem"]) for one in told["answers"]] == [
        (key, "nobori", "played", None)
    ]
    assert [one["text"] for one in json_of(caller.get(f"{table.path}/orders"))["orders"]] == ["lowest for match"]
    assert json_of(caller.post(f"{table.path}/moves", sent), 201) == told


def test_news_of_orders_is_returned_until_it_is_marked_as_read(rest: Api) -> None:
    table = hagakure(rest)
    path, version = f"{table.path}/orders", json_of(table.charlie.get(table.path))["version"]
    caller = table.seat(json_of(table.charlie.get(table.path))["asks"][0]["seat"])
    key = json_of(caller.get(f"{table.path}/ask"))["ask"]["key"]
    saved = json_of(caller.put(path, {"version": version, "orders": [NONE]}))
    done = {"version": version + 1, "key": key, "kind": "nobori", "move": "none", "why": None}
    assert saved["news"] == [done]
    assert caller.post(f"{path}/read", {"version": version + 1}).status_code == 204
    assert json_of(caller.get(path))["news"] == []


@pytest.mark.long
def test_several_answers_can_be_sent_together_as_json_or_as_text(rest: Api) -> None:
    """Only the question with the key is open here: what follows is asked again, and the receipt says so."""
    for sent in (
        {"answers": [{"key": "{key}", "text": "none"}, {"kind": "card", "move": {"type": "Play", "card": 0}}]},
        {"key": "{key}", "text": "none; play F"},
        {"key": "{key}", "text": "none\nplay F"},
    ):
        table = hagakure(rest)
        caller = table.seat(json_of(table.charlie.get(table.path))["asks"][0]["seat"])
        key = json_of(caller.get(f"{table.path}/ask"))["ask"]["key"]
        said = json.loads(json.dumps(sent).replace("{key}", key))
        first, second = json_of(caller.post(f"{table.path}/moves", said), 201)["answers"]
        assert (first["key"], first["outcome"]) == (key, "played")
        assert (second["kind"], second["outcome"]) == ("card", "open")
        assert second["problem"]["code"] in ("stale", "illegal")


@pytest.mark.parametrize(
    "sent",
    [
        {"answers": []},
        {"answers": [{"text": "none"}]},
        {"answers": [{"key": "k", "text": "none"}], "text": "none"},
        {"answers": [{"key": "k", "text": "none"}, {"key": "l", "text": "none"}]},
        {"answers": [{"key": "k"}]},
        {"key": "k", "text": "none", "orders": ["x"] * 17},
    ],
)
def test_answers_of_a_wrong_shape_are_refused(rest: Api, sent: dict[str, Any]) -> None:
    table = hagakure(rest)
    check_problem(table.alice.post(f"{table.path}/moves", sent), 422, "invalid")
