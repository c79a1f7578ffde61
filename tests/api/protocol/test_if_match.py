"""If-Match: a caller who states the version they have seen never overwrites a newer one; writes can be retried."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask, Response
from werkzeug.test import TestResponse

from pbem.api.protocol.headers import if_match
from pbem.errors import Changed, PreconditionRequired
from pbem.features.checkpoints import making
from pbem.services.play import ordering, stand_ins
from pbem.services.results import sharing
from pbem.services.views import talk
from tests.api.cast import Api, Caller, Table, check_problem, json_of
from tests.api.protocol.if_match import run_before_service_call

OLD = '"0123"'

REPEATABLE: dict[str, str] = {
    "previewMove": "it changes nothing",
    "answerQuestion": "its first answer names the question",
    "stopOrders": "it stops whatever there is",
    "takeBack": "it names where it goes back to, which comes once",
    "withdrawTakeback": "without a request it changes nothing",
    "agreeToTakeback": "it names the request, and counts once",
    "askAnalysis": "a match is analysed once",
    "inviteToCircle": "nobody is written to twice",
    "joinCircle": "a member stays one",
    "acceptCircle": "a member stays one",
    "declineCircle": "it declines once",
    "removeMember": "it ends a membership, once",
    "stopTable": "it stops whatever there is",
}
"""Writes that may be sent again as they are, and why: those that neither take a header nor name what they are based on.
"""


def account_caller(api: Api) -> Caller:
    """Alice with the token of her account link."""
    return api.caller(api.site.tokens.for_account(1, 0, api.site.now()))


def send_with_tag(caller: Caller, method: str, path: str, sent: Any, tag: str | None) -> TestResponse:
    """Sends the request with the tag of the version that the caller has seen."""
    headers = caller.headers() | ({"If-Match": tag} if tag is not None else {})
    return caller.client.open(f"/api/v1{path}", method=method, json=sent, headers=headers)


HOURS = {"zone": "Europe/Paris", "weekends_off": True, "quiet": {"from": 22, "to": 7}}
CHOICES = {"rated": True, "pace_shown": False, "weekly": False}
DAYS = {"first": "2026-03-20", "last": "2026-03-21"}
Asks = tuple[str, str, Any, str]


def writes_with_if_match(table: Table) -> dict[str, tuple[Caller, Asks]]:
    """Returns the operations that honour the header: method, address, body, and where the tag comes from."""
    match, me = table.path, account_caller(table.api)
    orders = {"version": json_of(table.alice.get(f"{match}/orders"))["version"], "orders": []}
    return {
        "putNote": (table.alice, ("PUT", f"{match}/note", {"text": "new"}, f"{match}/note")),
        "say": (table.alice, ("POST", f"{match}/messages", {"text": "new"}, f"{match}/messages")),
        "putStandIn": (table.alice, ("PUT", f"{match}/stand-in", {"bot": "greedy"}, f"{match}/stand-in")),
        "putOrders": (table.alice, ("PUT", f"{match}/orders", orders, f"{match}/orders")),
        "putPreferences": (me, ("PUT", "/me/preferences", CHOICES, "/me/preferences")),
        "comeBack": (table.alice, ("POST", f"{match}/back", {}, match)),
        "resign": (table.alice, ("POST", f"{match}/resign", {}, match)),
        "putCalendar": (me, ("PUT", "/me/calendar", HOURS, "/me/calendar")),
        "takeHolidayBack": (me, ("DELETE", "/me/calendar/holidays/2026-03-20", None, "/me/calendar")),
    }


NAMES = (
    "putNote", "say", "putStandIn", "comeBack", "resign", "putCalendar", "takeHolidayBack", "putOrders",
    "putPreferences",
)  # fmt: skip


def prepare_operation(table: Table, name: str) -> tuple[Caller, Asks]:
    """Returns the operation, once everything it needs is there."""
    if name == "takeHolidayBack":
        json_of(account_caller(table.api).post("/me/calendar/holidays", DAYS), 201)
    return writes_with_if_match(table)[name]


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_write_with_the_current_etag_succeeds(hogen: Table, name: str) -> None:
    caller, (method, path, sent, seen) = prepare_operation(hogen, name)
    tag = caller.get(seen).headers["ETag"]
    for weak, said in (("", '"x", {}'), ("W/", "{}"), ("W/", 'W/"x" , {}'), ("", "*"), ("", None)):
        told = None if said is None else said.replace("{}", weak + tag)
        assert send_with_tag(caller, method, path, sent, told).status_code in (200, 201)
        if name == "takeHolidayBack":
            json_of(account_caller(hogen.api).post("/me/calendar/holidays", DAYS), 201)
        tag = caller.get(seen).headers["ETag"]


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_write_with_an_old_etag_is_refused_and_changes_nothing(hogen: Table, name: str) -> None:
    caller, (method, path, sent, seen) = prepare_operation(hogen, name)
    before = caller.get(seen)
    for said in (OLD, f"W/{OLD}", '"x", "y"'):
        refused = send_with_tag(caller, method, path, sent, said)
        assert check_problem(refused, 412, "changed")["etag"] == before.headers["ETag"], said
        assert caller.get(seen).data == before.data, said


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", NAMES)
def test_an_invalid_if_match_header_is_refused_by_name(hogen: Table, name: str) -> None:
    caller, (method, path, sent, seen) = prepare_operation(hogen, name)
    before = caller.get(seen).data
    for said in ("x", '"x', "", '"x" "y"', '*, "x"', '"a\u00e9"'):
        assert set(check_problem(send_with_tag(caller, method, path, sent, said), 422, "invalid")["fields"]) == {
            "If-Match"
        }, said
        assert caller.get(seen).data == before, said


def test_an_etag_is_not_revealed_to_callers_who_may_not_read(hogen: Table, dave: Caller) -> None:
    for caller, status, code in ((hogen.charlie, 401, "unauthorized"), (dave, 403, "forbidden")):
        refused = check_problem(send_with_tag(caller, "PUT", f"{hogen.path}/note", {"text": "x"}, OLD), status, code)
        assert "etag" not in refused


def test_a_write_repeated_under_its_key_is_replayed_despite_a_new_etag(hogen: Table) -> None:
    path, alice = f"{hogen.path}/messages", hogen.alice
    headers = alice.headers() | {"Idempotency-Key": "one", "If-Match": alice.get(path).headers["ETag"]}
    first, again = (alice.client.post(f"/api/v1{path}", json={"text": "Hello"}, headers=headers) for _ in range(2))
    assert json_of(first, 201) == json_of(again, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    for text, key in (("Hello", "another"), ("Good night", "one"), ("Hello", "no key")):
        other = headers | {"Idempotency-Key": key}
        check_problem(alice.client.post(f"/api/v1{path}", json={"text": text}, headers=other), 412, "changed")
    bobs = headers | hogen.bob.headers()
    check_problem(hogen.bob.client.post(f"/api/v1{path}", json={"text": "Hello"}, headers=bobs), 412, "changed")
    assert len(json_of(alice.get(path))["messages"]) == 1


def test_of_two_notes_written_at_once_the_second_is_refused(hogen: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    path, alice = f"{hogen.path}/note", hogen.alice
    tag = alice.get(path).headers["ETag"]
    run_before_service_call(monkeypatch, talk, "write_note", lambda: alice.put(path, {"text": "quicker"}))
    refused = check_problem(send_with_tag(alice, "PUT", path, {"text": "slower"}, tag), 412, "changed")
    now = alice.get(path)
    assert json_of(now) == {"text": "quicker"}
    assert refused["etag"] == now.headers["ETag"] != tag


def test_of_two_stand_ins_chosen_at_once_the_second_is_refused(hogen: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    path, alice = f"{hogen.path}/stand-in", hogen.alice
    for quicker in ("greedy", None):
        tag = alice.get(path).headers["ETag"]
        run_before_service_call(monkeypatch, stand_ins, "choose_stand_in", lambda: alice.put(path, {"bot": quicker}))  # noqa: B023
        refused = check_problem(send_with_tag(alice, "PUT", path, {"bot": "random"}, tag), 412, "changed")
        now = alice.get(path)
        assert json_of(now)["bot"] == quicker
        assert refused["etag"] == now.headers["ETag"] != tag


def test_of_two_calendars_written_at_once_the_second_is_refused(hogen: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    from pbem.services.clock import holidays

    me = account_caller(hogen.api)
    json_of(me.post("/me/calendar/holidays", DAYS), 201)
    for quicker in (lambda: me.put("/me/calendar", HOURS), lambda: me.post("/me/calendar/holidays", LATER)):
        tag = me.get("/me/calendar").headers["ETag"]
        run_before_service_call(monkeypatch, holidays, "set_clock_hours", quicker)
        slower = {**HOURS, "zone": "Europe/London", "quiet": None}
        refused = check_problem(send_with_tag(me, "PUT", "/me/calendar", slower, tag), 412, "changed")
        now = me.get("/me/calendar")
        assert json_of(now)["zone"] == "Europe/Paris"
        assert refused["etag"] == now.headers["ETag"] != tag


def test_of_two_preferences_saved_at_once_the_second_is_refused(hogen: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    me, path = account_caller(hogen.api), "/me/preferences"
    tag = me.get(path).headers["ETag"]
    run_before_service_call(monkeypatch, sharing, "choose_what_to_share", lambda: me.put(path, CHOICES))
    refused = check_problem(send_with_tag(me, "PUT", path, {**CHOICES, "rated": False}, tag), 412, "changed")
    now = me.get(path)
    assert json_of(now) == CHOICES
    assert refused["etag"] == now.headers["ETag"] != tag


def test_of_two_orders_saved_at_once_the_second_is_refused(rest: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(rest, rest.start(game="hagakure"))
    first = json_of(table.charlie.get(table.path))["asks"][0]["seat"]
    alice, path = table.seat((first + 1) % 3), f"{table.path}/orders"
    version, tag = json_of(alice.get(path))["version"], alice.get(path).headers["ETag"]
    orders = {"version": version, "orders": ["always nobori: none for match"]}
    run_before_service_call(monkeypatch, ordering, "save_orders", lambda: json_of(alice.put(path, orders)))
    refused = check_problem(send_with_tag(alice, "PUT", path, {"version": version, "orders": []}, tag), 412, "changed")
    now = alice.get(path)
    assert [one["text"] for one in json_of(now)["orders"]] == orders["orders"]
    assert refused["etag"] == now.headers["ETag"] != tag


LATER = {"first": "2026-05-20", "last": "2026-05-21"}


def test_a_write_that_requires_if_match_is_refused_without_it() -> None:
    app, done = Flask("small"), []

    @if_match(lambda: {"now": len(done)}, required=True)
    def view() -> Response:
        done.append(1)
        return Response("done")

    with app.test_request_context(), pytest.raises(PreconditionRequired):
        view()
    with app.test_request_context(headers={"If-Match": OLD}), pytest.raises(Changed) as refused:
        view()
    assert done == []
    with app.test_request_context(headers={"If-Match": refused.value.extra["etag"]}):
        assert view().data == b"done"
    assert done == [1]


def headers_of(operation: dict[str, Any]) -> set[str]:
    """The headers that an operation documents."""
    return {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "header"}


def is_safe_to_retry(path: str, operation: dict[str, Any], document: dict[str, Any]) -> bool:
    """True if the write can be retried after its answer was lost, or names the version that it is based on."""
    if headers_of(operation) & {"If-Match", "Idempotency-Key"} or operation["operationId"] in REPEATABLE:
        return True
    if "{token}" in path:  # names the seat's epoch; or its change
        return True
    sent = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = sent.get("$ref", "").rpartition("/")[2]
    required = document["components"]["schemas"][name].get("required", ()) if name else ()
    return not {"key", "version"}.isdisjoint(required)


@pytest.mark.long
def test_the_document_gives_every_write_a_safe_way_to_be_repeated(rest: Api) -> None:
    document = json_of(rest.caller().get("/openapi.json"))
    every = [
        (path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in ("post", "put", "patch", "delete")
    ]
    assert {one["operationId"] for path, one in every if not is_safe_to_retry(path, one, document)} == set()
    guarded = {one["operationId"]: headers_of(one) for _, one in every}
    assert {name for name, headers in guarded.items() if "If-Match" in headers} >= {*NAMES, "vote"}
    assert {name for name, headers in guarded.items() if "Idempotency-Key" in headers} >= {
        "createMatch", "say", "announceHoliday", "remindSeat",
    }  # fmt: skip
    for _, one in every:
        if "If-Match" in headers_of(one):
            assert "412" in one["responses"], one["operationId"]
            needed = [p["required"] for p in one["parameters"] if p["name"] == "If-Match"]
            assert ("428" in one["responses"]) == needed[0], one["operationId"]


@pytest.mark.long
def test_every_read_has_an_etag_and_answers_304_to_it(rest: Api, hogen: Table) -> None:
    document = json_of(rest.caller().get("/openapi.json"))
    making.make_checkpoint_of_today(rest.site)
    ids = {"{match_id}": hogen.id, "{slug}": "hogen", "{of}": "moves"}
    read = set()
    for path, operations in document["paths"].items():
        if "get" not in operations or "text/event-stream" in operations["get"]["responses"]["200"]["content"]:
            continue
        where = path.removeprefix("/api/v1")
        for name, value in ids.items():
            where = where.replace(name, value)
        if "{" in where or where.endswith("/analysis"):  # there is none before the end
            continue
        caller = account_caller(rest) if where.startswith(("/me", "/leagues", "/circles")) else hogen.alice
        answer = caller.get(where)
        json_of(answer)
        assert caller.get(where, **{"If-None-Match": answer.headers["ETag"]}).status_code == 304, where
        read.add(path)
    assert len(read) >= 11
