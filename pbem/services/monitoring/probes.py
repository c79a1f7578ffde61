"""What the service stands on and whether it answers: the database, its schema, the broker and its queues.

Each is asked over a connection of its own, which answers within `BOUND_S` or not at all. Whether the database can store
anything is told without writing: for SQLite by its disk, for PostgreSQL by what the server says of itself; how full the
disk of another machine is, only a write would show.
"""

import hashlib
import hmac
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from operator import gt, lt
from pathlib import Path
from typing import Any
from urllib.parse import quote

import redis
from redis.exceptions import RedisError
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from pbem.config import Config
from pbem.environment import mask_password
from pbem.models.schema.branches import branches, read_revision_in_table
from pbem.models.schema.revisions import NEWEST_SCHEMA, read_floor

BEAT_KEY = "pbem:beat"
"""The key in which the beat stores the Unix time of its last tick."""
BOUND_S = 2
"""How many seconds database and broker may each take to answer; PostgreSQL's client supports no shorter timeout."""
USUAL, THINKING = "celery", "thinking"
"""The queues: of all tasks, but for those in which bots think."""
QUEUES = tuple(f"{name}{step}" for name in (USUAL, THINKING) for step in ("", *(f"\x06\x16{n}" for n in (3, 6, 9))))
"""The lists in which Celery keeps waiting tasks, one for each queue and priority."""

FULL_BYTES = 1 << 20
"""With less room than this on its disk a database is full: the next moves need it."""
SCARCE_BYTES, SCARCE_SHARE = 200 << 20, 0.03
"""With less than both, its disk is almost full."""
SECRET_MARK = "secret:"  # noqa: S105 - the beginning of a name
"""What the names of the rows begin with that say since when a secret has been used. They end with its fingerprint."""


@contextmanager
def probe_connection(config: Config) -> Iterator[Connection]:
    """Opens a separate connection that answers within BOUND_S or not at all. Raises DBAPIError.

    It is not from the pool, whose connections may all be waiting for the database that is being checked.
    """
    if config.database_url.startswith("sqlite"):
        path = config.database_url.removeprefix("sqlite:///")
        # Probing must not create a missing file.
        url, bounds = f"sqlite:///file:{quote(path)}?mode=rw&uri=true", {"timeout": BOUND_S}
    else:
        milliseconds = BOUND_S * 1000
        bounds = {"connect_timeout": BOUND_S, "tcp_user_timeout": milliseconds}
        bounds["options"] = f"-c statement_timeout={milliseconds}"  # type: ignore[assignment]
        url = config.database_url
    engine = create_engine(url, poolclass=NullPool, hide_parameters=True, connect_args=bounds)
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))
            yield connection
    finally:
        engine.dispose()


class Away(Exception):
    """Raised if the database does not answer; the message says why and what to do."""


def await_database(config: Config, seconds: float, say: Callable[[str], None]) -> None:
    """Waits until the database answers; says once why it has to wait. Raises Away after `seconds`.

    Returns at once for a SQLite file.
    """
    if config.database_url.startswith("sqlite"):
        return
    end, has_reported = time.monotonic() + seconds, False
    while True:
        try:
            with probe_connection(config):
                return
        except DBAPIError as error:
            reason = " ".join(str(error.orig).split())
            why = f"The database {mask_password(config.database_url)} does not answer: {reason}"
            if time.monotonic() >= end:
                raise Away(f"{why}. Start it, or correct DATABASE_URL.") from error
            if not has_reported:
                say(f"{why}. Waiting up to {seconds:g} s.")
                has_reported = True
            time.sleep(min(1.0, max(0.0, end - time.monotonic())))


