"""Mails that are queued together are queued as each by itself would be."""

from __future__ import annotations

from sqlmodel import select

from pbem.models.tables import OutboxRow
from pbem.services.log import outbox
from pbem.services.players import players
from tests.table import House


def test_mails_queued_together_have_the_same_rows_as_one_queued_alone(house: House) -> None:
    now = house.clock()
    with house.site.writing() as work:
        alice = players.find_or_add(work, "alice@example.org", "en", now)
        assert alice.id is not None
        outbox.enqueue(work, "alone", "circle", now, player_id=alice.id, key="1")
        many = [
            {"dedupe": name, "kind": "circle", "player_id": alice.id, "key": "1"} for name in ("one", "two", "alone")
        ]
        outbox.enqueue_many(work, many, now)
        outbox.enqueue_many(work, [], now)
    with house.site.reading() as session:
        rows = [row.model_dump(exclude={"id", "dedupe"}) for row in session.exec(select(OutboxRow)).all()]
    assert len(rows) == 3
    assert rows[1:] == rows[:1] * 2
