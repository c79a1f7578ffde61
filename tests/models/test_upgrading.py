"""Migrating a database that holds rows: all or nothing, no row loses another, and who may write afterwards is noted."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Engine, MetaData, inspect, text

from pbem.models.engine import OtherSchema, alembic_config, make_engine, migrate
from tests.harness.waiting import wait_until
from tests.models.upgrading import later as later


@pytest.fixture
def engine(blank_database_url: str) -> Iterator[Engine]:
    made = make_engine(blank_database_url)
    yield made
    made.dispose()


def _floor(engine: Engine) -> list[str]:
    with engine.connect() as connection:
        return list(connection.execute(text("SELECT revision FROM schema_floor")).scalars())


def _fill(engine: Engine) -> None:
    """One player with one match and one seat, by the columns that the tables have at this schema."""
    known = MetaData()
    known.reflect(engine, only=["players", "matches", "seats"])
    values: dict[type, Any] = {str: "x", int: 0, bool: False, bytes: b"0" * 32}
    rows: dict[str, dict[str, Any]] = {
        "players": {"id": 1, "address": "alice@example.org", "canonical": "alice@example.org"},
        "matches": {"id": "a" * 24, "game": "hogen", "options": "{}", "status": "running", "organiser_id": 1},
        "seats": {"match_id": "a" * 24, "seat": 0, "player_id": 1, "name": "Alice", "status": "accepted"},
    }
    with engine.begin() as connection:
        moment = connection.execute(text("SELECT CURRENT_TIMESTAMP")).scalar_one()
        for name, row in rows.items():
            columns = [one for one in known.tables[name].columns if not one.nullable and one.server_default is None]
            rest = {one.name: values.get(one.type.python_type, moment) for one in columns if one.name not in row}
            names = ", ".join({**rest, **row})
            marks = ", ".join(f":{one}" for one in {**rest, **row})
            connection.execute(text(f"INSERT INTO {name} ({names}) VALUES ({marks})"), {**rest, **row})


def _dump(engine: Engine) -> dict[str, list[Any]]:
    with engine.connect() as connection:
        return {
            name: [tuple(row) for row in connection.execute(text(f'SELECT * FROM "{name}"'))]
            for name in sorted(inspect(engine).get_table_names())
        }


@pytest.mark.long
@pytest.mark.parametrize("schema", ["0019", "0020", "0021", "0022"])
def test_a_database_with_a_match_upgrades(engine: Engine, blank_database_url: str, schema: str) -> None:
    command.upgrade(alembic_config(blank_database_url), schema)
    _fill(engine)
    migrate(blank_database_url)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT name FROM seats JOIN matches ON id = match_id")).scalar() == "Alice"
        if engine.dialect.name == "sqlite":
            assert connection.execute(text("PRAGMA foreign_key_check")).all() == []


@pytest.mark.on_postgresql
def test_migrating_adds_the_busy_run_column_to_older_webhook_tables(engine: Engine, blank_database_url: str) -> None:
    command.upgrade(alembic_config(blank_database_url), "0022")
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE webhooks DROP COLUMN busy_run"))
    migrate(blank_database_url)
    assert "busy_run" in {one["name"] for one in inspect(engine).get_columns("webhooks")}


@pytest.mark.parametrize(("first", "then"), [("matches", "asks"), ("matches", "players"), ("asks", "seats")])
def test_migration_0026_and_a_reader_do_not_deadlock(blank_postgres_url: str, first: str, then: str) -> None:
    command.upgrade(alembic_config(blank_postgres_url), "0025")
    engine = make_engine(blank_postgres_url, lock_wait_s=20)
    with ThreadPoolExecutor(1) as pool:
        with engine.connect() as reader:
            reader.execute(text(f"SELECT count(*) FROM {first}"))
            migrated = pool.submit(command.upgrade, alembic_config(blank_postgres_url), "0026")
            wait_until(lambda: _somebody_waits(engine), "the migration waits for a lock")
            assert reader.execute(text(f"SELECT count(*) FROM {then}")).scalar() == 0
        migrated.result(20)
    assert "touched" in {one["name"] for one in inspect(engine).get_columns("matches")}
    engine.dispose()


def _somebody_waits(engine: Engine) -> bool:
    """True if a transaction waits for a lock that another holds."""
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation IS NOT NULL")
    with engine.connect() as connection:
        return bool(connection.execute(waiting).scalar())


def test_on_sqlite_the_webhooks_table_has_autoincrement(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    with engine.connect() as connection:
        made = connection.execute(text("SELECT sql FROM sqlite_master WHERE name = 'webhooks'")).scalar_one()
    assert "AUTOINCREMENT" in made
    engine.dispose()


@pytest.mark.on_postgresql
def test_a_failing_migration_leaves_the_schema_unchanged(engine: Engine, blank_database_url: str, later: Any) -> None:
    command.upgrade(alembic_config(blank_database_url), "0021")
    _fill(engine)
    before = _dump(engine)
    later("op.create_table('half', sa.Column('id', sa.Integer())); op.execute('SELECT * FROM nowhere')")
    with pytest.raises(Exception, match="nowhere"):
        migrate(blank_database_url)
    assert _dump(engine) == before


def test_on_sqlite_a_migration_that_loses_a_row_is_refused_in_a_sentence(sqlite_url: str, later: Any) -> None:
    engine = make_engine(sqlite_url)
    _fill(engine)
    before = _dump(engine)
    later("op.execute('DELETE FROM matches')")
    with pytest.raises(OtherSchema, match=r"seats → matches.* Nothing has been changed"):
        migrate(sqlite_url)
    assert _dump(engine) == before
    engine.dispose()


@pytest.mark.on_postgresql
def test_the_floor_is_the_newest_schema_unfit_for_older_programs(
    engine: Engine, blank_database_url: str, later: Any
) -> None:
    mark = "LIVES_WITH_OLDER = True"
    migrate(blank_database_url)
    assert _floor(engine) == ["0022"], "0023 adds nothing that a program of 0022 trips over"
    later("pass", mark=mark)
    migrate(blank_database_url)
    assert _floor(engine) == ["0022"]
    bound = later("pass")
    later("pass", mark=mark)
    migrate(blank_database_url)
    assert _floor(engine) == [bound]
    with engine.begin() as connection:
        connection.execute(text("UPDATE schema_floor SET revision = '9000'"))
    later("pass")
    migrate(blank_database_url)
    assert _floor(engine) == ["9000"], "it is never lowered"
