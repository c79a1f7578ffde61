"""While webhooks are off, no page offers them, no call is made, and no mail about one leaves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlmodel import col, select

from pbem.features.webhooks import deliveries, registry
from pbem.models.tables import OutboxRow
from pbem.services.log import outbox
from pbem.services.who import HOST
from tests.features.webhooks.hooked import row_of_hook
from tests.services.letterbox import id_of, kinds_of_mails
from tests.table import House
from tests.web.cast import Web, sign_in

pytestmark = pytest.mark.usefixtures("no_lookups")

URL = "https://hooks.example.org/x"


@pytest.mark.parametrize("on", [True, False])
def test_a_players_pages_mention_webhooks_only_while_they_are_on(make_web: Callable[..., Web], on: bool) -> None:
    web = make_web(features=("uploads", *(["webhooks"] if on else [])))
    web.start()
    alice = sign_in(web, "Alice")
    assert ('href="/me/webhooks"' in alice.get("/me").text) == on
    assert ("webhook" in alice.get("/me?lang=en").text.lower()) == on
    for lang, logs, hooks in (
        ("en", "send logs", ", set up webhooks"),
        ("fr", "envoyer des journaux", ", installer des webhooks"),
    ):
        tokens = alice.get(f"/me/tokens?lang={lang}").text
        assert (logs in tokens, logs + hooks in tokens) == (True, on)


def test_with_webhooks_off_the_mail_about_a_disabled_one_is_not_sent(house: House) -> None:
    house.begin()
    bob = id_of(house, "Bob")
    hook, _ = registry.add_webhook(house.site, bob, URL, ["over"])
    registry.disable_webhook_as_host(house.site, hook.id)
    with house.site.writing() as work:
        outbox.enqueue(work, "hook", "webhook", house.clock(), player_id=bob, key=str(hook.id))
    object.__setattr__(house.site.config, "features", ())
    house.drain()
    assert "webhook" not in kinds_of_mails(house, "Bob")
    with house.site.reading() as session:
        assert session.exec(select(OutboxRow.result).where(col(OutboxRow.kind) == "webhook")).one() == "stale"


def test_with_webhooks_off_a_queued_call_stays_queued(house: House) -> None:
    hook, _ = registry.add_webhook(house.site, HOST, URL, ["moved"])
    registry.send_test_call(house.site, HOST, hook.id)
    object.__setattr__(house.site.config, "features", ())
    house.begin()
    house.drain()
    assert row_of_hook(house, hook.id).failing_since is None
    assert deliveries.claim_call(house.site) is not None
