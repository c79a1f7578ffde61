"""The migrations make exactly the tables that the models declare, on both databases."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlmodel import SQLModel

from pbem.models.engine import make_engine, migrate


@pytest.mark.both
def test_the_migrated_schema_is_the_declared_one(database_url: str) -> None:
    engine = make_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    engine.dispose()


@pytest.mark.both
def test_migrating_twice_changes_nothing(blank_database_url: str) -> None:
    migrate(blank_database_url)
    migrate(blank_database_url)
    engine = make_engine(blank_database_url)
    assert set(SQLModel.metadata.tables) <= set(inspect(engine).get_table_names())
    engine.dispose()


def test_sqlite_keeps_what_was_committed_through_a_power_cut(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
    engine.dispose()
