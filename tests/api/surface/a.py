"""Personal tokens."""

from __future__ import annotations

from tests.api.surface import Row

STABLE: dict[str, set[str]] = {
    "/api/v1/me": {"get"},
    "/api/v1/me/tokens": {"get", "post"},
    "/api/v1/me/tokens/{token_id}": {"get", "delete"},
}

SENT: tuple[str, ...] = ("NewToken",)
ANSWERS: tuple[str, ...] = ("Me", "Tokens", "TokenMade")

ROWS: list[Row] = []
