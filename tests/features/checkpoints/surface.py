"""Checkpoints."""

from __future__ import annotations

from pbem.features.checkpoints import making
from tests.api.surface import Row, Scene, match_rows, statuses_to_view_match

STABLE: dict[str, set[str]] = {"/api/v1/matches/{match_id}/checkpoint": {"get"}}


def after_a_checkpoint(scene: Scene) -> None:
    """Makes the checkpoint of the day; the request itself has no body."""
    making.make_checkpoint_of_today(scene.api.site)


ROWS: list[Row] = match_rows(
    "GET",
    "/matches/{match_id}/checkpoint",
    statuses_to_view_match(),
    statuses_to_view_match(private=True),
    body=after_a_checkpoint,
)
