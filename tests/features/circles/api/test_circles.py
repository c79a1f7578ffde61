"""Circles through the API: founded, joined and played in by personal tokens, without anybody seeing an address."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from pbem.features.circles.occasions import run_standing_tables
from tests.api.access_tokens import make_program
from tests.api.cast import Caller, Table, check_problem, json_of
from tests.harness.cases import cases
from tests.table import MovedClock

JOINING = ("/circle-links", "/circles/join")
"""Where the token of an invitation link is sent: the address today, and the one before."""

_numbers = count(1)


@pytest.fixture
def alice(hogen: Table) -> Caller:
    """Alice with a personal token that may do everything."""
    return with_token(hogen, "Alice")


def with_token(hogen: Table, name: str) -> Caller:
    """One of the cast with a personal token."""
    number = next(_numbers)
    return make_program(hogen.api, name, scopes=["read", "play", "create"], label=f"bot {number}")


@pytest.fixture
def circle(hogen: Table, alice: Caller) -> dict[str, Any]:
    """Alice's circle, which Bob has joined by its link, and Carol at the address that programs used before."""
    founded = json_of(alice.post("/circles", {"title": "Les Lacs", "name": "Alice"}), 201)
    token = founded["join_url"].rpartition("/")[2]
    for name, address in zip(("Bob", "Carol"), JOINING, strict=True):
        json_of(with_token(hogen, name).post(f"{address}/{token}", {"name": name}))
    shown: dict[str, Any] = json_of(alice.get(f"/circles/{founded['id']}"))
    return shown


def send_request(caller: Caller, method: str, path: str, json: Any = None) -> Any:
    return caller.client.open(f"/api/v1{path}", method=method, json=json, headers=caller.headers())


def test_a_circle_is_founded_once_under_a_key(alice: Caller) -> None:
    headers = alice.headers() | {"Idempotency-Key": "one"}
    new = {"title": "Les Lacs", "name": "Alice"}
    first, again = (alice.client.post("/api/v1/circles", json=new, headers=headers) for _ in range(2))
    assert json_of(first, 201)["id"] == json_of(again, 201)["id"]
    assert len(json_of(alice.get("/circles"))["circles"]) == 1


def test_a_circle_match_is_started_by_member_ids_revealing_no_address(
    hogen: Table, alice: Caller, circle: dict[str, Any]
) -> None:
    ids = [one["id"] for one in circle["members"] if one["name"] != "Alice"]
    answer = alice.post(f"/circles/{circle['id']}/matches", {"game": "hogen", "members": ids})
    begun = json_of(answer, 201)
    sheet = json_of(alice.get(f"/matches/{begun['id']}"))
    assert [(seat["name"], seat["status"]) for seat in sheet["seats"]] == [
        ("Alice", "accepted"), ("Bob", "invited"), ("Carol", "invited"),
    ]  # fmt: skip
    shown = alice.get(f"/circles/{circle['id']}")
    assert json_of(shown)["matches"] == [begun["id"]]
    assert "example.org" not in shown.text.replace(hogen.api.site.config.url, "")
    check_problem(
        alice.post(f"/circles/{circle['id']}/matches", {"game": "hogen", "members": [10**6, ids[0]]}), 409, "gone"
    )
    check_problem(alice.post(f"/circles/{circle['id']}/matches", {"game": "hogen", "members": []}), 422, "invalid")


@cases("name, sent, status", [("Bob", {"name": "Bob"}, 200), ("Bob", {}, 422), ("Dave", {"name": "Bob"}, 422)])
def test_a_circle_is_joined_the_same_way_at_the_older_url(
    hogen: Table, circle: dict[str, Any], name: str, sent: dict[str, str], status: int
) -> None:
    hogen.api.create(("Dave", "Erin", "Fanny"))
    token, caller = circle["join_url"].rpartition("/")[2], with_token(hogen, name)
    now, before = (caller.post(f"{address}/{token}", sent) for address in JOINING)
    assert (now.status_code, now.json) == (status, before.json)
    assert before.status_code == status


@cases("scopes, end, status", [(["play", "read"], "x", 401), (["read"], "", 403), (["play"], "", 403), (None, "", 401)])
def test_the_older_url_to_join_refuses_what_the_new_one_refuses(
    hogen: Table, circle: dict[str, Any], scopes: list[str] | None, end: str, status: int
) -> None:
    token = circle["join_url"].rpartition("/")[2] + end
    caller = (
        make_program(hogen.api, "Bob", scopes=scopes, label=f"bot {next(_numbers)}")
        if scopes
        else hogen.api.caller("garbage")
    )
    now, before = (caller.post(f"{address}/{token}", {"name": "Bob"}) for address in JOINING)
    assert (now.status_code, now.json) == (status, before.json)
    assert before.status_code == status


