"""A database with players and mails gets the columns for bounces: nobody bounces, and nothing that waits is lost."""

import pytest
from alembic import command
from sqlalchemy import text

from pbem.models.engine import alembic_config, make_engine, migrate

PLAYER = """INSERT INTO players (id, address, canonical, language, zone, epoch, created_at)
    VALUES (1, 'alice@example.org', 'alice@example.org', 'fr', 'Europe/Paris', 0, :at)"""
MATCH = """INSERT INTO matches (id, game, options, status, version, seed, seed_sha256, turn_s, window_s, spectators,
    created_at) VALUES ('a', 'hogen', '{}', 'running', 1, :seed, '0', 7200, 60, :yes, :at)"""
SEAT = """INSERT INTO seats (match_id, seat, player_id, name, status, epoch, muted)
    VALUES ('a', 0, 1, 'Alice', 'accepted', 0, :no)"""
MAIL = """INSERT INTO outbox (id, dedupe, kind, match_id, seat, player_id, created_at, due_at, attempts)
    VALUES (1, 'turn', 'turn', 'a', 0, 1, :at, :at, 2)"""
VALUES = {"at": "2026-03-12 12:04:00.000000+00:00", "yes": True, "no": False, "seed": b"0"}


@pytest.mark.parametrize("version", ["0001", "0003"])
def test_players_and_mails_that_are_there_stay_as_they_are(blank_database_url: str, version: str) -> None:
    command.upgrade(alembic_config(blank_database_url), version)
    engine = make_engine(blank_database_url)
    with engine.begin() as connection:
        for statement in (PLAYER, MATCH, SEAT, MAIL):
            connection.execute(text(statement), {k: v for k, v in VALUES.items() if f":{k}" in statement})
    migrate(blank_database_url)
    with engine.connect() as connection:
        players = connection.execute(text("SELECT address, bounced_at, bounced_why FROM players"))
        assert [tuple(row) for row in players] == [("alice@example.org", None, None)]
        mails = connection.execute(text("SELECT attempts, done_at, answer FROM outbox"))
        assert [tuple(row) for row in mails] == [(2, None, None)]
    engine.dispose()


def test_the_columns_can_be_taken_away_again(blank_database_url: str) -> None:
    command.upgrade(alembic_config(blank_database_url), "0004")
    command.downgrade(alembic_config(blank_database_url), "0003")
    engine = make_engine(blank_database_url)
    with engine.begin() as connection:
        statement, values = PLAYER, {"at": VALUES["at"]}
        connection.execute(text(statement), values)
    engine.dispose()
    migrate(blank_database_url)
