"""Statements for PostgreSQL that are one transaction and one round trip, sent by libpq without psycopg's cursors.

For a small statement, most of the time goes into these: they look for the type of each parameter and of each column.
Here parameters are text, whose types the server knows from the statement, and nothing is read back.

Each statement is prepared once on a connection. psycopg does not know of that, and at a rollback has the server forget
all that is prepared; then nothing happens but an error, and the statements are prepared and sent again.
"""

import re
import select
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple
from weakref import WeakSet

from sqlalchemy import Connection

from pbem.models.prepared import Prepared, raise_as_sqlalchemy_error

_PARAMETER = re.compile(r"%\((\w+)\)s")


class _Numbered(NamedTuple):
    """A statement as libpq takes it, with the names of its parameters in order, and as psycopg would take it."""

    name: bytes
    sql: bytes
    parameters: Sequence[str]
    named: str


class AtOnce:
    """Statements that return nothing, written as SQL."""

    def __init__(self, *statements: Prepared) -> None:
        self._statements = statements
        self._numbered: list[_Numbered] = []
        self._prepared = WeakSet[Any]()
        """The driver's connections on which they are prepared."""

    def send(self, connection: Connection, *values: Mapping[str, Any]) -> None:
        """Sends them with these values on a connection without a transaction; they have committed when it returns.

        Raises Unmet, and what SQLAlchemy raises.
        """
        self._numbered = self._numbered or _with_numbered_parameters(
            [one.sql(connection.dialect) for one in self._statements]
        )
        for one, given in zip(self._numbered, values, strict=True):
            for listener in connection.dispatch.before_cursor_execute:
                listener(connection, None, one.named, given, None, False)
        each = zip(self._numbered, values, strict=True)
        texts = [[_text_for_postgresql(given[name]) for name in one.parameters] for one, given in each]
        try:
            failed = self._prepare_if_needed_and_send(connection, texts)
        except BaseException as error:
            connection.invalidate(error)  # nobody knows what is still to come from the server
            if isinstance(error, connection.dialect.loaded_dbapi.Error):
                raise_as_sqlalchemy_error(connection, None, error)
            raise
        if failed is not None:
            raise_as_sqlalchemy_error(connection, None, failed)

    def _prepare_if_needed_and_send(
        self, connection: Connection, texts: Sequence[Sequence[bytes | None]]
    ) -> Exception | None:
        """Sends the statements, prepared first if need be; returns the server's first error, or None."""
        psycopg: Any = connection.dialect.loaded_dbapi
        driver: Any = connection.connection.driver_connection
        each = zip(self._numbered, texts, strict=True)
        run = [partial(driver.pgconn.send_query_prepared, one.name, text) for one, text in each]
        if driver in self._prepared:
            failed = _send_in_transaction(psycopg, driver.pgconn, run)
            if not isinstance(failed, psycopg.errors.InvalidSqlStatementName):
                return failed
        prepare = [partial(driver.pgconn.send_prepare, one.name, one.sql) for one in self._numbered]
        if (failed := _send_in_transaction(psycopg, driver.pgconn, prepare)) is not None:
            raise failed
        self._prepared.add(driver)
        return _send_in_transaction(psycopg, driver.pgconn, run)


def _with_numbered_parameters(statements: Sequence[str]) -> list[_Numbered]:
    together, numbered = sha256("".join(statements).encode()).hexdigest()[:16], list[_Numbered]()
    for named in statements:
        parameters = [*dict.fromkeys(_PARAMETER.findall(named))]
        sql = named
        for number, name in enumerate(parameters, 1):
            sql = sql.replace(f"%({name})s", f"${number}")
        name = f"pbem_{together}_{len(numbered)}"
        numbered.append(_Numbered(name.encode(), sql.replace("%%", "%").encode(), parameters, named))
    return numbered


def _text_for_postgresql(value: Any) -> bytes | None:
    """Returns the value as PostgreSQL reads it. Raises ValueError for NUL, at which the text would end for it."""
    if value is None:
        return None
    text = value.isoformat() if isinstance(value, datetime) else str(value)
    if "\0" in text:
        raise ValueError("PostgreSQL stores no text with NUL")
    return text.encode()


def _send_in_transaction(psycopg: Any, pgconn: Any, calls: Sequence[Callable[[], None]]) -> Exception | None:
    """Sends what the calls send as one transaction; returns its first error, or None. Raises OperationalError."""
    status = psycopg.pq.ExecStatus
    failed, socket = None, select.poll()
    pgconn.enter_pipeline_mode()
    for call in calls:
        call()
    pgconn.pipeline_sync()
    socket.register(pgconn.socket, select.POLLIN | select.POLLOUT)
    while pgconn.flush():
        if socket.poll()[0][1] != select.POLLOUT:
            pgconn.consume_input()
    socket.modify(pgconn.socket, select.POLLIN)
    while True:
        while pgconn.is_busy():
            socket.poll()
            pgconn.consume_input()
        result = pgconn.get_result()
        if result is None:  # there is no more of this statement
            if pgconn.status != psycopg.pq.ConnStatus.OK:
                raise psycopg.OperationalError("the connection is lost")
        elif result.status == status.PIPELINE_SYNC:
            pgconn.exit_pipeline_mode()
            return failed
        elif result.status == status.FATAL_ERROR and failed is None:
            failed = psycopg.errors.error_from_result(result)
