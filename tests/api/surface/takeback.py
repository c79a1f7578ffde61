"""Taking back."""

from __future__ import annotations

from typing import Any

from pbem.kit.codec import encode
from pbem.models.tables import Match
from pbem.services.log.consent import Request
from tests.api.cast import json_of
from tests.api.surface import Row, Scene, match_rows, statuses_with_seat

STABLE: dict[str, set[str]] = {
    "/api/v1/matches/{match_id}/takeback": {"get", "post", "delete"},
    "/api/v1/matches/{match_id}/takeback/consent": {"post"},
}


def alices_move(scene: Scene) -> dict[str, int]:
    """Where Alice goes back to, who has just moved."""
    question = scene.table.ask(0)
    played = scene.table.play(0, question["legal"][0])
    return {"to": json_of(played, 201)["takeback"]["to"]}


def carol_asks(scene: Scene) -> dict[str, Any]:
    """An answer to Carol's request, which is open."""
    with scene.api.site.writing() as session:
        session.get_one(Match, scene.table.id).undoing = encode(Request(2, 1)).decode()
    return {"to": 1, "agree": False}


PATH = "/matches/{match_id}/takeback"
ROWS: list[Row] = [
    *match_rows("GET", PATH, statuses_with_seat(), statuses_with_seat()),
    *match_rows("POST", PATH, statuses_with_seat(200, 409), statuses_with_seat(200, 409), body=alices_move),
    *match_rows("DELETE", PATH, statuses_with_seat(), statuses_with_seat()),
    *match_rows("POST", f"{PATH}/consent", statuses_with_seat(), statuses_with_seat(), body=carol_asks),
]
