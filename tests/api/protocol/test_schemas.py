"""Schemas: each has its own address, and the document tells the games' bodies apart by `game`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pbem.games import all_games
from pbem.kit.codec import plain
from tests.api.cast import Api, Table, begin_smallest, body_of_match, check_problem, json_of
from tests.api.protocol.document import checker, components_reached, document

__all__ = ["document"]

APART = ("NewMatch", "MatchSheet", "Position", "Events", "Question", "Log", "Preview")
KINDS = ("options", "moves", "events", "state")


def test_a_body_schema_per_game_is_discriminated_by_its_game_field(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name in APART:
        refs = {slug: f"#/components/schemas/{slug}.{name}" for slug in all_games()}
        assert schemas[name]["discriminator"] == {"propertyName": "game", "mapping": refs}
        assert [one["$ref"] for one in schemas[name]["oneOf"]] == list(refs.values())
        for slug in all_games():
            own = schemas[f"{slug}.{name}"]
            assert own["properties"]["game"]["enum"] == [slug]
            assert "game" in own["required"]


def test_a_games_own_body_schema_refers_to_no_other_game(document: dict[str, Any]) -> None:
    for slug in all_games():
        others = tuple(f"{other}." for other in all_games() if other != slug)
        for name in APART:
            found = components_reached(document, f"{slug}.{name}", set())
            assert {one for one in found if one.startswith(others)} == set()
            assert not found & {"Move", "Event", "Entry", "Options", "Options.shown", "State"}
            assert any(one.startswith(f"{slug}.") for one in found - {f"{slug}.{name}"})


@pytest.mark.long
def test_responses_about_a_game_fit_its_own_schemas_and_no_other_games(rest: Api, document: dict[str, Any]) -> None:
    reads = {"MatchSheet": "", "Position": "/state", "Events": "/events", "Question": "/ask", "Log": "/log"}
    for slug in all_games():
        table = begin_smallest(rest, slug)
        asked = table.seat(table.seats_asked()[0])
        for name, path in reads.items():
            told = json.loads(asked.get(f"{table.path}{path}").data)
            checker(document, name).validate(told)
            fitting = [one for one in all_games() if checker(document, f"{one}.{name}").is_valid(told)]
            assert fitting == [slug], name


def test_the_receipt_of_a_move_names_its_game_when_repeated_too(hogen: Table, document: dict[str, Any]) -> None:
    question = hogen.ask(0)
    answer = {"key": question["ask"]["key"], "move": question["legal"][0]["move"]}
    for _ in range(2):
        receipt = json_of(hogen.alice.post(f"{hogen.path}/moves", answer), 201)
        assert receipt["game"] == "hogen"
        checker(document, "hogen.Events").validate(receipt)


@pytest.mark.long
def test_a_new_match_is_accepted_exactly_if_the_document_admits_it(rest: Api, document: dict[str, Any]) -> None:
    sent = [
        body_of_match(),
        body_of_match(options={}),
        body_of_match(options={"unheard": 1}),
        body_of_match(game="nothing"),
        body_of_match(game="hogen", more=1),
        body_of_match(game=3),
    ]
    for slug, game in all_games().items():
        own = [json.loads(json.dumps(plain(sample))) for sample in (game.meta.options(), *game.meta.samples)]
        names = ("Alice", "Bob", "Carol", "Dave")[: min(game.meta.seats)]
        sent += [body_of_match(names, game=slug, options=options) for options in own[:2]]
        sent.append(body_of_match(names, game=slug, options={**own[0], "unheard": 1}))
    fits = checker(document, "NewMatch")
    outcomes = []
    for one in sent:
        status = rest.caller().post("/matches", one).status_code
        assert (status == 201) == fits.is_valid(one), one
        outcomes.append(status)
    assert outcomes.count(201) >= len(all_games())
    assert outcomes.count(422) >= len(all_games()) + 4


@pytest.mark.long
def test_each_schema_is_served_at_its_own_url(rest: Api) -> None:
    caller = rest.caller()
    for path, slug, kind in ((f"/games/{slug}/schemas/{kind}", slug, kind) for slug in all_games() for kind in KINDS):
        answer = caller.get(path)
        assert (answer.status_code, answer.mimetype) == (200, "application/schema+json")
        schema = json.loads(answer.data)
        assert schema["$id"] == f"{rest.site.config.url}/api/v1{path}"
        Draft202012Validator.check_schema(schema)
        assert {k: v for k, v in schema.items() if k != "$id"} == json_of(caller.get(f"/games/{slug}"))[kind]
        again = caller.get(path, **{"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")


def test_a_schema_that_is_not_there_is_not_found(rest: Api) -> None:
    for path in ("/games/hogen/schemas/bots", "/games/hogen/schemas/", "/games/chess/schemas/moves"):
        check_problem(rest.caller().get(path), 404, "not_found")


@pytest.mark.long
def test_a_served_game_schema_validates_state_events_and_moves(rest: Api) -> None:
    table = begin_smallest(rest, "hogen")
    schema = {kind: Draft202012Validator(json_of(rest.caller().get(f"/games/hogen/schemas/{kind}"))) for kind in KINDS}
    schema["state"].validate(json_of(table.alice.get(f"{table.path}/state"))["state"])
    for entry in json_of(table.alice.get(f"{table.path}/events"))["events"]:
        schema["events"].validate(entry["event"])
    legal = table.ask(0)["legal"]
    for move in legal:
        schema["moves"].validate(move["move"])
    assert legal
    assert not schema["moves"].is_valid({"type": "Castle"})


def test_every_reference_in_the_document_resolves(document: dict[str, Any]) -> None:
    names = document["components"]["schemas"]
    for name in names:
        assert components_reached(document, name, set()) <= set(names)
