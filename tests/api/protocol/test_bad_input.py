"""Any bad input gets a problem with a code and a sentence, never a 5xx, and leaves the log unchanged."""

from __future__ import annotations

import json
import re
import string
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.render.phrases import EnglishCatalogue
from pbem.services.lobby import matches
from pbem.services.log import cancellation
from tests.api.access_tokens import sign_in
from tests.api.cast import Api, Table, body_of_match, check_problem, json_of
from tests.api.protocol.bad_input import KEY, bodies
from tests.harness.cases import cases

SLOW_HERE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

BIG = 1024 * 1024


@cases(
    "data, content_type, status, code",
    [
        (b"{", "application/json", 400, "malformed"),  # half an object
        (b'{"key": NaN}', "application/json", 400, "malformed"),
        (b'{"key": 1e999}', "application/json", 400, "malformed"),  # a number beyond all bounds
        (b'{"key": "\xff"}', "application/json", 400, "malformed"),  # no UTF-8
        (b'{"key": "\\ud800"}', "application/json", 400, "malformed"),  # half a surrogate
        (b'"key"', "application/json", 422, "invalid"),  # a string
        (b"[]", "application/json", 422, "invalid"),  # a list
        (b"null", "application/json", 422, "invalid"),
        (b"", "application/json", 422, "invalid"),  # nothing
        (b"[" * 200_000, "application/json", 400, "malformed"),  # too many brackets
        (b'{"a":' * 150_000, "application/json", 400, "malformed"),  # too many braces
        (b'{"key": "' + b"x" * BIG + b'"}', "application/json", 413, "too_large"),  # a megabyte
        (b"key=t0.ally0&text=F1", "application/x-www-form-urlencoded", 415, "not_json"),  # a form
        (b"{}", "text/plain", 415, "not_json"),  # text
        (b"{}", "", 415, "not_json"),  # no content type
    ],
)
def test_a_body_that_is_not_a_json_object_is_refused(
    hogen: Table, data: bytes, content_type: str, status: int, code: str
) -> None:
    before = hogen.trace()
    for caller, path in ((hogen.charlie, "/matches"), (hogen.alice, f"{hogen.path}/moves")):
        said = check_problem(caller.send(path, data, content_type), status, code)
        assert "byte" not in said["detail"] or code == "too_large", "the parser's text stands apart"
    assert hogen.trace() == before


@cases(
    "data, name",
    [
        (b'{"key": "t0.ally0", "text": "F1", "text": "F2"}', "text"),  # a field
        (b'{"key": "t0.ally0", "text": "F1", "te\\u0078t": "F1"}', "text"),  # written otherwise
        (b'{"move": {"type": "ChooseAlly", "type": "Call"}, "key": "x"}', "type"),  # within a move
        (b'{"a": [{"b": 1, "c": [], "c": {}}]}', "c"),  # deep inside what is unknown
        (b'{"%s": 1, "%s": 1}' % (b"x" * 99, b"x" * 99), "x" * 64),  # a long one
    ],
)
def test_a_duplicate_key_in_a_json_body_is_refused_by_its_name(hogen: Table, data: bytes, name: str) -> None:
    before = hogen.trace()
    for caller, path in (
        (hogen.charlie, "/matches"),
        (hogen.charlie, "/logs"),
        (hogen.alice, f"{hogen.path}/moves"),
        (hogen.alice, f"{hogen.path}/preview"),
        (hogen.alice, f"{hogen.path}/messages"),
    ):
        said = check_problem(caller.send(path, data), 400, "duplicate_field")
        assert said["duplicate"] == name
        assert f"“{name}”" in said["detail"]
    assert hogen.trace() == before


def writes(api: Api) -> list[tuple[str, str]]:
    """Every method and route of the API that a body may come with."""
    return [
        (method, rule.rule)
        for rule in api.app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) & {"POST", "PUT", "PATCH"})
        if rule.rule.startswith("/api/")
    ]


