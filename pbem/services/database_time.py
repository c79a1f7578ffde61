"""The present moment of a service: the time of its database, carried on by the time that has passed since it was read.

The time of the machine's clock is what somebody, or something, has set it to; it may be set wrong at any moment. The
time that has passed since the machine was started can only grow, and counts sleep, too. So a process reads the time
once and then reckons: no jump of its machine's clock reaches what it does.

On PostgreSQL, the time is that of the database's machine, so all processes agree, on however many machines they run.
It is read with the first connection and, when a connection is taken from the pool, if it was read more than a minute
ago: no request waits for it, and what the two machines drift apart in a minute is nothing.

On SQLite, there is one machine. The moment at which its count of time began is stored, under the name of this start of
the machine, so all processes agree here as well, also one that starts while the machine's clock is wrong. A machine's
clock that says something else, steadily, for `STEADY`, becomes the time: somebody has corrected it. Then the service
sees that time was skipped, which is an outage, or that the clock was set back (see `pbem.services.clock.outages`). At
the first start after the machine's, the machine's clock is taken unless it is behind the last heartbeat: time goes on
from there then.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from sqlite3 import OperationalError
from subprocess import run
from typing import Any

import structlog
from sqlalchemy import Connection, Engine, delete, event, insert, select, text
from sqlmodel import Session

from pbem import clock
from pbem.errors import Unavailable
from pbem.models.clocks import Heartbeat
from pbem.models.engine import AWAY_RETRY_S, autocommit_connection, reading_session, writing_session
from pbem.models.prepared import moment_from_sqlite
from pbem.models.tables import table

STEADY = timedelta(minutes=10)
"""How long the machine's clock has to say something else before it becomes the time."""
SLIGHT = timedelta(seconds=1)
"""What a clock may differ by: it is not read in the same moment."""
READ_EVERY_S = {"sqlite": 1.0, "postgresql": 60.0}
"""How old what was read may become: a SQLite file costs no round trip."""

OLD_S = 600.0
"""After how long it is read even if nobody needs a connection otherwise."""
MARK = "boot:"
"""What the name of the row begins with that has the origin."""
BEATS = ("sweep", "web")

_MARKS = "SELECT name, at FROM pulse WHERE name IN ('sweep', 'web') OR name LIKE 'boot:%'"
_FORMAT = "%Y-%m-%d %H:%M:%S.%f"
_SKIPPED = """SELECT 1 FROM outages WHERE since <= :now AND until > :now
    AND id > (SELECT coalesce(max(id), 0) FROM outages WHERE until < since)"""

log = structlog.get_logger()


class DatabaseTime:
    """Tells the present moment, aware, in UTC: the time of this engine's database."""

    def __init__(self, engine: Engine, wall: clock.Clock, elapsed: Callable[[], float]) -> None:
        self._engine, self._wall, self._elapsed = engine, wall, elapsed
        self._read = _origin_in_file if engine.dialect.name == "sqlite" else _origin_by_server
        self._every_s = READ_EVERY_S[engine.dialect.name]
        self._origin: datetime | None = None
        """The moment at which the count of elapsed time began."""
        self._read_at = self._tried_at = float("-inf")
        self._other: tuple[datetime, float] | None = None
        """Where the machine's clock sees the origin, if elsewhere, and since when."""
        event.listen(engine, "checkout", self._on_checkout)

    def __call__(self) -> datetime:
        """Returns the present moment. Costs no statement, except for the first time and after a long rest.

        Until the database has been reached this is what the machine's clock says: nothing can be stored before that
        anyway.
        """
        at = self._elapsed()
        if at - self._read_at > OLD_S and at - self._tried_at > AWAY_RETRY_S:
            self._tried_at = at
            with suppress(Unavailable), autocommit_connection(self._engine):
                pass  # the time has been read
        return self._wall() if self._origin is None else self._origin + timedelta(seconds=self._elapsed())

    def _on_checkout(self, connection: Any, record: Any, proxy: Any) -> None:
        if self._origin is None or self._elapsed() - self._read_at > self._every_s:
            self._origin = self._read(connection, self._origin, self._wall, self._elapsed)
            self._read_at = self._elapsed()

    def settle(self) -> None:
        """Stores the time on SQLite, or takes over what the machine's clock has said steadily.

        To be called every minute. Does nothing on PostgreSQL. Raises Busy, Unavailable.
        """
        if self._engine.dialect.name != "sqlite":
            return
        self()
        assert self._origin is not None
        t, name, origin = table(Heartbeat), name_of_boot(), self._origin
        with reading_session(self._engine, Session) as session:
            stored = _origin_stored_for_boot(_read_heartbeats(session), self._elapsed())
        told = self._origin_by_steady_machine_clock(origin) if stored is not None else None
        if stored is None or told is not None:
            with writing_session(self._engine, Session) as session:
                if _origin_stored_for_boot(_read_heartbeats(session), self._elapsed()) == stored:
                    session.execute(delete(t).where(t.c.name.startswith(MARK)))
                    session.execute(insert(t).values(name=name, at=told or origin))
        if told is not None:
            log.error("clock.corrected", seconds=round((told - origin).total_seconds()))
            self._other, self._read_at = None, float("-inf")
            with suppress(Unavailable), autocommit_connection(self._engine):
                pass  # the time has been read again

    def _origin_by_steady_machine_clock(self, origin: datetime) -> datetime | None:
        """Returns where the machine's clock sees the origin, if it has been elsewhere for STEADY; None if not."""
        at = self._elapsed()
        told = self._wall() - timedelta(seconds=at)
        if not _differ_clearly(told, origin):
            self._other = None
        elif self._other is None or _differ_clearly(told, self._other[0]):
            self._other = told, at
            log.warning("clock.differs", seconds=round((told - origin).total_seconds()))
        elif at - self._other[1] >= STEADY.total_seconds():
            return told
        return None


