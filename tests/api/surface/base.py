"""What the API has offered from its beginning."""

from __future__ import annotations

from tests.api.surface import Row

STABLE: dict[str, set[str]] = {
    "/api/v1/games": {"get"},
    "/api/v1/games/{slug}": {"get"},
    "/api/v1/matches": {"post"},
    "/api/v1/matches/{match_id}": {"get"},
    "/api/v1/matches/{match_id}/state": {"get"},
    "/api/v1/matches/{match_id}/events": {"get"},
    "/api/v1/matches/{match_id}/ask": {"get"},
    "/api/v1/matches/{match_id}/back": {"post"},
    "/api/v1/matches/{match_id}/resign": {"post"},
    "/api/v1/matches/{match_id}/votes": {"post"},
    "/api/v1/matches/{match_id}/moves": {"post"},
    "/api/v1/matches/{match_id}/story": {"get"},
    "/api/v1/matches/{match_id}/log": {"get"},
    "/api/v1/matches/{match_id}/messages": {"get", "post"},
    "/api/v1/matches/{match_id}/note": {"get", "put"},
    "/api/v1/confirm/{token}": {"post"},
    "/api/v1/invitation/{token}/accept": {"post"},
    "/api/v1/invitation/{token}/decline": {"post"},
    "/api/v1/join/{token}": {"post"},
    "/api/v1/substitute/{token}": {"post"},
    "/api/v1/takeover/{token}/accept": {"post"},
    "/api/v1/me/calendar": {"get", "put"},
    "/api/v1/me/calendar/holidays": {"post"},
    "/api/v1/me/calendar/holidays/{first}": {"delete"},
}

SENT: tuple[str, ...] = ("NewMatch", "Reader", "Joiner", "Nothing", "Answer", "Hours", "NewHoliday")
ANSWERS: tuple[str, ...] = (
    "Games", "GameSheet", "Started", "Seated", "MatchSheet", "Position", "Events", "Story", "Log", "Question",
    "Calendar", "Problem",
)  # fmt: skip

ROWS: list[Row] = []
