"""Wakes a worker, after a commit, when something is due. A lost wake-up does no harm: the beat comes anyway.

A call only sets a flag; a background thread sends a message, behind a circuit breaker, so that a dead broker never
slows or fails a move. Calls that arrive while it is being sent, or during the rest afterwards, are merged: in a rush of
moves the worker is woken a few times a second, not once per move. Without one the rest is short, since a bot or an
order may have to answer. While a message waits for a worker, none is sent; whether one has begun is looked at again,
for a worker of an older release does not say so, nor does one that is killed before it can.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache

import pybreaker
import structlog
from celery import Celery
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

from pbem.config import Config
from pbem.services.counters import Counters
from pbem.services.hooks import hooks_of, tasks_of
from pbem.services.site import Site, open_site

REST_S = 0.2
"""The pause after each wake-up by a process, in seconds; a bot's answer or a mail is delayed by this much at most."""
SHORT = 1 / 4
"""The part of the pause after which a call that came alone has rested."""
TASKS = ("play_bots", "follow", "drain")
"""The tasks of the core that a wake-up is for: first what follows an answer, then what may wait for a relay."""
SENT, SENT_MS = "pbem:woken", 1000
"""The key in the broker of a message that no worker has begun, and how long another one waits for that at most."""
TIMEOUT_S = 2

log = structlog.get_logger()


class Wakeup:
    """Wakes the worker with `send`, which returns in how many seconds it must be called again, None if it need not.

    Call it; it returns at once and never raises.
    """

    def __init__(self, send: Callable[[], float | None], rest_s: float = REST_S) -> None:
        self._send = send
        self._rest_s = rest_s
        self._breaker = pybreaker.CircuitBreaker(fail_max=2, reset_timeout=15)
        self.pending = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def __call__(self) -> None:
        with self._lock:
            # Not started before the first call, because a thread does not survive the server's fork.
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._send_until_stopped, name="wakeup", daemon=True)
                self._thread.start()
        self.pending.set()

    def _send_until_stopped(self) -> None:
        again_s: float | None = None
        while True:
            self.pending.wait(again_s)
            self.pending.clear()
            again_s = self.wake_now()
            time.sleep(self._rest_s * SHORT)
            if self.pending.is_set():
                time.sleep(self._rest_s * (1 - SHORT))

    def wake_now(self) -> float | None:
        """Wakes the worker before it returns, if it can: for a process that is about to end. Never raises.

        Returns what `send` does.
        """
        try:
            again_s: float | None = self._breaker.call(self._send)
            return again_s
        except pybreaker.CircuitBreakerError:
            pass  # the broker gets time to recover; the beat comes anyway
        except (OperationalError, RedisError, OSError) as error:
            log.warning("wakeup.failed", error=type(error).__name__)
        return None


def tasks_run_by_wakeup(features: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the tasks that a wake-up is for where these features are on, in the order in which they are done."""
    woken = {name: task for name, task in tasks_of(features).items() if task.wakes}
    first = tuple(name for name, task in woken.items() if task.first)
    return (*first, *TASKS, *(name for name in woken if name not in first))


def wakeup_for(config: Config) -> Wakeup:
    """Returns a wake-up through the broker of these settings, for all tasks in one message.

    A message costs a worker more than a task that finds nothing to do.
    """
    app, sent, names = (
        _celery_app(str(config.broker_url)),
        _redis_client(str(config.redis_url)),
        tasks_run_by_wakeup(config.features),
    )

    def send() -> float | None:
        if not sent.set(SENT, 1, nx=True, px=SENT_MS):
            return SENT_MS / 1000
        try:
            app.send_task("workers.tasks.go_round", (names,), ignore_result=True, expires=60)
        except Exception:
            sent.delete(SENT)  # no message waits
            raise
        return None

    return Wakeup(send)


def note_worker_begun(redis_url: str) -> None:
    """Notes that a worker begins what a wake-up is for: what is due from now on needs another message. Never raises."""
    with suppress(RedisError, OSError):  # the key ends by itself
        _redis_client(redis_url).delete(SENT)


@cache
def _redis_client(redis_url: str) -> Redis:
    return Redis.from_url(redis_url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)


def fold_keeper_for(broker_url: str) -> Callable[[str], None]:
    """Returns what has a worker keep the folds of a match; it returns at once and never raises, as a wake-up does."""
    app, lacking = _celery_app(broker_url), set[str]()

    def send() -> None:
        while lacking:
            app.send_task("workers.tasks.keep_folds", (lacking.pop(),), ignore_result=True, expires=60)

    wake = Wakeup(send)

    def keep(match_id: str) -> None:
        lacking.add(match_id)
        wake()

    return keep


def _celery_app(broker_url: str) -> Celery:
    app = Celery("pbem-wakeup", broker=broker_url, set_as_current=False)
    app.conf.update(
        task_ignore_result=True,
        broker_transport_options={"socket_timeout": TIMEOUT_S, "socket_connect_timeout": TIMEOUT_S, "max_retries": 0},
        task_publish_retry=False,
    )
    return app


def counters_for(config: Config) -> Counters:
    """Returns the counts of all processes, or those of this one alone where nobody is shown them."""
    return Counters(config.redis_url if any(one.shows_counts for one in hooks_of(config.features)) else None)


def open_with_broker(config: Config, **replaced: object) -> Site:
    """Returns the site with what its broker adds, if it has one: it wakes workers, and processes count together."""
    if config.broker_url is not None:
        replaced["wake"] = wakeup_for(config)
        replaced["keep_folds"] = fold_keeper_for(config.broker_url)
        replaced["counters"] = counters_for(config)
    return open_site(config, **replaced)