@pytest.mark.long
def test_every_write_refuses_a_list_as_body_and_duplicate_keys(hogen: Table) -> None:
    """Each request comes from a permitted caller, so that only the body can be refused."""
    api, alice = hogen.api, sign_in(hogen.api, "Alice")
    url = "https://hooks.example.org/x"
    hook = json_of(alice.post("/me/webhooks", {"url": url, "kinds": ["over"]}), 201)["id"]
    call = json_of(alice.post(f"/me/webhooks/{hook}/ping"), 202)["id"]
    circle = json_of(alice.post("/circles", {"title": "Les Lacs", "name": "Alice"}), 201)["id"]
    places = {"match_id": hogen.id, "seat": "1", "hook_id": str(hook), "delivery_id": str(call), "circle_id": circle}
    places |= dict.fromkeys(("table_id", "member_id", "entrant_id"), "1")
    routes = writes(api)
    assert ("POST", "/api/v1/me/webhooks/<int:hook_id>/ping") in routes
    before = hogen.trace()
    for method, route in routes:
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: places.get(found[1], "token"), route)
        token = hogen.alice.token if "match_id" in route else alice.token if OF_AN_ACCOUNT.search(path) else None
        sent = {"Authorization": f"Bearer {token}"} if token else {}
        for data, status, code in ((b"[]", 422, "invalid"), (b'{"a": 1, "a": 1}', 400, "duplicate_field")):
            answer = api.app.test_client().open(
                path, method=method, data=data, headers={**sent, "If-Match": "*"}, content_type="application/json"
            )
            check_problem(answer, status, code)
    assert hogen.trace() == before


OF_AN_ACCOUNT = re.compile("/(me|circles|circle-links|leagues|seasons)(/|$)")
"""The addresses that take the token of a player, not of a seat."""


@pytest.mark.long
@cases(
    "answer",
    [
        {},  # nothing
        {"key": KEY},  # no answer
        {"text": "F1"},  # no key
        {"key": KEY, "text": "F1", "move": {"type": "ChooseAlly", "card": "F1"}},  # two answers
        {"key": None, "text": "F1"},  # a key that is null
        {"key": 0, "text": "F1"},  # a key that is a number
        {"key": "k" * 65, "text": "F1"},  # a long key
        {"key": "t0\u0000", "text": "F1"},  # a key with NUL
        {"key": KEY, "text": 1},  # a text that is a number
        {"key": KEY, "move": "F1"},  # a move that is a text
        {"key": KEY, "move": None},  # a move that is null
        {"key": KEY, "move": [1]},  # a move that is a list
        {"key": KEY, "text": "F1", "seat": 1},  # an unknown field
    ],
)
def test_an_answer_of_the_wrong_shape_is_invalid(hogen: Table, answer: Any) -> None:
    before = hogen.trace()
    said = check_problem(hogen.alice.post(f"{hogen.path}/moves", answer), 422, "invalid")
    assert said["fields"]
    assert hogen.trace() == before


@pytest.mark.long
@cases(
    "how",
    [
        {"move": {}},  # no type
        {"move": {"type": "Bluff"}},  # an unknown type
        {"move": {"type": 1}},  # a type that is a number
        {"move": {"type": "Dealt", "palace": []}},  # an event
        {"move": {"type": "ChooseAlly"}},  # a missing field
        {"move": {"type": "ChooseAlly", "card": "F9"}},  # a card that does not exist
        {"move": {"type": "ChooseAlly", "card": "F1\u0000"}},  # a card with NUL
        {"move": {"type": "ChooseAlly", "card": None}},  # a hidden card
        {"move": {"type": "ChooseAlly", "card": "F1", "seat": 1}},  # an unknown field
        {"move": {"type": "Call", "rank": "1"}},  # a number in a string
        {"move": {"type": "Call", "rank": 1.5}},  # half a rank
        {"move": {"type": "Call", "rank": 10**400}},  # a huge rank
        {"move": {"type": "Call", "clan": {"$ref": "#"}}},  # an object for a letter
        {"text": ""},  # no text
        {"text": "F1\u0000"},  # a text with NUL
        {"text": "🂡" * 20},  # pictures
        {"text": "%(hint)s {0} {F1} %s"},  # placeholders
        {"text": "ally " * 200},  # a long text
    ],
)
def test_a_move_that_cannot_be_read_is_unreadable(hogen: Table, how: dict[str, Any]) -> None:
    before = hogen.trace()
    said = hogen.alice.send(f"{hogen.path}/moves", json.dumps({"key": KEY, **how}).encode())
    found = json.loads(said.data)
    assert (said.status_code, found["code"]) in ((422, "unreadable"), (400, "malformed")), said.text
    assert found["detail"]
    assert "Expected" not in found["detail"]
    assert ("move" in how) == ("why" in found), "what the parser of JSON says"
    assert hogen.trace() == before