def _read_heartbeats(session: Session) -> dict[str, datetime]:
    """Returns the moments of heartbeats, and of the origin, by name."""
    t = table(Heartbeat)
    return {row.name: row.at for row in session.execute(select(t.c.name, t.c.at))}


def _differ_clearly(one: datetime, other: datetime) -> bool:
    return abs(one - other) > SLIGHT


def _origin_by_server(
    connection: Any, known: datetime | None, wall: clock.Clock, elapsed: Callable[[], float]
) -> datetime:  # fmt: skip
    """Returns the origin by the server's time: the one that is known, unless the server has certainly another one."""
    before = elapsed()
    with connection.cursor() as cursor:
        there: datetime = cursor.execute("SELECT clock_timestamp()").fetchone()[0].astimezone(UTC)
    after = elapsed()
    connection.commit()
    if known is not None and there - timedelta(seconds=after) <= known <= there - timedelta(seconds=before):
        return known
    return there - timedelta(seconds=(before + after) / 2)


def _origin_in_file(
    connection: Any, known: datetime | None, wall: clock.Clock, elapsed: Callable[[], float]
) -> datetime:  # fmt: skip
    """Returns the origin that is stored; without one, the one that is known, or that of the machine's clock."""
    try:
        marks = {name: moment_from_sqlite(at) for name, at in connection.execute(_MARKS).fetchall()}
        return _origin_stored_for_boot(marks, elapsed()) or known or _first_origin(connection, marks, wall(), elapsed())
    except OperationalError:  # not migrated yet, or somebody is moving it aside
        return known or wall() - timedelta(seconds=elapsed())


def _origin_stored_for_boot(marks: dict[str, datetime], elapsed_s: float) -> datetime | None:
    """Returns the origin that is stored for this start of the machine; None if there is none.

    If starts have no name, it is that of an earlier one if the time would be before the last heartbeat, or long after.
    """
    origin, name = marks.get(name_of_boot()), name_of_boot()
    if origin is None or name != MARK:
        return origin
    at = origin + timedelta(seconds=elapsed_s)
    last = max((marks[one] for one in BEATS if one in marks), default=at)
    return origin if last - SLIGHT <= at <= last + STEADY else None


def _first_origin(connection: Any, marks: dict[str, datetime], wall: datetime, elapsed_s: float) -> datetime:
    """Returns the origin by the machine's clock; or by the last heartbeat, if the clock is behind that.

    An outage that spans what the clock says shows that the heartbeat is wrong, not the clock.
    """
    last = max((marks[name] for name in BEATS if name in marks), default=wall)
    if last > wall + SLIGHT and connection.execute(_SKIPPED, {"now": wall.strftime(_FORMAT)}).fetchone() is None:
        log.error("clock.behind", seconds=round((last - wall).total_seconds()))
        return last - timedelta(seconds=elapsed_s)
    return wall - timedelta(seconds=elapsed_s)


def database_time(connection: Connection) -> datetime:
    """Returns the time of the service on this database: for those who have no site, and use no other connection."""
    own: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite":
        at_s = clock.seconds_since_boot()
        return _origin_in_file(own, None, clock.now, lambda: at_s) + timedelta(seconds=at_s)
    found: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
    return found.astimezone(UTC)


@cache
def name_of_boot() -> str:
    """Returns the name under which the origin is stored: another one after each start of the machine, if known."""
    with suppress(OSError):
        return MARK + Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    with suppress(OSError):  # macOS
        told = run(["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, text=True, check=False)
        return MARK + told.stdout.strip()
    return MARK
