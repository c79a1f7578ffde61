"""The database engine for SQLite and PostgreSQL, and the migrations.

Two kinds of transaction: reading, and writing. A writing one takes SQLite's write lock at its beginning (BEGIN
IMMEDIATE: without it, concurrent writers fail with "database is locked" halfway) and bounds PostgreSQL's lock waits. It
is refused to a program that is too old for the database (`models.schema.revisions`).
"""

import select
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import structlog
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import (
    DBAPIError,
    InterfaceError,
    InternalError,
    InvalidatePoolError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as NoneFree
from sqlmodel import Session

from pbem.errors import N_, Busy, Outdated, Unavailable
from pbem.models.prepared import GUARD, Sent, moment_in_sqlite
from pbem.models.schema.branches import Branch, branches, read_revision_in_table, revision_numbers_in_folder
from pbem.models.schema.revisions import FLOOR, NEWEST_SCHEMA, SchemaFloor

if TYPE_CHECKING:
    from alembic.config import Config

WRITE = "pbem_write"
CONNECT_S = 5
AWAY_RETRY_S = 5
OUTDATED_RETRY_S = 30
FULL_RETRY_S = 300
MIGRATIONS = Path(__file__).parent / "migrations"
VERSIONS = MIGRATIONS / "versions"

log = structlog.get_logger()
S = TypeVar("S", bound=Session)


def make_engine(url: str, *, lock_wait_s: float = 3.0) -> Engine:
    """Returns an engine whose writing transactions wait for a lock for at most `lock_wait_s` seconds.

    On PostgreSQL the connection given back last is taken first: its statements cost little once the server has the
    catalogue and the plans of the connection in memory. Text goes there as UTF-8, whatever the database has.
    Its errors show no parameters: an address or a hand must not reach a log.
    """
    if url.startswith("sqlite"):
        import sqlite3  # not where PostgreSQL is used

        sqlite3.register_adapter(datetime, moment_in_sqlite)
        engine = create_engine(
            url, hide_parameters=True, connect_args={"timeout": lock_wait_s, "check_same_thread": False}
        )
        event.listen(engine, "connect", _on_sqlite_connect)
        event.listen(engine, "begin", _on_sqlite_begin)
        return engine
    engine = create_engine(
        url, hide_parameters=True, pool_size=8, max_overflow=16, pool_timeout=10, pool_use_lifo=True,
        connect_args={"connect_timeout": CONNECT_S, "client_encoding": "utf8"},
    )  # fmt: skip
    milliseconds = int(lock_wait_s * 1000)

    def bound_session(connection: Any, record: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {milliseconds}")
            cursor.execute("SET TIME ZONE 'UTC'")  # moments come back as they are compared and written
        connection.commit()

    event.listen(engine, "connect", bound_session)
    event.listen(engine, "checkout", _discard_dead_connection)
    event.listen(engine, "before_cursor_execute", _check_floor_at_begin)
    return engine


def _discard_dead_connection(connection: Any, record: Any, proxy: Any) -> None:
    """Discards a pooled connection on which something has arrived: a server that shuts down sends a notice.

    A ping would cost as much as a statement. Raises InvalidatePoolError.
    """
    look = select.poll()
    look.register(connection.fileno(), select.POLLIN)
    if look.poll(0):
        raise InvalidatePoolError("the server has said something on an idle connection")


def _on_sqlite_connect(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")  # an acknowledged move survives a power cut
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _on_sqlite_begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITE) else "BEGIN")
    if GUARD in options:
        _refuse_if_program_outdated(FLOOR.send(connection, {}))


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
        _refuse_if_program_outdated(sent)

    def refuse_if_outdated(self) -> None:
        """Raises Outdated if this program is too old to write to the database; does nothing if that is known."""
        sent, self._sent = self._sent, None
        if sent is not None:
            _refuse_if_program_outdated(sent)


def _refuse_if_program_outdated(sent: Sent) -> None:
    """Raises Outdated if this program is too old to write to the database; `sent` is the answer to `FLOOR`."""
    rows = sent.rows()
    if rows and rows[0][0] > NEWEST_SCHEMA:
        message = N_(
            "The site is being upgraded: this server is older than its database and stores nothing more. "
            "Please try again soon."
        )
        raise Outdated(message, retry_after=OUTDATED_RETRY_S)


def _check_floor_at_begin(connection: Connection, *_statement: Any) -> None:
    """Has a transaction that writes on PostgreSQL begin with its look at the floor. Raises Outdated."""
    floor: Floor | None = connection.get_execution_options().get(GUARD)
    if floor is not None:
        floor.check_before_writing(connection)


@contextmanager
def reading_session(engine: Engine, session_on: Callable[[Connection], S]) -> Iterator[S]:
    """Yields a session that sees one consistent state and writes nothing. Raises Unavailable.

    On PostgreSQL it ends with a commit, for psycopg forgets all its prepared statements when it rolls back: then each
    would be parsed and planned again, which takes several times as long as running it.
    """
    on_server = engine.dialect.name != "sqlite"
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True} if on_server else {}
    with (
        translate_errors(),
        engine.connect().execution_options(**options) as connection,
        session_on(connection) as session,
    ):
        yield session
        if on_server:
            connection.commit()


