"""The stream of a match."""

from __future__ import annotations

from tests.api.surface import Row, looking, match_rows

STABLE: dict[str, set[str]] = {"/api/v1/matches/{match_id}/events/stream": {"get"}}


LATER = {"Last-Event-ID": "999"}

ROWS: list[Row] = match_rows(
    "GET", "/matches/{match_id}/events/stream", looking(), looking(private=True), headers=LATER
)
