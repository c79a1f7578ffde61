"""Which schema this program knows, and that it writes nothing where a newer program has left that behind.

A process may go on while a newer program migrates its database. The first statement of each transaction that writes is
a look at the floor (`models.schema.floor`): if this program is older, the transaction is refused. On PostgreSQL it
reaches the server with the transaction's BEGIN or its first batch, so it costs no round trip; it also holds the floor's
table until the commit, and a migration that raises the floor locks that table before anything else, so it waits for
those that have looked, and others wait for it. On SQLite it follows BEGIN IMMEDIATE: there is a single writer.
"""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, select

from pbem.errors import N_, Outdated
from pbem.models.prepared import GUARD, Prepared, Sent
from pbem.models.schema.floor import SchemaFloor

RETRY_S = 30

# Read when the module is imported: an upgrade may exchange the files under a process that runs.
_NEWEST = max(
    path.name.partition("_")[0] for path in (Path(__file__).parents[1] / "migrations" / "versions").glob("[0-9]*_*.py")
)
_floor: Any = SchemaFloor.__table__  # type: ignore[attr-defined]  # every table has one
_FLOOR = Prepared(select(_floor.c.revision))


def newest_schema() -> str:
    """Returns the newest revision that this program knows, by the names of its files when it was started.

    Alembic takes a tenth of a second to load, and 10 MB.
    """
    return _NEWEST


def floor_of(connection: Connection) -> str:
    """Returns the oldest revision whose programs may write to this database."""
    return str(connection.execute(select(_floor.c.revision)).scalar() or "")


def may_write() -> ColumnElement[bool]:
    """Returns the condition that this program may write, for a statement that is a transaction of its own.

    The statement has the parameter `schema`: `newest_schema()`.
    """
    return select(_floor.c.revision).where(_floor.c.revision <= bindparam("schema")).exists()


class Floor:
    """The look of one writing transaction at the floor; a new one for each, in the options of its connection."""

    def __init__(self) -> None:
        self._has_looked = False
        self._sent: Sent | None = None

    def look(self, connection: Connection) -> None:
        """Looks before the transaction's first statement; in the middle of a batch, whose end then judges.

        Raises Outdated.
        """
        if self._has_looked:
            return
        self._has_looked = True
        driver: Any = connection.connection.driver_connection
        on_server = connection.dialect.name != "sqlite"
        if on_server and driver.pgconn.pipeline_status:
            self._sent = _FLOOR.send(connection, {})
            return
        with driver.pipeline() if on_server else nullcontext():  # BEGIN goes with it
            self._sent = _FLOOR.send(connection, {})
        self.judge()

    def judge(self) -> None:
        """Raises Outdated if this program is too old to write to the database; does nothing if that is known."""
        if self._sent is None:
            return
        rows, self._sent = self._sent.rows(), None
        if rows and newest_schema() < rows[0][0]:
            message = N_(
                "The site is being upgraded: this server is older than its database and stores nothing more. "
                "Please try again soon."
            )
            raise Outdated(message, retry_after=RETRY_S)


def look_first(connection: Connection, *_statement: Any) -> None:
    """Has a transaction that writes begin with its look at the floor. Raises Outdated."""
    floor: Floor | None = connection.get_execution_options().get(GUARD)
    if floor is not None:
        floor.look(connection)