def state_of_schema(connection: Connection) -> tuple[str, str]:
    """Returns the state of the schema, and the feature whose tables are in that state; "" for pbem's own, or none.

    The state is "ok", "behind", "ahead" or "empty". Revisions are numbered, also those of features, so an
    older one compares as less.
    """
    there = read_revision_in_table(connection, "alembic_version")
    if not there:
        return "empty", ""
    known = [("", there, NEWEST_SCHEMA)]
    known += [(branch.feature, branch.read_revision(connection), branch.newest) for branch in branches()]
    for state, differs in (("behind", lt), ("ahead", gt)):
        for feature, found, newest in known:
            if differs(found, newest):
                return state, feature
    return "ok", ""


def why_outdated(connection: Connection) -> str:
    """Returns why this program may not write to this database, which has a newer schema; "" if it may."""
    floor = read_floor(connection)
    if floor <= NEWEST_SCHEMA:
        return ""
    return (
        f"This program knows schema {NEWEST_SCHEMA}; the database's takes changes from programs that know "
        f"{floor} or later."
    )


@contextmanager
def open_broker_client(config: Config) -> Iterator[Any]:
    """Opens a client of the configured broker that answers within BOUND_S or raises RedisError."""
    assert config.redis_url is not None, "a broker is set"
    with redis.Redis.from_url(config.redis_url, socket_timeout=BOUND_S, socket_connect_timeout=BOUND_S) as client:
        yield client


def broker_state(config: Config) -> str:
    """Returns "ok", "down" or "none"."""
    if config.redis_url is None:
        return "none"
    try:
        with open_broker_client(config) as client:
            return "ok" if client.ping() else "down"
    except (RedisError, OSError):
        return "down"


@dataclass(frozen=True)
class Queue:
    """The broker's queues: waiting tasks, tasks in progress, and seconds since the beat's last tick.

    `beat_age_s` is None if the beat has never ticked.
    """

    waiting: int
    in_hand: int
    beat_age_s: float | None


def read_queue(config: Config, now: datetime) -> Queue:
    """Returns the state of the broker's queues. Raises RedisError."""
    with open_broker_client(config) as client:
        waiting = sum(client.llen(name) for name in QUEUES)
        beat = client.get(BEAT_KEY)
        age = None if beat is None else max(0.0, now.timestamp() - float(beat))
        return Queue(waiting, client.hlen("unacked"), age)


@dataclass(frozen=True)
class Disk:
    """The disk that a folder is on: its free and total bytes for this user, and whether it is read-only."""

    folder: Path
    free: int
    total: int
    read_only: bool

    @property
    def state(self) -> str:
        """Returns "ok", "scarce", "full" or "read_only"."""
        if self.read_only:
            return "read_only"
        if self.free < FULL_BYTES:
            return "full"
        return "scarce" if self.free < min(SCARCE_BYTES, SCARCE_SHARE * self.total) else "ok"


def disk_of(config: Config) -> Disk | None:
    """Returns the disk of the SQLite database; None for another database. Raises OSError."""
    path = config.database_url.removeprefix("sqlite:///")
    if path == config.database_url or not path:
        return None
    folder = Path(path).absolute().parent
    usage = shutil.disk_usage(folder)
    read_only = bool(os.statvfs(folder).f_flag & os.ST_RDONLY) or not os.access(path, os.W_OK)
    return Disk(folder, usage.free, usage.total, read_only)


def state_of_storage(config: Config, connection: Connection) -> str:
    """Returns whether the database that answers stores anything: "ok", "full" or "read_only"."""
    if connection.dialect.name != "sqlite":
        return "read_only" if connection.execute(text("SHOW transaction_read_only")).scalar() == "on" else "ok"
    try:
        disk = disk_of(config)
    except OSError:  # the folder is gone, under a file that is open still
        return "read_only"
    return "ok" if disk is None or disk.state == "scarce" else disk.state


def row_name_of_secret(secret: str) -> str:
    """Returns the name of the row for this secret. It tells nothing of it: 64 bits of a keyed hash."""
    return f"{SECRET_MARK}{hmac.new(secret.encode(), b'pbem: which secret', hashlib.sha256).hexdigest()[:16]}"
