"""Webhooks go with their player, also while they are off, and their calls after a month."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlmodel import SQLModel, select

from pbem.features.webhooks import registry
from pbem.features.webhooks.tables import Delivery, Webhook, WebhookCursor
from pbem.services.privacy import address_change, erasure, retention
from pbem.services.tokens import ChangeClaim
from tests.services.letterbox import id_of, text_of
from tests.table import House, address_of

pytestmark = pytest.mark.usefixtures("no_lookups")

URL, NEW = "https://hooks.example.org/x", "robert@example.net"


def hooks_of(house: House, number: int) -> int:
    """Returns how many webhooks the player has."""
    return len(registry.list_webhooks(house.site, number))


def count_rows(house: House, model: type[SQLModel]) -> int:
    """Returns the number of rows."""
    with house.site.reading() as session:
        return len(session.exec(select(model)).all())


def switch_features(house: House, on: bool) -> None:
    """Switches all features off, as after a restart, or leaves them on."""
    if not on:
        object.__setattr__(house.site.config, "features", ())


def agree_to_change(house: House, address: str) -> None:
    """Agrees to the change of address in the mailbox of this address."""
    house.drain()
    said = text_of(house.mail.to(address)[-1])
    link = re.search(r"/address/(\S+)", said)
    assert link is not None, said
    address_change.agree_to_change(house.site, house.tokens.read(ChangeClaim, link[1]))


@pytest.mark.parametrize("on", [True, False])
def test_changing_the_address_deletes_the_players_webhooks_only(house: House, on: bool) -> None:
    house.begin()
    alice, bob = id_of(house, "Alice"), id_of(house, "Bob")
    for number in (alice, bob):
        registry.add_webhook(house.site, number, URL, ["moved"])
    switch_features(house, on)
    address_change.request_change(house.site, bob, NEW)
    agree_to_change(house, address_of("Bob"))
    assert hooks_of(house, bob) == 1, "one yes changes nothing"
    agree_to_change(house, NEW)
    assert (hooks_of(house, bob), hooks_of(house, alice)) == (0, 1)


@pytest.mark.parametrize("on", [True, False])
def test_webhooks_and_their_calls_are_erased_with_their_player(house: House, on: bool) -> None:
    house.begin()
    bob = id_of(house, "Bob")
    hook, _ = registry.add_webhook(house.site, bob, URL, ["moved"])
    registry.send_test_call(house.site, bob, hook.id)
    models = (Webhook, WebhookCursor, Delivery)
    assert [count_rows(house, model) for model in models] == [1, 1, 1]
    switch_features(house, on)
    erasure.erase_player(house.site, bob)
    assert [count_rows(house, model) for model in models] == [0, 0, 0]


@pytest.mark.parametrize("on", [True, False])
def test_old_webhook_calls_are_deleted_in_batches(house: House, monkeypatch: pytest.MonkeyPatch, on: bool) -> None:
    house.begin()
    hook, _ = registry.add_webhook(house.site, id_of(house, "Bob"), URL, ["over"])
    old = house.clock()
    with house.site.writing() as work:
        for n in range(7):
            work.add(Delivery(webhook_id=hook.id, dedupe=str(n), kind="over", created_at=old, due_at=old, done_at=old))
    house.clock.forward(days=29)
    switch_features(house, on)
    retention.delete_old_rows(house.site)
    assert count_rows(house, Delivery) == 7
    house.clock.at += timedelta(days=2)
    with house.site.writing() as work:
        assert retention.all_sweeps()["calls"](work, house.clock.at, 3) == 3
    monkeypatch.setattr(retention, "AT_ONCE", 3)
    retention.delete_old_rows(house.site)
    assert count_rows(house, Delivery) == 0
