"""Webhooks of the cast in a house that calls this machine, and the calls to their receivers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlmodel import select

from pbem.features.webhooks import deliveries, registry, sheets
from pbem.features.webhooks.tables import Delivery, Webhook
from pbem.services.who import HOST
from tests.features.webhooks.hook_receiver import Receiver
from tests.services.letterbox import id_of
from tests.table import House

ALL = ("your_turn", "moved", "over")


def add_webhook_of(
    house: House, name: str | None, there: Receiver, kinds: Sequence[str] = ALL, **more: Any
) -> sheets.WebhookSheet:
    """A webhook of one of the cast, or of the host, at this receiver."""
    owner = id_of(house, name) if name else HOST
    made, _ = registry.add_webhook(
        house.site, owner, there.url(), [kind for kind in kinds if name or kind != "your_turn"], **more
    )
    return made


def make_due_calls(house: House) -> int:
    """Makes all due calls, in as many runs as needed; returns the number of calls."""
    made = 0
    while True:
        rings = len(house.wakes)
        made += deliveries.deliver_due_calls(house.site)
        if len(house.wakes) == rings:
            return made


def all_deliveries(house: House) -> list[Delivery]:
    """Returns all calls, oldest first."""
    with house.site.reading() as session:
        found = list(session.exec(select(Delivery).order_by(Delivery.id)).all())  # type: ignore[arg-type]
        for row in found:
            session.expunge(row)
        return found


def row_of_hook(house: House, hook_id: int) -> Webhook:
    """Returns the webhook's row."""
    with house.site.reading() as session:
        found = session.get_one(Webhook, hook_id)
        session.expunge(found)
        return found
