"""Webhook calls: each event once, in order, retried after failures, and not for ever."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from sqlalchemy import Connection, event, update
from standardwebhooks import Webhook as Verifier
from structlog.testing import capture_logs

from pbem.errors import N_, Busy, Forbidden, Gone, Invalid, NotFound, TooMany, Unlinkable
from pbem.features import safe_http
from pbem.features.safe_http import Answer
from pbem.features.webhooks import cursors, deliveries, payloads, registry
from pbem.features.webhooks.tables import Delivery
from pbem.models.tables import table
from pbem.services.log import cancellation
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site
from pbem.services.who import HOST
from tests.features.webhooks.hook_receiver import Receiver, run_receiver
from tests.features.webhooks.hooked import add_webhook_of, all_deliveries, make_due_calls, row_of_hook
from tests.harness.waiting import SECONDS
from tests.services.letterbox import id_of, kinds_of_mails, newest_mail, text_of
from tests.table import House

pytestmark = pytest.mark.usefixtures("no_lookups")


@pytest.fixture
def home(make_house: Callable[..., House]) -> House:
    """A house that calls this machine."""
    return make_house(webhooks_private=True)


@pytest.fixture
def there() -> Iterator[Receiver]:
    """A server that receives webhook calls."""
    with run_receiver() as here:
        yield here


def types_of_calls(there: Receiver) -> list[str]:
    return [body["type"] for body in there.bodies()]


# --- events --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_players_webhook_gets_turns_moves_and_the_end(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there)
    assert make_due_calls(home) == 0, "nothing of the past is told"
    home.play(match_id, 0)
    make_due_calls(home)
    assert types_of_calls(there) == ["match.moved"]
    (told,) = there.bodies()
    assert told["data"]["match"] == match_id
    assert told["data"]["seat"] == 0
    assert [entry["n"] for entry in told["data"]["events"]] == [told["data"]["version"]]
    home.play_out(match_id)
    make_due_calls(home)
    assert types_of_calls(there)[-1] == "match.over"
    last = there.bodies()[-1]["data"]
    assert (last["status"], last["outcome"]["reason"] in ("found", "all_wrong", "cap")) == ("over", True)
    assert make_due_calls(home) == 0


@pytest.mark.long
def test_a_new_question_is_reported_once_and_one_answered_is_not(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("your_turn",))
    home.play(match_id, 0)
    make_due_calls(home)
    assert there.got == []
    for _ in range(200):
        asks = home.asks(match_id)
        if [ask.seat for ask in asks] == [0]:
            break
        home.play(match_id, asks[0].seat)
    (ask,) = home.asks(match_id)
    make_due_calls(home)
    (told,) = there.bodies()
    assert told["type"] == "turn.asked"
    assert (told["data"]["ask"]["key"], told["data"]["seat"]) == (ask.key, 0)
    assert make_due_calls(home) == 0


@pytest.mark.on_postgresql
def test_a_queued_call_about_a_question_answered_meanwhile_is_dropped(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("your_turn",))
    while [ask.seat for ask in home.asks(match_id)] != [0]:
        home.play(match_id, home.asks(match_id)[0].seat)
    cursors.queue_calls_for_new_events(home.site)
    home.play(match_id, 0)
    while 0 in [ask.seat for ask in home.asks(match_id)]:
        home.play(match_id, 0)
    make_due_calls(home)
    assert there.got == []
    assert [row.result for row in all_deliveries(home)] == ["stale"]


@pytest.mark.long
def test_a_match_that_begins_later_is_reported_from_its_first_entry(home: House, there: Receiver) -> None:
    home.begin()
    add_webhook_of(home, "Bob", there, ("moved", "your_turn"))
    match_id = home.begin()
    make_due_calls(home)
    assert types_of_calls(there) == ["match.moved", "turn.asked"]
    assert there.bodies()[0]["data"]["events"][0]["n"] == 1
    assert {body["data"]["match"] for body in there.bodies()} == {match_id}


@pytest.mark.on_postgresql
def test_a_webhook_for_one_match_gets_events_of_that_match_only(home: House, there: Receiver) -> None:
    one, other = home.begin(), home.begin()
    add_webhook_of(home, "Alice", there, ("moved",), match_id=one)
    home.play(one, 1)
    home.play(other, 1)
    make_due_calls(home)
    assert [body["data"]["match"] for body in there.bodies()] == [one]


@pytest.mark.long
def test_a_players_webhook_gets_no_events_of_other_peoples_matches(home: House, there: Receiver) -> None:
    home.begin(4)
    match_id = home.begin(3)
    add_webhook_of(home, "Dave", there)
    home.play(match_id, 0)
    assert make_due_calls(home) == 0
    with pytest.raises(NotFound):
        registry.add_webhook(home.site, id_of(home, "Dave"), there.url(), ["moved"], match_id=match_id)


@pytest.mark.long
def test_the_hosts_webhook_gets_what_spectators_of_public_tables_see(home: House, there: Receiver) -> None:
    add_webhook_of(home, None, there)
    match_id = home.begin()
    private = home.begin(spectators=False)
    home.play(match_id, 0)
    home.play(private, 0)
    make_due_calls(home)
    assert {body["data"]["match"] for body in there.bodies()} == {match_id}
    assert {body["data"]["seat"] for body in there.bodies()} == {None}
    with pytest.raises(Invalid):
        registry.add_webhook(home.site, HOST, there.url(), ["your_turn"])


@pytest.mark.long
def test_a_cancelled_match_is_reported_as_over(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("over",))
    cancellation.cancel_match_for_host(home.site, match_id)
    make_due_calls(home)
    (told,) = there.bodies()
    assert (told["type"], told["data"]["cancelled"], told["data"]["outcome"]) == ("match.over", "host", None)


# --- the signature -------------------------------------------------------------------------------------------


def test_calls_are_signed_as_standard_webhooks_says(home: House, there: Receiver) -> None:
    match_id = home.begin()
    player = id_of(home, "Alice")
    made, secret = registry.add_webhook(home.site, player, there.url(), ["moved"])
    home.play(match_id, 1)
    make_due_calls(home)
    (got,) = there.got
    assert secret is not None
    with time_machine.travel(home.clock.at, tick=False):
        assert Verifier(secret).verify(got.body, got.headers) == got.json
        with pytest.raises(Exception, match="signature"):
            Verifier(secret).verify(got.body + b" ", got.headers)
    _, other = registry.change_webhook(home.site, player, made.id, rotate=True)
    assert other not in (None, secret)
    home.play(match_id, 2)
    make_due_calls(home)
    with time_machine.travel(home.clock.at, tick=False):
        assert Verifier(other or "").verify(there.got[1].body, there.got[1].headers) == there.got[1].json
        with pytest.raises(Exception, match="signature"):
            Verifier(secret).verify(there.got[1].body, there.got[1].headers)


@pytest.mark.long
def test_a_reused_webhook_number_has_a_new_secret(home: House, there: Receiver) -> None:
    """A database may reuse an id: SQLite does."""
    match_id = home.begin()
    alice, bob = id_of(home, "Alice"), id_of(home, "Bob")
    made, secret = registry.add_webhook(home.site, alice, there.url(), ["moved"])
    home.play(match_id, 1)
    make_due_calls(home)
    registry.remove_webhook(home.site, alice, made.id)
    _, other = registry.add_webhook(home.site, bob, there.url(), ["moved"])
    assert other != secret
    home.play(match_id, 2)
    make_due_calls(home)
    first, second = (got.headers["webhook-id"] for got in there.got)
    assert first != second


def test_a_signature_equals_one_computed_with_openssl() -> None:
    """printf 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}' | openssl dgst -sha256 -mac HMAC …"""
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    said = payloads.signature_of_call(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert said == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


# --- failures ------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_failed_call_is_retried_with_growing_delays_under_the_same_id(home: House, there: Receiver) -> None:
    match_id = home.begin()
    made = add_webhook_of(home, "Alice", there, ("moved",))
    there.status = 500
    home.play(match_id, 1)
    make_due_calls(home)
    waits = []
    for _ in range(6):
        (row,) = all_deliveries(home)
        assert (row.done_at, row.status) == (None, 500)
        waits.append((row.due_at - home.clock.at).total_seconds())
        assert make_due_calls(home) == 0
        home.clock.at = row.due_at
        assert make_due_calls(home) == 1
    for wait, meant in zip(waits, (10, 60, 300, 900, 3600, 3600), strict=True):
        assert 0.74 * meant <= wait <= 1.26 * meant
    assert registry.read_webhook(home.site, id_of(home, "Alice"), made.id).state == "failing"
    there.status = 200
    home.clock.at = all_deliveries(home)[0].due_at
    make_due_calls(home)
    assert [(row.result, row.attempts) for row in all_deliveries(home)] == [("delivered", 8)]
    assert len({got.headers["webhook-id"] for got in there.got}) == 1
    assert len({got.headers["webhook-timestamp"] for got in there.got}) == 8, "each call is signed at its own time"
    assert registry.read_webhook(home.site, id_of(home, "Alice"), made.id).state == "active"


def test_calls_after_a_failed_one_wait_behind_it(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    home.play(match_id, 1)
    cursors.queue_calls_for_new_events(home.site)
    home.play(match_id, 2)
    there.status = 503
    make_due_calls(home)
    assert len(there.got) == 1, "a server that is down is not called for each thing that happens"
    there.status = 200
    home.clock.forward(minutes=1)
    make_due_calls(home)
    versions = [body["data"]["version"] for body in there.bodies()[1:]]
    assert versions == sorted(versions)
    assert len(versions) == 2


@pytest.mark.long
def test_calls_behind_a_failed_one_wait_for_the_servers_retry_after(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    there.status, there.headers = 429, {"Retry-After": "3600"}
    for _ in range(3):
        home.play(match_id, home.asks(match_id)[0].seat)
        make_due_calls(home)
        home.clock.forward(seconds=30)
    assert len(there.got) == 1
    there.status, there.headers = 200, {}
    home.clock.forward(hours=2)
    home.play(match_id, home.asks(match_id)[0].seat)
    make_due_calls(home)
    told = [(body["data"]["after"], body["data"]["version"]) for body in there.bodies()[1:]]
    assert len(told) == 4
    assert [after for after, _ in told[1:]] == [version for _, version in told[:-1]], "they join without a gap"


def test_a_call_that_cannot_be_composed_delays_no_other_and_is_dropped(
    home: House, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = home.begin(), home.begin()
    made = add_webhook_of(home, "Alice", there, ("moved",))
    told = payloads.request_of_call

    def call_for(site: Any, session: Any, row: Any, hook: Any) -> Any:
        if row.match_id == broken:
            raise KeyError("an error of ours")
        return told(site, session, row, hook)

    monkeypatch.setattr(deliveries, "request_of_call", call_for)
    for match_id in (broken, sound):
        home.play(match_id, home.asks(match_id)[0].seat)
        cursors.queue_calls_for_new_events(home.site)
    with capture_logs() as said:
        make_due_calls(home)
        assert [body["data"]["match"] for body in there.bodies()] == [sound]
        while (row := all_deliveries(home)[0]).done_at is None:
            home.clock.at = row.due_at
            make_due_calls(home)
    assert {line["event"] for line in said if line["log_level"] == "error"} == {"hook.unwritten"}
    assert timedelta(days=1) <= row.done_at - row.created_at <= timedelta(days=1, hours=1.25)
    assert row.result == "dropped"
    assert row_of_hook(home, made.id).failing_since is None


@pytest.mark.parametrize("when", ["before", "during"])
def test_removing_a_webhook_during_a_call_leaves_nothing_and_no_error(
    home: House, there: Receiver, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    match_id = home.begin()
    made, player = add_webhook_of(home, "Alice", there, ("moved",)), id_of(home, "Alice")
    home.play(match_id, home.asks(match_id)[0].seat)
    claim, call = deliveries.claim_call, safe_http.post_safely

    def remove_first(site: Site, run: int) -> int | None:
        row = claim(site, run)
        if row is not None:
            registry.remove_webhook(site, player, made.id)
        return row

    def remove_after(*given: Any, private: bool) -> Answer:
        answer = call(*given, private=private)
        registry.remove_webhook(home.site, player, made.id)
        return answer

    if when == "before":
        monkeypatch.setattr(deliveries, "claim_call", remove_first)
    else:
        monkeypatch.setattr(safe_http, "post_safely", remove_after)
    with capture_logs() as said:
        assert make_due_calls(home) == len(there.got) == (when == "during")
    assert [line for line in said if line["log_level"] in ("error", "warning")] == []
    assert all_deliveries(home) == []


def test_a_delivery_thread_with_a_busy_database_leaves_calls_to_others(
    home: House, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = home.begin()
    for _ in range(2):
        add_webhook_of(home, "Alice", there)
    make_due_calls(home)
    home.play(match_id, 0)
    claimed = [deliveries.claim_call]

    def once(site: Site, run: int) -> int | None:
        if claimed:
            return claimed.pop()(site, run)
        raise Busy(N_("Somebody else is writing to this just now. Please try again."), retry_after=1)

    with monkeypatch.context() as busy:
        busy.setattr(deliveries, "claim_call", once)
        assert deliveries.deliver_due_calls(home.site) == 1
    make_due_calls(home)
    assert len(there.got) == 2


def test_a_worker_that_waited_for_a_webhook_sees_its_call_already_made(home: House, there: Receiver) -> None:
    """On PostgreSQL, a worker that has waited for the webhook finds it as it is by then, and its calls, too."""
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    home.play(match_id, home.asks(match_id)[0].seat)
    cursors.queue_calls_for_new_events(home.site)
    calls = update(table(Delivery))

    def make_meanwhile(connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("UPDATE webhooks SET busy_until"):
            connection.execute(calls.values(done_at=home.clock.at))

    event.listen(home.site.engine, "after_cursor_execute", make_meanwhile)
    assert deliveries.claim_call(home.site) is None
    event.remove(home.site.engine, "after_cursor_execute", make_meanwhile)
    with home.site.writing() as work:
        work.execute(calls.values(done_at=None))
    assert deliveries.claim_call(home.site) is not None


@pytest.mark.on_postgresql
def test_a_call_retried_by_hand_is_made_at_once(home: House, there: Receiver) -> None:
    match_id = home.begin()
    made, player = add_webhook_of(home, "Alice", there, ("moved",)), id_of(home, "Alice")
    there.status, there.headers = 503, {"Retry-After": "3600"}
    home.play(match_id, home.asks(match_id)[0].seat)
    make_due_calls(home)
    there.status = 200
    home.clock.forward(minutes=1)
    registry.send_test_call(home.site, player, made.id)
    assert make_due_calls(home) == 1
    registry.redeliver_call(home.site, player, made.id, all_deliveries(home)[0].id or 0)
    assert make_due_calls(home) == 1
    assert types_of_calls(there)[1:] == ["ping", "match.moved"]


@pytest.mark.long
def test_workers_looking_at_the_same_moment_do_not_call_one_webhook_twice(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    for _ in range(4):
        home.play(match_id, home.asks(match_id)[0].seat)
        cursors.queue_calls_for_new_events(home.site)
    together = threading.Barrier(4)
    for _ in range(5):
        claimed: list[int | None] = []

        def claim(claimed: list[int | None] = claimed) -> None:
            together.wait()
            claimed.append(deliveries.claim_call(home.site))

        workers = [threading.Thread(target=claim) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert [row for row in claimed if row is not None] == [all_deliveries(home)[0].id]
        home.clock.forward(minutes=3)


def test_a_webhook_that_fails_for_a_day_is_disabled_and_a_mail_says_so(home: House, there: Receiver) -> None:
    match_id = home.begin()
    made = add_webhook_of(home, "Alice", there, ("moved",))
    home.drain()
    there.status = 500
    home.play(match_id, 1)
    for _ in range(60):
        make_due_calls(home)
        if row_of_hook(home, made.id).disabled_at is not None:
            break
        home.clock.at = all_deliveries(home)[0].due_at
    hook_ = row_of_hook(home, made.id)
    assert hook_.failing_since is not None
    assert hook_.disabled_at is not None
    assert hook_.disabled_at - hook_.failing_since >= timedelta(days=1)
    assert hook_.why == "failed"
    assert [row.result for row in all_deliveries(home)] == ["dropped"]
    calls = len(there.got)
    home.play(match_id, 2)
    make_due_calls(home)
    assert len(there.got) == calls
    home.drain()
    assert kinds_of_mails(home, "Alice")[-1] == "webhook"
    said = text_of(newest_mail(home, "Alice"))
    assert f"http://127.0.0.1:{there.port}" in said
    assert "/hook" not in said, "the path of an address may be a secret"


@pytest.mark.long
def test_two_failures_days_apart_do_not_disable_an_otherwise_idle_webhook(home: House, there: Receiver) -> None:
    match_id = home.begin()
    made = add_webhook_of(home, "Alice", there, ("your_turn",))

    def until_asked(match_id: str) -> None:
        while [ask.seat for ask in home.asks(match_id)] != [0]:
            home.play(match_id, home.asks(match_id)[0].seat)

    there.status = 503
    until_asked(match_id)
    make_due_calls(home)
    while 0 in [ask.seat for ask in home.asks(match_id)]:
        home.play(match_id, 0)
    home.clock.forward(minutes=5)
    make_due_calls(home)
    assert ([row.result for row in all_deliveries(home)], len(there.got)) == (["stale"], 1)
    home.clock.forward(days=2)
    until_asked(home.begin())
    make_due_calls(home)
    assert len(there.got) == 2
    assert (row_of_hook(home, made.id).disabled_at, row_of_hook(home, made.id).failing_since) == (None, home.clock.at)


@pytest.mark.long
def test_a_server_that_answers_410_disables_the_webhook(home: House, there: Receiver) -> None:
    match_id = home.begin()
    made = add_webhook_of(home, "Alice", there, ("moved",))
    there.status = 410
    home.play(match_id, 1)
    make_due_calls(home)
    assert (row_of_hook(home, made.id).why, [row.result for row in all_deliveries(home)]) == ("gone", ["gone"])


@pytest.mark.sample(1)
@pytest.mark.parametrize("status", [410, 500])
def test_a_call_under_way_does_not_enable_a_webhook_the_host_disabled(
    home: House, there: Receiver, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    match_id = home.begin()
    made, player = add_webhook_of(home, "Alice", there, ("moved",)), id_of(home, "Alice")
    home.play(match_id, home.asks(match_id)[0].seat)

    def call(*_: object, **__: object) -> Answer:
        registry.disable_webhook_as_host(home.site, made.id)
        return Answer(status=status)

    monkeypatch.setattr(safe_http, "post_safely", call)
    make_due_calls(home)
    assert (row_of_hook(home, made.id).why, row_of_hook(home, made.id).failing_since) == ("host", None)
    assert [row.result for row in all_deliveries(home)] == ["dropped"]
    with pytest.raises(Forbidden):
        registry.change_webhook(home.site, player, made.id, active=True)


@pytest.mark.long
def test_a_reenabled_webhook_gets_only_later_events(home: House, there: Receiver) -> None:
    match_id = home.begin()
    made = add_webhook_of(home, "Alice", there, ("moved",))
    player = id_of(home, "Alice")
    there.status = 410
    home.play(match_id, 1)
    make_due_calls(home)
    home.play(match_id, 2)
    there.status = 200
    shown, _ = registry.change_webhook(home.site, player, made.id, active=True)
    assert (shown.state, shown.why) == ("active", None)
    assert make_due_calls(home) == 0
    home.play(match_id, 0)
    assert make_due_calls(home) == 1
    assert there.bodies()[-1]["data"]["after"] > there.bodies()[0]["data"]["version"]


@pytest.mark.long
def test_two_workers_at_once_make_each_call_once(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    add_webhook_of(home, "Bob", there, ("moved",))
    home.play(match_id, 1)
    made: list[int] = []
    workers = [threading.Thread(target=lambda: made.append(deliveries.deliver_due_calls(home.site))) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    make_due_calls(home)
    assert len(there.got) == 2
    assert len(all_deliveries(home)) == 2


@pytest.mark.long
def test_a_worker_takes_no_call_while_another_waits_for_a_server(
    home: House, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = home.begin()
    for name in ("Alice", "Bob", "Carol"):
        add_webhook_of(home, name, there, ("moved",))
    home.play(match_id, home.asks(match_id)[0].seat)
    monkeypatch.setattr(deliveries, "THREADS", 1)
    monkeypatch.setattr(deliveries, "RUN_S", SECONDS)
    meanwhile: list[int] = []

    def call(*_: object, **__: object) -> Answer:
        if not meanwhile:
            meanwhile.append(-1)
            meanwhile[0] = deliveries.deliver_due_calls(home.site)
        return Answer(status=204)

    monkeypatch.setattr(safe_http, "post_safely", call)
    assert deliveries.deliver_due_calls(home.site) == 3
    assert meanwhile == [0]


@pytest.mark.long
def test_slow_servers_block_at_most_one_worker_per_shard(
    make_house: Callable[..., House], there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_house(webhooks_private=True, shards=2)
    match_id = home.begin()
    for _ in range(2):
        for name in ("Alice", "Bob", "Carol"):
            add_webhook_of(home, name, there, ("moved",))
    home.play(match_id, home.asks(match_id)[0].seat)
    monkeypatch.setattr(deliveries, "THREADS", 1)
    monkeypatch.setattr(deliveries, "RUN_S", 0.0)
    shards = [Shard(0, 2), Shard(1, 2), ALL, ALL]
    made: list[tuple[Shard, int]] = []

    def slow(*_: object, **__: object) -> Answer:
        """Lasts until the other workers have looked for something to do."""
        while shards:
            shard = shards.pop(0)
            made.append((shard, deliveries.deliver_due_calls(home.site, shard)))
        return Answer(status=204)

    monkeypatch.setattr(safe_http, "post_safely", slow)
    assert deliveries.deliver_due_calls(home.site, Shard(0, 2)) == 1
    assert made == [(Shard(0, 2), 0), (ALL, 0), (ALL, 0), (Shard(1, 2), 1)]


@pytest.mark.long
def test_a_delivery_run_starts_no_call_after_two_seconds(
    home: House, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = home.begin()
    for name in ("Alice", "Bob", "Carol"):
        add_webhook_of(home, name, there, ("moved",))
    home.play(match_id, home.asks(match_id)[0].seat)
    monkeypatch.setattr(deliveries, "THREADS", 1)
    assert deliveries.RUN_S == 2
    monkeypatch.setattr(deliveries, "RUN_S", 0.0)
    monkeypatch.setattr(safe_http, "post_safely", lambda *_, **__: Answer(status=204))
    rings = len(home.wakes)
    assert deliveries.deliver_due_calls(home.site) == 1
    assert len(home.wakes) == rings + 1


@pytest.mark.long
def test_a_call_whose_worker_died_is_made_once_its_lease_has_ended(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    home.play(match_id, 1)
    cursors.queue_calls_for_new_events(home.site)
    assert deliveries.claim_call(home.site) is not None
    assert make_due_calls(home) == 0
    home.clock.forward(minutes=3)
    assert make_due_calls(home) == 1


# --- by hand -------------------------------------------------------------------------------------------------


def test_a_ping_is_signed_and_rate_limited(home: House, there: Receiver) -> None:
    home.begin()
    made, player = add_webhook_of(home, "Alice", there), id_of(home, "Alice")
    registry.send_test_call(home.site, player, made.id)
    with pytest.raises(TooMany):
        registry.send_test_call(home.site, player, made.id)
    make_due_calls(home)
    assert [(body["type"], body["data"]) for body in there.bodies()] == [("ping", {})]
    assert "webhook-signature" in there.got[0].headers


def test_a_call_is_made_again_by_hand(home: House, there: Receiver) -> None:
    match_id = home.begin()
    made, player = add_webhook_of(home, "Alice", there, ("moved",)), id_of(home, "Alice")
    home.play(match_id, 1)
    make_due_calls(home)
    ((row,), nothing_more) = registry.list_calls(home.site, player, made.id)
    assert (row.result, row.status, nothing_more) == ("delivered", 204, None)
    with pytest.raises(TooMany):
        registry.redeliver_call(home.site, player, made.id, row.id)
    home.clock.forward(seconds=11)
    registry.redeliver_call(home.site, player, made.id, row.id)
    make_due_calls(home)
    assert there.got[0].body == there.got[1].body
    assert there.got[0].headers["webhook-id"] == there.got[1].headers["webhook-id"]


@pytest.mark.long
def test_another_players_webhook_is_not_found(home: House, there: Receiver) -> None:
    home.begin()
    made, bob = add_webhook_of(home, "Alice", there), id_of(home, "Bob")
    for attempt in (
        lambda: registry.read_webhook(home.site, bob, made.id),
        lambda: registry.change_webhook(home.site, bob, made.id, rotate=True),
        lambda: registry.remove_webhook(home.site, bob, made.id),
        lambda: registry.send_test_call(home.site, bob, made.id),
        lambda: registry.list_calls(home.site, bob, made.id),
        lambda: registry.read_webhook(home.site, HOST, made.id),
        lambda: registry.read_webhook(home.site, bob, 2**40),
    ):
        with pytest.raises(NotFound):
            attempt()


@pytest.mark.on_postgresql
def test_a_disabled_webhook_is_not_called_by_hand(home: House, there: Receiver) -> None:
    match_id = home.begin()
    made, player = add_webhook_of(home, "Alice", there, ("moved",)), id_of(home, "Alice")
    there.status = 410
    home.play(match_id, 1)
    make_due_calls(home)
    with pytest.raises(Gone):
        registry.send_test_call(home.site, player, made.id)
    with pytest.raises(Gone):
        registry.redeliver_call(home.site, player, made.id, all_deliveries(home)[0].id or 0)


def test_deleting_a_webhook_deletes_its_calls_and_cursors(home: House, there: Receiver) -> None:
    match_id = home.begin()
    made, player = add_webhook_of(home, "Alice", there), id_of(home, "Alice")
    home.play(match_id, 1)
    cursors.queue_calls_for_new_events(home.site)
    registry.remove_webhook(home.site, player, made.id)
    assert (all_deliveries(home), registry.list_webhooks(home.site, player), make_due_calls(home)) == ([], [], 0)


@pytest.mark.long
@pytest.mark.parametrize("how", ["remove", "remove_all"])
def test_a_webhook_deleted_during_a_sweep_does_not_stop_the_sweep(
    home: House, there: Receiver, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    home.begin()
    made, player = add_webhook_of(home, "Alice", there, ("moved",)), id_of(home, "Alice")
    add_webhook_of(home, "Bob", there, ("moved",))
    home.begin()
    found = cursors.News

    def news(*args: Any) -> Any:
        if registry.list_webhooks(home.site, player):
            with home.site.writing() as session:
                if how == "remove_all":
                    registry.remove_all_of_player(session, player or 0)
            if how == "remove":
                registry.remove_webhook(home.site, player, made.id)
        return found(*args)

    monkeypatch.setattr(cursors, "News", news)
    assert cursors.queue_calls_for_new_events(home.site) == 1
    assert {row.webhook_id for row in all_deliveries(home)} == {made.id + 1}


def test_a_player_has_ten_webhooks_at_most(home: House, there: Receiver) -> None:
    home.begin()
    for _ in range(10):
        add_webhook_of(home, "Alice", there)
    with pytest.raises(Invalid):
        add_webhook_of(home, "Alice", there)
    add_webhook_of(home, "Bob", there)


def test_a_webhook_to_this_machine_needs_the_hosts_permission(house: House, there: Receiver) -> None:
    house.begin()
    with pytest.raises(Unlinkable):
        add_webhook_of(house, "Alice", there)


def test_old_calls_are_forgotten_after_a_month(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    home.play(match_id, 1)
    make_due_calls(home)
    for days, gone in ((29, 0), (2, 1)):
        home.clock.forward(days=days)
        with home.site.writing() as session:
            assert registry.forget_old(session, home.clock.at, 9) == gone
    assert all_deliveries(home) == []
