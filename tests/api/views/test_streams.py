"""Streams of a match: each entry once, as the caller may see it, and never more streams than there are places."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pbem.models.tables import SeatRow
from pbem.services.access import access_tokens
from pbem.services.site import Site
from pbem.services.views.waiting import Waiting
from tests.api.cast import Api, Caller, Table, body, problem
from tests.api.views.test_waiting import Watch, changes, moves

Message = dict[str, str]


@pytest.fixture
def watch(hogen: Table) -> Watch:
    """The clock of the callers who wait at the table."""
    return Watch(hogen.api)


def messages(told: str) -> list[Message]:
    """The messages of a stream without its comments, parsed as a browser does."""
    blocks = [block.splitlines() for block in told.split("\n\n") if block]
    fields = [[line.partition(": ")[::2] for line in block if not line.startswith(":")] for block in blocks]
    return [dict(block) for block in fields if block]


def entries(told: str) -> list[Any]:
    """The entries in a stream."""
    return [json.loads(one["data"]) for one in messages(told) if one.get("event") == "entry"]


def stream(caller: Caller, table: Table, query: str = "", **headers: str) -> str:
    """Everything that a stream sends until it ends."""
    answer = caller.get(f"{table.path}/events/stream{query}", **headers)
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == "text/event-stream"
    return answer.text


def test_each_entry_is_told_once_as_it_happens_and_as_the_caller_may_see_it(hogen: Table, watch: Watch) -> None:
    for n, (caller, seat) in enumerate(((hogen.bob, 0), (hogen.alice, 1))):
        watch.plans = {watch.slept + 5: moves(hogen, seat)}
        told = entries(stream(caller, hogen))
        assert [entry["n"] for entry in told] == list(range(1, 3 + n))
        assert told == body(caller.get(f"{hogen.path}/events"))["events"]


def test_a_stream_ends_after_two_minutes_and_says_so_often_that_it_is_there(hogen: Table, watch: Watch) -> None:
    told = stream(hogen.charlie, hogen, "?after=1")
    assert watch.at == 120
    assert messages(told) == [{"retry": "1000"}]
    assert told.count(": still here\n\n") == 8


def test_a_stream_ends_with_the_match_and_who_comes_again_is_told_to_stay_away(hogen: Table, watch: Watch) -> None:
    def cancel() -> None:
        changes(hogen, status="cancelled", outcome='{"reason": "host"}')()

    watch.plans = {3: cancel}
    last = messages(stream(hogen.alice, hogen))[-1]
    head = body(hogen.alice.get(f"{hogen.path}/events"))["head"]
    assert last == {"event": "over", "data": f'{{"head":"{head}","status":"cancelled","version":1}}'}
    again = hogen.alice.get(f"{hogen.path}/events/stream", **{"Last-Event-ID": "1"})
    assert (again.status_code, again.data) == (204, b"")
    assert len(entries(stream(hogen.alice, hogen))) == 1


def test_whoever_comes_again_misses_nothing_and_gets_nothing_twice(hogen: Table, watch: Watch) -> None:
    moves(hogen, 0)()
    assert [entry["n"] for entry in entries(stream(hogen.bob, hogen, **{"Last-Event-ID": "1"}))] == [2]
    assert [entry["n"] for entry in entries(stream(hogen.bob, hogen, "?after=1"))] == [2]
    assert [entry["n"] for entry in entries(stream(hogen.bob, hogen, "?after=0", **{"Last-Event-ID": "2"}))] == []


@pytest.mark.parametrize("said", ["x", "-1", "1.0", "9999999999", "١"])
def test_a_last_event_that_is_no_number_is_refused(hogen: Table, said: str) -> None:
    path = f"{hogen.path}/events/stream"
    wrong = problem(hogen.alice.get(path, **{"Last-Event-ID": said}), 422, "invalid")
    assert set(wrong["fields"]) == {"Last-Event-ID"}


def test_nobody_keeps_what_is_streamed(hogen: Table, watch: Watch) -> None:
    for caller in (hogen.alice, hogen.charlie):
        headers = caller.get(f"{hogen.path}/events/stream").headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Accel-Buffering"] == "no"
        assert "ETag" not in headers


def test_a_link_that_ends_ends_the_stream_before_anything_more_is_told(hogen: Table, watch: Watch) -> None:
    def renew() -> None:
        moves(hogen, 1)()
        with hogen.api.site.writing() as session:
            session.get_one(SeatRow, (hogen.id, 0)).epoch = 1

    alice = hogen.alice
    watch.plans = {4: renew}
    assert [entry["n"] for entry in entries(stream(alice, hogen))] == [1]
    problem(alice.get(f"{hogen.path}/events/stream"), 401, "unauthorized")


def test_a_personal_token_follows_its_players_seat_until_it_is_revoked(hogen: Table, watch: Watch) -> None:
    made, token = access_tokens.make(hogen.api.site, 1, "My bot", ["read"], None)

    def revoke() -> None:
        moves(hogen, 1)()
        access_tokens.revoke(hogen.api.site, 1, made.id)

    watch.plans = {3: moves(hogen, 0), 6: revoke}
    told = entries(stream(hogen.api.caller(token), hogen))
    assert told == body(hogen.alice.get(f"{hogen.path}/events"))["events"][:2]


def test_nobody_follows_a_private_table_from_outside(rest: Api) -> None:
    table = Table(rest, rest.start(spectators=False))
    problem(table.charlie.get(f"{table.path}/events/stream"), 403, "forbidden")


def test_where_all_places_are_taken_one_is_told_when_to_come_again(make_site: Callable[..., Site]) -> None:
    api = Api(make_site(waiting=1))
    table = Table(api, api.start())
    first = table.alice.client.get(f"/api/v1{table.path}/events/stream", headers=table.alice.headers(), buffered=False)
    assert next(iter(first.response)) == b"retry: 1000\n\n"
    refused = table.bob.get(f"{table.path}/events/stream")
    problem(refused, 503, "busy")
    assert refused.headers["Retry-After"] == "5"
    assert table.bob.get(f"{table.path}/events?after=1&wait=25").headers["Retry-After"] == "2"
    first.close()
    Watch(api)
    assert entries(stream(table.bob, table))


def test_a_stream_that_nobody_reads_takes_no_place(hogen: Table, watch: Watch) -> None:
    path = f"/api/v1{hogen.path}/events/stream"
    for _ in range(5):
        head = hogen.alice.client.head(path, headers=hogen.alice.headers())
        assert (head.status_code, head.data) == (200, b"")
        head.close()
        hogen.alice.client.get(path, headers=hogen.alice.headers(), buffered=False).close()
    waiting: Waiting = hogen.api.app.extensions["pbem.waiting"]
    assert None not in [waiting.take_slot(who, stranger=False) for who in "abc"]


def test_a_process_that_is_to_end_ends_its_streams(hogen: Table, watch: Watch) -> None:
    waiting: Waiting = hogen.api.app.extensions["pbem.waiting"]
    waiting.ended = lambda: watch.slept == 3
    stream(hogen.alice, hogen)
    assert watch.slept == 3
