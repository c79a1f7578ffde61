"""Refusals and their codes: the document says what comes with which code, and each refusal has a hint."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from pbem.api.protocol.problems import ADVICE, SCHEMA
from tests.api.cast import Caller, Table, check_problem, json_of
from tests.harness.cases import cases
from tests.table import MovedClock

ROOT = Path(__file__).parents[3]


def test_the_document_says_with_which_code_each_field_of_a_problem_comes() -> None:
    common = {"type", "title", "status", "code", "detail"}
    assert common < set(SCHEMA["properties"])
    for name in SCHEMA["properties"].keys() - common:
        said = re.match(r"With ([^:]+):", SCHEMA["properties"][name]["description"])
        assert said is not None, name
        assert {*re.findall("`(.*?)`", said[1])} & set(ADVICE), name


def test_every_rate_limit_error_in_the_code_sets_retry_after() -> None:
    raised = 0
    for path in (ROOT / "pbem").rglob("*.py"):
        text = path.read_text()
        for call in ast.walk(ast.parse(text)) if "TooMany" in text else ():
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "TooMany":
                assert "retry_after" in {keyword.arg for keyword in call.keywords}, f"{path}:{call.lineno}"
                raised += 1
    assert raised >= 5


def test_every_response_has_a_request_id_of_sixteen_hex_digits(hogen: Table) -> None:
    for answer in (hogen.alice.get(hogen.path), hogen.charlie.get("/nothing"), hogen.charlie.post("/matches", {})):
        assert re.fullmatch("[0-9a-f]{16}", answer.headers["X-Request-ID"])


@pytest.mark.long
@cases("how", ["moves", "preview"])
@cases(
    "said, code, query",
    [
        ({"text": "clan F"}, "illegal", "?kind=Call"),
        ({"text": "?"}, "unreadable", ""),
        ({"move": {"type": "Call", "suit": "F"}}, "unreadable", "?kind=Call"),
        ({"move": {"type": "Bluff"}}, "unreadable", ""),
        ({"move": {"type": 7}}, "unreadable", ""),
        ({"move": {}}, "unreadable", ""),
    ],
)
def test_a_refused_move_links_to_the_legal_moves(
    hogen: Table, how: str, said: dict[str, Any], code: str, query: str
) -> None:
    key = hogen.ask(0)["ask"]["key"]
    where = check_problem(hogen.alice.post(f"{hogen.path}/{how}", {"key": key, **said}), 422, code)["legal"]
    assert where == f"/api/v1{hogen.path}/ask{query}"
    assert json_of(hogen.alice.get(where.removeprefix("/api/v1")))["ask"]["key"] == key


def test_a_move_for_a_closed_question_is_refused_with_the_open_one(hogen: Table, clock: MovedClock) -> None:
    legal = hogen.ask(1)
    for how in ("moves", "preview"):
        sent = {"key": "t9.act0", "move": legal["legal"][0]["move"]}
        ask = check_problem(hogen.bob.post(f"{hogen.path}/{how}", sent), 409, "stale")["ask"]
        open_one = json_of(hogen.charlie.get(hogen.path))["asks"][1]
        assert ask == {
            "key": legal["ask"]["key"], "kind": legal["ask"]["kind"], "seat": 1, "deadline": open_one["deadline"],
        }  # fmt: skip


def test_a_move_in_a_match_that_is_not_running_is_refused(rest: Any) -> None:
    match_id = rest.create()
    alice: Caller = rest.caller(rest.token("play", match_id, 0))
    refused = check_problem(alice.post(f"/matches/{match_id}/moves", {"key": "x", "text": "clan F"}), 409, "gone")
    assert refused["ask"] is None
