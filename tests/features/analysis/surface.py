"""Analyses of matches that are over."""

from __future__ import annotations

from typing import Any

from pbem.features.analysis import analyses
from tests.api.surface import Row, Scene, match_rows, statuses_to_view_match
from tests.api.surface.own_matches import play_to_end

STABLE: dict[str, set[str]] = {"/api/v1/matches/{match_id}/analysis": {"get", "post"}}


def ask_for_analysis(scene: Scene) -> str:
    """Returns "", once the match is over and one of its seats has asked."""
    play_to_end(scene)
    analyses.request_analysis(scene.api.site, scene.table.id, 0)
    return ""


def _take_on(statuses: dict[str, int]) -> dict[str, Any]:
    """Anyone who may look at the match is told that it is worked on."""
    return {who: 202 if status == 200 else status for who, status in statuses.items()}


OPEN, PRIVATE = _take_on(statuses_to_view_match()), _take_on(statuses_to_view_match(private=True))

ROWS: list[Row] = [
    *match_rows("GET", "/matches/{match_id}/analysis", OPEN, PRIVATE, values={"asked": ask_for_analysis}),
    *match_rows("POST", "/matches/{match_id}/analysis", OPEN, PRIVATE, body=play_to_end, scope="read"),
]
