"""Waiting for a match to go on: limited in number and time, and nobody learns what they may not know."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from werkzeug.test import TestResponse

from pbem.errors import Unavailable
from pbem.models.tables import SeatRow
from pbem.run.parking import EACH, EACH_STRANGER, EVERY_S, RENEW_S, Parking, Waited
from pbem.services.access import access_tokens
from pbem.services.views import match_views
from pbem.services.views.waiting import Pause
from tests.api.cast import READER, Api, Caller, Table, check_problem, json_of
from tests.api.views.waiting import Watch, job_that_changes_match, job_that_moves
from tests.harness.cases import cases


@pytest.fixture
def watch(hogen: Table) -> Watch:
    """Those who wait at the table."""
    return Watch(hogen.api)


def test_a_client_that_waits_gets_the_next_entries_when_they_are_there(hogen: Table, watch: Watch) -> None:
    watch.plans = {2.25: job_that_moves(hogen, 1)}
    told = json_of(watch.ask(hogen.alice, f"{hogen.path}/events?after=1&wait=20"))
    assert (told["version"], [entry["n"] for entry in told["events"]]) == (2, [2])
    assert watch.at == 2.5


@pytest.mark.long
def test_the_answer_after_waiting_is_the_same_as_without_waiting(hogen: Table, watch: Watch) -> None:
    for after, seat in ((1, 0), (2, 1)):
        watch.plans = {0.25: job_that_moves(hogen, seat)}
        for caller in (hogen.bob, hogen.charlie, hogen.alice):
            waited = watch.ask(caller, f"{hogen.path}/events?after={after}&wait=9")
            at_once = caller.get(f"{hogen.path}/events?after={after}")
            assert waited.data == at_once.data
            assert waited.headers["ETag"] == at_once.headers["ETag"]
            assert json.loads(waited.data)["events"]
            watch.plans = {}


def nothing_after(version: int, answer: TestResponse) -> bool:
    """True if the answer tells that the match is at this version, without an entry, and so the head is the base."""
    told = json_of(answer)
    known = told["base"] == told["head"] and (told["head"] is None) == (version == 0)
    return known and told == {**told, "game": "hogen", "version": version, "events": []}


def test_a_wait_without_news_times_out_with_an_empty_answer(hogen: Table, watch: Watch) -> None:
    answer = watch.ask(hogen.alice, f"{hogen.path}/events?after=1&wait=20")
    assert nothing_after(1, answer)
    at_once = hogen.alice.get(f"{hogen.path}/events?after=1")
    assert (answer.data, answer.headers["ETag"]) == (at_once.data, at_once.headers["ETag"])
    assert "Retry-After" not in answer.headers
    assert 15 <= watch.at <= 20


@pytest.mark.long
def test_callers_who_begin_waiting_together_time_out_at_different_times(hogen: Table, watch: Watch) -> None:
    ends = set()
    for number in range(4):
        watch.ask(hogen.alice, f"{hogen.path}/events?after=1&wait=20", **{"X-Request-Id": f"caller-{number}"})
        ends.add(watch.at)
    assert len(ends) == 4


def test_a_request_for_present_entries_or_without_wait_does_not_wait(hogen: Table, watch: Watch) -> None:
    assert len(json_of(watch.ask(hogen.alice, f"{hogen.path}/events?wait=25"))["events"]) == 1
    assert watch.at == 0
    assert json_of(watch.ask(hogen.alice, f"{hogen.path}/events?after=1"))["events"] == []
    assert watch.at == 0


def test_a_server_that_cannot_wait_answers_at_once_and_says_when_to_retry(hogen: Table) -> None:
    answer = hogen.alice.get(f"{hogen.path}/events?after=1&wait=25")
    assert nothing_after(1, answer)
    assert answer.headers["Retry-After"] == "2"


@pytest.mark.long
@pytest.mark.parametrize("status", ["over", "cancelled"])
def test_a_request_about_a_match_that_has_ended_does_not_wait(hogen: Table, watch: Watch, status: str) -> None:
    watch.plans = {1.25: job_that_changes_match(hogen, status=status, outcome=None)}
    for took in (1.5, 0):
        assert nothing_after(1, watch.ask(hogen.charlie, f"{hogen.path}/events?after=1&wait=25"))
        assert watch.at == took


@pytest.mark.long
def test_a_request_can_wait_for_a_match_to_begin(rest: Api) -> None:
    match_id = rest.create()
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER))
    watch = Watch(rest)
    assert nothing_after(0, watch.ask(rest.caller(), f"/matches/{match_id}/events?wait=2"))
    assert 1.5 <= watch.at <= 2


def test_a_link_renewed_during_the_wait_reveals_nothing_more(hogen: Table, watch: Watch) -> None:
    def renew() -> None:
        with hogen.api.site.writing() as session:
            session.get_one(SeatRow, (hogen.id, 0)).epoch = 1

    alice = hogen.alice
    watch.plans = {0.75: renew}
    check_problem(watch.ask(alice, f"{hogen.path}/events?after=1&wait=25"), 401, "unauthorized")
    assert watch.at == 1


def test_a_personal_token_revoked_during_the_wait_receives_nothing_more(hogen: Table, watch: Watch) -> None:
    made, token = access_tokens.create_token(hogen.api.site, 1, "My bot", ["read"], None)

    def revoke() -> None:
        access_tokens.revoke_token(hogen.api.site, 1, made.id)
        job_that_moves(hogen, 1)()

    watch.plans = {0.75: revoke}
    refused = check_problem(
        watch.ask(hogen.api.caller(token), f"{hogen.path}/events?after=1&wait=5"), 401, "unauthorized"
    )
    assert refused["reason"] == "revoked"


def test_a_table_turned_private_reveals_nothing_to_a_waiting_spectator(hogen: Table, watch: Watch) -> None:
    def close() -> None:
        job_that_moves(hogen, 1)()
        job_that_changes_match(hogen, spectators=False)()

    watch.plans = {0.75: close}
    check_problem(watch.ask(hogen.charlie, f"{hogen.path}/events?after=1&wait=25"), 404, "not_found")


@pytest.mark.long
def test_a_stranger_cannot_wait_at_a_private_table(rest: Api) -> None:
    table = Table(rest, rest.start(spectators=False))
    watch = Watch(rest)
    check_problem(watch.ask(table.charlie, f"{table.path}/events?after=1&wait=25"), 404, "not_found")
    assert watch.at == 0


def test_with_all_places_taken_an_answer_comes_at_once_with_a_retry_time(hogen: Table) -> None:
    watch = Watch(hogen.api, places=3)
    assert all(watch.parking.try_to_take_place(who, stranger=False) for who in "abc")
    answer = watch.ask(hogen.alice, f"{hogen.path}/events?after=1&wait=25")
    assert nothing_after(1, answer)
    assert answer.headers["Retry-After"] == "2"
    assert watch.at == 0
    for who in "abc":
        watch.parking.leave_place(who, stranger=False)
    assert "Retry-After" not in watch.ask(hogen.alice, f"{hogen.path}/events?after=1&wait=1").headers


def test_a_waiting_request_frees_its_place_even_after_an_error(
    hogen: Table, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the machine")

    watch.plans = {0.75: lambda: monkeypatch.setattr(match_views, "read_events", fail), 0.8: job_that_moves(hogen, 1)}
    check_problem(watch.ask(hogen.alice, f"{hogen.path}/events?after=1&wait=25"), 500, "internal")
    assert watch.parking.taken == 0


@pytest.mark.long
def test_a_waiting_client_that_disconnects_frees_its_place_at_once(hogen: Table, watch: Watch) -> None:
    watch.plans = {3.25: lambda: taken.append(watch.parking.taken)}
    taken: list[int] = []
    watch.get(f"/api/v1{hogen.path}/events?after=1&wait=25", hogen.alice.headers(), watch.plans, leaves=3.3)
    assert (watch.at, watch.pieces, taken, watch.parking.taken) == (3.3, [], [1], 0)


def test_a_failed_poll_for_news_wakes_no_waiting_request_and_is_retried(
    hogen: Table, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: object) -> None:
        raise Unavailable("away", retry_after=5)

    read = watch.parking.read_news
    monkeypatch.setattr(watch.parking, "read_news", away)
    watch.plans = {0.25: job_that_moves(hogen, 1), 3.0: lambda: monkeypatch.setattr(watch.parking, "read_news", read)}
    assert json_of(watch.ask(hogen.alice, f"{hogen.path}/events?after=1&wait=25"))["events"]
    assert watch.at == 6


def test_a_request_about_an_unconfirmed_match_does_not_wait(rest: Api) -> None:
    path = f"/matches/{rest.create()}/events"
    watch = Watch(rest)
    assert watch.ask(rest.caller(), f"{path}?wait=25").headers["Retry-After"] == "2"
    check_problem(watch.ask(rest.caller(), f"{path}/stream"), 503, "busy")
    assert watch.at == 0


def parking(places: int) -> Parking:
    """Places where nothing ever happens."""
    return Parking(places, lambda known: [], lambda players: {})


def test_a_stranger_has_fewer_places_than_a_player() -> None:
    yard = parking(99)
    mine = [yard.try_to_take_place("player:1", stranger=False) for _ in range(EACH + 1)]
    assert mine == [*[True] * EACH, False]
    theirs = [yard.try_to_take_place("from:192.0.2.1", stranger=True) for _ in range(EACH_STRANGER + 1)]
    assert theirs == [*[True] * EACH_STRANGER, False]
    assert EACH_STRANGER < EACH
    yard.leave_place("player:1", stranger=False)
    assert yard.try_to_take_place("player:1", stranger=False)
    assert yard.taken == EACH + EACH_STRANGER


def test_strangers_never_take_more_than_half_of_the_places() -> None:
    yard = parking(4)
    assert [yard.try_to_take_place(f"from:192.0.2.{n}", stranger=True) for n in range(3)] == [True, True, False]
    assert [yard.try_to_take_place(f"seat:ab.{n}.0", stranger=False) for n in range(3)] == [True, True, False]
    yard.leave_place("from:192.0.2.0", stranger=True)
    assert yard.try_to_take_place("from:192.0.2.9", stranger=True)


@pytest.mark.long
def test_a_player_finds_a_place_even_while_strangers_follow_the_match(hogen: Table) -> None:
    watch = Watch(hogen.api, places=4)
    path = f"{hogen.path}/events?after=1&wait=1"
    assert [watch.parking.try_to_take_place("from:127.0.0.1", stranger=True) for _ in range(EACH_STRANGER)] == [
        True,
        True,
    ]
    assert watch.ask(hogen.charlie, path).headers["Retry-After"] == "2"
    assert "Retry-After" not in watch.ask(hogen.alice, path).headers
    watch.parking.leave_place("from:127.0.0.1", stranger=True)
    assert "Retry-After" not in watch.ask(hogen.charlie, path).headers


def test_with_no_waiting_places_configured_every_request_answers_at_once(hogen: Table) -> None:
    answer = Watch(hogen.api, places=0).ask(hogen.alice, f"{hogen.path}/events?after=1&wait=25")
    assert answer.headers["Retry-After"] == "2"


def test_a_process_that_shuts_down_answers_waiting_requests_at_once(hogen: Table, watch: Watch) -> None:
    watch.plans = {1.75: watch.parking.end}
    path = f"{hogen.path}/events?after=1&wait=25"
    assert nothing_after(1, watch.ask(hogen.alice, path))
    assert watch.at == 1.75
    assert watch.ask(hogen.alice, path).headers["Retry-After"] == "2"


def test_a_waiting_request_is_counted_once_in_the_metrics(
    hogen: Table, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[tuple[str, ...]] = []
    counters = hogen.api.site.counters
    monkeypatch.setattr(counters, "add", lambda marks: counted.extend(m.labels for m in marks if m.name == "requests"))
    watch.plans = {0.75: job_that_moves(hogen, 1)}
    watch.ask(hogen.alice, f"{hogen.path}/events?after=1&wait=25")
    route = "/api/v1/matches/<match_id>/events"
    assert [labels for labels in counted if labels[0] == route] == [(route, "GET", "2xx")]


# --- those who come again ------------------------------------------------------------------------------------------


@dataclass
class Calls:
    """How often the application was called."""

    application: Any
    count: int = 0

    def __call__(self, *request: Any) -> Any:
        self.count += 1
        return self.application(*request)


@pytest.fixture
def calls(hogen: Table, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Counts the calls of the application."""
    counted = Calls(hogen.api.app.wsgi_app)
    monkeypatch.setattr(hogen.api.app, "wsgi_app", counted)
    return counted