@cases("language, word", [("fr", "Ce n’est pas un coup de ce jeu"), ("en", "not a move of the")])
def test_a_move_of_invalid_json_shape_is_refused_with_the_legal_moves_link(
    hogen: Table, language: str, word: str
) -> None:
    alice = hogen.api.caller(hogen.alice.token, language)
    move = {"type": "ChooseAlly", "card": "F9"}
    said = check_problem(
        alice.post(f"{hogen.path}/moves?lang={language}", {"key": KEY, "move": move}), 422, "unreadable"
    )
    assert word in said["detail"]
    assert "GET /api/v1/matches/<id>/ask" in said["detail"]
    assert "regex" in said["why"]


@cases("language, word", [("fr", "n’est pas du JSON"), ("en", "is not JSON")])
def test_a_body_that_is_not_json_is_refused_in_the_requested_language(hogen: Table, language: str, word: str) -> None:
    said = check_problem(hogen.alice.send(f"{hogen.path}/moves?lang={language}", b'{"key" 1}'), 400, "malformed")
    assert word in said["detail"]
    assert "byte 7" in said["why"]


def test_a_typed_move_that_is_too_long_is_refused_with_the_limit(hogen: Table) -> None:
    said = check_problem(
        hogen.alice.post(f"{hogen.path}/moves", {"key": KEY, "text": "ally " * 200}), 422, "unreadable"
    )
    assert "400" in said["detail"]


@pytest.mark.long
def test_an_illegal_move_names_the_rule_to_its_sender_and_changes_nothing(hogen: Table) -> None:
    own = {choice["move"]["card"] for choice in hogen.ask(0)["legal"]}
    foreign = next(card for card in ("F1", "F2", "F3", "F4", "M1") if card not in own)
    before = hogen.trace()
    said = check_problem(
        hogen.alice.post(f"{hogen.path}/moves", {"key": KEY, "move": {"type": "ChooseAlly", "card": foreign}}),
        422,
        "illegal",
    )
    refusals = json_of(hogen.charlie.get("/games/hogen"))["refusals"]
    assert said["rule"] == refusals[said["reason"]]["rule"]
    assert said["rule_page"] == f"/rules/hogen#{said['rule']}"
    kind = check_problem(hogen.alice.post(f"{hogen.path}/moves", {"key": KEY, "text": "clan F"}), 422, "illegal")
    assert kind["reason"] == "wrong_kind"
    assert "rule_page" not in kind
    assert hogen.trace() == before


def test_another_seats_question_key_is_stale_and_reveals_nothing(hogen: Table) -> None:
    before = hogen.trace()
    move = hogen.ask(1)["legal"][0]["move"]
    said = check_problem(hogen.alice.post(f"{hogen.path}/moves", {"key": "t0.ally1", "move": move}), 409, "stale")
    deadline = json_of(hogen.charlie.get(hogen.path))["asks"][0]["deadline"]
    assert said["ask"] == {"key": KEY, "kind": "ally", "seat": 0, "deadline": deadline}
    assert hogen.trace() == before


def test_a_cancelled_match_takes_no_moves(hogen: Table) -> None:
    cancellation.cancel_match_for_host(hogen.api.site, hogen.id)
    before = hogen.trace()
    check_problem(hogen.alice.post(f"{hogen.path}/moves", {"key": KEY, "text": "ally F1"}), 409, "gone")
    assert json_of(hogen.charlie.get(hogen.path))["cancelled"] == "host"
    assert hogen.trace() == before