@contextmanager
def autocommit_connection(engine: Engine) -> Iterator[Connection]:
    """Yields a connection for one statement, in autocommit mode if the database can: then it may also write.

    There, a `batch` takes the place of the statement: it is one transaction, too.

    Raises Unavailable.
    """
    level = {} if engine.dialect.name == "sqlite" else {"isolation_level": "AUTOCOMMIT"}
    with translate_errors(), engine.connect().execution_options(**level) as connection:
        yield connection


@contextmanager
def writing_session(engine: Engine, session_on: Callable[[Connection], S]) -> Iterator[S]:
    """Yields a session whose transaction commits at the end, or rolls back on any error.

    Raises Busy if a lock was not acquired in time, Unavailable if the database does not answer or takes no changes,
    Outdated if this program is too old for it.
    """
    with (
        translate_errors(),
        engine.connect().execution_options(**{WRITE: True, GUARD: Floor()}) as connection,
        session_on(connection) as session,
    ):
        yield session
        session.commit()


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turns a lock timeout into Busy, and a database that cannot be used just now into Unavailable.

    That is one that is unreachable, full, read-only, or not migrated yet.
    """
    try:
        yield
    except (OperationalError, InterfaceError, InternalError, NoneFree, ProgrammingError) as error:
        if _is_error_of_missing_floor_table(error):
            message = N_("The service is being upgraded. Please try again in a moment.")
            raise Unavailable(message, retry_after=AWAY_RETRY_S) from error
        if isinstance(error, ProgrammingError):
            raise
        if _is_server_away(error):
            reason = "no connection was free in time" if isinstance(error, NoneFree) else str(error.orig)
            log.warning("database.away", reason=" ".join(reason.split())[:300])
            message = N_("The service cannot reach its database just now. Please try again in a moment.")
            raise Unavailable(message, retry_after=AWAY_RETRY_S) from error
        if isinstance(error, DBAPIError) and error_code(error.orig).startswith(STORES_NOTHING):
            log.error("database.takes_no_changes", reason=" ".join(str(error.orig).split())[:300])
            message = N_("Nothing can be stored here just now: the disk is full or read-only. Please try again later.")
            raise Unavailable(message, retry_after=FULL_RETRY_S) from error
        if not _is_lock_timeout(error):
            raise
        raise Busy(N_("Somebody else is writing to this just now. Please try again."), retry_after=1) from error


def _is_error_of_missing_floor_table(error: DBAPIError | NoneFree) -> bool:
    """Returns True if the table that each transaction looks at is not there: the database is not migrated yet."""
    said = str(error.orig) if isinstance(error, DBAPIError) else ""
    absent = "no such table" in said or error_code(getattr(error, "orig", None)) == "42P01"
    return absent and str(SchemaFloor.__tablename__) in said


def _is_lock_timeout(error: DBAPIError | NoneFree) -> bool:
    if isinstance(error, NoneFree):
        return False
    name = type(error.orig).__name__
    return name in ("LockNotAvailable", "DeadlockDetected") or "locked" in str(error.orig)


def _is_server_away(error: DBAPIError | NoneFree) -> bool:
    """Returns True if the server is gone, stopping, starting, full or was not reached: the request itself is fine."""
    if isinstance(error, NoneFree) or error.connection_invalidated:
        return True
    if type(error.orig).__module__.split(".")[0] != "psycopg":
        return False
    state = error_code(error.orig)
    return not state or state.startswith(("08", "57P", "53300"))


STORES_NOTHING = (
    "SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_CANTOPEN", "53100", "25006", "58030",
)  # fmt: skip
"""How the codes of errors begin that are about the disk, or a read-only database; what they mean: `pbem.run.reasons`.