WAIT = "events?after=1&wait=20"


def test_a_repeated_request_waits_on_without_calling_the_application(hogen: Table, watch: Watch, calls: Calls) -> None:
    first = watch.ask(hogen.alice, f"{hogen.path}/{WAIT}")
    ended = watch.at
    again = [watch.ask(hogen.alice, f"{hogen.path}/{WAIT}") for _ in range(3)]
    assert (calls.count, watch.at, watch.parking.taken) == (1, ended, 0)
    assert {(one.status, one.data, str(one.headers)) for one in again} == {
        (first.status, first.data, str(first.headers))
    }
    watch.plans = {2.25: job_that_moves(hogen, 1)}
    assert [entry["n"] for entry in json_of(watch.ask(hogen.alice, f"{hogen.path}/{WAIT}"))["events"]] == [2]
    assert watch.at == 2.5


def test_a_repeated_request_gets_missed_entries_at_the_next_poll(hogen: Table, watch: Watch) -> None:
    watch.ask(hogen.alice, f"{hogen.path}/{WAIT}")
    job_that_moves(hogen, 1)()
    assert [entry["n"] for entry in json_of(watch.ask(hogen.alice, f"{hogen.path}/{WAIT}"))["events"]] == [2]
    assert watch.at == EVERY_S


def test_a_repeated_request_with_an_ended_link_is_refused(hogen: Table, watch: Watch) -> None:
    alice = hogen.alice
    watch.ask(alice, f"{hogen.path}/{WAIT}")
    with hogen.api.site.writing() as session:
        session.get_one(SeatRow, (hogen.id, 0)).epoch = 1
    check_problem(watch.ask(alice, f"{hogen.path}/{WAIT}"), 401, "unauthorized")
    assert (watch.at, watch.parking.taken) == (EVERY_S, 0)


