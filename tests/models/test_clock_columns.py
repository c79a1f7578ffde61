"""A database with a running match gets the clocks' columns: its questions keep their deadlines."""

import pytest
from alembic import command
from sqlalchemy import text

from pbem.models.engine import alembic_config, make_engine, migrate

MATCH = """INSERT INTO matches (id, game, options, status, version, seed, seed_sha256, turn_s, window_s, spectators,
    created_at) VALUES ('a', 'hogen', '{}', 'running', 1, :seed, '0', 7200, 60, :yes, :at)"""
SEAT = "INSERT INTO seats (match_id, seat, name, status, epoch, muted) VALUES ('a', 0, 'Alice', 'accepted', 0, :no)"
ASK = """INSERT INTO asks (match_id, key, seat, turn, kind, origin, opened_at, opened_n, deadline)
    VALUES ('a', 't0.act0', 0, 't0', 'act', 't0.act0', :at, 1, :at)"""
VALUES = {"at": "2026-03-12 12:04:00.000000+00:00", "yes": True, "no": False, "seed": b"0"}


@pytest.mark.parametrize("version", ["0001", "0002"])
def test_an_open_question_keeps_its_deadline_and_its_clock_runs(blank_database_url: str, version: str) -> None:
    command.upgrade(alembic_config(blank_database_url), version)
    engine = make_engine(blank_database_url)
    with engine.begin() as connection:
        for statement in (MATCH, SEAT, ASK):
            connection.execute(text(statement), {k: v for k, v in VALUES.items() if f":{k}" in statement})
    migrate(blank_database_url)
    with engine.connect() as connection:
        found = connection.execute(
            text("SELECT acts_at = deadline, mailed_at = opened_at, allowed_s, vote_since FROM asks")
        )
        assert [tuple(row) for row in found] == [(True, True, 7200, None)]
        seats = connection.execute(text("SELECT misses, absent, resigned FROM seats"))
        assert [tuple(map(bool, row)) for row in seats] == [(False, False, False)]
    engine.dispose()