Those of SQLite's journal and of its shared memory begin so, too.
"""


def error_code(error: BaseException | None) -> str:
    """Returns the code of a driver's error: SQLite's name or PostgreSQL's state; empty if it has none."""
    return getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or ""


def alembic_config(url: str, branch: Branch | None = None) -> "Config":
    """Returns the configuration for alembic's commands, on the trunk or on the branch of a feature."""
    from alembic.config import Config  # here, because web and worker do not need it

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["url"], config.attributes["branch"] = url, branch
    if branch is not None:
        config.set_main_option("path_separator", "newline")  # a path may hold any other character
        config.set_main_option("version_locations", str(branch.folder).replace("%", "%%"))
    return config


class OtherSchema(Exception):
    """The database has a schema that this program does not know; the message says what to do."""


class FeatureFailed(Exception):
    """The migrations of a feature failed: its tables are as they were; `done` says which were upgraded before them."""

    def __init__(self, feature: str, done: Iterable[str]) -> None:
        super().__init__(f"the migrations of the feature {feature!r} failed")
        self.feature = feature
        self.done = tuple(done)


def migrate(url: str) -> None:
    """Upgrades the database to the newest schema, and to those of the features; does nothing if it is there already.

    The migrations of the trunk run in one transaction, and those of each feature in one after it. Raises what
    `read_revisions` raises, before anything has changed, and FeatureFailed.
    """
    there = read_revisions(url)
    newest = revision_numbers_in_folder(MIGRATIONS / "versions")[-1]
    behind = [branch for branch in branches() if there[branch.feature] != branch.newest]
    if there[""] == newest and not behind:
        return
    from alembic import command  # a tenth of a second, and 10 MB

    done = []
    if there[""] != newest:
        command.upgrade(alembic_config(url), "head")
        done.append(f"those of pbem to schema {newest}")
    for branch in behind:
        try:
            command.upgrade(alembic_config(url, branch), "head")
        except Exception as error:
            raise FeatureFailed(branch.feature, done) from error
        done.append(f"those of the feature {branch.feature!r}")


def read_revisions(url: str) -> dict[str, str]:
    """Returns how far the migrations have come: the revision by the feature's name, the trunk's under "".

    Raises OtherSchema if a revision is not known here, because it is of another version or of before the first release,
    or if the migrations of a feature are not as they must be; FeatureFailed if they cannot be read.
    """
    for branch in branches():
        try:
            fault = branch.find_fault()
        except Exception as error:
            raise FeatureFailed(branch.feature, ()) from error
        if fault:
            raise OtherSchema(
                f"Of the feature {branch.feature!r}, the migration {fault}. Nothing has been changed: install another "
                "version of its package."
            )
    engine = make_engine(url, lock_wait_s=30)
    try:
        with engine.connect() as connection:
            there = {"": read_revision_in_table(connection, "alembic_version")}
            there |= {branch.feature: branch.read_revision(connection) for branch in branches()}
    finally:
        engine.dispose()
    if there[""] not in ("", *revision_numbers_in_folder(MIGRATIONS / "versions")):
        raise OtherSchema(
            "This database is of a newer pbem, or of one before 0.1.0: use that program, or an empty database."
        )
    for branch in branches():
        step = there[branch.feature]
        if step not in ("", *revision_numbers_in_folder(branch.folder)):
            raise OtherSchema(
                f"The tables of the feature {branch.feature!r} are of another version of it, at its migration {step}, "
                "which the installed version does not have. Nothing has been changed: install the one that has it."
            )
    return there