def test_a_repeated_request_with_a_revoked_token_is_refused(hogen: Table, watch: Watch) -> None:
    made, token = access_tokens.create_token(hogen.api.site, 1, "My bot", ["read"], None)
    watch.ask(hogen.api.caller(token), f"{hogen.path}/{WAIT}")
    access_tokens.revoke_token(hogen.api.site, 1, made.id)
    check_problem(watch.ask(hogen.api.caller(token), f"{hogen.path}/{WAIT}"), 401, "unauthorized")
    assert watch.at == 0


def test_a_spectators_repeated_request_is_refused_once_a_table_is_private(hogen: Table, watch: Watch) -> None:
    watch.ask(hogen.charlie, f"{hogen.path}/{WAIT}")
    job_that_changes_match(hogen, spectators=False)()
    check_problem(watch.ask(hogen.charlie, f"{hogen.path}/{WAIT}"), 404, "not_found")
    assert watch.at == 0


def test_only_an_identical_request_waits_on_without_the_application(hogen: Table, watch: Watch, calls: Calls) -> None:
    others: list[tuple[Caller, str, dict[str, str]]] = [
        (hogen.bob, WAIT, {}),
        (hogen.alice, "events?after=1&wait=19", {}),
        (hogen.alice, WAIT, {"X-Forwarded-For": "192.0.2.1"}),
    ]
    for number, (who, path, headers) in enumerate(others, 1):
        watch.ask(hogen.alice, f"{hogen.path}/{WAIT}")
        watch.ask(who, f"{hogen.path}/{path}", **headers)
        assert calls.count == 1 + number


