"""Previews of moves: what the player can foresee of a move, without playing it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.games import all_games, found_games
from pbem.kit.assemble import AssembledGame
from pbem.kit.codec import codec_for, encode
from pbem.kit.secrecy import agrees
from pbem.services.views import match_views
from tests.api.access_tokens import make_program
from tests.api.cast import Api, Table, begin_smallest, check_problem, json_of
from tests.api.protocol.bad_input import bodies
from tests.api.protocol.document import checker, document
from tests.table import MovedClock

SLOW_HERE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

__all__ = ["document"]


def all_rows(api: Api) -> Any:
    """All rows there are."""
    with api.site.engine.connect() as connection:
        names = [row[0] for row in connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.exec_driver_sql(f"SELECT * FROM {name}").all() for name in sorted(names)}


@pytest.mark.long
def test_a_preview_lists_the_events_of_the_move_as_far_as_foreseeable(hogen: Table, document: dict[str, Any]) -> None:
    question = hogen.ask(0)
    legal = question["legal"][0]
    told = json_of(hogen.alice.post(f"{hogen.path}/preview", {"move": legal["move"]}))
    checker(document, "Preview").validate(told)
    card = legal["move"]["card"]
    assert told == {
        "game": "hogen", "version": question["version"], "key": question["ask"]["key"], "move": legal["move"],
        "text": legal["text"], "label": legal["label"],
        "events": [{"type": "AllyChosen", "seat": 0, "card": card}],
    }  # fmt: skip


def test_a_preview_is_the_same_for_a_move_and_for_its_notation(hogen: Table) -> None:
    question = hogen.ask(0)
    key, legal = question["ask"]["key"], question["legal"][1]
    by_move = hogen.alice.post(f"{hogen.path}/preview", {"key": key, "move": legal["move"]})
    by_text = hogen.alice.post(f"{hogen.path}/preview", {"key": key, "text": legal["text"]})
    assert json_of(by_move) == json_of(by_text)


def test_previewing_moves_writes_nothing_to_the_database(hogen: Table, clock: MovedClock) -> None:
    """The preview does not even record that the player is back, or the number of legal moves."""
    legal = hogen.ask(0)["legal"]
    before = all_rows(hogen.api)
    for move in legal:
        json_of(hogen.alice.post(f"{hogen.path}/preview", {"move": move["move"]}))
    for refused in ({"text": "?"}, {"text": "ally M9"}, {"key": "t9.x", "move": legal[0]["move"]}, {}):
        assert hogen.alice.post(f"{hogen.path}/preview", refused).status_code >= 400
    assert all_rows(hogen.api) == before


@pytest.mark.long
@pytest.mark.parametrize("slug", all_games())
def test_a_played_move_begins_with_the_events_of_its_preview(rest: Api, slug: str) -> None:
    table, codec = begin_smallest(rest, slug), codec_for(all_games()[slug])
    for _ in range(12):
        asked = table.seats_asked()
        if not asked:
            break
        seat = asked[0]
        legal = table.ask(seat)["legal"]
        choice = legal[len(legal) // 2]
        foreseen = json_of(table.seat(seat).post(f"{table.path}/preview", {"move": choice["move"]}))["events"]
        receipt = json_of(table.play(seat, choice), 201)
        happened = [codec.event(json.dumps(entry["event"])) for entry in receipt["events"]]
        for known, event in zip(foreseen, happened, strict=False):
            assert agrees(event, codec.event(json.dumps(known)))


def test_a_preview_for_an_answered_or_unknown_question_is_stale(hogen: Table) -> None:
    question = hogen.ask(0)
    move = question["legal"][0]["move"]
    said = check_problem(hogen.alice.post(f"{hogen.path}/preview", {"key": "t0.other", "move": move}), 409, "stale")
    assert said["ask"] == {
        "key": question["ask"]["key"], "kind": question["ask"]["kind"], "seat": 0,
        "deadline": question["ask"]["deadline"],
    }  # fmt: skip
    hogen.play(0, question["legal"][0])
    for sent in ({"move": move}, {"key": question["ask"]["key"], "move": move}):
        assert check_problem(hogen.alice.post(f"{hogen.path}/preview", sent), 409, "stale")["ask"] is None


def test_a_match_that_is_not_running_refuses_previews(rest: Api) -> None:
    table = Table(rest, rest.create())
    check_problem(table.alice.post(f"{table.path}/preview", {"text": "ally F1"}), 409, "gone")


def test_an_illegal_move_is_refused_in_a_preview_as_when_played(hogen: Table) -> None:
    """The same rule, reason and sentence as from POST moves, found in the caller's own fold."""
    key = hogen.ask(0)["ask"]["key"]
    mine = {move["move"]["card"] for move in hogen.ask(0)["legal"]}
    other = next(card for card in (f"{clan}{n}" for clan in "FMT" for n in range(1, 5)) if card not in mine)
    sent: list[dict[str, Any]] = [
        {"key": key, "move": {"type": "ChooseAlly", "card": other}},
        {"key": key, "move": {"type": "Call", "rank": 4}},
        {"key": key, "move": {"type": "Castle"}},
        {"key": key, "text": "castle"},
        {"key": key, "move": {}},
        {"key": key, "move": 3},
        {"key": key},
    ]
    codes = []
    for one in sent:
        tried, played = (hogen.alice.post(f"{hogen.path}/{what}", one) for what in ("preview", "moves"))
        assert (tried.status_code, json.loads(tried.data)) == (played.status_code, json.loads(played.data))
        codes.append(json.loads(tried.data)["code"])
    assert codes == ["illegal", "illegal", "unreadable", "unreadable", "unreadable", "invalid", "invalid"]


