"""Which schema this program knows, and that it writes nothing where a newer program has left that behind.

A process may go on while a newer program migrates its database. The first statement of each transaction that writes is
a look at the floor (`SchemaFloor`): if this program is older, the transaction is refused. On PostgreSQL it
reaches the server with the transaction's BEGIN or its first batch, so it costs no round trip; it also holds the floor's
table until the commit, and a migration that raises the floor locks that table before anything else, so it waits for
those that have looked, and others wait for it. On SQLite it follows BEGIN IMMEDIATE: there is a single writer.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, select
from sqlmodel import Field, SQLModel

from pbem.errors import N_, Outdated
from pbem.models.prepared import GUARD, Prepared, Sent

RETRY_S = 30

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


@dataclass
class Floor:
    """The look of one writing transaction on PostgreSQL at the floor.

    Each transaction has a new one, in the options of its connection.
    """

    _has_looked: bool = False
    _sent: Sent | None = None

    def check_before_writing(self, connection: Connection) -> None:
        """Looks before the transaction's first statement. Raises Outdated.

        In the middle of a batch it only asks: the end of the batch calls `refuse_if_outdated` then.
        """
        if self._has_looked:
            return
        self._has_looked = True
        driver: Any = connection.connection.driver_connection
        if driver.pgconn.pipeline_status:
            self._sent = FLOOR.send(connection, {})
            return
        with driver.pipeline():  # BEGIN goes with it
            sent = FLOOR.send(connection, {})
        refuse_if_below_floor(sent)

    def refuse_if_outdated(self) -> None:
        """Raises Outdated if this program is too old to write to the database; does nothing if that is known."""
        sent, self._sent = self._sent, None
        if sent is not None:
            refuse_if_below_floor(sent)


def refuse_if_below_floor(sent: Sent) -> None:
    """Raises Outdated if this program is too old to write to the database; `sent` is the answer to `FLOOR`."""
    rows = sent.rows()
    if rows and rows[0][0] > NEWEST_SCHEMA:
        message = N_(
            "The site is being upgraded: this server is older than its database and stores nothing more. "
            "Please try again soon."
        )
        raise Outdated(message, retry_after=RETRY_S)


def check_floor_at_begin(connection: Connection, *_statement: Any) -> None:
    """Has a transaction that writes on PostgreSQL begin with its look at the floor. Raises Outdated."""
    floor: Floor | None = connection.get_execution_options().get(GUARD)
    if floor is not None:
        floor.check_before_writing(connection)
