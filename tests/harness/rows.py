"""Reads the content of a SQLite database without SQLAlchemy, which would compile a statement for each table."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from sqlalchemy import Engine


def every_row(engine: Engine) -> dict[str, list[dict[str, Any]]]:
    """Returns every committed row, by its table."""
    assert engine.dialect.name == "sqlite"
    assert engine.url.database is not None
    with closing(sqlite3.connect(engine.url.database)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')] for name in tables}
