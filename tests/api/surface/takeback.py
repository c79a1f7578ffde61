"""Taking back."""

from __future__ import annotations

from typing import Any

from pbem.kit.codec import encode
from pbem.models.tables import Match
from pbem.services.log.consent import Request
from tests.api.cast import body
from tests.api.surface import Row, Scene, match_rows, sitting

STABLE: dict[str, set[str]] = {
    "/api/v1/matches/{match_id}/takeback": {"get", "post", "delete"},
    "/api/v1/matches/{match_id}/takeback/consent": {"post"},
}


def alices_move(scene: Scene) -> dict[str, int]:
    """Where Alice goes back to, who has just moved."""
    question = scene.table.ask(0)
    played = scene.table.play(0, question["legal"][0])
    return {"to": body(played, 201)["takeback"]["to"]}


def carol_asks(scene: Scene) -> dict[str, Any]:
    """An answer to Carol's request, which is open."""
    with scene.api.site.writing() as session:
        session.get_one(Match, scene.table.id).undoing = encode(Request(2, 1)).decode()
    return {"to": 1, "agree": False}


PATH = "/matches/{match_id}/takeback"
ROWS: list[Row] = [
    *match_rows("GET", PATH, sitting(), sitting()),
    *match_rows("POST", PATH, sitting(200, 409), sitting(200, 409), body=alices_move),
    *match_rows("DELETE", PATH, sitting(), sitting()),
    *match_rows("POST", f"{PATH}/consent", sitting(), sitting(), body=carol_asks),
]
