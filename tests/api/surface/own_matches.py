"""What players do around their matches: list and follow them, fill seats, preview moves, play again; and schemas."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import update

from pbem.models.tables import Match, OutboxRow, SeatRow
from tests.api.surface import Row, Scene, match_rows, same_for_all_callers, statuses_for_players, statuses_with_seat

STABLE: dict[str, set[str]] = {
    "/api/v1/games/{slug}/schemas/{of}": {"get"},
    "/api/v1/me/matches": {"get"},
    "/api/v1/me/stream": {"get"},
    "/api/v1/matches/{match_id}/preview": {"post"},
    "/api/v1/matches/{match_id}/rematch": {"post"},
    "/api/v1/matches/{match_id}/seats/{seat}": {"put"},
    "/api/v1/matches/{match_id}/seats/{seat}/reminder": {"post"},
    "/api/v1/matches/{match_id}/withdraw": {"post"},
}


def own_move(scene: Scene) -> dict[str, Any]:
    """A legal move of the seat that makes the next request."""
    seat = 1 if scene.column == "other seat" else 0
    return {"move": scene.table.ask(seat)["legal"][0]["move"]}


def wait_for_carol(scene: Scene) -> dict[str, Any]:
    """Returns an empty body, once the match waits for Carol to accept."""
    with scene.api.site.writing() as session:
        session.get_one(Match, scene.table.id).status = "inviting"
        session.get_one(SeatRow, (scene.table.id, 2)).status = "invited"
    return {}


def leave_carol_silent(scene: Scene) -> dict[str, Any]:
    """Returns an empty body, once Carol has not answered for two days."""
    wait_for_carol(scene)
    long_ago = scene.api.site.now() - timedelta(days=2)
    with scene.api.site.writing() as session:
        session.get_one(Match, scene.table.id).created_at = long_ago
        session.execute(update(OutboxRow).values(created_at=long_ago))
    return {}


def body_that_opens_seat(scene: Scene) -> dict[str, Any]:
    """Returns the body that opens Carol's seat, which is not accepted yet."""
    wait_for_carol(scene)
    return {"open": True}


def play_to_end(scene: Scene) -> dict[str, Any]:
    """Returns an empty body, once the match is over."""
    with scene.api.site.writing() as session:
        match = session.get_one(Match, scene.table.id)
        match.status, match.outcome = "over", '{"reason":"unmasked","scores":null,"winners":[0]}'
    return {}


def _of_match(method: str, path: str, expect: dict[str, int], **more: Any) -> list[Row]:
    """The rows of an endpoint that needs a seat, the same at every table."""
    return match_rows(method, f"/matches/{{match_id}}{path}", expect, expect, **more)


ROWS: list[Row] = [
    Row("GET", "/games/{slug}/schemas/{of}", same_for_all_callers(), values={"slug": "hogen", "of": "moves"}),
    Row("GET", "/me/matches", statuses_for_players()),
    Row("GET", "/me/stream", statuses_for_players()),
    *_of_match("POST", "/preview", statuses_with_seat(), body=own_move, scope="read"),
    *_of_match(
        "PUT",
        "/seats/{seat}",
        statuses_with_seat(200, 403),
        body=body_that_opens_seat,
        values={"seat": "2"},
        scope="create",
    ),
    *_of_match(
        "POST",
        "/seats/{seat}/reminder",
        statuses_with_seat(200, 403),
        body=leave_carol_silent,
        values={"seat": "2"},
        scope="create",
    ),
    *_of_match("POST", "/withdraw", statuses_with_seat(), body=wait_for_carol, scope="create"),
    *_of_match("POST", "/rematch", statuses_with_seat(201), body=play_to_end, scope="create"),
]
