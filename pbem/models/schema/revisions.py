"""Which schema this program knows, and that it writes nothing where a newer program has left that behind.

`models.engine` refuses it where transactions begin. A process may go on while a newer program migrates its database.
The first statement of each transaction that writes is a look at the floor (`SchemaFloor`): if this program is older,
the transaction is refused. On PostgreSQL it reaches the server with the transaction's BEGIN or its first batch, so it
costs no round trip; it also holds the floor's table until the commit, and a migration that raises the floor locks that
table before anything else, so it waits for those that have looked, and others wait for it. On SQLite it follows BEGIN
IMMEDIATE: there is a single writer.
"""

from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, select
from sqlmodel import Field, SQLModel

from pbem.models.prepared import Prepared

NEWEST_SCHEMA = max(
    path.name.partition("_")[0] for path in (Path(__file__).parents[1] / "migrations" / "versions").glob("[0-9]*_*.py")
)
"""The newest revision that this program knows, by the names of its files when it was started.

An upgrade may exchange the files under a process that runs; and Alembic takes a tenth of a second to load, and 10 MB.
"""


class SchemaFloor(SQLModel, table=True):
    """The one row names the oldest revision whose programs may write here: a process older than that must take no move.

    Only the migrations (`migrations/env.py`) write it, and they never lower it.
    """

    __tablename__ = "schema_floor"

    revision: str = Field(primary_key=True, max_length=32)


_floor: Any = SchemaFloor.__table__  # type: ignore[attr-defined]  # every table has one
FLOOR = Prepared(select(_floor.c.revision))


def read_floor(connection: Connection) -> str:
    """Returns the oldest revision whose programs may write to this database."""
    return str(connection.execute(select(_floor.c.revision)).scalar() or "")


def may_write_condition() -> ColumnElement[bool]:
    """Returns the condition that this program may write, for a statement that is a transaction of its own.

    The statement has the parameter `schema`: `NEWEST_SCHEMA`.
    """
    return select(_floor.c.revision).where(_floor.c.revision <= bindparam("schema")).exists()
