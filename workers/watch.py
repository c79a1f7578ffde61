"""Observes the worker and beat: a log line and a count for each task, beat's heartbeat, a clean stop.

On SIGTERM a worker ends the task in hand, and the task ends after the mail or the move in hand: the main process
raises a flag in memory that it shares with its pool, and `Site.stopping` looks at it. A task whose time is up
ends in the same way, and beat sends the next one: so Celery's own limit hits only what hangs in one mail or move.
"""

import mmap
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import redis
import structlog
from celery import Task, signals
from redis.exceptions import RedisError

from pbem.errors import Problem
from pbem.services.counters import Mark
from pbem.services.monitoring import failures
from pbem.services.monitoring.probes import BEAT_KEY, BOUND_S
from pbem.services.site import Site

BEAT_KEPT_S = 86_400
ENOUGH_S = 120.0
"""The time limit of a task: well below the limits in `app`, so that it can still finish its mail or move."""
ROUND_S = 60.0
"""The time after which a round of tasks begins no other, so that the last one, too, ends within the limits in `app`."""
HUNG_S = 240.0
"""The time after which a task is ended from outside: less than the broker's visibility timeout, so that a task that
hangs is not given to a second worker meanwhile."""
LOOK_S = 10.0
HUNG = "Hung"
"""What is noted of a task that hangs in place of an exception."""
STUCK = 70
"""The status of a process that ended itself because it was stuck."""

log = structlog.get_logger()

# Made before the pool is forked from this process, so that all of them see the same byte.
_flag = mmap.mmap(-1, 1)

# When the task of this pool process began, and which one it is; a process has one at a time.
_since: float | None = None
_task = ""
# The class of an exception that the current task has logged, and gone on.
_caught: str | None = None
# The threads that the current task has not started, such as that of beat; without its own.
_others: set[threading.Thread] = set()
recorder = failures.Recorder()
NOTE_S = 5.0
"""How long a process that is about to end itself waits for its last note."""


def is_stopping() -> bool:
    """Returns whether this worker has been told to end, or the current task's time is up."""
    return _flag[0] != 0 or seconds_busy() > ENOUGH_S


def seconds_busy() -> float:
    """Returns how long the current task of this process has taken so far; 0 without one."""
    since = _since
    return time.monotonic() - since if since is not None else 0


@contextmanager
def task_limits_for_block(site: Site, name: str) -> Iterator[None]:
    """Has the time limits of a task hold for what is done within it, in a process that runs no tasks.

    How it ends is recorded under this name.
    """
    global _since
    _begin_timing_task(name)
    try:
        yield
    except Exception as error:
        recorder.note_end_of_run(site, name, type(error).__name__)
        raise
    else:
        recorder.note_end_of_run(site, name, None, _caught)
    finally:
        _since = None


def note_caught(kind: str) -> None:
    """Notes that an exception of this class was logged: if it was a task that runs here, it has failed in part."""
    global _caught
    if _since is not None and threading.current_thread() not in _others:
        _caught = kind


def _begin_timing_task(name: str) -> None:
    global _since, _task, _caught, _others
    _since, _task, _caught = time.monotonic(), name, None
    _others = {*threading.enumerate()} - {threading.current_thread()}


def is_task_stuck_or_beat_dead(beat: threading.Thread | None) -> bool:
    """Returns whether the current task has taken longer than any may, or beat has ended while its worker goes on."""
    return seconds_busy() > HUNG_S or (beat is not None and not (beat.is_alive() or is_stopping()))


def start_watch_for_stuck_task(site: Callable[[], Site], beat: threading.Thread | None = None) -> None:
    """Guarantees that this process ends if a task hangs in it, or if the beat within it ends; returns at once."""

    def note() -> None:
        recorder.note_end_of_run(site(), _task, HUNG)

    def look() -> None:
        while True:
            time.sleep(LOOK_S)
            if is_task_stuck_or_beat_dead(beat):
                log.error("worker.stuck", seconds=round(seconds_busy()), beat=beat is not None and beat.is_alive())
                if seconds_busy() > HUNG_S:
                    last = threading.Thread(target=note, daemon=True)  # the database may be what hangs
                    last.start()
                    last.join(NOTE_S)
                os._exit(STUCK)

    threading.Thread(target=look, name="stuck", daemon=True).start()


