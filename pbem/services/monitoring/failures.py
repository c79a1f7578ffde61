"""Tasks that fail again and again, in whichever process they run.

A run that fails adds to the row of its task; the next one that does not deletes the row. A run that goes on after it
has logged an exception about one match or mail of many has failed in part, which is kept in a row of its own: what
failed may be tried only once a minute, and the runs in between prove nothing, so that row ends some minutes after the
last failure. A lock that was not had in time, or a database that was away, is nothing by itself; three times in a row
it is.

A row lapses an hour after the last failure, for the task may be one that is no longer sent.
"""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection, delete, or_, select, update
from sqlalchemy.exc import DBAPIError

from pbem.errors import Problem
from pbem.models.clocks import ERROR_MOST, TaskFailure
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

_t = table(TaskFailure)
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
    enough = (_t.c.last_at > now - KEPT, _t.c.runs >= RUNS, _t.c.since <= now - LEAST)
    found = select(_t.c.task, _t.c.since, _t.c.runs, _t.c.error).where(*enough).order_by(_t.c.task)
    return [Failing(*row) for row in connection.execute(found)]


def failing_seconds_by_task(connection: Connection, now: datetime) -> dict[str, float]:
    """Returns for how long each task that fails again and again has been failing."""
    return {one.task: (now - one.since).total_seconds() for one in failing_tasks(connection, now)}


def state_of_tasks(connection: Connection, now: datetime) -> str:
    """Returns "failing", "silent" if the clocks were swept before and are no longer, or "ok"."""
    if failing_tasks(connection, now):
        return "failing"
    return "silent" if heartbeats.SWEEP in heartbeats.silent_heartbeats(connection, now) else "ok"


class Recorder:
    """What one process notes of its tasks."""

    def __init__(self) -> None:
        self._unwritten: dict[str, tuple[datetime, int]] = {}
        self._known: set[str] = set()
        self._look_at = 0.0

    def note_end_of_run(self, site: Site, task: str, error: str | None, caught: str | None = None) -> None:
        """Notes how a run has ended: by an exception of the class `error`; or not, but it has logged one, `caught`.

        Never raises because of the database: what cannot be written is added to the next failure.
        """
        try:
            if error is not None:
                self._add_failure(site, task, error)
                return
            self._end_failure(site, task, timedelta(0))
            if caught is not None:
                self._add_failure(site, task + PARTLY, caught)
            else:
                self._end_failure(site, task + PARTLY, CALM)
        except (Problem, DBAPIError) as problem:
            log.warning("task.not_noted", task=task, error=type(problem).__name__)

    def _add_failure(self, site: Site, task: str, error: str) -> None:
        now = site.now()
        since, runs = self._unwritten.pop(task, (now, 0))
        self._unwritten[task] = since, runs + 1
        with site.writing() as work:
            standing = work.get(TaskFailure, task, with_for_update=True)
            if standing is not None and standing.last_at > now - KEPT:
                runs, since = runs + standing.runs, min(since, standing.since)
            values = {"task": task, "since": since, "runs": runs + 1, "error": error[:ERROR_MOST], "last_at": now}
            if standing is None:
                outbox.insert_row_unless_key_exists(work, TaskFailure, values)
            else:
                work.connection().execute(update(_t).where(_t.c.task == task).values(**values))
        del self._unwritten[task]
        self._known.add(task)

    def _end_failure(self, site: Site, task: str, after: timedelta) -> None:
        """Deletes the task's rows, unless its last failure was more recent."""
        self._unwritten.pop(task, None)
        if time.monotonic() >= self._look_at:
            with site.reading() as session:
                self._known = set(session.execute(select(_t.c.task)).scalars())
            self._look_at = time.monotonic() + LOOK_S
        if task not in self._known:
            return
        now = site.now()
        over = or_(_t.c.last_at <= now - after, _t.c.last_at > now)  # a clock that was ahead is no reason to stay
        with site.writing() as work:
            work.connection().execute(delete(_t).where(_t.c.task == task, over))
            if work.get(TaskFailure, task, populate_existing=True) is None:
                self._known.discard(task)