def test_a_preview_is_computed_from_the_callers_own_view_only(hogen: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game is given the seat's own fold, whatever the move."""
    game = found_games()["hogen"].game
    own = encode(match_views.read_view(hogen.api.site, hogen.id, 0).fold)
    given: list[bytes] = []

    def watch(true: Any) -> Any:
        def call(fold: Any, *more: Any) -> Any:
            given.append(encode(fold))
            return true(fold, *more)

        return call

    assert isinstance(game, AssembledGame)
    spied = replace(game, preview=watch(game.preview), decide=watch(game.decide), legal=watch(game.legal))
    monkeypatch.setitem(found_games(), "hogen", found_games()["hogen"]._replace(game=spied))
    move = hogen.ask(0)["legal"][0]["move"]
    given.clear()
    json_of(hogen.alice.post(f"{hogen.path}/preview", {"move": move}))
    check_problem(hogen.alice.post(f"{hogen.path}/preview", {"move": {"type": "Call", "rank": 4}}), 422, "illegal")
    assert len(given) >= 4
    assert set(given) == {own}


def test_a_preview_of_a_secret_choice_shows_only_the_callers_own_event(hogen: Table) -> None:
    for seat in (0, 1):
        move = hogen.ask(seat)["legal"][0]["move"]
        told = json_of(hogen.seat(seat).post(f"{hogen.path}/preview", {"move": move}))
        assert [event["seat"] for event in told["events"]] == [seat]


@pytest.mark.long
def test_a_personal_token_previews_with_the_read_scope_alone(hogen: Table) -> None:
    move = hogen.ask(0)["legal"][0]["move"]
    seat = hogen.alice.post(f"{hogen.path}/preview", {"move": move})
    token = make_program(hogen.api, "Alice", ["read"]).post(f"{hogen.path}/preview", {"move": move})
    assert json_of(seat) == json_of(token)
    check_problem(
        make_program(hogen.api, "Alice", ["play"], label="b").post(f"{hogen.path}/preview", {"move": move}),
        403,
        "insufficient_scope",
    )
    check_problem(hogen.charlie.post(f"{hogen.path}/preview", {"move": move}), 401, "unauthorized")


@pytest.mark.long
def test_a_preview_by_notation_returns_the_move_to_send(hogen: Table) -> None:
    active = hogen.allies()
    question = hogen.ask(active)
    for legal in question["legal"][:10]:
        told = json_of(hogen.seat(active).post(f"{hogen.path}/preview", {"text": legal["text"]}))
        assert (told["move"], told["label"]) == (legal["move"], legal["label"])


@pytest.mark.long
@settings(max_examples=60, deadline=None, suppress_health_check=SLOW_HERE)
@given(data=bodies, path=st.sampled_from(["preview", "rematch", "withdraw", "seats/1"]))
def test_no_malformed_body_makes_a_table_request_fail_with_a_server_error(hogen: Table, data: bytes, path: str) -> None:
    method = "PUT" if path.startswith("seats") else "POST"
    answer = hogen.alice.client.open(
        f"/api/v1{hogen.path}/{path}", method=method, data=data, content_type="application/json",
        headers=hogen.alice.headers(),
    )  # fmt: skip
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.is_json
