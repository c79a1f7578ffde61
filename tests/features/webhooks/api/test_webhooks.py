"""Webhooks through the API: created with a secret shown once, changed, tested, their calls listed and repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from werkzeug.test import TestResponse

from pbem.features.webhooks import deliveries, registry
from pbem.services.site import Site
from tests.api.access_tokens import make_program, sign_in
from tests.api.cast import Api, Caller, Table, check_problem, json_of
from tests.features.webhooks.hook_receiver import Receiver, run_receiver
from tests.harness.cases import cases
from tests.table import MovedClock

pytestmark = pytest.mark.usefixtures("no_lookups")

ALL = ["your_turn", "moved", "over"]
URL = "https://hooks.example.org/pbem/a-secret-path?key=1"


@pytest.fixture
def there() -> Iterator[Receiver]:
    """A server that receives webhook calls."""
    with run_receiver() as here:
        yield here


@pytest.fixture
def private(make_site: Callable[..., Site]) -> Table:
    """A match at a site that may call this machine."""
    api = Api(make_site(webhooks_private=True))
    return Table(api, api.start())


def send_with_version(caller: Caller, method: str, path: str, json: Any = None) -> TestResponse:
    """Sends a request that changes or deletes a resource, whatever its version; returns the answer."""
    headers = caller.headers() | {"If-Match": "*"}
    return caller.client.open(f"/api/v1{path}", method=method, json=json, headers=headers)


def test_a_new_webhooks_secret_is_shown_only_once(hogen: Table) -> None:
    alice = sign_in(hogen.api, "Alice")
    answer = alice.post("/me/webhooks", {"url": URL, "kinds": ["over", "your_turn"], "match": hogen.id})
    first = json_of(answer, 201)
    secret = first.pop("secret")
    assert secret.startswith("whsec_")
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["Location"] == f"/api/v1/me/webhooks/{first['id']}"
    assert first == {
        "id": first["id"], "url": "https://hooks.example.org/…", "kinds": ["your_turn", "over"], "match": hogen.id,
        "league": None,
        "preset": "standard", "language": "en", "state": "active", "why": None, "created_at": "2026-03-12T12:00:00Z",
        "failing_since": None, "disabled_at": None, "rotated": 0,
    }  # fmt: skip
    listed = alice.get("/me/webhooks")
    assert json_of(listed) == {"webhooks": [first]}
    one = alice.get(f"/me/webhooks/{first['id']}")
    assert json_of(one) == first
    for told in (listed.text, one.text):
        assert secret not in told
        assert "secret-path" not in told


@pytest.mark.long
def test_renewing_a_webhooks_secret_replaces_the_old_one(hogen: Table) -> None:
    alice = sign_in(hogen.api, "Alice")
    first = json_of(alice.post("/me/webhooks", {"url": URL, "kinds": ALL}), 201)
    path = f"/me/webhooks/{first['id']}"
    changed = json_of(send_with_version(alice, "PATCH", path, {"kinds": ["moved"]}))
    assert (changed["kinds"], changed["secret"]) == (["moved"], None)
    rotated = json_of(send_with_version(alice, "PATCH", path, {"rotate": True}))
    assert rotated["secret"] not in (None, first["secret"])
    assert rotated["kinds"] == ["moved"]
    check_problem(send_with_version(alice, "PATCH", path, {"active": False}), 422, "invalid")
    check_problem(send_with_version(alice, "PATCH", path, {"kinds": []}), 422, "invalid")
    check_problem(send_with_version(alice, "PATCH", path, {"url": URL}), 422, "invalid")


def test_changing_or_deleting_a_webhook_needs_its_current_etag(hogen: Table) -> None:
    alice = sign_in(hogen.api, "Alice")
    path = f"/me/webhooks/{json_of(alice.post('/me/webhooks', {'url': URL, 'kinds': ALL}), 201)['id']}"
    seen = alice.get(path).headers["ETag"]
    for method, sent in (("PATCH", {"kinds": ["over"]}), ("DELETE", None)):
        unsaid = alice.client.open(f"/api/v1{path}", method=method, json=sent, headers=alice.headers())
        check_problem(unsaid, 428, "precondition_required")
        other = alice.client.open(
            f"/api/v1{path}", method=method, json=sent, headers=alice.headers() | {"If-Match": '"x"'}
        )
        assert check_problem(other, 412, "changed")["etag"] == seen
    headers = alice.headers() | {"If-Match": seen}
    assert alice.client.patch(f"/api/v1{path}", json={"kinds": ["over"]}, headers=headers).status_code == 200
    check_problem(alice.client.delete(f"/api/v1{path}", headers=headers), 412, "changed")


def test_of_two_who_change_a_webhook_at_once_the_second_is_refused(
    hogen: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, change = sign_in(hogen.api, "Alice"), registry.change_webhook
    path = f"/me/webhooks/{json_of(alice.post('/me/webhooks', {'url': URL, 'kinds': ALL}), 201)['id']}"
    changes: tuple[dict[str, Any], ...] = ({"kinds": ["over"]}, {"rotate": True})
    for quicker in changes:

        def late(*args: Any, quicker: dict[str, Any] = quicker, **kwargs: Any) -> Any:
            change(*args[:3], **quicker)
            return change(*args, **kwargs)

        seen = alice.get(path).headers["ETag"]
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(registry, "change_webhook", late)
            slower = alice.client.patch(
                f"/api/v1{path}", json={"rotate": True}, headers=alice.headers() | {"If-Match": seen}
            )
            refused = check_problem(slower, 412, "changed")
        now = alice.get(path)
        assert refused["etag"] == now.headers["ETag"] != seen
        assert json_of(now)["kinds"] == ["over"]
    assert json_of(alice.get(path))["rotated"] == 1
    headers = alice.headers() | {"If-Match": alice.get(path).headers["ETag"]}
    assert json_of(alice.client.patch(f"/api/v1{path}", json={"rotate": True}, headers=headers))["rotated"] == 2
    check_problem(alice.client.patch(f"/api/v1{path}", json={"rotate": True}, headers=headers), 412, "changed")


def test_a_webhook_repeated_under_a_key_is_created_and_shown_once(hogen: Table) -> None:
    alice = sign_in(hogen.api, "Alice")
    headers = alice.headers() | {"Idempotency-Key": "one"}
    sent = {"url": URL, "kinds": ALL}
    first, again = (alice.client.post("/api/v1/me/webhooks", json=sent, headers=headers) for _ in range(2))
    assert json_of(first, 201)["secret"].startswith("whsec_")
    assert json_of(again, 201) == {**json_of(first, 201), "secret": None}
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(json_of(alice.get("/me/webhooks"))["webhooks"]) == 1
    ping = f"/api/v1/me/webhooks/{json_of(first, 201)['id']}/ping"
    one, same = (alice.client.post(ping, headers=headers | {"Idempotency-Key": "two"}) for _ in range(2))
    assert json_of(one, 202) == json_of(same, 202)


def test_a_deleted_webhook_is_not_found(hogen: Table) -> None:
    alice = sign_in(hogen.api, "Alice")
    path = f"/me/webhooks/{json_of(alice.post('/me/webhooks', {'url': URL, 'kinds': ALL}), 201)['id']}"
    assert send_with_version(alice, "DELETE", path).status_code == 204
    check_problem(alice.get(path), 404, "not_found")
    check_problem(send_with_version(alice, "DELETE", path), 404, "not_found")
    assert json_of(alice.get("/me/webhooks")) == {"webhooks": []}


@cases(
    "url",
    ["http://example.org/", "https://127.0.0.1/", "https://localhost/x", "https://[::1]/", "https://u:p@example.org/"],
)
def test_a_webhook_url_that_may_not_be_called_is_refused_with_its_own_code(hogen: Table, url: str) -> None:
    alice = sign_in(hogen.api, "Alice")
    check_problem(alice.post("/me/webhooks", {"url": url, "kinds": ALL}), 422, "unlinkable")
    assert json_of(alice.get("/me/webhooks")) == {"webhooks": []}


def test_an_invalid_webhook_names_the_wrong_field(hogen: Table) -> None:
    alice = sign_in(hogen.api, "Alice")
    for wrong, field in (
        ({"kinds": ["moved"]}, "url"),
        ({"url": URL}, "kinds"),
        ({"url": URL, "kinds": []}, "kinds"),
        ({"url": URL, "kinds": ["said"]}, "kinds.0"),
        ({"url": URL, "kinds": ["moved"], "preset": "teams"}, "preset"),
        ({"url": URL, "kinds": ["moved"], "language": "de"}, "language"),
        ({"url": "https://example.org/" + "a" * 500, "kinds": ["moved"]}, "url"),
    ):
        refused = check_problem(alice.post("/me/webhooks", wrong), 422, "invalid")
        assert list(refused["fields"]) == [field]


def test_a_webhook_for_a_match_not_ones_own_is_refused_as_not_found(hogen: Table, dave: Caller) -> None:
    him = sign_in(hogen.api, "Dave")
    check_problem(him.post("/me/webhooks", {"url": URL, "kinds": ALL, "match": hogen.id}), 404, "not_found")
    check_problem(him.post("/me/webhooks", {"url": URL, "kinds": ALL, "match": "nothing"}), 404, "not_found")
    json_of(sign_in(hogen.api, "Alice").post("/me/webhooks", {"url": URL, "kinds": ALL, "match": hogen.id}), 201)


def test_a_token_without_the_read_scope_can_only_delete_webhooks(hogen: Table) -> None:
    alice, maker = sign_in(hogen.api, "Alice"), make_program(hogen.api, "Alice", ["create"])
    first = json_of(alice.post("/me/webhooks", {"url": URL, "kinds": ALL}), 201)
    path = f"/me/webhooks/{first['id']}"
    for method, where, sent in (
        ("POST", "/me/webhooks", {"url": URL, "kinds": ALL}),
        ("PATCH", path, {"rotate": True}),
        ("POST", f"{path}/deliveries/1/redeliver", None),
    ):
        refused = check_problem(send_with_version(maker, method, where, sent), 403, "insufficient_scope")
        assert refused["needs"] == "read"
    assert json_of(alice.get("/me/webhooks")) == {"webhooks": [{k: v for k, v in first.items() if k != "secret"}]}
    assert send_with_version(maker, "DELETE", path).status_code == 204


def test_webhooks_need_the_read_scope_and_changes_the_create_scope_too(hogen: Table) -> None:
    api = hogen.api
    reader, maker = make_program(api, "Alice", ["read"]), make_program(api, "Alice", ["create", "read"], label="other")
    first = json_of(maker.post("/me/webhooks", {"url": URL, "kinds": ALL}), 201)
    path = f"/me/webhooks/{first['id']}"
    assert json_of(reader.get(path))["id"] == first["id"]
    for method, where, sent in (
        ("POST", "/me/webhooks", {"url": URL, "kinds": ALL}),
        ("PATCH", path, {"rotate": True}),
        ("DELETE", path, None),
        ("POST", f"{path}/ping", None),
        ("POST", f"{path}/deliveries/1/redeliver", None),
    ):
        refused = check_problem(send_with_version(reader, method, where, sent), 403, "insufficient_scope")
        assert refused["needs"] == "create"
    bob = make_program(api, "Bob")
    for method, where, sent in (
        ("GET", path, None),
        ("PATCH", path, {"rotate": True}),
        ("DELETE", path, None),
        ("POST", f"{path}/ping", None),
        ("GET", f"{path}/deliveries", None),
        ("POST", f"{path}/deliveries/1/redeliver", None),
    ):
        check_problem(send_with_version(bob, method, where, sent), 404, "not_found")
    check_problem(hogen.alice.get("/me/webhooks"), 401, "unauthorized")
    check_problem(hogen.charlie.get("/me/webhooks"), 401, "unauthorized")


@pytest.mark.long
def test_a_ping_is_sent_and_listed_among_the_calls(private: Table, there: Receiver, clock: MovedClock) -> None:
    alice = sign_in(private.api, "Alice")
    path = f"/me/webhooks/{json_of(alice.post('/me/webhooks', {'url': there.url(), 'kinds': ALL}), 201)['id']}"
    waiting = json_of(alice.post(f"{path}/ping"), 202)
    assert (waiting["kind"], waiting["done_at"]) == ("ping", None)
    soon = alice.post(f"{path}/ping")
    check_problem(soon, 429, "too_many")
    assert soon.headers["Retry-After"] == "10"
    deliveries.deliver_due_calls(private.api.site)
    (done,) = json_of(alice.get(f"{path}/deliveries"))["deliveries"]
    assert (done["id"], done["result"], done["status"]) == (waiting["id"], "delivered", 204)
    clock.forward(seconds=11)
    again = json_of(alice.post(f"{path}/deliveries/{done['id']}/redeliver"), 202)
    assert (again["id"], again["done_at"]) == (done["id"], None)
    deliveries.deliver_due_calls(private.api.site)
    assert len(there.got) == 2
    check_problem(alice.post(f"{path}/deliveries/999/redeliver"), 404, "not_found")
    check_problem(alice.post(f"{path}/deliveries/{2**70}/redeliver"), 404, "not_found")


@pytest.mark.long
def test_calls_are_read_page_by_page(private: Table, there: Receiver, clock: MovedClock) -> None:
    alice = sign_in(private.api, "Alice")
    path = f"/me/webhooks/{json_of(alice.post('/me/webhooks', {'url': there.url(), 'kinds': ALL}), 201)['id']}"
    for _ in range(52):
        json_of(alice.post(f"{path}/ping"), 202)
        clock.forward(seconds=11)
    first = json_of(alice.get(f"{path}/deliveries"))
    assert len(first["deliveries"]) == 50
    second = json_of(alice.get(f"{path}/deliveries?after={first['next']}"))
    assert (len(second["deliveries"]), second["next"]) == (2, None)
    ids = [one["id"] for one in first["deliveries"] + second["deliveries"]]
    assert ids == sorted(ids, reverse=True)
    check_problem(alice.get(f"{path}/deliveries?after=x"), 422, "invalid")


@pytest.mark.long
def test_a_webhook_disabled_by_gone_can_be_enabled_again(private: Table, there: Receiver) -> None:
    alice = sign_in(private.api, "Alice")
    path = f"/me/webhooks/{json_of(alice.post('/me/webhooks', {'url': there.url(), 'kinds': ALL}), 201)['id']}"
    there.status = 410
    alice.post(f"{path}/ping")
    deliveries.deliver_due_calls(private.api.site)
    shown = json_of(alice.get(path))
    assert (shown["state"], shown["why"], shown["disabled_at"]) == ("disabled", "gone", "2026-03-12T12:00:00Z")
    check_problem(alice.post(f"{path}/ping"), 409, "gone")
    assert json_of(send_with_version(alice, "PATCH", path, {"active": True}))["state"] == "active"


@pytest.mark.long
def test_a_webhook_sends_its_seats_view_and_all_needed_for_a_move(private: Table, there: Receiver) -> None:
    program = make_program(private.api, "Alice")
    json_of(program.post("/me/webhooks", {"url": there.url(), "kinds": ["your_turn", "moved"]}), 201)
    for seat in (1, 2):
        assert private.play(seat, private.ask(seat)["legal"][0]).status_code == 201
    deliveries.deliver_due_calls(private.api.site)
    (moved,) = [b["data"] for b in there.bodies()]
    assert moved["events"] == json_of(program.get(f"{private.path}/events?after={moved['after']}"))["events"]
    assert moved["ask"]["key"] == private.ask(0)["ask"]["key"]
    there.got.clear()
    private.play(0, private.ask(0)["legal"][0])
    while private.seats_asked() != [0]:
        seat = private.seats_asked()[0]
        private.play(seat, private.ask(seat)["legal"][0])
    deliveries.deliver_due_calls(private.api.site)
    (asked,) = [b["data"] for b in there.bodies() if b["type"] == "turn.asked"]
    choice = json_of(program.get(f"/matches/{asked['match']}/ask"))["legal"][0]
    answer = program.post(f"/matches/{asked['match']}/moves", {"key": asked["ask"]["key"], "move": choice["move"]})
    assert answer.status_code == 201