class Calm(Task):  # type: ignore[type-arg]  # no task of ours has parameters in common
    """A task that expects unreachable databases and locked matches: it logs them in a line, without a traceback."""

    throws = (Problem,)
    Request = f"{__package__}.request:Request"


def connect_signals(site: Any) -> None:
    """Connects everything below to the signals of this process; `site()` returns its site when it is needed."""

    def note_end(
        task_id: str, task: Any, state: str | None = None, retval: Any = None, args: Any = (), **_: Any
    ) -> None:  # fmt: skip
        note_task_ended(site(), task_id, task, state or "LOST", retval, args)

    def stop(**_: Any) -> None:
        _flag[0] = 1
        log.info("worker.stopping")

    signals.task_prerun.connect(note_task_begun, weak=False)
    signals.task_postrun.connect(note_end, weak=False)
    signals.worker_process_shutdown.connect(lambda **_: site().counters.flush(), weak=False)
    # The pool was forked: a connection opened before must not be used by two processes.
    signals.worker_process_init.connect(lambda **_: site().engine.dispose(close=False), weak=False)
    signals.worker_ready.connect(lambda **_: log.info("worker.ready"), weak=False)
    signals.worker_shutting_down.connect(stop, weak=False)
    signals.worker_shutdown.connect(lambda **_: log.info("worker.stopped"), weak=False)
    for start in (signals.beat_init, signals.beat_embedded_init):
        start.connect(lambda **_: _note_ticks_of_beat(site()), weak=False)


_begun: dict[str, float] = {}


def note_task_begun(task_id: str, task: Any = None, args: Any = (), **_: Any) -> None:
    """Notes that this process has begun a task: `is_stopping` counts its time from now on."""
    _begin_timing_task(task_label_for_failures(task.name, args) if task is not None else "")
    _begun[task_id] = time.perf_counter()


def task_label_for_failures(name: str, args: Any = ()) -> str:
    """Returns the name under which a task's failures are noted: that of the task, and which of several shares it is.

    >>> task_label_for_failures("workers.tasks.sweep", (2, 4))
    'sweep-2'
    >>> task_label_for_failures("workers.tasks.go_round", (["sweep"],))
    'go_round'
    """
    name = name.removeprefix("workers.tasks.")
    return f"{name}-{args[0]}" if args and isinstance(args[0], int) else name


def note_task_ended(site: Site, task_id: str, task: Any, state: str, result: Any, args: Any = ()) -> None:
    """Counts and logs the task that has ended, and notes if it has failed; `is_stopping` no longer counts its time."""
    global _since
    _since = None
    took = time.perf_counter() - _begun.pop(task_id, time.perf_counter())
    name = task.name.removeprefix("workers.tasks.")
    failed = isinstance(result, BaseException) and state in ("FAILURE", "RETRY")
    recorder.note_end_of_run(
        site, task_label_for_failures(name, args), type(result).__name__ if failed else None, _caught
    )
    if name == "go_round" and state == "SUCCESS":  # the tasks of the round are counted each
        return
    site.counters.add([Mark("tasks", (name, state)), Mark("task_duration", (name,), took)])
    said: dict[str, Any] = {"task": name, "id": task_id, "state": state, "ms": round(took * 1000, 1)}
    if isinstance(result, int):
        said["done"] = result
    if isinstance(result, Problem):
        said["code"] = result.code
    if state != "SUCCESS":
        log.warning("task", **said)
    elif result != 0 or not isinstance(result, int):
        log.info("task", **said)  # beat's idle ticks would drown everything else


def _note_ticks_of_beat(site: Site) -> None:
    """Makes every tick that reaches the broker store its time there, at most once a second."""
    if site.config.redis_url is None:
        return
    client = redis.Redis.from_url(site.config.redis_url, socket_timeout=BOUND_S, socket_connect_timeout=BOUND_S)
    last, beat = 0.0, threading.get_ident()

    def tick(**_: Any) -> None:
        nonlocal last
        if threading.get_ident() != beat or time.monotonic() - last < 1:  # a wake-up of this process is no tick
            return
        last = time.monotonic()
        with suppress(RedisError, OSError):  # the next tick tries again; the age of the key shows the failure
            client.set(BEAT_KEY, str(site.now().timestamp()), ex=BEAT_KEPT_S)

    signals.after_task_publish.connect(tick, weak=False)
    log.info("beat.ready")
