"""Webhooks."""

from __future__ import annotations

from datetime import timedelta

from pbem.features.webhooks import registry
from pbem.features.webhooks.tables import Delivery
from pbem.services.players import players
from tests.api.surface import Row, Scene, statuses_for_players

STABLE: dict[str, set[str]] = {
    "/api/v1/me/webhooks": {"get", "post"},
    "/api/v1/me/webhooks/{hook_id}": {"get", "patch", "delete"},
    "/api/v1/me/webhooks/{hook_id}/ping": {"post"},
    "/api/v1/me/webhooks/{hook_id}/deliveries": {"get"},
    "/api/v1/me/webhooks/{hook_id}/deliveries/{delivery_id}/redeliver": {"post"},
}


URL, KINDS = "https://hooks.example.org/pbem", ["your_turn", "over"]
NEW = {"url": URL, "kinds": KINDS}


def alices_hook(scene: Scene) -> str:
    """The id of a webhook of Alice's."""
    with scene.api.site.reading() as session:
        alice = players.player_by_address(session, "alice@example.org")
    assert alice is not None
    made, _ = registry.add_webhook(scene.api.site, alice.id or 0, URL, KINDS)
    return str(made.id)


def call_of_it(scene: Scene) -> str:
    """The id of this webhook's only call, made a while ago."""
    site = scene.api.site
    past = site.now() - timedelta(minutes=1)
    with site.writing() as session:
        row = Delivery(
            webhook_id=1, dedupe="1:ping", kind="ping", created_at=past, due_at=past, done_at=past, result="delivered"
        )
        session.add(row)
        session.flush()
        return str(row.id)


HOOK = {"hook_id": alices_hook}
CALL = {"hook_id": alices_hook, "delivery_id": call_of_it}
SEEN = {"If-Match": "*"}
MINE, FOREIGN = statuses_for_players(), statuses_for_players(foreign=404)
PATH = "/me/webhooks/{hook_id}"

ROWS: list[Row] = [
    Row("GET", "/me/webhooks", MINE),
    Row("POST", "/me/webhooks", statuses_for_players(201), body=NEW, scope="create", also=("read",)),
    Row("GET", PATH, FOREIGN, values=HOOK),
    Row("PATCH", PATH, FOREIGN, body={"kinds": ["moved"]}, headers=SEEN, values=HOOK, scope="create", also=("read",)),
    Row("DELETE", PATH, statuses_for_players(204, foreign=404), headers=SEEN, values=HOOK, scope="create"),
    Row("POST", f"{PATH}/ping", statuses_for_players(202, foreign=404), values=HOOK, scope="create"),
    Row("GET", f"{PATH}/deliveries", FOREIGN, values=HOOK),
    Row(
        "POST",
        f"{PATH}/deliveries/{{delivery_id}}/redeliver",
        statuses_for_players(202, foreign=404),
        values=CALL,
        scope="create",
        also=("read",),
    ),
]
