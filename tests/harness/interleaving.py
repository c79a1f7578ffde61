"""Runs several jobs on one database step by step, in a chosen order: a race that can be repeated exactly.

Each job runs in its own thread and stops before each step. A step is a transaction, which on SQLite covers every
possible order: it has one writer, and a reader sees one moment. On PostgreSQL a step can also be a statement or a
commit; then a job that needs a lock held by another job stays where it is until the lock is released.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.pool import NullPool

from tests.harness.waiting import SECONDS, wait_until

Choice = Callable[[Sequence[str]], str]
"""Chooses, among the jobs that can go on, the one that takes the next step."""


def in_order(order: str) -> Choice:
    """The jobs take their steps in this order, names separated by spaces; then the first job that can goes on.

    Raises AssertionError where a job cannot go on when it is its turn.
    """
    left = order.split()

    def choose(ready: Sequence[str]) -> str:
        if not left:
            return ready[0]
        name = left.pop(0)
        assert name in ready, f"{name} cannot go on, only {ready}; {left} were to follow"
        return name

    return choose


def at_random(seed: int, stay: float = 0.7) -> Choice:
    """A random order, the same for the same seed; a job goes on with this probability as long as it can."""
    luck, last = Random(seed), list[str]()

    def choose(ready: Sequence[str]) -> str:
        if not (last and last[-1] in ready and luck.random() < stay):
            last.append(luck.choice(ready))
        return last[-1]

    return choose


@dataclass
class Run:
    """The outcome of the jobs: the result or the exception of each, and the order in which they took their steps."""

    results: dict[str, object]
    taken: list[str]


def interleave_jobs(
    engine: Engine, choose: Choice, jobs: Mapping[str, Callable[[], object]], *, statements: bool = False
) -> Run:
    """Runs the jobs to their end, one step at a time: a transaction, or with `statements` a statement or a commit.

    `statements` is for PostgreSQL only.
    """
    run, taken = _Jobs(jobs), list[str]()
    events = ("before_cursor_execute", "commit") if statements else (_begins(engine),)
    with _stopping(engine, events, run.before), _lock_watch(engine) as waits:
        for job in run.jobs:
            job.start()
            run.settle(waits)
        while ready := run.settle(waits):
            name = choose([job.name for job in ready])
            taken.append(name)
            next(job for job in ready if job.name == name).go_on()
    return Run({job.name: job.result for job in run.jobs}, taken)


def every_order(attempt: Callable[[Choice], object], most: int) -> int:
    """Calls `attempt` once with each order in which the jobs can take their steps. Returns the number of orders.

    `attempt` starts from the same state each time and passes the order to `interleave_jobs`. Raises AssertionError if
    there are more than `most`.
    """
    prefix, count = list[int](), 0
    while True:
        made: list[tuple[int, int]] = []

        def choose(ready: Sequence[str], made: list[tuple[int, int]] = made, prefix: list[int] = prefix) -> str:
            at = prefix[len(made)] if len(made) < len(prefix) else 0
            made.append((at, len(ready)))
            return ready[at]

        attempt(choose)
        count += 1
        assert count <= most, "there are more orders than expected"
        while made and made[-1][0] + 1 == made[-1][1]:
            made.pop()
        if not made:
            return count
        prefix = [at for at, _ in made[:-1]] + [made[-1][0] + 1]


class _Job:
    """One job, its thread and its progress."""

    def __init__(self, run: _Jobs, name: str, work: Callable[[], object]) -> None:
        self.name, self.state = name, "new"
        self.result: object = None
        self.pid: int | None = None
        """The PostgreSQL process that serves the job's connection."""
        self._run, self._work = run, work
        self._next = threading.Event()
        self.thread = threading.Thread(target=self._do, name=name, daemon=True)

    def start(self) -> None:
        self.state = "running"
        self.thread.start()

    def _do(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:  # noqa: BLE001 - it becomes the job's result
            self.result = error
        self._run.tell(self, "done")

    def stop(self) -> None:
        """Blocks until the job may take its next step."""
        self._run.tell(self, "ready")
        assert self._next.wait(SECONDS), "nobody lets the job go on"
        self._next.clear()

    def go_on(self) -> None:
        self._run.tell(self, "running")
        self._next.set()


class _Jobs:
    """The jobs of one run."""

    def __init__(self, jobs: Mapping[str, Callable[[], object]]) -> None:
        self._lock = threading.Lock()
        self.jobs = [_Job(self, name, work) for name, work in jobs.items()]

    def tell(self, job: _Job, state: str) -> None:
        with self._lock:
            job.state = state

    def before(self, connection: Connection, _cursor: object = None, statement: str = "", *_: object) -> None:
        """Stops a job before its next step. SQLAlchemy calls this in the job's thread."""
        job = next((job for job in self.jobs if job.thread is threading.current_thread()), None)
        if job is None or (connection.dialect.name == "sqlite" and not statement.startswith("BEGIN")):
            return
        if connection.dialect.name == "postgresql":
            driver: Any = connection.connection.driver_connection
            job.pid = driver.info.backend_pid
        job.stop()

    def settle(self, waits: Callable[[_Job], bool]) -> list[_Job]:
        """Returns the jobs that can go on, once each one is before a step, waits for a lock, or is done."""

        def are_settled() -> bool:
            with self._lock:
                running = [job for job in self.jobs if job.state == "running"]
            return all(waits(job) for job in running)

        def some_can() -> bool:
            with self._lock:
                states = {job.state for job in self.jobs}
            return "running" not in states or "ready" in states

        # The database breaks a circle of waiting jobs, and they go on.
        wait_until(lambda: are_settled() and some_can(), "every job stands, waits or is done", every_s=0.001)
        with self._lock:
            return [job for job in self.jobs if job.state == "ready"]


def _begins(engine: Engine) -> str:
    """The event before a transaction. On SQLite this is the statement itself, which takes the lock."""
    return "before_cursor_execute" if engine.dialect.name == "sqlite" else "begin"


@contextmanager
def _stopping(engine: Engine, events: Sequence[str], before: Callable[..., None]) -> Iterator[None]:
    for name in events:
        event.listen(engine, name, before)
    try:
        yield
    finally:
        for name in events:
            event.remove(engine, name, before)


@contextmanager
def _lock_watch(engine: Engine) -> Iterator[Callable[[_Job], bool]]:
    """Yields a function that returns True if a job waits for a lock that another transaction holds."""
    if engine.dialect.name != "postgresql":
        yield lambda _: False  # a transaction is one step: the job that takes it has the database to itself
        return
    blocked = text("SELECT cardinality(pg_blocking_pids(:pid)) > 0")
    with create_engine(engine.url, isolation_level="AUTOCOMMIT", poolclass=NullPool).connect() as watcher:
        yield lambda job: job.pid is not None and bool(watcher.execute(blocked, {"pid": job.pid}).scalar())
