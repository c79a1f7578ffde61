"""However many questions are open, a deadline sweep looks only at those that are due."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, insert, text
from sqlalchemy.engine import Engine

from pbem.models.tables import AskRow, table
from pbem.services.log import store
from pbem.services.play import bots, timeouts
from pbem.services.site import Site
from tests.table import House, open_house

OTHERS = 4_000


@pytest.fixture
def postgres_house(postgres_url: str, tmp_path: Path) -> Iterator[House]:
    """A house on PostgreSQL."""
    yield from open_house(postgres_url, tmp_path)


def ask_others(house: House) -> None:
    """Opens many questions that fall due a month later, in a match of their own."""
    match_id = house.begin(turn_s=30 * 86_400)
    house.drain()
    with house.site.writing() as session:
        first, *_ = store.open_asks(session, match_id)
        others = [{**first.model_dump(), "key": f"other.{number}", "follow_at": None} for number in range(OTHERS)]
        session.connection().execute(insert(table(AskRow)), others)
    with house.site.engine.begin() as connection:
        connection.execute(text("ANALYZE"))


def statements_of(run: Callable[[Site], int], house: House) -> dict[str, Any]:
    """The statements about asks that a run sends which answers at least one, each with parameters."""
    sent: dict[str, Any] = {}

    def note(connection: Any, cursor: Any, sql: str, given: Any, *_: Any) -> None:
        if "asks" in sql:
            sent.setdefault(sql, given)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        assert run(house.site) > 0
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    return sent


@pytest.mark.long
def test_no_statement_of_a_sweep_reads_all_open_questions(postgres_house: House) -> None:
    ask_others(postgres_house)
    postgres_house.time_is_up(postgres_house.begin())
    sent, claims = statements_of(timeouts.sweep_deadlines, postgres_house), 0
    with postgres_house.site.engine.connect() as connection:
        for sql, given in sent.items():
            plan = "\n".join(connection.exec_driver_sql(f"EXPLAIN {sql}", given).scalars().all())
            assert sql.startswith("INSERT") or "Index Cond" in plan, f"{sql}\n{plan}"
            assert "Seq Scan on asks" not in plan, f"{sql}\n{plan}"
            claims += "Index Scan using ix_asks_due" in plan
    assert claims


@pytest.mark.long
def test_the_bots_are_found_without_reading_all_open_questions(postgres_house: House) -> None:
    ask_others(postgres_house)
    match_id = postgres_house.begin()
    with postgres_house.site.writing() as session:
        for ask in store.open_asks(session, match_id):
            ask.bot = "greedy"
            session.add(ask)
    sent, claims = statements_of(bots.play_quick_bots, postgres_house), 0
    with postgres_house.site.engine.connect() as connection:
        for sql, given in sent.items():
            plan = "\n".join(connection.exec_driver_sql(f"EXPLAIN {sql}", given).scalars().all())
            assert "Seq Scan on asks" not in plan, f"{sql}\n{plan}"
            claims += "ix_asks_bots" in plan and "SubPlan" in plan
    assert claims
