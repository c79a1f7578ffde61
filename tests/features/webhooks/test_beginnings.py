"""Where a webhook begins to tell, and what becomes of a call whose game is not there."""

from datetime import timedelta

import pytest
from sqlmodel import col, select, update

from pbem.features.webhooks import cursors, deliveries, registry
from pbem.features.webhooks.tables import WebhookCursor
from pbem.models.tables import Match, table
from pbem.services.shards import ALL
from pbem.services.who import HOST
from tests.features.webhooks.hooked import all_deliveries, row_of_hook
from tests.services.letterbox import id_of
from tests.table import House

pytestmark = pytest.mark.usefixtures("no_lookups")
URL = "https://hooks.example/"


def cursors_of(house: House, hook_id: int) -> dict[str, int]:
    """Returns the entries up to which the webhook counts its matches as told."""
    with house.site.reading() as session:
        found = session.exec(select(WebhookCursor).where(col(WebhookCursor.webhook_id) == hook_id))
        return {row.match_id: row.n for row in found}


@pytest.mark.on_postgresql
def test_a_new_webhook_starts_at_the_current_entry_of_its_own_matches(house: House) -> None:
    one, other = house.begin(), house.begin(spectators=False)
    house.play(one, 0)
    with house.site.reading() as session:
        now = {match_id: session.get_one(Match, match_id).version for match_id in (one, other)}

    def add_hook(owner: str | None, match_id: str | None = None) -> dict[str, int]:
        who = id_of(house, owner) if owner else HOST
        return cursors_of(house, registry.add_webhook(house.site, who, URL, ("over",), match_id=match_id)[0].id)

    assert add_hook("Alice") == now
    assert add_hook("Alice", match_id=other) == {other: now[other]}
    assert add_hook(None) == {one: now[one]}, "the host's webhook tells what anybody may see"
    assert add_hook(None, match_id=one) == {one: now[one]}


def test_a_call_for_an_unavailable_game_waits_and_delays_no_other(house: House) -> None:
    lost, other = house.begin(), house.begin()
    made, _ = registry.add_webhook(house.site, id_of(house, "Alice"), URL, ("moved",))
    house.play(lost, 0)
    with house.site.writing() as work:
        t = table(Match)
        work.execute(update(t).where(t.c.id == lost).values(game="forgotten"))
    began = house.clock()
    assert deliveries.deliver_due_calls(house.site) == 0
    (row,) = all_deliveries(house)
    assert (row.due_at, row.attempts, row.done_at) == (began + timedelta(minutes=10), 0, None)
    assert row_of_hook(house, made.id).busy_until is None
    house.play(other, 0)
    cursors.queue_calls_for_new_events(house.site, ALL)
    assert deliveries.claim_call(house.site) == all_deliveries(house)[1].id
