"""Uploaded logs."""

from __future__ import annotations

import json

from pbem.features.uploads import uploaded_logs
from pbem.kit.logs.logfile import log_to_bytes
from pbem.services.players import players
from tests.api.surface import Row, Scene, same_for_all_callers, statuses_for_players
from tests.kit.logs.logs import LOG

STABLE: dict[str, set[str]] = {"/api/v1/logs": {"post"}, "/api/v1/logs/{log_id}": {"get", "delete"}}


def alices_log(scene: Scene) -> str:
    """The id of a log that Alice has uploaded."""
    with scene.api.site.reading() as session:
        alice = players.player_by_address(session, "alice@example.org")
    assert alice is not None
    return uploaded_logs.keep_log(scene.api.site, alice.id or 0, log_to_bytes(LOG)).id


ROWS: list[Row] = [
    Row("POST", "/logs", statuses_for_players(201, nobody=201), body=json.loads(log_to_bytes(LOG)), scope="create"),
    Row("GET", "/logs/{log_id}", same_for_all_callers(), values={"log_id": alices_log}),
    Row(
        "DELETE", "/logs/{log_id}", statuses_for_players(204, foreign=403), values={"log_id": alices_log},
        headers={"If-Match": "*"}, scope="create",
    ),
]  # fmt: skip
