"""Playing over the API: whole matches by legal moves, repeated requests, and answers that come too late."""

from __future__ import annotations

import json
import random

import pytest
from sqlalchemy import text

from pbem.games import find_game
from pbem.kit.logs import logfile
from pbem.kit.logs.chain import mark_of
from pbem.kit.logs.verdict import verify
from pbem.services.mail import sender
from pbem.services.play.timeouts import sweep_deadlines
from tests.api.cast import Api, Table, check_problem, json_of
from tests.api.play.moves import LATE, SOON, play_to_the_end
from tests.harness.cases import cases
from tests.table import MovedClock


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "often"), [(1, SOON), *(pytest.param(seed, LATE, marks=pytest.mark.long) for seed in (1, 2))]
)
def test_a_whole_match_is_played_by_the_legal_moves_and_its_log_verifies(rest: Api, seed: int, often: float) -> None:
    table = Table(rest, rest.start())
    play_to_the_end(table, random.Random(seed), often)
    sheet = json_of(table.charlie.get(table.path))
    assert sheet["status"] == "over"
    assert sheet["outcome"]["reason"] in find_game("hogen").meta.endings  # type: ignore[union-attr]  # it is there
    assert table.ask(0)["ask"] is None
    document = table.charlie.get(f"{table.path}/log")
    assert document.json["viewer"] == "all"  # type: ignore[index]  # the body is JSON
    assert verify(logfile.read(document.data, find_game)).ok


@pytest.mark.long
def test_a_match_of_four_is_played_to_its_end(rest: Api) -> None:
    table = Table(rest, rest.start(("Alice", "Bob", "Carol", "Dave")))
    play_to_the_end(table, random.Random(4))
    assert json_of(table.charlie.get(table.path))["status"] == "over"


@pytest.mark.long
def test_before_the_match_begins_there_is_no_state_and_no_question(rest: Api) -> None:
    table = Table(rest, rest.create())
    assert json_of(table.alice.get(f"{table.path}/state")) == {
        "game": "hogen",
        "version": 0,
        "viewer": 0,
        "state": None,
    }
    nothing = {"game": "hogen", "version": 0, "base": None, "head": None, "mark": None, "events": []}
    assert json_of(table.charlie.get(f"{table.path}/events")) == nothing
    check_problem(table.alice.get(f"{table.path}/log"), 409, "gone")
    question = table.ask(0)
    assert (question["ask"], question["legal"], question["total"]) == (None, [], 0)
    check_problem(table.alice.post(f"{table.path}/moves", {"key": "t0.ally0", "text": "ally F1"}), 409, "gone")


@pytest.mark.long
def test_events_after_an_entry_are_the_rest_of_all_events(hogen: Table) -> None:
    hogen.allies()
    everything = json_of(hogen.bob.get(f"{hogen.path}/events"))
    assert [entry["n"] for entry in everything["events"]] == list(range(1, everything["version"] + 1))
    for after in range(everything["version"] + 2):
        rest = json_of(hogen.bob.get(f"{hogen.path}/events?after={after}"))
        assert rest["events"] == everything["events"][after:]
        assert (rest["version"], rest["head"]) == (everything["version"], everything["head"])
        assert rest["mark"] == mark_of(rest["head"])
        assert (rest["base"] is None) == (after > everything["version"]), "there is no such entry"


@pytest.mark.long
def test_questions_are_paged_and_filtered_by_the_kind_of_move(hogen: Table) -> None:
    active = hogen.allies()
    question = hogen.ask(active)
    assert question["total"] == sum(question["kinds"].values()) == 68
    assert (len(question["legal"]), question["limit"], question["offset"]) == (68, 100, 0)
    assert len(hogen.ask(active, "?limit=50")["legal"]) == 50
    assert len(hogen.ask(active, "?limit=50&offset=50")["legal"]) == 18
    calls = hogen.ask(active, "?kind=Call")
    assert calls["total"] == question["kinds"]["Call"] == len(calls["legal"])
    everything = hogen.ask(active, "?limit=500")["legal"]
    assert [hogen.ask(active, f"?limit=1&offset={n}")["legal"][0] for n in (0, 50, 67)] == [
        everything[n] for n in (0, 50, 67)
    ]
    assert hogen.ask(active, "?offset=100000")["legal"] == []
    assert hogen.ask(active, "?kind=Exchange")["legal"] == []


def test_labels_name_the_players_in_the_readers_language(hogen: Table) -> None:
    active = hogen.allies()
    declared = hogen.ask(active, "?kind=Declare&limit=1")["legal"][0]
    others = [name for seat, name in enumerate(("Alice", "Bob", "Carol")) if seat != active]
    assert all(name in declared["label"] for name in others)
    french = hogen.ask(active, "?kind=Declare&limit=1&lang=fr")["legal"][0]
    assert french["move"] == declared["move"]
    assert french["label"] != declared["label"]


@cases("query", ["limit=0", "limit=501", "limit=x", "offset=-1", "kind=Bluff", "sort=up", "lang=de"])
def test_an_invalid_query_parameter_of_a_read_is_refused(hogen: Table, query: str) -> None:
    said = check_problem(hogen.alice.get(f"{hogen.path}/ask?{query}"), 422, "invalid")
    assert said["fields"].keys() == {query.partition("=")[0]}


