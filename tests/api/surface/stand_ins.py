"""The stand-ins of absent players."""

from __future__ import annotations

from tests.api.surface import Row, match_rows, statuses_with_seat

STABLE: dict[str, set[str]] = {"/api/v1/matches/{match_id}/stand-in": {"get", "put"}}


PATH = "/matches/{match_id}/stand-in"
ROWS: list[Row] = [
    *match_rows("GET", PATH, statuses_with_seat(), statuses_with_seat()),
    *match_rows("PUT", PATH, statuses_with_seat(), statuses_with_seat(), body={"bot": "greedy"}),
]
