"""Resources: matches of one's own, previews, seats, schemas."""

from __future__ import annotations

from tests.api.surface import Row

STABLE: dict[str, set[str]] = {
    "/api/v1/games/{slug}/schemas/{of}": {"get"},
    "/api/v1/matches/{match_id}/preview": {"post"},
}

SENT: tuple[str, ...] = ("Trial",)
ANSWERS: tuple[str, ...] = ("Preview",)

ROWS: list[Row] = []
