"""Coming back, who plays meanwhile, resigning, and what a player has seen, by program."""

from __future__ import annotations

import pytest

from pbem.models.tables import SeatRow
from pbem.services.mail import sender
from pbem.services.play import timeouts
from tests.api.cast import Caller, Table, check_problem, json_of
from tests.table import MovedClock


def test_the_sheet_shows_an_absent_seat_until_its_player_comes_back(hogen: Table) -> None:
    with hogen.api.site.writing() as session:
        session.get_one(SeatRow, (hogen.id, 1)).absent = True
    assert [seat["absent"] for seat in json_of(hogen.alice.get(hogen.path))["seats"]][:2] == [False, True]
    check_problem(hogen.charlie.post(f"{hogen.path}/back", {}), 401, "unauthorized")
    assert json_of(hogen.bob.post(f"{hogen.path}/back", {})) == {"seat": 1, "absent": False, "resigned": False}
    assert json_of(hogen.alice.get(hogen.path))["seats"][1]["absent"] is False


def test_a_resigned_seats_grace_time_runs_and_it_cannot_come_back(hogen: Table) -> None:
    check_problem(hogen.bob.post(f"{hogen.path}/resign", {"really": True}), 422, "invalid")
    assert json_of(hogen.bob.post(f"{hogen.path}/resign", {})) == {"seat": 1, "absent": False, "resigned": True}
    assert json_of(hogen.bob.post(f"{hogen.path}/resign", {}))["resigned"] is True
    check_problem(hogen.bob.post(f"{hogen.path}/back", {}), 409, "gone")
    sheet = json_of(hogen.alice.get(hogen.path))
    assert sheet["seats"][1]["resigned"] is True
    assert [ask["grace_until"] is not None for ask in sheet["asks"]] == [False, True, False]


def test_a_question_has_a_grace_time_only_after_its_mail_was_sent(hogen: Table) -> None:
    assert {ask["grace_until"] for ask in json_of(hogen.alice.get(hogen.path))["asks"]} == {None}
    sender.drain(hogen.api.site)
    assert None not in {ask["grace_until"] for ask in json_of(hogen.alice.get(hogen.path))["asks"]}


def test_a_vote_is_refused_before_the_deadline_has_passed(hogen: Table) -> None:
    assert json_of(hogen.alice.get(hogen.path))["clock"]["late"] == "fallback"
    assert {str(ask["vote"]) for ask in json_of(hogen.alice.get(hogen.path))["asks"]} == {"None"}
    check_problem(hogen.alice.post(f"{hogen.path}/votes", {"seat": 1}), 409, "gone")
    check_problem(hogen.alice.post(f"{hogen.path}/votes", {}), 422, "invalid")


def test_the_last_not_to_resign_wins_and_sheet_log_and_story_say_so(hogen: Table) -> None:
    hogen.bob.post(f"{hogen.path}/resign", {})
    assert json_of(hogen.alice.get(hogen.path))["outcome"] is None
    path, gone = hogen.path, {"seat": 0, "absent": False, "resigned": True}
    assert json_of(hogen.alice.post(f"{path}/resign", {})) == gone
    assert json_of(hogen.alice.post(f"{path}/resign", {})) == gone, "whoever lost the answer may ask again"
    sheet = json_of(hogen.bob.get(path))
    assert (sheet["status"], sheet["asks"]) == ("over", [])
    assert sheet["outcome"] == {"reason": "last_seat", "winners": [2], "scores": None}
    assert sheet["outcome"]["reason"] in json_of(hogen.charlie.get("/games/hogen"))["endings"]
    log = json_of(hogen.charlie.get(f"{path}/log"))
    assert log["viewer"] == "all"
    assert log["seed"]
    assert log["events"][-1]["event"] == {"type": "MatchEnded", "reason": "last_seat", "winners": [2]}
    story = json_of(hogen.charlie.get(f"{path}/story"))["lines"]
    assert story[-1]["text"] == "Everybody else has resigned: Carol wins."


# --- who plays for an absent player --------------------------------------------------------------------------------


@pytest.mark.long
def test_the_chosen_stand_in_bot_plays_for_an_absent_player(hogen: Table) -> None:
    path, bob = f"{hogen.path}/stand-in", hogen.bob
    assert json_of(bob.get(path)) == {"seat": 1, "bot": None}
    assert json_of(bob.put(path, {"bot": "greedy"})) == json_of(bob.get(path)) == {"seat": 1, "bot": "greedy"}
    with hogen.api.site.writing() as session:
        session.get_one(SeatRow, (hogen.id, 1)).absent = True
    assert json_of(bob.put(path, {"bot": "random"})) == json_of(bob.get(path)) == {"seat": 1, "bot": "random"}
    assert json_of(bob.get(hogen.path))["seats"][1]["absent"] is True, "choosing is not coming back"
    sender.drain(hogen.api.site)
    clock = hogen.api.site.now
    assert isinstance(clock, MovedClock)
    clock.forward(days=20)
    timeouts.sweep_deadlines(hogen.api.site)
    moves = [entry["by"] for entry in json_of(hogen.charlie.get(f"{hogen.path}/events"))["events"]]
    assert {(by["bot"], by["via"]) for by in moves if by.get("bot") is not None} == {(1, "random")}
    assert json_of(bob.put(path, {"bot": None})) == json_of(bob.get(path)) == {"seat": 1, "bot": None}


