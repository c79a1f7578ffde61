"""Streams of a match: each entry once, as the caller may see it, and never more streams than there are places."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pbem.api.protocol import waiting
from pbem.kit.contract import Viewer
from pbem.models.tables import SeatRow
from pbem.services.access import access_tokens
from pbem.services.site import Site
from pbem.services.views import match_views
from tests.api.cast import Api, Caller, Table, check_problem, json_of, parse_stream_messages
from tests.api.views.waiting import Watch, job_that_changes_match, job_that_moves
from tests.harness.cases import cases


@pytest.fixture
def watch(hogen: Table) -> Watch:
    """Those who wait at the table."""
    return Watch(hogen.api)


def entries_of_stream(told: str) -> list[Any]:
    """The entries in a stream."""
    return [json.loads(one["data"]) for one in parse_stream_messages(told) if one.get("event") == "entry"]


def read_stream_to_end(watch: Watch, caller: Caller, table: Table, query: str = "", **headers: str) -> str:
    """Everything that a stream sends until it ends."""
    answer = watch.ask(caller, f"{table.path}/events/stream{query}", **headers)
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == "text/event-stream"
    return answer.text


@pytest.mark.long
def test_each_entry_is_sent_once_when_it_happens_as_its_caller_may_see_it(hogen: Table, watch: Watch) -> None:
    for n, (caller, seat) in enumerate(((hogen.bob, 0), (hogen.alice, 1))):
        watch.plans = {2.25: job_that_moves(hogen, seat)}
        told = entries_of_stream(read_stream_to_end(watch, caller, hogen))
        assert [moment for moment, piece in watch.pieces if b"event: entry" in piece] == [0, 2.5]
        assert [entry["n"] for entry in told] == list(range(1, 3 + n))
        assert told == json_of(caller.get(f"{hogen.path}/events"))["events"]


@pytest.mark.long
def test_a_stream_ends_after_some_minutes_and_sends_heartbeats_until_then(
    hogen: Table, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "SPREAD", 0)
    told = read_stream_to_end(watch, hogen.charlie, hogen, "?after=1")
    assert watch.at == 240
    assert parse_stream_messages(told) == [{"retry": "1000"}]
    alive = [moment for moment, piece in watch.pieces if piece == b": still here\n\n"]
    assert alive == [*range(15, 240, 15)]


@pytest.mark.long
def test_streams_that_begin_at_the_same_moment_end_at_different_times(hogen: Table, watch: Watch) -> None:
    ends = set()
    for _ in range(4):
        read_stream_to_end(watch, hogen.charlie, hogen, "?after=1")
        ends.add(watch.at)
    assert len(ends) == 4
    assert all(180 <= end <= 240 for end in ends)


def test_a_stream_ends_with_the_match_and_tells_clients_not_to_reconnect(hogen: Table, watch: Watch) -> None:
    def cancel() -> None:
        job_that_changes_match(hogen, status="cancelled", outcome='{"reason": "host"}')()

    watch.plans = {1.25: cancel}
    last = parse_stream_messages(read_stream_to_end(watch, hogen.alice, hogen))[-1]
    assert watch.at == 1.5
    head = json_of(hogen.alice.get(f"{hogen.path}/events"))["head"]
    assert last == {"event": "over", "data": f'{{"head":"{head}","status":"cancelled","version":1}}'}
    again = hogen.alice.get(f"{hogen.path}/events/stream", **{"Last-Event-ID": "1"})
    assert (again.status_code, again.data) == (204, b"")
    assert len(entries_of_stream(read_stream_to_end(watch, hogen.alice, hogen))) == 1
    assert watch.at == 0


@pytest.mark.long
def test_a_reconnecting_client_gets_each_missed_entry_once(hogen: Table, watch: Watch) -> None:
    job_that_moves(hogen, 0)()
    assert [
        entry["n"] for entry in entries_of_stream(read_stream_to_end(watch, hogen.bob, hogen, **{"Last-Event-ID": "1"}))
    ] == [2]
    assert [entry["n"] for entry in entries_of_stream(read_stream_to_end(watch, hogen.bob, hogen, "?after=1"))] == [2]
    assert entries_of_stream(read_stream_to_end(watch, hogen.bob, hogen, "?after=0", **{"Last-Event-ID": "2"})) == []


@cases("said", ["x", "-1", "1.0", "9999999999", "١"])
def test_a_last_event_id_that_is_not_a_number_is_refused(hogen: Table, said: str) -> None:
    path = f"{hogen.path}/events/stream"
    wrong = check_problem(hogen.alice.get(path, **{"Last-Event-ID": said}), 422, "invalid")
    assert set(wrong["fields"]) == {"Last-Event-ID"}


@pytest.mark.long
def test_streams_are_sent_with_no_store_and_without_proxy_buffering(hogen: Table, watch: Watch) -> None:
    for caller in (hogen.alice, hogen.charlie):
        headers = watch.ask(caller, f"{hogen.path}/events/stream").headers
        assert headers["Cache-Control"] == "no-store, no-transform"
        assert headers["X-Accel-Buffering"] == "no"
        assert not {"ETag", "Content-Length"} & {*headers.keys()}


def test_renewing_a_seats_link_ends_its_stream_before_the_next_entry(hogen: Table, watch: Watch) -> None:
    def renew() -> None:
        job_that_moves(hogen, 1)()
        with hogen.api.site.writing() as session:
            session.get_one(SeatRow, (hogen.id, 0)).epoch = 1

    alice = hogen.alice
    watch.plans = {1.75: renew}
    assert [entry["n"] for entry in entries_of_stream(read_stream_to_end(watch, alice, hogen))] == [1]
    assert watch.at == 2
    check_problem(alice.get(f"{hogen.path}/events/stream"), 401, "unauthorized")


@pytest.mark.long
def test_a_personal_token_follows_its_players_seat_until_it_is_revoked(hogen: Table, watch: Watch) -> None:
    made, token = access_tokens.create_token(hogen.api.site, 1, "My bot", ["read"], None)

    def revoke() -> None:
        job_that_moves(hogen, 1)()
        access_tokens.revoke_token(hogen.api.site, 1, made.id)

    watch.plans = {1.25: job_that_moves(hogen, 0), 2.75: revoke}
    told = entries_of_stream(read_stream_to_end(watch, hogen.api.caller(token), hogen))
    assert told == json_of(hogen.alice.get(f"{hogen.path}/events"))["events"][:2]


def test_a_stranger_cannot_stream_a_private_table(rest: Api) -> None:
    table = Table(rest, rest.start(spectators=False))
    check_problem(table.charlie.get(f"{table.path}/events/stream"), 404, "not_found")


@pytest.mark.long
def test_a_stream_beyond_the_limit_is_refused_with_a_retry_time(hogen: Table) -> None:
    watch = Watch(hogen.api, places=1)
    assert watch.parking.try_to_take_place("seat:ab.0.0", stranger=False)
    refused = watch.ask(hogen.bob, f"{hogen.path}/events/stream")
    check_problem(refused, 503, "busy")
    assert refused.headers["Retry-After"] == "5"
    watch.parking.leave_place("seat:ab.0.0", stranger=False)
    assert entries_of_stream(read_stream_to_end(watch, hogen.bob, hogen))


def test_a_server_without_waiting_support_sends_present_entries_and_ends(hogen: Table) -> None:
    answer = hogen.alice.get(f"{hogen.path}/events/stream")
    assert [message.get("event") for message in parse_stream_messages(answer.text)] == [None, "entry"]


def test_a_head_request_for_a_stream_takes_no_place(hogen: Table, watch: Watch) -> None:
    path = f"/api/v1{hogen.path}/events/stream"
    head = watch.get(path, hogen.alice.headers(), method="HEAD")
    assert (head.status_code, head.data, watch.at) == (200, b"", 0)
    watch.get(path, hogen.alice.headers(), leaves=40.25)
    assert (watch.at, watch.parking.taken) == (40.25, 0)


@pytest.mark.long
def test_entries_are_rendered_only_as_the_client_reads_them(
    hogen: Table, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    read = match_views.read_events

    def note(site: Site, match_id: str, viewer: Viewer, after: int) -> object:
        made.append(after)
        return read(site, match_id, viewer, after)

    monkeypatch.setattr(match_views, "read_events", note)
    plans = {0.75: job_that_moves(hogen, 1), 5.25: job_that_moves(hogen, 0), 9.25: job_that_moves(hogen, 2)}
    told = watch.get(f"/api/v1{hogen.path}/events/stream", hogen.alice.headers(), plans, reads=3, leaves=100)
    assert [entry["n"] for entry in entries_of_stream(told.text)] == [1, 2]
    assert made == [0, 1, 2], "the piece that it does not take, and none after it"
    assert watch.parking.taken == 0


def test_a_process_that_shuts_down_ends_its_streams(hogen: Table, watch: Watch) -> None:
    watch.plans = {1.75: watch.parking.end}
    read_stream_to_end(watch, hogen.alice, hogen)
    assert watch.at == 1.75


@pytest.mark.long
def test_a_stream_ends_when_reading_entries_fails(hogen: Table, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the machine")

    watch.plans = {0.75: lambda: monkeypatch.setattr(match_views, "read_events", fail), 0.8: job_that_moves(hogen, 1)}
    assert [entry["n"] for entry in entries_of_stream(read_stream_to_end(watch, hogen.alice, hogen))] == [1]
    assert (watch.at, watch.parking.taken) == (1, 0)
