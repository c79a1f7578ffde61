"""The migrations make exactly the tables that the models declare, on both databases."""

import hashlib

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlmodel import SQLModel

import pbem.models.tables  # noqa: F401  # fills the metadata
from pbem.models.engine import VERSIONS, OtherSchema, alembic_config, make_engine, migrate
from pbem.models.partitions import is_leaf
from pbem.models.schema.revisions import NEWEST_SCHEMA

SCHEMA = ("0026", "12331b98a1a67a98")
"""The newest revision, and the hash of the tables that it leads to."""


CONTENTS = {
    "0019_the_schema.py": "ee15ed0dc6495dc2",
    "0020_analyses.py": "18d176c9cae8d325",
    "0021_stand_ins.py": "b6723cc5e6158426",
    "0022_circles_leagues_ratings.py": "5a7216e42e2097b4",
    "0023_schema_floor.py": "b59d67d864b02bf8",
    "0024_seen.py": "66dc51f6ae45f319",
    "0025_following.py": "a75f19bb25cd848e",
    "touching.py": "592c427ababa9d47",
    "0026_folds.py": "305cd696da9be036",
}
"""The hash of each migration: once it is on main, databases have been made by it, and it never changes."""


def _is_declared(name: str | None, kind: str, parents: object) -> bool:
    return kind != "table" or not is_leaf(name)


@pytest.mark.long
def test_the_migrated_schema_is_the_declared_one(database_url: str) -> None:
    engine = make_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": _is_declared})
        assert compare_metadata(context, SQLModel.metadata) == []
    engine.dispose()


@pytest.mark.long
def test_migrating_twice_changes_nothing(blank_database_url: str) -> None:
    migrate(blank_database_url)
    migrate(blank_database_url)
    engine = make_engine(blank_database_url)
    assert set(SQLModel.metadata.tables) <= set(inspect(engine).get_table_names())
    engine.dispose()


def test_the_declared_schema_is_the_one_noted_under_the_newest_number() -> None:
    """Databases are told apart by that number alone: give every change of the tables another, then note it above."""
    tables = SQLModel.metadata.sorted_tables
    made = [CreateTable(one) for one in tables] + [
        CreateIndex(index) for one in tables for index in sorted(one.indexes, key=lambda index: str(index.name))
    ]
    declared = "".join(str(one.compile(dialect=dialect())) for one in made)
    newest = ScriptDirectory.from_config(alembic_config("")).get_current_head()
    assert (newest, hashlib.sha256(declared.encode()).hexdigest()[:16]) == SCHEMA
    assert newest == NEWEST_SCHEMA, "what health checks compare a database with"


def test_a_migration_never_changes() -> None:
    """A database that was made by an earlier form would never get the rest: write a new migration instead."""
    paths = [*VERSIONS.glob("*.py"), VERSIONS.parents[1] / "schema" / "touching.py"]
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in paths}
    assert found == CONTENTS


@pytest.mark.on_postgresql
@pytest.mark.sample(1)
@pytest.mark.parametrize("revision", ["0014", "0018", "9999"])
def test_a_database_of_another_pbem_is_refused_in_a_sentence(blank_database_url: str, revision: str) -> None:
    migrate(blank_database_url)
    engine = make_engine(blank_database_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :it"), {"it": revision})
    with pytest.raises(OtherSchema, match=r"of a newer pbem, or of one before 0\.1\.0"):
        migrate(blank_database_url)
    engine.dispose()


def test_sqlite_keeps_what_was_committed_through_a_power_cut(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
    engine.dispose()
