"""On PostgreSQL the log's entries are in 32 leaves, and no statement of a move looks into more than one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.engine import Engine

from pbem.models.partitions import ENTRIES
from pbem.services.play import timeouts
from pbem.services.site import Site
from tests.table import House, open_house

LEAF = re.compile(r"entries_\d\d")


@pytest.fixture
def postgres_house(postgres_url: str, tmp_path: Path) -> Iterator[House]:
    """A house on PostgreSQL."""
    yield from open_house(postgres_url, tmp_path)


def statements_of(house: House) -> dict[str, Any]:
    """The statements about entries that moves and pages of a match send, each with parameters; no cache is warm."""
    sent: dict[str, Any] = {}

    def note(connection: Any, cursor: Any, sql: str, given: Any, *_: Any) -> None:
        if re.search(r"\bentries\b", sql):
            sent.setdefault(sql, given)

    match_id = house.begin(3)
    event.listen(Engine, "before_cursor_execute", note)
    try:
        for _ in range(3):
            house.site = Site(house.site.config, house.site.engine, now=house.clock)
            house.play(match_id, house.asks(match_id)[0].seat)
            house.view(match_id, None)
        house.time_is_up(match_id)
        timeouts.beat_and_sweep_deadlines_if_web_up(house.site)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    return sent


@pytest.mark.long
def test_no_statement_of_a_move_reads_more_than_one_partition(postgres_house: House) -> None:
    sent, writes = statements_of(postgres_house), 0
    with postgres_house.site.engine.connect() as connection:
        # What a claim of a mail has noted for the statements after it: see `prepared.note`.
        connection.exec_driver_sql("SELECT set_config('pbem.match', '00', true)")
        for sql, given in sent.items():
            lines = connection.exec_driver_sql(f"EXPLAIN {sql}", given).scalars().all()
            plan = "\n".join(lines)
            if sql.startswith("INSERT"):  # a row's leaf follows from the row: the plan names none
                writes += 1
                assert "Insert on entries" in plan, plan
            else:
                assert len({*LEAF.findall(plan)}) == 1, f"{sql}\n{plan}"
    assert 0 < writes < len(sent)


@pytest.mark.long
def test_the_logs_of_many_matches_spread_over_many_partitions(postgres_house: House) -> None:
    for _ in range(12):
        postgres_house.begin(3)
    with postgres_house.site.engine.connect() as connection:
        filled = connection.execute(text("SELECT count(DISTINCT tableoid) FROM entries")).scalar_one()
        leaves = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'entries'::regclass"
        assert connection.execute(text(leaves)).scalar_one() == ENTRIES
    assert filled > 4
