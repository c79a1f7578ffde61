"""Counts of events: moves, mails and requests, shared by all processes in one hash in Redis.

    count in this process  →  added to Redis every second, in a thread  →  read by the process that is scraped

Counting costs a lock and an addition and never waits for Redis; while Redis is down the counts stay in the process.
A process that is asked to stop delivers what is left (a web process by `pbem.run.server`, a worker's by
`pbem.workers.watch`, any other at its exit); one killed with -9 loses the counts of its last second. So the figures
are right for any number of web servers and workers and survive their restarts, unlike counters in each process.
"""

import atexit
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import redis
import structlog
from redis.exceptions import RedisError

KEY = "pbem:tally"
EVERY_S = 1.0
TIMEOUT_S = 1.0
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 600.0, 3600.0, 86_400.0)
"""Upper bounds in seconds of the buckets for durations; the last bucket has none."""
_SEPARATOR = "|"

log = structlog.get_logger()


CountKey = tuple[str, tuple[str, ...], str | None]
"""The name, the labels, and the part of a duration: "sum" or its bucket number; None for a plain count."""


class Mark(NamedTuple):
    """One counted event: its name, its labels in a fixed order, and, for a duration, the seconds it took."""

    name: str
    labels: tuple[str, ...]
    seconds: float | None = None


class Counters:
    """The counts of this process and, with `redis_url`, of all processes."""

    def __init__(self, redis_url: str | None = None) -> None:
        self._here: Counter[CountKey] = Counter()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._redis = (
            redis.Redis.from_url(redis_url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)
            if redis_url
            else None
        )

    def add(self, marks: Iterable[Mark]) -> None:
        """Counts the marks; returns at once and never raises."""
        with self._lock:
            for name, labels, seconds in marks:
                if seconds is None:
                    self._here[name, labels, None] += 1
                else:
                    self._here[name, labels, str(bisect_left(BOUNDS, seconds))] += 1
                    self._here[name, labels, "sum"] += seconds  # type: ignore[assignment]  # a float
            # Not started before the first count, because a thread does not survive the server's fork.
            if self._redis is not None and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._flush_until_stopped, name="counters", daemon=True)
                self._thread.start()
                atexit.register(self.flush)

    def flush(self) -> bool:
        """Adds the counts of this process since the last flush to Redis; returns True if it could."""
        if self._redis is None:
            return False
        with self._lock:
            taken, self._here = self._here, Counter()
        if not taken:
            return True
        try:
            with self._redis.pipeline(transaction=True) as pipe:
                for key, value in taken.items():
                    pipe.hincrbyfloat(KEY, _join_key(*key), value)
                pipe.execute()
        except (RedisError, OSError):
            with self._lock:
                self._here.update(taken)
            return False
        return True

    def read(self) -> dict[str, float]:
        """Returns all counts, by keys for `count_key_of_field`. Raises RedisError if Redis does not answer."""
        if self._redis is None:
            with self._lock:
                return {_join_key(*key): value for key, value in self._here.items()}
        self.flush()
        found: Any = self._redis.hgetall(KEY)
        return {field.decode(): float(value) for field, value in found.items()}

    def _flush_until_stopped(self) -> None:
        away = False
        while True:
            time.sleep(EVERY_S)
            done = self.flush()
            if away is done:
                log.warning("tally.kept_here" if not done else "tally.delivered")
            away = not done


def _join_key(name: str, labels: tuple[str, ...], part: str | None) -> str:
    """Returns the field of the hash for what `count_key_of_field` makes of it."""
    parts = [name, *(label.replace(_SEPARATOR, "/") for label in labels)]
    return _SEPARATOR.join(parts if part is None else [*parts, f"#{part}"])


def count_key_of_field(field: str) -> CountKey:
    """Returns the key of a count from its field.

    >>> count_key_of_field("moves|hogen|api")
    ('moves', ('hogen', 'api'), None)
    >>> count_key_of_field("lag|hogen|#3")
    ('lag', ('hogen',), '3')
    """
    name, *labels = field.split(_SEPARATOR)
    part = labels.pop()[1:] if labels and labels[-1].startswith("#") else None
    return name, tuple(labels), part
