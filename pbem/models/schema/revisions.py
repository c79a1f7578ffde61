"""Which schema this program knows, and that it writes nothing where a newer program has left that behind.

A process may go on while a newer program migrates its database. The first statement of each transaction that writes is
a look at the floor (`models.schema.floor`): if this program is older, the transaction is refused. On PostgreSQL it
reaches the server with the transaction's BEGIN or its first batch, so it costs no round trip; it also holds the floor's
table until the commit, and a migration that raises the floor locks that table before anything else, so it waits for
those that have looked, and others wait for it. On SQLite it follows BEGIN IMMEDIATE: there is a single writer.
"""

from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, select

from pbem.errors import N_, Outdated
from pbem.models.prepared import AFTER_BATCH, Prepared, Sent
from pbem.models.schema.floor import SchemaFloor

GUARDED = "pbem_guarded"
"""The execution option of a connection whose transactions begin with a look at the floor."""
RETRY_S = 30

# Read when the module is imported: an upgrade may exchange the files under a process that runs.
_NEWEST = max(
    path.name.partition("_")[0] for path in (Path(__file__).parents[1] / "migrations" / "versions").glob("[0-9]*_*.py")
)
_floor: Any = SchemaFloor.__table__  # type: ignore[attr-defined]  # every table has one
_FLOOR = Prepared(select(_floor.c.revision))
_UNASKED = "pbem_floor_unasked"


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


def check(connection: Connection) -> None:
    """Raises Outdated if this program is too old to write to the database."""
    _judge(_FLOOR.send(connection, {}))


def note_begin(connection: Connection) -> None:
    """Notes that a transaction has begun on PostgreSQL, which has not looked at the floor yet."""
    connection.info.pop(AFTER_BATCH, None)
    connection.info[_UNASKED] = bool(connection.get_execution_options().get(GUARDED))


def look_first(connection: Connection, *_statement: Any) -> None:
    """Looks at the floor before the first statement of a transaction on PostgreSQL; in the same batch, if it is in one.

    Raises Outdated, or has the batch raise it.
    """
    if not connection.info.get(_UNASKED):
        return
    connection.info[_UNASKED] = False
    driver: Any = connection.connection.driver_connection
    if driver.pgconn.pipeline_status:
        sent = _FLOOR.send(connection, {})
        connection.info[AFTER_BATCH] = lambda: _judge(sent)
        return
    with driver.pipeline():  # BEGIN goes with it
        sent = _FLOOR.send(connection, {})
    _judge(sent)


def _judge(sent: Sent) -> None:
    floor = max((revision for (revision,) in sent.rows()), default="")
    if newest_schema() < floor:
        message = N_(
            "The site is being upgraded: this server is older than its database and stores nothing more. "
            "Please try again soon."
        )
        raise Outdated(message, retry_after=RETRY_S)
