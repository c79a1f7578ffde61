"""Waiting, streams, keys and tags, logs that are sent here."""

from __future__ import annotations

from tests.api.surface import Row

STABLE: dict[str, set[str]] = {
    "/api/v1/matches/{match_id}/events/stream": {"get"},
    "/api/v1/logs": {"post"},
    "/api/v1/logs/{log_id}": {"get", "delete"},
}

SENT: tuple[str, ...] = ()
ANSWERS: tuple[str, ...] = ("Imported",)

ROWS: list[Row] = []
