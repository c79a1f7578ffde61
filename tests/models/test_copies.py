"""A SQLite database is copied before it is migrated, and a migration that fails says where the copy is."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from alembic import command

from pbem.models.engine import alembic_config
from pbem.models.schema import revisions, upgrade
from tests.commands.conftest import Pbem, bare

__all__ = ["bare"]

BEFORE = "0022"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A database of an earlier schema in the data folder."""
    file = tmp_path / "pbem.db"
    command.upgrade(alembic_config(f"sqlite:///{file}"), BEFORE)
    return file


def schema_of(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def copies_of_file(file: Path) -> list[Path]:
    return sorted(file.parent.glob("pbem.db.before-*"))


def break_next(file: Path) -> None:
    """Makes the next migration fail, for it makes this table."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE schema_floor (it INTEGER)")


@pytest.mark.long
def test_a_migration_copies_the_database_first_and_only_once(bare: Pbem, old: Path) -> None:
    done = bare("migrate")
    assert done.exit_code == 0
    (copy,) = copies_of_file(old)
    assert (schema_of(copy), schema_of(old)) == (BEFORE, revisions.NEWEST_SCHEMA)
    assert copy.name.startswith(f"pbem.db.before-{revisions.NEWEST_SCHEMA}-")
    assert copy.stat().st_mode & 0o077 == 0
    assert str(copy) in done.stderr
    assert bare("migrate").stderr == ""
    assert copies_of_file(old) == [copy]


def test_a_new_database_is_not_copied(bare: Pbem, tmp_path: Path) -> None:
    assert bare("migrate").exit_code == 0
    assert copies_of_file(tmp_path / "pbem.db") == []


def test_a_failed_migration_names_the_copy_and_a_way_back_that_works(bare: Pbem, old: Path) -> None:
    break_next(old)
    for _ in range(2):
        failed = bare("migrate")
        assert failed.exit_code == 1
        *above, said = failed.stderr.strip().splitlines()
        (copy,) = copies_of_file(old)  # a service that is started again and again does not fill the disk
        assert said.startswith("Error: The tables could not be brought up to date (table schema_floor already exists)")
        assert any(line.startswith("Traceback") for line in above)
        assert schema_of(old) == BEFORE
    back = said.rpartition(": ")[2]
    assert back == f"rm -f {old}-wal {old}-shm && cp {copy} {old}"
    shutil.copy(copy, old)
    assert schema_of(old) == BEFORE


def test_a_copy_does_not_replace_another_of_the_same_second(bare: Pbem, old: Path) -> None:
    break_next(old)
    bare("migrate")
    (first,) = copies_of_file(old)
    content = first.read_bytes()
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("CREATE TABLE later (it INTEGER)")
    bare("migrate")
    assert len(copies_of_file(old)) == 2
    assert first.read_bytes() == content


@pytest.mark.parametrize("trouble", ["full", "fills", "read-only"])
def test_if_copying_the_sqlite_file_fails_the_database_is_not_migrated(
    bare: Pbem, old: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    if trouble == "full":
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    else:

        def fail(source: Path, target: Path) -> None:
            target.touch()
            raise sqlite3.OperationalError("disk is full") if trouble == "fills" else OSError(30, "Read-only")

        monkeypatch.setattr(upgrade, "copy_sqlite", fail)
    refused = bare("migrate")
    assert refused.exit_code == 1
    assert "Nothing has been changed" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert schema_of(old) == BEFORE
    assert copies_of_file(old) == []


@pytest.mark.long
def test_only_the_last_two_copies_before_migrations_are_kept(old: Path, tmp_path: Path) -> None:
    for schema in ("0020", "0021", "0022"):
        (tmp_path / f"pbem.db.before-{schema}-20260101T000000").touch()
    said: list[str] = []
    upgrade.upgrade_database(f"sqlite:///{old}", said.append)
    assert [copy.name[15:19] for copy in copies_of_file(old)] == ["0022", revisions.NEWEST_SCHEMA]
    assert len(said) == 1


@pytest.mark.long
def test_special_characters_in_the_folders_name_do_not_prevent_the_copy(old: Path, tmp_path: Path) -> None:
    folder = tmp_path / "it's #1 of 50%"
    folder.mkdir()
    file = folder / "pbem.db"
    upgrade.copy_sqlite(old, file)
    assert schema_of(file) == BEFORE
    upgrade.upgrade_database(f"sqlite:///{file}", lambda line: None)
    assert len(copies_of_file(file)) == 1