@cases("path", ["", "/", "/x", "/v1", "/v1/x", "/v2/games", "/v1/games/hogen/x", "/v1/matches/1/2/3"])
@cases("method", ["GET", "POST", "DELETE", "PATCH"])
def test_an_unknown_api_address_is_answered_with_a_404_problem(rest: Api, path: str, method: str) -> None:
    check_problem(rest.caller().client.open(f"/api{path}", method=method), 404, "not_found")


@cases(
    "path, method, allowed",
    [
        ("/games", "DELETE", {"GET", "HEAD", "OPTIONS"}),
        ("/matches", "GET", {"POST", "OPTIONS"}),
        ("/matches/0/moves", "GET", {"POST", "OPTIONS"}),
        ("/confirm/x", "GET", {"POST", "OPTIONS"}),
        ("/openapi.json", "POST", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_a_wrong_method_is_refused_with_the_allowed_ones(rest: Api, path: str, method: str, allowed: set[str]) -> None:
    refused = rest.caller().client.open(f"/api/v1{path}", method=method)
    check_problem(refused, 405, "method_not_allowed")
    assert set(refused.headers["Allow"].split(", ")) == allowed


def test_a_server_error_shows_the_caller_only_a_request_number(rest: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(matches, "create_match", broken)
    refused = rest.caller().post("/matches", body_of_match())
    said = check_problem(refused, 500, "internal")
    assert said["request_id"] == refused.headers["X-Request-ID"]
    assert "secret" not in refused.text
    assert "Traceback" not in refused.text


# --- anything at all -----------------------------------------------------------------------------------------

segments = st.text(string.printable + "é\u0000🂡", max_size=12)


@pytest.mark.long
@settings(max_examples=40, deadline=None, suppress_health_check=SLOW_HERE)
@given(data=bodies, at=st.integers(0, 5))
def test_no_malformed_body_causes_a_server_error(hogen: Table, data: bytes, at: int) -> None:
    paths = [
        "/matches",
        f"{hogen.path}/moves",
        f"{hogen.path}/moves",
        "/confirm/x",
        f"/confirm/{hogen.api.token('confirm', hogen.id, 0)}",
        f"/invitation/{hogen.api.token('invitation', hogen.id, 1)}/accept",
    ]
    answer = hogen.alice.send(paths[at], data)
    assert answer.status_code < 500, answer.text
    assert answer.is_json


@pytest.mark.long
@settings(max_examples=40, deadline=None, suppress_health_check=SLOW_HERE)
@given(
    where=st.sampled_from(["", "/games", "/matches", "/confirm", "/invitation", "/matches/{id}"]),
    more=st.lists(segments, max_size=3),
    query=st.dictionaries(st.sampled_from(["after", "kind", "limit", "offset", "lang", "x"]), segments, max_size=2),
    method=st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]),
    token=st.none() | segments.map(lambda s: s.replace("\n", "").replace("\r", "")),
)
def test_no_malformed_path_causes_a_server_error(
    hogen: Table, where: str, more: list[str], query: dict[str, str], method: str, token: str | None
) -> None:
    path = "/api/v1" + where.format(id=hogen.id) + "".join(f"/{quote(part, safe='')}" for part in more)
    sent = {} if token is None else {"Authorization": f"Bearer {quote(token)}"}
    answer = hogen.charlie.client.open(path, method=method, query_string=query, headers=sent)
    assert answer.status_code < 500, answer.text


def test_invalid_input_is_not_cached_with_the_translated_messages(hogen: Table) -> None:
    def size_after(zone: str) -> int:
        said = check_problem(hogen.charlie.post("/confirm/nothing", {"zone": zone}), 422, "invalid")
        assert zone in said["detail"]
        return EnglishCatalogue.gettext.cache_info().currsize

    before = size_after("Nowhere/0")
    assert [size_after(f"Nowhere/{n}") for n in range(1, 4)] == [before] * 3
