"""Addresses and going away."""

from __future__ import annotations

from tests.api.surface import Row

STABLE: dict[str, set[str]] = {
    "/api/v1/me": {"delete"},
    "/api/v1/me/address": {"get", "post", "delete"},
    "/api/v1/address/{token}": {"post"},
}

SENT: tuple[str, ...] = ("NewAddress", "Farewell")
ANSWERS: tuple[str, ...] = ("AddressChangeShown", "AddressAsked")

ACCOUNT_ONLY = {
    "nobody": 401, "own seat": 401, "other seat": 401, "seat elsewhere": 401, "own PAT": 403, "other PAT": 403,
    "revoked PAT": 401, "expired PAT": 401, "wrong scope": 403, "expired account": 401, "garbage": 401,
}  # fmt: skip
BY_LINK = {**dict.fromkeys(ACCOUNT_ONLY, 401), "account": 401}
"""The link's token counts and no other; the one in the row is none."""

ROWS: list[Row] = [
    Row("GET", "/me/address", {**ACCOUNT_ONLY, "account": 200}),
    Row("POST", "/me/address", {**ACCOUNT_ONLY, "account": 202}, {"email": "new@example.net"}),
    Row("DELETE", "/me/address", {**ACCOUNT_ONLY, "account": 204}),
    Row("POST", "/address/<token>", BY_LINK, {}),
    Row("DELETE", "/me", {**ACCOUNT_ONLY, "account": 204}, {"confirm": "erase"}),
]
