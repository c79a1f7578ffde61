"""What is wrong with a request about leagues is said of its field, by the path in the body."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.access_tokens import make_program
from tests.api.cast import Caller, Table, check_problem, json_of
from tests.harness.cases import cases

NEW = {"name": "Spring cup", "game": "allegeance"}


@pytest.fixture
def alice(hogen: Table) -> Caller:
    """Alice with a personal token that may do everything."""
    return make_program(hogen.api, "Alice", scopes=["read", "play", "create"], label="bot")


@cases(
    "change, field",
    [
        ({"game": "no-game"}, "game"),
        ({"starts_at": "2100-01-01T00:00:00Z"}, "starts_at"),
        ({"terms": {"seats": 9}}, "terms.seats"),
        ({"terms": {"rest_days": 999}}, "terms.rest_days"),
        ({"terms": {"bots": ["nobody"]}}, "terms.bots"),
        ({"terms": {"turn_s": 1}}, "terms"),
    ],
)
def test_an_invalid_new_league_names_the_field(alice: Caller, change: dict[str, Any], field: str) -> None:
    assert list(check_problem(alice.post("/leagues", NEW | change), 422, "invalid")["fields"]) == [field]


def test_an_invalid_league_cursor_or_bot_names_the_field(alice: Caller) -> None:
    assert list(check_problem(alice.get("/leagues?after=unknown"), 422, "invalid")["fields"]) == ["after"]
    founded = json_of(alice.post("/leagues", NEW), 201)
    bots = f"/seasons/{founded['seasons'][0]['id']}/entrants"
    assert list(check_problem(alice.post(bots, {"bot": "nobody"}), 422, "invalid")["fields"]) == ["bot"]
