"""Analyses of matches that are over; the match of these rows runs."""

from __future__ import annotations

from tests.api.surface import Row, looking, match_rows

STABLE: dict[str, set[str]] = {"/api/v1/matches/{match_id}/analysis": {"get", "post"}}

SENT: tuple[str, ...] = ()
ANSWERS: tuple[str, ...] = (
    "MatchAnalysis", "AnalysedPosition", "WinChances", "MoveAdvice", "AnalysedMove", "TurningPoint", "DrawnKind",
    "SeatFortune",
)  # fmt: skip


def _early(statuses: dict[str, int]) -> dict[str, int]:
    """Whoever may look at the match is told that it is not over."""
    return {who: 409 if status == 200 else status for who, status in statuses.items()}


OPEN, PRIVATE = _early(looking()), _early(looking(private=True))

ROWS: list[Row] = [
    *match_rows("GET", "/matches/{match_id}/analysis", OPEN, PRIVATE),
    *match_rows("POST", "/matches/{match_id}/analysis", OPEN, PRIVATE, scope="read"),
]
