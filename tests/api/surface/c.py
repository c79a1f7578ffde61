"""Waiting, streams, keys and tags, logs that are sent here."""

from __future__ import annotations

from tests.api.surface import Row

STABLE: dict[str, set[str]] = {"/api/v1/matches/{match_id}/events/stream": {"get"}}

SENT: tuple[str, ...] = ()
ANSWERS: tuple[str, ...] = ()

ROWS: list[Row] = []
