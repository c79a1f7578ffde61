"""Orders by REST: saved at a position, followed at once, told to their owner alone."""

from __future__ import annotations

from tests.api.cast import Api, Table, body, problem

NONE = "always nobori: none for match"


def hagakure(rest: Api) -> Table:
    return Table(rest, rest.start(game="hagakure"))


def test_orders_are_saved_read_followed_and_stopped(rest: Api) -> None:
    table = hagakure(rest)
    path, version = f"{table.path}/orders", body(table.charlie.get(table.path))["version"]
    first = body(table.charlie.get(table.path))["asks"][0]["seat"]
    callers = [table.seat(seat) for seat in range(3)]
    other = (first + 1) % 3
    assert body(callers[other].get(path))["orders"] == []
    saved = body(callers[other].put(path, {"version": version, "orders": [NONE]}))
    assert (saved["version"], saved["answered"]) == (version, 0)
    (order,) = body(callers[other].get(path))["orders"]
    assert order["text"] == NONE
    assert "until you stop it" in order["says"].lower()
    stopped = callers[other].client.delete(f"/api/v1{path}", headers=callers[other].headers())
    assert (stopped.status_code, stopped.data) == (204, b"")
    assert body(callers[other].get(path))["orders"] == []
    now = body(callers[first].put(path, {"version": version, "orders": [NONE]}))
    assert now["answered"] == 1
    assert now["version"] > version


def test_a_program_that_is_late_learns_what_has_happened(rest: Api) -> None:
    table = hagakure(rest)
    path, version = f"{table.path}/orders", body(table.charlie.get(table.path))["version"]
    told = problem(table.alice.put(path, {"version": version - 1, "orders": [NONE]}), 409, "stale")
    assert told["version"] == version
    assert [entry["n"] for entry in told["events"]] == [version]


def test_what_cannot_be_read_or_never_followed_is_refused_with_the_way_to_write_it(rest: Api) -> None:
    table = hagakure(rest)
    path, version = f"{table.path}/orders", body(table.charlie.get(table.path))["version"]
    told = problem(table.alice.put(path, {"version": version, "orders": ["whatever"]}), 422, "unreadable")
    assert "always" in told["detail"]
    problem(table.alice.put(path, {"version": version, "orders": ["always chess: none"]}), 422, "illegal")


def test_nobody_reads_the_orders_of_another(rest: Api) -> None:
    table = hagakure(rest)
    path, version = f"{table.path}/orders", body(table.charlie.get(table.path))["version"]
    first = body(table.charlie.get(table.path))["asks"][0]["seat"]
    callers = [table.seat(seat) for seat in range(3)]
    other = (first + 1) % 3
    before = [body(one.get(table.path)) for one in (table.charlie, callers[first])]
    body(callers[other].put(path, {"version": version, "orders": [NONE]}))
    assert [body(one.get(table.path)) for one in (table.charlie, callers[first])] == before
    problem(table.charlie.get(path), 401, "unauthorized")
    assert body(callers[first].get(path))["orders"] == []
