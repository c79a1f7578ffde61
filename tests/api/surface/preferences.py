"""What a player shows of themselves: ratings and pace."""

from __future__ import annotations

from tests.api.surface import Row, statuses_for_players

STABLE: dict[str, set[str]] = {
    "/api/v1/me/ratings": {"get"},
    "/api/v1/me/preferences": {"get", "put"},
}


CHOICES = {"rated": True, "pace_shown": False, "weekly": True}

ROWS: list[Row] = [
    Row("GET", "/me/ratings", statuses_for_players()),
    Row("GET", "/me/preferences", statuses_for_players()),
    Row("PUT", "/me/preferences", statuses_for_players(), body=CHOICES),
]
