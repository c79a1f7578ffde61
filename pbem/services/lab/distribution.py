"""Chunks of a simulation as tasks for the workers. Results are read from Redis and expire; nothing else is stored."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice

import msgspec
from celery import Celery
from celery.exceptions import TimeoutError as NoAnswer
from celery.result import AsyncResult
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from pbem.services.lab.plans import Chunk
from pbem.services.lab.tallies import Tally

SIMULATE = "workers.tasks.simulate"
LOWEST = 9
"""The priority: on Redis the highest number is served last, so no mail waits behind a simulation."""
EXPIRES_S = 600
HANDSHAKE_S = 5.0
ANSWER_S = 120.0
AHEAD = 64
"""The maximum number of waiting tasks, so that a long simulation neither fills the broker nor lets its tasks expire."""
_TRANSPORT = {"socket_timeout": 10, "socket_connect_timeout": HANDSHAKE_S, "max_retries": 0}
_SETTINGS = {
    "broker_transport_options": _TRANSPORT,
    "result_backend_transport_options": {**_TRANSPORT, "retry_policy": {"max_retries": 0}},
    "redis_socket_connect_timeout": HANDSHAKE_S,
    "task_publish_retry": False,
    "result_expires": EXPIRES_S,
}


class NoWorkers(Exception):
    """The workers cannot run the simulation; the message says why in a sentence."""


def tallies_from_workers(broker_url: str, chunks: Sequence[Chunk]) -> Iterator[Tally]:
    """Yields the tallies of the chunks in their order, each computed by some worker. Raises NoWorkers."""
    with Celery("pbem-simulate", broker=broker_url, backend=broker_url, set_as_current=False) as app:
        app.conf.update(_SETTINGS)
        with _said_plainly():
            if not app.control.broadcast("ping", reply=True, timeout=HANDSHAKE_S, limit=1):
                raise NoWorkers(
                    "No worker answers. `pbem run`, or a Celery worker on the same REDIS_URL, must be running."
                )
        coming = iter(chunks)
        waiting: deque[AsyncResult[object]] = deque()
        try:
            while True:
                with _said_plainly():
                    waiting.extend(_send(app, chunk) for chunk in islice(coming, AHEAD - len(waiting)))
                    if not waiting:
                        return
                    tally = _tally(waiting[0])
                    waiting.popleft().forget()
                yield tally
        finally:
            _call_off(waiting)


def _send(app: Celery, chunk: Chunk) -> "AsyncResult[object]":
    arguments = [msgspec.to_builtins(chunk.plan), chunk.first, chunk.beyond]
    return app.send_task(SIMULATE, arguments, priority=LOWEST, expires=EXPIRES_S, ignore_result=False)


def _tally(result: "AsyncResult[object]") -> Tally:
    told = result.get(timeout=ANSWER_S, propagate=False)
    if not result.successful():
        raise NoWorkers(f"A worker failed: {told!r}")
    return msgspec.convert(told, Tally, strict=False)


def _call_off(waiting: Iterable["AsyncResult[object]"]) -> None:
    """Revokes the remaining tasks when the caller stops early."""
    # If the broker is gone there is nothing to revoke: its tasks expire.
    with suppress(OperationalError, RedisError, OSError):
        for result in waiting:
            result.revoke()
            result.forget()


@contextmanager
def _said_plainly() -> Iterator[None]:
    """Turns the exceptions of a missing broker or a silent worker into a NoWorkers with one sentence."""
    try:
        yield
    except (OperationalError, RedisError, OSError) as error:
        raise NoWorkers(f"The broker at REDIS_URL cannot be reached ({type(error).__name__}).") from error
    except NoAnswer as error:
        raise NoWorkers(f"The workers did not answer within {ANSWER_S:.0f} seconds.") from error
