"""Chunks of a simulation as tasks for the workers. Results are read from Redis and expire; nothing else is stored."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice

import msgspec
from celery import Celery
from celery.exceptions import TimeoutError as NoAnswer
from celery.result import AsyncResult
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from pbem.features.lab.plans import Chunk
from pbem.features.lab.tallies import Tally
from pbem.services.monitoring.probes import THINKING

SIMULATE = "workers.tasks.simulate"
LOWEST = 9
"""The priority: on Redis the highest number is served last, so no mail waits behind a simulation."""
RESULT_EXPIRES_S = 600
EXPIRES_S = 3600
"""Seconds after which an untaken task is void: its sender must have died, or nobody is left to play it."""
HANDSHAKE_S = 5.0
ANSWER_S = 120.0
"""The time after which workers are asked whether they are still there."""
SILENT = 3
"""The workers are lost when this many questions in a row went unanswered and nothing was finished meanwhile. One that
plays in its main process cannot answer, but every task is ended from outside before."""
AHEAD = 64
"""The maximum number of waiting tasks, so that a long simulation neither fills the broker nor lets its tasks expire."""
AHEAD_THINKING = 2
"""The same where bots think, unless more workers than that take such tasks."""
_TRANSPORT = {"socket_timeout": 10, "socket_connect_timeout": HANDSHAKE_S, "max_retries": 0}
_SETTINGS = {
    "broker_transport_options": _TRANSPORT,
    "result_backend_transport_options": {**_TRANSPORT, "retry_policy": {"max_retries": 0}},
    "redis_socket_connect_timeout": HANDSHAKE_S,
    "task_publish_retry": False,
    "result_expires": RESULT_EXPIRES_S,
}


_NOBODY = "No worker answers. `pbem run`, or a Celery worker on the same REDIS_URL, must be running."
_NOBODY_THINKS = (
    f"No worker takes the tasks of bots that think: a Celery worker of the queue `{THINKING}` on the same REDIS_URL "
    "must be running. Without --distribute these bots play here."
)
_OFF = "The workers play nothing: their PBEM_FEATURES leaves out `lab`."


class NoWorkers(Exception):
    """The workers cannot run the simulation; the message says why in a sentence."""


def tallies_from_workers(broker_url: str, chunks: Sequence[Chunk]) -> Iterator[Tally]:
    """Yields the tallies of the chunks in their order, each computed by some worker. Raises NoWorkers.

    It waits as long as workers answer, however long they take.
    """
    thinking = any(chunk.plan.has_bots_that_think for chunk in chunks)
    with Celery("pbem-simulate", broker=broker_url, backend=broker_url, set_as_current=False) as app:
        app.conf.update(_SETTINGS)
        with _errors_as_no_workers():
            workers = _count_workers_or_find_one(app, thinking)
            if not workers:
                raise NoWorkers(_NOBODY_THINKS if thinking else _NOBODY)
        coming, ahead = iter(chunks), max(AHEAD_THINKING, workers) if thinking else AHEAD
        waiting: deque[AsyncResult[object]] = deque()
        try:
            while True:
                with _errors_as_no_workers():
                    waiting.extend(_send_chunk(app, chunk) for chunk in islice(coming, ahead - len(waiting)))
                    if not waiting:
                        return
                    tally = _wait_for_tally(waiting[0], lambda: bool(_count_workers_or_find_one(app, thinking)))
                    waiting.popleft().forget()
                yield tally
        finally:
            _revoke_tasks(waiting)


def _count_workers_or_find_one(app: Celery, thinking: bool) -> int:
    """Returns how many workers take the tasks of bots that think; for other tasks 1 if any worker answers, else 0."""
    if not thinking:
        return len(app.control.broadcast("ping", reply=True, timeout=HANDSHAKE_S, limit=1) or ())
    # Without a limit: within this time, all are to answer.
    told = app.control.inspect(timeout=HANDSHAKE_S).active_queues() or {}
    return sum(any(queue["name"] == THINKING for queue in queues) for queues in told.values())


def _send_chunk(app: Celery, chunk: Chunk) -> "AsyncResult[object]":
    arguments = [msgspec.to_builtins(chunk.plan), chunk.first, chunk.beyond]
    # A match of bots that think would keep mails and clocks waiting anywhere else.
    queue = THINKING if chunk.plan.has_bots_that_think else None
    return app.send_task(SIMULATE, arguments, queue=queue, priority=LOWEST, expires=EXPIRES_S, ignore_result=False)


def _wait_for_tally(result: "AsyncResult[object]", answer: Callable[[], bool]) -> Tally:
    """Returns the tally, for which it waits as long as workers `answer`."""
    silent = 0
    while not result.ready():
        try:
            result.get(timeout=ANSWER_S, propagate=False)
        except NoAnswer:
            silent = 0 if answer() else silent + 1
            if silent >= SILENT:
                raise
    told = result.get(propagate=False)
    if not result.successful():
        raise NoWorkers(f"A worker failed: {told!r}")
    if told is None:
        raise NoWorkers(_OFF)
    return msgspec.convert(told, Tally, strict=False)


def _revoke_tasks(waiting: Iterable["AsyncResult[object]"]) -> None:
    """Revokes the remaining tasks when the caller stops early."""
    # If the broker is gone there is nothing to revoke: its tasks expire.
    with suppress(OperationalError, RedisError, OSError):
        for result in waiting:
            result.revoke()
            result.forget()


@contextmanager
def _errors_as_no_workers() -> Iterator[None]:
    """Turns the exceptions of a missing broker or a silent worker into a NoWorkers with one sentence."""
    try:
        yield
    except (OperationalError, RedisError, OSError) as error:
        raise NoWorkers(f"The broker at REDIS_URL cannot be reached ({type(error).__name__}).") from error
    except NoAnswer as error:
        raise NoWorkers(f"The workers have not answered for {SILENT * ANSWER_S:.0f} seconds.") from error