@pytest.mark.long
def test_a_circle_of_others_is_not_found_whether_it_exists_or_not(hogen: Table, circle: dict[str, Any]) -> None:
    hogen.api.create(("Dave", "Erin", "Fanny"))
    stranger = make_program(hogen.api, "Dave", scopes=["read"])
    refused = [check_problem(stranger.get(f"/circles/{one}"), 404, "not_found") for one in (circle["id"], "0" * 24)]
    assert refused[0]["detail"] == refused[1]["detail"]


@pytest.mark.long
def test_members_answer_and_change_their_answer_once_a_table_asks(
    hogen: Table, alice: Caller, circle: dict[str, Any], clock: MovedClock
) -> None:
    path = f"/circles/{circle['id']}/tables"
    weekly = {"game": "hogen", "weekday": 6, "hour": 18, "zone": "Europe/Paris"}
    table = json_of(alice.post(path, weekly), 201)
    assert (table["asking"], table["starts_at"]) == (False, "2026-03-15T17:00:00Z")
    check_problem(send_request(alice, "PUT", f"{path}/{table['id']}/answer", {"yes": True}), 409, "gone")
    run_standing_tables(hogen.api.site)
    for name in ("Bob", "Carol"):
        json_of(send_request(with_token(hogen, name), "PUT", f"{path}/{table['id']}/answer", {"yes": True}))
    said = json_of(send_request(alice, "PUT", f"{path}/{table['id']}/answer", {"yes": False}))
    assert (said["yes"], said["no"], said["yours"]) == (["Bob", "Carol"], ["Alice"], False)
    said = json_of(send_request(alice, "PUT", f"{path}/{table['id']}/answer", {"yes": True}))
    assert said["yours"] is True
    clock.forward(days=4)
    run_standing_tables(hogen.api.site)
    (match_id,) = json_of(alice.get(f"/circles/{circle['id']}"))["matches"]
    assert json_of(alice.get(f"/matches/{match_id}"))["status"] == "running"


@pytest.mark.long
def test_leaving_and_removing_use_the_same_url(hogen: Table, alice: Caller, circle: dict[str, Any]) -> None:
    by_name = {one["name"]: one["id"] for one in circle["members"]}
    path = f"/circles/{circle['id']}/members"
    bob = with_token(hogen, "Bob")
    check_problem(send_request(bob, "DELETE", f"{path}/{by_name['Carol']}"), 403, "forbidden")
    assert send_request(bob, "DELETE", f"{path}/{by_name['Bob']}").status_code == 204
    assert send_request(alice, "DELETE", f"{path}/{by_name['Carol']}").status_code == 204
    assert [one["name"] for one in json_of(alice.get(f"/circles/{circle['id']}"))["members"]] == ["Alice"]
    check_problem(bob.get(f"/circles/{circle['id']}"), 404, "not_found")


@pytest.mark.long
@cases("method, path", [("DELETE", "members/{id}"), ("DELETE", "tables/{id}"), ("PUT", "tables/{id}/answer")])
def test_an_id_beyond_the_databases_integers_is_404(
    alice: Caller, circle: dict[str, Any], method: str, path: str
) -> None:  # fmt: skip
    sent = {"yes": True} if method == "PUT" else None
    for number in (2**31, 2**63, 10**30):
        full = f"/api/v1/circles/{circle['id']}/{path.format(id=number)}"
        headers = alice.headers() | {"If-Match": "*"}
        check_problem(alice.client.open(full, method=method, json=sent, headers=headers), 404, "not_found")


@pytest.mark.long
def test_a_circle_write_with_an_old_etag_is_refused(alice: Caller, circle: dict[str, Any]) -> None:
    path = f"/circles/{circle['id']}"
    table = {"game": "hogen", "weekday": 6, "hour": 18, "zone": "Europe/Paris"}
    number = json_of(alice.post(f"{path}/tables", table), 201)["id"]
    writes = (
        ("PATCH", path, {"title": "Les Étangs"}, 200),
        ("PATCH", f"{path}/me", {"muted": True}, 200),
        ("PUT", f"{path}/tables/{number}/answer", {"yes": True}, 409),  # nobody is asked yet
    )
    for method, where, sent, status in writes:
        for tag, expected in (('"0123"', 412), (alice.get(path).headers["ETag"], status)):
            headers = alice.headers() | {"If-Match": tag}
            answer = alice.client.open(f"/api/v1{where}", method=method, json=sent, headers=headers)
            assert answer.status_code == expected, (where, tag, answer.text)
