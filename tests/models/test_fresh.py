"""A new SQLite database is made without migrations, and is what they would have made."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import pbem.models.tables  # noqa: F401  # fills the metadata
from pbem.models.schema import fresh
from pbem.models.schema.branches import OF_FEATURES
from pbem.models.schema.upgrade import upgrade_database

MADE = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
OTHERS = "SELECT type, name, sql FROM sqlite_master WHERE type NOT IN ('table', 'index') ORDER BY name"
BLANK = re.compile(r"\s+")


def content_of_database(file: Path) -> dict[str, Any]:
    """Returns all that a database holds and obeys, table by table, but for the order of its columns."""
    with closing(sqlite3.connect(file)) as connection:
        made = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        others = connection.execute(OTHERS).fetchall()
        return {"others": others} | {name: dict(_parts(connection, name, sql)) for name, sql in made}


def _parts(connection: sqlite3.Connection, name: str, sql: str) -> Iterator[tuple[str, Any]]:
    def ask(what: str) -> list[tuple[Any, ...]]:
        return connection.execute(what).fetchall()

    yield "columns", sorted(row[1:] for row in ask(f"PRAGMA table_xinfo({name})"))
    yield "keys", sorted(row[2:] for row in ask(f"PRAGMA foreign_key_list({name})"))
    yield "checks", sorted(BLANK.sub(" ", one) for one in re.findall(r"CONSTRAINT \w+ CHECK \(.*\)", sql))
    yield "counts", "AUTOINCREMENT" in sql
    rows = ask(f"SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = '{name}'")
    yield "indexes", sorted((one, BLANK.sub(" ", of or "")) for one, of in rows)
    triggers = ask(f"SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '{name}'")
    yield "triggers", sorted(triggers)
    yield "unique", sorted(row[2:] for row in ask(f"PRAGMA index_list({name})"))
    yield "rows", ask(f"SELECT * FROM {name}")


def test_a_newly_created_schema_equals_the_migrated_one(tmp_path: Path, sqlite_migrated: Path) -> None:
    upgrade_database(f"sqlite:///{tmp_path / 'new.db'}", print)
    assert content_of_database(tmp_path / "new.db") == content_of_database(sqlite_migrated)


@pytest.mark.parametrize("why", ["a table is there", "a folder was taken away", "a package has a feature"])
def test_the_shortcut_for_new_databases_is_not_taken_where_it_may_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    url, file = f"sqlite:///{tmp_path / 'new.db'}", tmp_path / "new.db"
    match why:
        case "a table is there":
            with closing(sqlite3.connect(file)) as connection:
                connection.execute("CREATE TABLE somebodys (it INTEGER)")
        case "a folder was taken away":
            monkeypatch.setattr(fresh, "OF_FEATURES", OF_FEATURES | {"gone"})
        case _:
            monkeypatch.setattr(fresh, "packages_of_features", lambda: {"feed": "pbem_feed"})
    before = content_of_database(file) if file.exists() else {}
    assert not fresh.make_tables_if_empty(url)
    assert (content_of_database(file) if file.exists() else {}) == before
