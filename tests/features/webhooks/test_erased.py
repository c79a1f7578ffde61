"""Erasing a player who has webhooks, while their calls are queued."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from pbem.features.webhooks import cursors, registry
from pbem.services.privacy import erasure
from tests.features.webhooks.hooked import ALL, all_deliveries
from tests.harness.interleaving import interleave_jobs
from tests.services.letterbox import id_of
from tests.table import House, open_house

pytestmark = pytest.mark.usefixtures("no_lookups")


@pytest.fixture
def house(postgres_url: str, tmp_path: Path) -> Iterator[House]:
    """A house on PostgreSQL, which has several writers at a time."""
    yield from open_house(postgres_url, tmp_path)


def test_a_call_being_queued_does_not_block_an_erasure_and_is_deleted(house: House) -> None:
    match_id, bob = house.begin(), id_of(house, "Bob")
    registry.add_webhook(house.site, bob, "https://example.org/hook", ALL)
    house.play(match_id, house.asks(match_id)[0].seat)
    queued: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("INSERT INTO deliveries"):
            queued.append(statement)

    def choose(ready: Sequence[str]) -> str:
        """Lets the erasure go on as far as it can while the call is queued and not committed."""
        return "erase" if "queue" not in ready or (queued and "erase" in ready) else "queue"

    event.listen(house.site.engine, "after_cursor_execute", note)
    jobs = {
        "queue": lambda: cursors.queue_calls_for_new_events(house.site),
        "erase": lambda: erasure.erase_player(house.site, bob),
    }
    run = interleave_jobs(house.site.engine, choose, jobs, statements=True)
    assert run.results == {"queue": 1, "erase": None}
    assert (run.taken[-1], all_deliveries(house), registry.list_webhooks(house.site, bob)) == ("erase", [], [])