def test_a_repeated_request_without_a_free_place_is_answered_at_once(hogen: Table, watch: Watch, calls: Calls) -> None:
    watch.ask(hogen.alice, f"{hogen.path}/{WAIT}")
    for _ in range(EACH):
        assert watch.parking.try_to_take_place(f"seat:{hogen.id}.0.0", stranger=False)
    assert watch.ask(hogen.alice, f"{hogen.path}/{WAIT}").headers["Retry-After"] == "2"
    assert (calls.count, watch.at) == (2, 0)


def answer_of(at: float) -> Waited:
    """An empty answer of this moment."""
    return Waited(at, Pause("player:1", stranger=False, most_s=9), 200, [], b"")


def test_an_empty_answer_is_kept_for_one_repetition_and_some_seconds() -> None:
    yard = parking(2)
    yard.keep_answer("one", answer_of(1))
    assert yard.find_answer("one", 1 + RENEW_S) == answer_of(1)
    assert yard.find_answer("one", 1) is None
    yard.keep_answer("one", answer_of(1))
    assert yard.find_answer("one", 1.1 + RENEW_S) is None


def test_kept_answers_are_limited_to_the_number_of_places() -> None:
    yard = parking(2)
    for number in range(3):
        yard.keep_answer(number, answer_of(number))
    assert [yard.find_answer(number, 3) for number in range(3)] == [None, answer_of(1), answer_of(2)]


@cases("wait", ["51", "-1", "x", "1.5", "", "٣"])
def test_a_wait_that_is_no_whole_number_from_0_to_50_is_refused(hogen: Table, wait: str) -> None:
    said = check_problem(hogen.alice.get(f"{hogen.path}/events?wait={wait}"), 422, "invalid")
    assert set(said["fields"]) == {"wait"}