def test_choosing_an_unknown_stand_in_is_refused_naming_the_games_bots(hogen: Table) -> None:
    path, bob = f"{hogen.path}/stand-in", hogen.bob
    json_of(bob.put(path, {"bot": "greedy"}))
    refused = check_problem(bob.put(path, {"bot": "endless"}), 422, "invalid")
    assert set(refused["fields"]) == {"bot"}
    assert all(name in refused["detail"] for name in json_of(bob.get("/games/hogen"))["bots"])
    assert "null" in check_problem(bob.put(path, {"bot": ""}), 422, "invalid")["fields"]["bot"]
    for wrong in ({}, {"bot": 1}, {"bot": "random", "seat": 1}):
        check_problem(bob.put(path, wrong), 422, "invalid")
    assert json_of(bob.get(path))["bot"] == "greedy"


def test_no_stand_in_is_chosen_after_resigning_or_the_end_of_the_match(hogen: Table) -> None:
    path = f"{hogen.path}/stand-in"
    json_of(hogen.bob.post(f"{hogen.path}/resign", {}))
    assert "resigned" in check_problem(hogen.bob.put(path, {"bot": "greedy"}), 409, "gone")["detail"]
    json_of(hogen.alice.post(f"{hogen.path}/resign", {}))
    check_problem(hogen.seat(2).put(path, {"bot": "greedy"}), 409, "gone")


@pytest.mark.long
def test_nobody_else_can_read_a_seats_choice_of_stand_in(hogen: Table) -> None:
    path = f"{hogen.path}/stand-in"
    document = json_of(hogen.charlie.get("/openapi.json"))["paths"]
    start = "/api/v1/matches/{match_id}"
    reads = [
        hogen.path + address.removeprefix(start)
        for address, operations in document.items()
        if address.startswith(start) and "get" in operations and not address.endswith("/stream")
    ]
    assert {hogen.path, f"{hogen.path}/log", path} <= set(reads)

    def what_is_seen(caller: Caller) -> list[tuple[str, int, bytes]]:
        answers = [(one, caller.get(one)) for one in reads]
        return [(one, answer.status_code, answer.data) for one, answer in answers if answer.status_code == 200]

    others = (hogen.alice, hogen.seat(2), hogen.charlie)
    before, trace = [what_is_seen(caller) for caller in others], hogen.trace()
    json_of(hogen.bob.put(path, {"bot": "greedy"}))
    assert [what_is_seen(caller) for caller in others] == before
    assert hogen.trace() == trace
    for method in ("GET", "PUT"):
        sent = {"bot": "random"} if method == "PUT" else None
        check_problem(hogen.charlie.client.open(f"/api/v1{path}", method=method, json=sent), 401, "unauthorized")
    assert json_of(hogen.bob.get(path))["bot"] == "greedy"


# --- what a player has seen ----------------------------------------------------------------------------------------


def test_a_seat_marks_the_version_it_has_seen_which_only_grows(hogen: Table) -> None:
    path, version = f"{hogen.path}/seen", json_of(hogen.alice.get(hogen.path))["version"]
    assert version > 0
    assert json_of(hogen.alice.put(path, {"version": 0})) == {"seat": 0, "seen": 0}
    assert json_of(hogen.alice.put(path, {"version": version})) == {"seat": 0, "seen": version}
    assert json_of(hogen.alice.put(path, {"version": version - 1})) == {"seat": 0, "seen": version}
    assert json_of(hogen.bob.put(path, {"version": 0})) == {"seat": 1, "seen": 0}, "each seat has its own"


def test_a_future_version_or_a_caller_without_the_seat_marks_nothing_seen(hogen: Table, dave: Caller) -> None:
    path, version = f"{hogen.path}/seen", json_of(hogen.alice.get(hogen.path))["version"]
    assert set(check_problem(hogen.alice.put(path, {"version": version + 1}), 422, "invalid")["fields"]) == {"version"}
    for bad in (-1, "1", 1.5, True, None, 10**30):
        assert set(check_problem(hogen.alice.put(path, {"version": bad}), 422, "invalid")["fields"]) == {"version"}, bad
    for wrong in ({}, {"version": 0, "seat": 1}):
        check_problem(hogen.alice.put(path, wrong), 422, "invalid")
    check_problem(hogen.charlie.put(path, {"version": 0}), 401, "unauthorized")
    check_problem(dave.put(path, {"version": 0}), 403, "forbidden")
    check_problem(hogen.alice.put("/matches/0123456789abcdef01234567/seen", {"version": 0}), 403, "forbidden")
