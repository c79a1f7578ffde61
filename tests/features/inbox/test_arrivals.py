"""The figures about mail that comes in: what they cost, whatever is kept."""

from typing import Any, NoReturn

import pytest
from sqlalchemy import event

from pbem.errors import GameUnavailable
from pbem.features.inbox import reading
from pbem.features.inbox.tables import InboxRow
from pbem.features.inbox.ways.arrivals import LATE_S, gauges_of_mails, late_silent_or_ok, mails_unread
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.models.tables import table
from tests.harness.cases import cases
from tests.table import House


@pytest.mark.on_postgresql
def test_a_mail_waiting_for_its_game_is_not_late_but_a_failing_one_is(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def go(*_: object) -> NoReturn:
        raise GameUnavailable("gone")

    def fails(*_: object) -> NoReturn:
        raise ValueError("no")

    def is_late() -> tuple[str, bool]:
        with house.site.reading() as session:
            asked = session.connection(), house.site.now()
            return late_silent_or_ok(*asked, house.site.config), mails_unread(*asked).age_s > LATE_S

    take_in_mail(house.site, b"From: alice@example.org\r\n\r\nF3\r\n", via="lmtp")
    monkeypatch.setattr(reading, "meaning_of_first_token", go)
    for _ in range(5):
        reading.read_inbox(house.site)
        assert is_late() == ("ok", False)
        house.clock.forward(minutes=10)
    house.clock.forward(minutes=11)
    assert is_late() == ("late", True), "nobody reads it, though it is due"
    monkeypatch.setattr(reading, "meaning_of_first_token", fails)
    reading.read_inbox(house.site)
    assert is_late() == ("late", True)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@cases("ask", [late_silent_or_ok, lambda *asked: mails_unread(*asked[:2]), lambda *asked: [*gauges_of_mails(*asked)]])
def test_counting_late_mails_does_not_scan_the_stored_ones(house: House, ask: Any) -> None:
    assert list(table(InboxRow).c)[-1].name == "raw"
    take_in_mail(house.site, b"From: alice@example.org\r\n\r\nF3\r\n", via="lmtp")
    asked: list[tuple[str, Any]] = []
    with house.site.reading() as session:
        connection = session.connection()
        note = lambda *given: asked.append((given[2], given[3]))  # noqa: E731 - SQLAlchemy wants it back
        event.listen(house.site.engine, "before_cursor_execute", note)
        ask(connection, house.site.now(), house.site.config)
        event.remove(house.site.engine, "before_cursor_execute", note)
        plans = [
            " ".join(row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {said}", given))
            for said, given in asked
        ]
    assert len([plan for plan in plans if "USING INDEX ix_inbox_due" in plan or "COVERING INDEX" in plan]) == 1
    assert not any("TEMP B-TREE" in plan for plan in plans)
