"""Waiting for a condition: the one place in the tests that sleeps.

A test never waits for a fixed time. It waits until a condition holds, and fails by name if it never does. The
limit is far above what a loaded machine needs, because only a failing test ever reaches it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.pool import NullPool

SECONDS = 120.0
"""After this long, what has not come about never will. Less than pytest's limit for one test."""


def wait_until(true: Callable[[], object], what: str, seconds: float = SECONDS, *, every_s: float = 0.02) -> None:
    """Returns when the condition holds. Raises AssertionError when it does not in time."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(every_s)


@contextmanager
def watch_locks(engine: Engine) -> Iterator[Callable[[], bool]]:
    """Yields a function that returns True while another thread waits for a lock in this database.

    PostgreSQL reports this itself. On SQLite, where a writing transaction begins with the lock, a thread waits from the
    moment it is about to begin one until it has begun.
    """
    if engine.dialect.name == "postgresql":
        with create_engine(engine.url, isolation_level="AUTOCOMMIT", poolclass=NullPool).connect() as watcher:
            waiting = text(
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            yield lambda: watcher.execute(waiting).first() is not None
        return
    beginning = set[int]()

    def before(_connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
        if statement == "BEGIN IMMEDIATE":
            beginning.add(threading.get_ident())

    def after(*_: Any) -> None:
        beginning.discard(threading.get_ident())

    event.listen(engine, "before_cursor_execute", before)
    event.listen(engine, "after_cursor_execute", after)
    try:
        yield lambda: bool(beginning)
    finally:
        event.remove(engine, "before_cursor_execute", before)
        event.remove(engine, "after_cursor_execute", after)
