"""One stream of all matches of a player: how each stands, whenever that changes, and nothing of anybody else's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pbem.api.views import match_list
from pbem.errors import Unavailable
from pbem.services.log import cancellation
from tests.api.access_tokens import make_program, revoke_all_tokens, sign_in
from tests.api.cast import READER, Api, Caller, Table, check_problem, parse_stream_messages
from tests.api.views.waiting import Watch, job_that_moves
from tests.harness.cases import cases
from tests.table import MovedClock


def follow_to_end(watch: Watch, caller: Caller, **headers: str) -> list[tuple[str, Any]]:
    """What the stream tells until it ends, without its beginning."""
    answer = watch.ask(caller, "/me/stream", **headers)
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream"), answer.text
    assert answer.headers["Cache-Control"] == "no-store, no-transform"
    begin, *told = parse_stream_messages(answer.text)
    assert begin == {"retry": "1000"}
    return [(one["event"], json.loads(one["data"])) for one in told]


@pytest.mark.long
def test_the_players_stream_sends_the_status_of_each_match_then_changes(hogen: Table) -> None:
    watch, bob = Watch(hogen.api), sign_in(hogen.api, "Bob")
    ask = hogen.ask(1)["ask"]
    first = {
        "id": hogen.id, "game": "hogen", "status": "running", "version": 1, "seat": 1, "seat_status": "accepted",
        "ask": {"key": ask["key"], "kind": ask["kind"], "deadline": ask["deadline"]},
        "outcome": None, "cancelled": None,
    }  # fmt: skip
    watch.plans = {0.75: job_that_moves(hogen, 1), 1.25: job_that_moves(hogen, 0)}
    told = follow_to_end(watch, bob)
    assert told[:2] == [("match", first), ("current", {"matches": [hogen.id]})]
    assert told[2:] == [("match", first | {"version": n, "ask": None}) for n in (2, 3)]
    assert [moment for moment, piece in watch.pieces if b"event" in piece] == [0, 1, 1.5]
    assert 180 <= watch.at <= 240


def test_an_invitees_stream_tells_of_an_invitation_and_of_its_decline(rest: Api) -> None:
    match_id, other = rest.create(), rest.start(("Bob", "Carol", "Dave"))
    nobody, watch = rest.caller(), Watch(rest)
    watch.plans = {
        3: lambda: nobody.post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER),
        6: lambda: nobody.post(f"/invitation/{rest.token('invitation', match_id, 1)}/decline", {}),
    }
    told = follow_to_end(watch, make_program(rest, "Bob", ["read"]))
    assert told[1] == ("current", {"matches": [other]})
    (event, invited), gone = told[2:]
    assert (event, invited["id"], invited["seat_status"], invited["status"]) == (
        "match", match_id, "invited", "inviting",
    )  # fmt: skip
    assert gone == ("gone", {"id": match_id})


@pytest.mark.long
def test_the_end_of_a_match_is_sent_once_and_again_after_a_reconnect(hogen: Table, clock: MovedClock) -> None:
    watch, bob = Watch(hogen.api), sign_in(hogen.api, "Bob")
    watch.plans = {0.75: lambda: cancellation.cancel_match_for_host(hogen.api.site, hogen.id)}
    answer = watch.ask(bob, "/me/stream")
    *_, last = parse_stream_messages(answer.text)
    ended = json.loads(last["data"])
    assert (ended["status"], ended["cancelled"], ended["ask"], ended["outcome"]) == ("cancelled", "host", None, None)
    assert answer.text.count("event: match") == 2
    assert follow_to_end(Watch(hogen.api), bob) == [("current", {"matches": []})]
    again = follow_to_end(Watch(hogen.api), bob, **{"Last-Event-ID": last["id"]})
    assert again == [("match", ended), ("current", {"matches": []})]
    clock.forward(hours=1)
    late, bob = str(int(last["id"]) + 3600), sign_in(hogen.api, "Bob")
    assert follow_to_end(Watch(hogen.api), bob, **{"Last-Event-ID": late}) == [("current", {"matches": []})]
    clock.forward(days=8)
    assert follow_to_end(Watch(hogen.api), sign_in(hogen.api, "Bob"), **{"Last-Event-ID": "0"})[0][0] == "current"


def test_revoking_the_token_ends_the_stream_before_it_tells_anything_more(hogen: Table) -> None:
    program = make_program(hogen.api, "Bob", ["read"])

    def meanwhile() -> None:
        revoke_all_tokens(hogen.api, "Bob")
        job_that_moves(hogen, 1)()

    watch = Watch(hogen.api)
    watch.plans = {0.75: meanwhile}
    assert [event for event, _ in follow_to_end(watch, program)] == ["match", "current"]
    assert watch.at == 1
    check_problem(watch.ask(program, "/me/stream"), 401, "unauthorized")


def test_the_players_stream_needs_a_players_token_with_the_read_scope(hogen: Table) -> None:
    check_problem(hogen.charlie.get("/me/stream"), 401, "unauthorized")
    check_problem(hogen.alice.get("/me/stream"), 401, "unauthorized")
    check_problem(make_program(hogen.api, "Bob", ["play"]).get("/me/stream"), 403, "insufficient_scope")


def raise_unavailable(*_: object, **__: object) -> None:
    """Stands for a database that does not answer."""
    raise Unavailable("The database does not answer.")


def test_a_players_stream_without_a_free_place_is_refused(hogen: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    watch, bob = Watch(hogen.api, places=0), sign_in(hogen.api, "Bob")
    monkeypatch.setattr(match_list, "read_own_match_standings", raise_unavailable)
    refused = watch.ask(bob, "/me/stream")
    check_problem(refused, 503, "busy")  # not "unavailable": who is refused costs no query
    assert refused.headers["Retry-After"] == "5"
    check_problem(watch.ask(bob, "/me/stream", **{"Last-Event-ID": "x"}), 422, "invalid")


@pytest.mark.long
def test_a_stream_that_fails_to_begin_frees_its_place(hogen: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    watch, bob = Watch(hogen.api, places=1), sign_in(hogen.api, "Bob")
    with monkeypatch.context() as broken:
        broken.setattr(match_list, "read_own_match_standings", raise_unavailable)
        check_problem(watch.ask(bob, "/me/stream"), 503, "unavailable")
    assert watch.parking.taken == 0
    assert watch.ask(bob, "/me/stream").status_code == 200


@cases("said", ["x", "-1", "1.0", "999999999999"])
def test_an_invalid_last_event_id_of_the_players_stream_is_refused(hogen: Table, said: str) -> None:
    wrong = check_problem(sign_in(hogen.api, "Bob").get("/me/stream", **{"Last-Event-ID": said}), 422, "invalid")
    assert set(wrong["fields"]) == {"Last-Event-ID"}
