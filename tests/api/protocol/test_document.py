"""The OpenAPI document validates, and requests and answers match it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from openapi_spec_validator import validate

from pbem.api.protocol import generated
from pbem.games import all_games, find_game
from pbem.kit.chance import SeedChance
from pbem.kit.choices import draw_random_move
from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame, Move
from tests.api.cast import Api, Table, body_of_match, check_problem
from tests.api.protocol.document import checker, components_reached, reach_from
from tests.api.protocol.document import document as document
from tests.api.surface import stable_addresses
from tests.table import play_out

STABLE = stable_addresses()


@pytest.mark.long
def test_the_document_is_valid_openapi_31_and_names_every_stable_address(document: dict[str, Any]) -> None:
    validate(document)
    assert document["openapi"].startswith("3.1")
    found = {path: set(operations) - {"parameters"} for path, operations in document["paths"].items()}
    assert found == STABLE


def test_every_path_parameter_in_the_document_has_a_pattern_enum_or_format(
    hogen: Table, document: dict[str, Any]
) -> None:
    items = document["paths"].values()
    parts = {one["name"]: one["schema"] for item in items for one in item.get("parameters", ()) if one["in"] == "path"}
    for name, schema in parts.items():
        assert schema["type"] == "integer" or {"pattern", "enum", "format"} & schema.keys(), name
    link = hogen.api.token("invitation", hogen.id, 1)
    for name, known in {"match_id": [hogen.id], "token": [link], "slug": all_games()}.items():
        for one in known:
            Draft202012Validator(parts[name]).validate(one)


def test_every_error_is_documented_as_a_problem(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for method in STABLE[path]:
            for status, response in operations[method]["responses"].items():
                if int(status) >= 400:
                    name = response["$ref"].rpartition("/")[2]
                    content = document["components"]["responses"][name]["content"]
                    assert list(content) == ["application/problem+json"], (path, status)


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, document["paths"][path][method]) for path in STABLE for method in STABLE[path]]


def test_operation_ids_are_unique(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(set(names)) == sum(map(len, STABLE.values()))
    assert all(name.isidentifier() for name in names)


def test_every_operation_documents_the_language_parameter_and_its_errors(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        assert next(p["name"] for p in operation["parameters"] if p["in"] == "query") == "lang", path
        assert "500" in operation["responses"], path
        assert ("304" in operation["responses"]) == (method == "get"), path
    unchanged = document["components"]["responses"]["NOT_MODIFIED"]
    assert "content" not in unchanged


def test_request_schemas_forbid_unknown_fields_and_response_schemas_do_not(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    every = [one for _, _, one in operations(document) if one["operationId"] != "sendLog"]  # sends what another tells
    sent, told = (
        {name for one in every for name in reach_from(document, one.get(part, {}))}
        for part in ("requestBody", "responses")
    )
    moves = components_reached(document, "Move", set())  # clients send a legal move back exactly as they received it
    objects = {name for name, schema in schemas.items() if schema.get("type") == "object"}
    assert {name for name in sent & objects if schemas[name].get("additionalProperties") is not False} == set()
    assert {name for name in (told - moves) & objects if schemas[name].get("additionalProperties") is False} == set()
    assert {"hogen.Entry", "By", "hogen.Dealt", "hogen.Guess", "table.Absent"} - told <= moves
    assert sent & told & objects <= moves


def test_the_document_requires_no_body_that_has_no_fields(document: dict[str, Any]) -> None:
    bodies = [one["requestBody"] for _, _, one in operations(document) if "requestBody" in one]
    empty = [one for one in bodies if "Nothing" in str(one["content"])]
    assert empty
    assert not any(one.get("required") for one in empty)


def test_an_event_with_additional_fields_fits_the_response_schema(document: dict[str, Any]) -> None:
    entry = {"n": 1, "at": "2026-03-12T12:04:00Z", "by": {"table": True, "x": 1}, "key": None, "x": 1}
    guess = {"seat": 1, "card": "F1", "x": 1}
    told = {**entry, "event": {"type": "Declared", "seat": 0, "allies": [guess], "x": 1}}
    checker(document, "hogen.Entry").validate(told)
    assert not checker(document, "Move").is_valid({"type": "Declare", "allies": [guess]})
    at = document["components"]["schemas"]["hogen.Entry"]["properties"]["at"]
    assert at["format"] == "date-time"


@pytest.mark.long
def test_every_response_about_a_match_fits_the_document(rest: Api, document: dict[str, Any]) -> None:
    table = Table(rest, rest.start())
    samples = [
        ("Games", rest.caller().get("/games")),
        ("GameSheet", rest.caller().get("/games/hogen")),
        ("Started", rest.caller().post("/matches", body_of_match())),
    ]
    reads = (("MatchSheet", ""), ("Position", "/state"), ("Events", "/events"), ("Question", "/ask"), ("Log", "/log"))
    samples += [(name, table.alice.get(f"{table.path}{path}")) for name, path in reads]
    table.allies()
    samples += [(name, table.bob.get(f"{table.path}{path}")) for name, path in reads]
    play_out(rest.site, table.id)
    samples += [(name, table.bob.get(f"{table.path}{path}")) for name, path in reads]
    samples += [("Problem", table.bob.post(f"{table.path}/moves", {"key": "x", "text": "ally F1"}))]
    samples += [("Problem", rest.caller().post("/matches", {})), ("Problem", rest.caller().get("/nothing"))]
    for name, answer in samples:
        checker(document, name).validate(json.loads(answer.data))


@pytest.mark.long
def test_the_service_accepts_a_body_exactly_if_the_schema_does(hogen: Table, document: dict[str, Any]) -> None:
    admitted, refused = 0, 0
    for move in (
        {"type": "ChooseAlly", "card": "F1"},
        {"type": "Call"},
        {"type": "Call", "rank": 4},
        {"type": "Call", "rank": 5},
        {"type": "Call", "rank": "4"},
        {"type": "Call", "suit": "F"},
        {"type": "Bluff"},
        {"card": "F1"},
    ):
        answer = {"key": "t0.ally0", "move": move}
        fits = checker(document, "Answer").is_valid(answer)
        code = json.loads(hogen.alice.post(f"{hogen.path}/moves", answer).data).get("code")
        assert fits == (code != "unreadable"), move
        admitted, refused = admitted + fits, refused + (not fits)
    assert admitted == 3
    assert refused == 5


@pytest.mark.long
@pytest.mark.parametrize("game", all_games().values(), ids=list(all_games()))
def test_every_kind_of_move_and_event_of_a_game_fits_its_own_schemas(game: AnyGame) -> None:
    schemas = generated.game_schemas(game)
    check = {name: Draft202012Validator(schemas[name]) for name in ("moves", "events", "state", "options")}
    check["options"].validate(json.loads(encode(game.meta.options())))
    seed, seen = b"\x07" * 32, set[type[Move]]()
    for options in (game.meta.options(), *game.meta.samples):
        n, state = 1, None
        events = list(game.setup(game.meta.seats[-1], options, SeedChance(seed, n, "setup")))
        while n < game.meta.bound:
            for event in events:
                check["events"].validate(json.loads(encode(event)))
                state = game.evolve(state, event)
            check["state"].validate(json.loads(encode(state)))
            asks = game.pending(state)
            if not asks:
                break
            n += len(events)
            seat = asks[0].seat
            move = draw_random_move(game.legal(state, seat), game.meta.weights, SeedChance(seed, n, "bot", seat))
            check["moves"].validate(json.loads(encode(move)))
            seen.add(type(move))
            events = list(game.decide(state, seat, move, SeedChance(seed, n, "decide", seat)))
    assert seen == set(game.meta.moves)


def test_a_move_type_that_two_games_share_admits_the_moves_of_both() -> None:
    class Twin:
        def __init__(self, game: AnyGame, slug: str) -> None:
            self.meta = replace(game.meta, slug=slug)

    hogen = find_game("hogen")
    assert hogen is not None
    schemas = generated.game_components([hogen, Twin(hogen, "twin")])  # type: ignore[list-item]  # only its meta is read
    assert schemas["Move.Call"] == {
        "anyOf": [{"$ref": "#/components/schemas/hogen.Call"}, {"$ref": "#/components/schemas/twin.Call"}]
    }
    whole = {"$ref": "#/components/schemas/Move", "components": {"schemas": schemas}}
    assert Draft202012Validator(whole).is_valid({"type": "Call", "clan": "F"})
    assert not Draft202012Validator(whole).is_valid({"type": "Call", "clan": "X"})


def test_the_document_is_served_with_an_etag(rest: Api) -> None:
    tag = rest.caller().get("/openapi.json").headers["ETag"]
    assert rest.caller().get("/openapi.json", **{"If-None-Match": tag}).status_code == 304
    check_problem(rest.caller().get("/openapi.yaml"), 404, "not_found")
