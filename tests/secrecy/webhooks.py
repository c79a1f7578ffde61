"""What webhooks are told of a match."""

from __future__ import annotations

from sqlalchemy import delete
from sqlmodel import select

from pbem.features.webhooks import deliveries, registry, subjects
from pbem.features.webhooks.tables import WebhookCursor
from pbem.kit.contract import Viewer
from pbem.models.tables import Player
from pbem.services.who import HOST
from tests.table import CAST, House, address_of

Called = list[tuple[str, bytes, tuple[tuple[str, str], ...]]]
PLACES = {
    "standard": "https://example.org/hook",
    "discord": "https://discord.com/api/webhooks/1/x",
    "slack": "https://hooks.slack.com/services/x",
}


def what_hooks_are_sent(house: House, viewer: Viewer, called: Called) -> Called:
    """Returns what the viewer's webhooks, one of each kind, receive about all their matches from the first entry."""
    with house.site.reading() as session:
        address = None if viewer is None else address_of(CAST[viewer])
        player = session.exec(select(Player.id).where(Player.canonical == address)).first()
    for preset, url in PLACES.items():
        told = subjects.KINDS if viewer is not None else subjects.KINDS[1:]
        registry.add_webhook(house.site, player or HOST, url, told, preset, language="en")
    with house.site.writing() as session:
        session.connection().execute(delete(WebhookCursor))
    return calls_gone_out(house, called)


def calls_gone_out(house: House, called: Called) -> Called:
    """Returns the calls that are made now, in the order of their ids: threads run in parallel."""
    called.clear()
    for _ in range(50):
        if not deliveries.deliver_due_calls(house.site):
            break
    return sorted(called)
