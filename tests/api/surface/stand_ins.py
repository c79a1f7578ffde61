"""The stand-ins of absent players."""

from __future__ import annotations

from tests.api.surface import Row, match_rows, sitting

STABLE: dict[str, set[str]] = {"/api/v1/matches/{match_id}/stand-in": {"get", "put"}}


PATH = "/matches/{match_id}/stand-in"
ROWS: list[Row] = [
    *match_rows("GET", PATH, sitting(), sitting()),
    *match_rows("PUT", PATH, sitting(), sitting(), body={"bot": "greedy"}),
]
