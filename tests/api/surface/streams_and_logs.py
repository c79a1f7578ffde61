"""The stream of a match, and stored logs."""

from __future__ import annotations

import json

from pbem.kit.logs.logfile import write
from pbem.services.players import players
from pbem.services.views import stored_logs
from tests.api.surface import Row, Scene, everybody, looking, match_rows, playing
from tests.kit.logs.logs import LOG

STABLE: dict[str, set[str]] = {
    "/api/v1/matches/{match_id}/events/stream": {"get"},
    "/api/v1/logs": {"post"},
    "/api/v1/logs/{log_id}": {"get", "delete"},
}

SENT: tuple[str, ...] = ()
ANSWERS: tuple[str, ...] = ("Imported",)


def alices_log(scene: Scene) -> str:
    """The id of a log that Alice has sent."""
    with scene.api.site.reading() as session:
        alice = players.by_address(session, "alice@example.org")
    assert alice is not None
    return stored_logs.keep(scene.api.site, alice.id or 0, write(LOG)).id


LATER = {"Last-Event-ID": "999"}

ROWS: list[Row] = [
    *match_rows("GET", "/matches/{match_id}/events/stream", looking(), looking(private=True), headers=LATER),
    Row("POST", "/logs", playing(201, nobody=201), body=json.loads(write(LOG)), scope="create"),
    Row("GET", "/logs/{log_id}", everybody(), values={"log_id": alices_log}),
    Row(
        "DELETE", "/logs/{log_id}", playing(204, foreign=403), values={"log_id": alices_log},
        headers={"If-Match": "*"}, scope="create",
    ),
]  # fmt: skip
