"""Tasks that fail again and again, in whichever process they run.

A run that fails adds to the row of its task; the next one that does not deletes the row. A run that goes on after it
has logged an exception about one match or mail of many has failed in part, which is kept in a row of its own: what
failed may be tried only once a minute, and the runs in between prove nothing, so that row ends some minutes after the
last failure. A lock that was not had in time, or a database that was away, is nothing by itself; three times in a row
it is.

The rows are in the table of quotas, which counts until a moment: the name says which task, since when, and the class of
the exception, and the row lapses an hour after the last failure, for the task may be one that is no longer sent.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Connection, Select, delete, or_, select, update
from sqlalchemy.exc import DBAPIError

from pbem.errors import Problem
from pbem.models.quotas import QuotaRow
from pbem.models.tables import table
from pbem.services.calendar import heartbeats
from pbem.services.log import outbox
from pbem.services.site import Site

RUNS, LEAST = 3, timedelta(minutes=1)
"""How many failures, and over what time, are more than bad luck."""
KEPT = timedelta(hours=1)
CALM = timedelta(minutes=3)
"""How long after a failure in part it is taken to be over."""
LOOK_S = 10.0
"""How often a process looks whether there is a row that its successes should delete."""
PARTLY = " in part"
_PREFIX, _LONGEST = "failing:", 80

_t = table(QuotaRow)
log = structlog.get_logger()


@dataclass(frozen=True)
class Failing:
    """A task that fails: since when, how often by now, and the class of its last exception."""

    task: str
    since: datetime
    runs: int
    error: str


def failing_tasks(connection: Connection, now: datetime) -> list[Failing]:
    """Returns the tasks that fail again and again, by name."""
    rows = connection.execute(select(_t.c.name, _t.c.used).where(_t.c.name.startswith(_PREFIX), _t.c.until > now))
    found = [_read(name, used) for name, used in rows]
    return sorted(
        (one for one in found if one.runs >= RUNS and now - one.since >= LEAST), key=lambda one: (one.task, one.since)
    )


def failing_seconds(connection: Connection, now: datetime) -> dict[str, float]:
    """Returns for how long each task that fails again and again has been failing."""
    return {one.task: (now - one.since).total_seconds() for one in reversed(failing_tasks(connection, now))}


def state_of_tasks(connection: Connection, now: datetime) -> str:
    """Returns "failing", "silent" if the clocks were swept before and are no longer, or "ok"."""
    if failing_tasks(connection, now):
        return "failing"
    return "silent" if heartbeats.SWEEP in heartbeats.stopped_heartbeats(connection, now) else "ok"


class Recorder:
    """What one process notes of its tasks."""

    def __init__(self) -> None:
        self._unwritten: dict[str, tuple[datetime, int]] = {}
        self._known: set[str] = set()
        self._look_at = 0.0

    def note(self, site: Site, task: str, error: str | None, caught: str | None = None) -> None:
        """Notes how a run has ended: by an exception of the class `error`; or not, but it has logged one, `caught`.

        Never raises because of the database: what cannot be written is added to the next failure.
        """
        try:
            if error is not None:
                self._add(site, task, error)
                return
            self._end(site, task, timedelta(0))
            if caught is not None:
                self._add(site, task + PARTLY, caught)
            else:
                self._end(site, task + PARTLY, CALM)
        except (Problem, DBAPIError) as problem:
            log.warning("task.not_noted", task=task, error=type(problem).__name__)

    def _add(self, site: Site, task: str, error: str) -> None:
        now = site.now()
        since, runs = self._unwritten.pop(task, (now, 0))
        self._unwritten[task] = since, runs + 1
        with site.writing() as work:
            standing = work.execute(_rows_of(task).limit(1)).first()
            if standing is not None and standing.until > now:
                runs, since = runs + standing.used, min(since, _read(standing.name, 0).since)
            values = {"name": _name(task, since, error), "used": runs + 1, "until": now + KEPT}
            if standing is None:
                outbox.insert_once(work, QuotaRow, values)
            else:
                work.execute(update(_t).where(_t.c.name == standing.name).values(**values))
        del self._unwritten[task]
        self._known.add(task)

    def _end(self, site: Site, task: str, after: timedelta) -> None:
        """Deletes the task's rows, unless its last failure was more recent."""
        self._unwritten.pop(task, None)
        if time.monotonic() >= self._look_at:
            with site.reading() as session:
                names = session.execute(select(_t.c.name).where(_t.c.name.startswith(_PREFIX))).scalars().all()
            self._known = {_read(name, 0).task for name in names}
            self._look_at = time.monotonic() + LOOK_S
        if task not in self._known:
            return
        with site.writing() as work:
            last = site.now() + KEPT
            old = or_(_t.c.until <= last - after, _t.c.until > last)  # a clock that was ahead is no reason to stay
            work.execute(delete(_t).where(_t.c.name.startswith(_stem(task), autoescape=True), old))
            if work.execute(_rows_of(task).limit(1)).first() is None:
                self._known.discard(task)


def _rows_of(task: str) -> Select[Any]:
    return select(_t.c.name, _t.c.used, _t.c.until).where(_t.c.name.startswith(_stem(task), autoescape=True))


def _stem(task: str) -> str:
    return f"{_PREFIX}{task}:"


def _name(task: str, since: datetime, error: str) -> str:
    return f"{_stem(task)}{since.timestamp():.0f}:{error}"[:_LONGEST]


def _read(name: str, runs: int) -> Failing:
    task, since, error = name.removeprefix(_PREFIX).split(":", 2)
    return Failing(task, datetime.fromtimestamp(float(since), UTC), runs, error)
