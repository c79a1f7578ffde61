"""A call is late from the moment at which it is due: in metrics, and for `pbem doctor`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from pbem.features.webhooks import registry
from pbem.features.webhooks.hooks import calls_due
from pbem.features.webhooks.tables import Delivery, Webhook
from pbem.models.tables import table
from pbem.services.findings import Due
from pbem.services.who import HOST
from tests.commands.conftest import Pbem
from tests.table import House, open_house

pytestmark = pytest.mark.usefixtures("no_lookups")


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site on a SQLite file in the data folder."""
    yield from open_house(sqlite_url, tmp_path)


def add_due_calls(house: House, *after_s: float) -> None:
    """Adds calls of a webhook of the host that are due this many seconds from now."""
    hook, _ = registry.add_webhook(house.site, HOST, "https://example.org/in", ["moved"])
    with house.site.writing() as work:
        for number, seconds in enumerate(after_s):
            due = house.clock() + timedelta(seconds=seconds)
            work.add(Delivery(webhook_id=hook.id, dedupe=f"{number}", kind="moved", created_at=due, due_at=due))


def test_a_call_is_due_until_it_is_made_or_its_webhook_is_off(house: House) -> None:
    add_due_calls(house, -40, 20)

    def due() -> Due:
        with house.site.engine.connect() as there:
            return calls_due(there, house.clock())

    assert due() == Due(1, 40)
    house.clock.forward(seconds=20)
    assert due() == Due(2, 60)
    for change in ({"done_at": house.clock()}, {"done_at": None}):
        with house.site.writing() as work:
            work.connection().execute(update(table(Delivery)).values(change))
            work.connection().execute(update(table(Webhook)).values(disabled_at=house.clock()))
        assert due().count == 0


def test_doctor_counts_late_webhook_calls_while_webhooks_are_on(
    bare: Pbem, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert re.search(r"^OK +webhooks due: 0 calls, ", bare("doctor").stdout, re.MULTILINE)
    add_due_calls(house, -3600)
    assert re.search(r"^FAIL +webhooks due: 1 call, the oldest for 3600 s$", bare("doctor").stdout, re.MULTILINE)
    monkeypatch.setenv("PBEM_FEATURES", "none")
    assert "webhooks" not in bare("doctor").stdout
