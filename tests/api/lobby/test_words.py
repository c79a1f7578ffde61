"""Lucky words and commitments in the API: a word is never told, a commitment always."""

from __future__ import annotations

import pytest

from pbem.kit.logs.chain import hash_word
from pbem.models.tables import SeatRow
from tests.api.cast import READER, Api, Table, body_of_match, check_problem, json_of


def accept_seat(api: Api, match_id: str, seat: int, **more: str) -> None:
    """The player of the seat takes it."""
    token = api.token("invitation", match_id, seat)
    json_of(api.caller().post(f"/invitation/{token}/accept", READER | more))


@pytest.mark.long
def test_later_lucky_words_do_not_change_a_new_matchs_commitment(rest: Api) -> None:
    made = json_of(rest.caller().post("/matches", body_of_match(word="Abricot")), 201)
    path = f"/matches/{made['id']}"
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', made['id'], 0)}", READER))
    before = json_of(rest.caller().get(path))
    assert (before["commitment"], before["words"], before["mark"]) == (made["commitment"], None, None)
    assert before["words_typed"] is None
    accept_seat(rest, made["id"], 1, word="")
    accept_seat(rest, made["id"], 2, word="plum")
    after = json_of(rest.caller().get(path))
    assert after["commitment"] == made["commitment"]
    assert after["words"][::2] == [hash_word("abricot"), hash_word("plum")]
    assert (len(after["mark"]), after["words_typed"]) == (9, [0, 2])
    assert "abricot" not in str(after).lower()


@pytest.mark.long
def test_a_move_changes_the_mark_and_the_etag_of_the_match_sheet(hogen: Table) -> None:
    first = hogen.charlie.get(hogen.path)
    hogen.play(0, hogen.ask(0)["legal"][0])
    then = hogen.charlie.get(hogen.path, **{"If-None-Match": first.headers["ETag"]})
    assert json_of(then)["mark"] != json_of(first)["mark"]
    assert then.headers["ETag"] != first.headers["ETag"]


@pytest.mark.long
@pytest.mark.parametrize("word", ["x" * 41, "a\u200bb", "a\nb"])
def test_a_lucky_word_too_long_or_invisible_is_refused_and_its_field_named(rest: Api, word: str) -> None:
    said = check_problem(rest.caller().post("/matches", body_of_match(word=word)), 422, "invalid")
    assert list(said["fields"]) == ["word"]
    match_id = rest.create()
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER))
    path = f"/invitation/{rest.token('invitation', match_id, 1)}/accept"
    assert list(check_problem(rest.caller().post(path, READER | {"word": word}), 422, "invalid")["fields"]) == ["word"]
    accept_seat(rest, match_id, 1)


@pytest.mark.long
def test_a_lucky_word_is_refused_in_a_claim_and_taken_with_acceptance(rest: Api) -> None:
    seats = [*body_of_match(("Alice", "Bob"))["seats"], {"open": True}]
    match_id = json_of(rest.caller().post("/matches", body_of_match() | {"seats": seats}), 201)["id"]
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER))
    opened = json_of(rest.caller(rest.token("play", match_id, 0)).get(f"/matches/{match_id}"))["seats"][2]["join"]
    asking = {"name": "Carol", "email": "carol@example.org", **READER}
    path = f"/join/{opened.rpartition('/')[2]}"
    said = check_problem(rest.caller().post(path, asking | {"word": "plum"}), 422, "invalid")
    assert list(said["fields"]) == ["word"], "the address may be somebody else's"
    json_of(rest.caller().post(path, asking))
    accept_seat(rest, match_id, 1)
    with rest.site.reading() as session:
        epoch = session.get_one(SeatRow, (match_id, 2)).epoch
    token = rest.token("invitation", match_id, 2, epoch)
    json_of(rest.caller().post(f"/invitation/{token}/accept", READER | {"word": "pear"}))
    assert json_of(rest.caller().get(f"/matches/{match_id}"))["words"][2] == hash_word("pear")


def test_a_rematch_takes_a_lucky_word_and_returns_its_commitment(over: Table) -> None:
    again = json_of(over.alice.post(f"{over.path}/rematch", {"word": "plum"}), 201)
    sheet = json_of(over.api.caller().get(f"/matches/{again['id']}"))
    assert sheet["commitment"] == again["commitment"]
    json_of(over.bob.post(f"{over.path}/rematch", {"word": "pear"}), 200)
    with over.api.site.reading() as session:
        words = [session.get_one(SeatRow, (again["id"], seat)).word for seat in range(3)]
    assert words == ["plum", None, None], "Bob sends his as he accepts"
    said = check_problem(over.bob.post(f"{over.path}/rematch", {"word": "x" * 41}), 422, "invalid")
    assert list(said["fields"]) == ["word"]


def test_every_caller_reads_the_same_head_of_the_log(hogen: Table) -> None:
    hogen.play(1, hogen.ask(1)["legal"][0])
    told = [json_of(caller.get(f"{hogen.path}/events")) for caller in (hogen.alice, hogen.bob, hogen.charlie)]
    assert len({(one["base"], one["head"]) for one in told}) == 1
    assert [[("salts" in entry) for entry in one["events"]][1:] for one in told] == [[False], [True], [False]]
