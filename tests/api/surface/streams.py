"""The stream of a match."""

from __future__ import annotations

from tests.api.surface import Row, match_rows, statuses_to_view_match

STABLE: dict[str, set[str]] = {"/api/v1/matches/{match_id}/events/stream": {"get"}}


LATER = {"Last-Event-ID": "999"}

ROWS: list[Row] = match_rows(
    "GET",
    "/matches/{match_id}/events/stream",
    statuses_to_view_match(),
    statuses_to_view_match(private=True),
    headers=LATER,
)