@pytest.mark.long
@cases("query", ["lang=de", "lang=", "sort=up"])
@cases("path", ["/matches", "{match}/moves", "/confirm/x", "/invitation/x/accept"])
def test_an_invalid_query_parameter_of_a_write_is_refused(hogen: Table, path: str, query: str) -> None:
    before = hogen.trace()
    caller = hogen.charlie if path == "/matches" else hogen.alice  # no seat's token begins a match
    said = check_problem(caller.post(f"{path.format(match=hogen.path)}?{query}", {}), 422, "invalid")
    assert said["fields"].keys() == {query.partition("=")[0]}
    assert hogen.trace() == before


def test_a_move_is_accepted_with_a_language_parameter(hogen: Table) -> None:
    answer = {"key": "t0.ally0", "move": hogen.ask(0)["legal"][0]["move"]}
    assert hogen.alice.post(f"{hogen.path}/moves?lang=fr", answer).status_code == 201


@cases("query", ["after=-1", "after=", "after=1.5", "after=²", "after=1e3", f"after={'9' * 40}", "afer=1"])
def test_an_after_parameter_that_is_not_a_number_is_refused(hogen: Table, query: str) -> None:
    check_problem(hogen.charlie.get(f"{hogen.path}/events?{query}"), 422, "invalid")


@pytest.mark.long
def test_a_repeated_move_gets_the_first_receipt_even_after_other_moves(hogen: Table) -> None:
    question = hogen.ask(0)
    answer = {"key": question["ask"]["key"], "move": question["legal"][0]["move"]}
    first = hogen.alice.post(f"{hogen.path}/moves", answer)
    assert first.status_code == 201
    for seat in (1, 2):
        hogen.play(seat, hogen.ask(seat)["legal"][0])
    before = hogen.trace()
    again = hogen.alice.post(f"{hogen.path}/moves", answer)
    by_text = hogen.alice.post(f"{hogen.path}/moves", {"key": answer["key"], "text": question["legal"][0]["text"]})
    assert (again.status_code, again.data) == (by_text.status_code, by_text.data) == (201, first.data)
    assert hogen.trace() == before


@pytest.mark.long
def test_a_different_second_move_to_an_answered_question_is_refused(hogen: Table) -> None:
    question = hogen.ask(0)
    hogen.play(0, question["legal"][0])
    before = hogen.trace()
    other = {"key": question["ask"]["key"], "move": question["legal"][1]["move"]}
    said = check_problem(hogen.alice.post(f"{hogen.path}/moves", other), 409, "answered")
    assert said["ask"] is None
    assert hogen.trace() == before


@pytest.mark.long
def test_a_move_with_a_wrong_key_is_stale_and_gets_the_open_question(hogen: Table) -> None:
    active = hogen.allies()
    key, deadline = (hogen.ask(active)["ask"][name] for name in ("key", "deadline"))
    before = hogen.trace()
    for old in ("t9.act0", "t0.ally", "", key + " ", key.upper(), "é"):
        said = check_problem(
            hogen.seat(active).post(f"{hogen.path}/moves", {"key": old, "text": "clan F"}), 409, "stale"
        )
        assert said["ask"] == {"key": key, "kind": "act", "seat": active, "deadline": deadline}
    assert hogen.trace() == before


@pytest.mark.long
def test_a_move_sent_after_the_clock_played_for_its_seat_is_stale(hogen: Table, clock: MovedClock) -> None:
    question = hogen.ask(0)
    sender.drain(hogen.api.site)
    clock.forward(days=4)
    assert sweep_deadlines(hogen.api.site) == 3
    before = hogen.trace()
    answer = {"key": question["ask"]["key"], "move": question["legal"][0]["move"]}
    check_problem(hogen.alice.post(f"{hogen.path}/moves", answer), 409, "stale")
    assert hogen.trace() == before


@pytest.mark.long
def test_a_move_in_a_locked_match_is_answered_busy_with_a_retry_time(hogen: Table) -> None:
    question = hogen.ask(0)
    answer = {"key": question["ask"]["key"], "move": question["legal"][0]["move"]}
    with hogen.api.site.writing() as session:
        session.execute(text("SELECT 1"))
        busy = hogen.alice.post(f"{hogen.path}/moves", answer)
    check_problem(busy, 503, "busy")
    assert int(busy.headers["Retry-After"]) >= 1
    assert hogen.alice.post(f"{hogen.path}/moves", answer).status_code == 201


@pytest.mark.long
def test_the_log_of_a_running_match_is_the_callers_view_without_the_seed(hogen: Table) -> None:
    hogen.allies()
    own = json_of(hogen.bob.get(f"{hogen.path}/log"))
    assert (own["viewer"], "seed" in own) == (1, False)
    assert own["events"] == json_of(hogen.bob.get(f"{hogen.path}/events"))["events"]
    assert json_of(hogen.charlie.get(f"{hogen.path}/log"))["viewer"] is None
    assert logfile.read(json.dumps(own).encode(), find_game).viewer == 1


@pytest.mark.long
def test_a_move_with_another_clans_letter_is_refused_with_the_correct_text(rest: Api) -> None:
    match_id = rest.start(game="hexen-rennen")
    table = Table(rest, match_id)
    before, key = rest.trace(match_id), table.ask(1)["ask"]["key"]
    for where in ("moves", "preview"):
        typed = {"key": key, "text": "divide A2 3 4 / 5 6 7 / 8 9 10"}
        said = check_problem(table.seat(1).post(f"{table.path}/{where}", typed), 422, "unreadable")
        assert "A2 is of clan A, and yours is B. Write divide 2 3 4 / 5 6 7 / 8 9 10" in said["detail"]
    assert rest.trace(match_id) == before
    own = {"key": key, "text": "divide B2 3 4 / 5 6 7 / 8 9 10"}
    json_of(table.seat(1).post(f"{table.path}/moves", own), 201)
