"""Resources: matches of one's own, previews, seats, schemas."""

from __future__ import annotations

from tests.api.surface import Row

STABLE: dict[str, set[str]] = {
    "/api/v1/games/{slug}/schemas/{of}": {"get"},
    "/api/v1/me/matches": {"get"},
    "/api/v1/matches/{match_id}/preview": {"post"},
    "/api/v1/matches/{match_id}/rematch": {"post"},
    "/api/v1/matches/{match_id}/seats/{seat}": {"put"},
    "/api/v1/matches/{match_id}/withdraw": {"post"},
}

SENT: tuple[str, ...] = ("Trial", "NewSeat", "Nothing")
ANSWERS: tuple[str, ...] = ("Preview", "MyMatches", "Rematch", "MatchSheet", "Started")

ROWS: list[Row] = []
