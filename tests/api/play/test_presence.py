"""Coming back and resigning by program."""

from __future__ import annotations

from pbem.models.tables import SeatRow
from tests.api.cast import Table, body, problem


def test_the_sheet_says_who_is_absent_and_its_owner_comes_back(hogen: Table) -> None:
    with hogen.api.site.writing() as session:
        session.get_one(SeatRow, (hogen.id, 1)).absent = True
    assert [seat["absent"] for seat in body(hogen.alice.get(hogen.path))["seats"]][:2] == [False, True]
    problem(hogen.charlie.post(f"{hogen.path}/back", {}), 401, "unauthorized")
    assert body(hogen.bob.post(f"{hogen.path}/back", {})) == {"seat": 1, "absent": False, "resigned": False}
    assert body(hogen.alice.get(hogen.path))["seats"][1]["absent"] is False


def test_whoever_resigns_is_played_by_the_clock_and_cannot_come_back(hogen: Table) -> None:
    problem(hogen.bob.post(f"{hogen.path}/resign", {"really": True}), 422, "invalid")
    assert body(hogen.bob.post(f"{hogen.path}/resign", {})) == {"seat": 1, "absent": False, "resigned": True}
    assert body(hogen.bob.post(f"{hogen.path}/resign", {}))["resigned"] is True
    problem(hogen.bob.post(f"{hogen.path}/back", {}), 409, "gone")
    sheet = body(hogen.alice.get(hogen.path))
    assert sheet["seats"][1]["resigned"] is True
    assert [ask["grace_until"] is not None for ask in sheet["asks"]] == [False, True, False]


def test_a_question_tells_its_grace_once_its_mail_has_left(hogen: Table) -> None:
    assert {ask["grace_until"] for ask in body(hogen.alice.get(hogen.path))["asks"]} == {None}


def test_there_is_nothing_to_vote_on_before_the_time_is_up(hogen: Table) -> None:
    assert body(hogen.alice.get(hogen.path))["clock"]["late"] == "fallback"
    assert {str(ask["vote"]) for ask in body(hogen.alice.get(hogen.path))["asks"]} == {"None"}
    problem(hogen.alice.post(f"{hogen.path}/votes", {"seat": 1}), 409, "gone")
    problem(hogen.alice.post(f"{hogen.path}/votes", {}), 422, "invalid")


def test_when_one_seat_is_left_the_match_is_over_and_its_sheet_log_and_story_say_who_has_won(hogen: Table) -> None:
    hogen.bob.post(f"{hogen.path}/resign", {})
    assert body(hogen.alice.get(hogen.path))["outcome"] is None
    path, gone = hogen.path, {"seat": 0, "absent": False, "resigned": True}
    assert body(hogen.alice.post(f"{path}/resign", {})) == gone
    assert body(hogen.alice.post(f"{path}/resign", {})) == gone, "whoever lost the answer may ask again"
    sheet = body(hogen.bob.get(path))
    assert (sheet["status"], sheet["asks"]) == ("over", [])
    assert sheet["outcome"] == {"reason": "last_seat", "winners": [2], "scores": None}
    assert sheet["outcome"]["reason"] in body(hogen.charlie.get("/games/hogen"))["endings"]
    log = body(hogen.charlie.get(f"{path}/log"))
    assert log["viewer"] == "all"
    assert log["seed"]
    assert log["events"][-1]["event"] == {"type": "MatchEnded", "reason": "last_seat", "winners": [2]}
    story = body(hogen.charlie.get(f"{path}/story"))["lines"]
    assert story[-1]["text"] == "Everybody else has resigned: Carol wins."
