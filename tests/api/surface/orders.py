"""Orders."""

from __future__ import annotations

from typing import Any

from tests.api.surface import Row, Scene, match_rows, statuses_with_seat

STABLE: dict[str, set[str]] = {
    "/api/v1/matches/{match_id}/orders": {"get", "put", "delete"},
    "/api/v1/matches/{match_id}/orders/read": {"post"},
}


def order_to_call(scene: Scene) -> dict[str, Any]:
    """An order to call Fujiwara, made at the head of the match."""
    version = scene.table.alice.get(scene.table.path).json["version"]  # type: ignore[index]  # the body is JSON
    return {"version": version, "orders": ["act: call F for match"]}


def _of_match(method: str, path: str, expect: dict[str, int], body: Any = None) -> list[Row]:
    return match_rows(method, f"/matches/{{match_id}}{path}", expect, expect, body=body)


ROWS: list[Row] = [
    *_of_match("GET", "/orders", statuses_with_seat()),
    *_of_match("PUT", "/orders", statuses_with_seat(), order_to_call),
    *_of_match("DELETE", "/orders", statuses_with_seat(204)),
    *_of_match("POST", "/orders/read", statuses_with_seat(204), {"version": 1}),
]
