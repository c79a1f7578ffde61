"""Beat: any number of processes, of which one holds the lease and sends the tasks.

The lease lies in the broker, through which the tasks go anyway: where it cannot be had, nothing could be sent. It holds
nothing else, for a tick that is sent twice does no harm. A process that takes the lease over sends at once all that has
become due since they started. No schedule is kept in a file: after a start each task is sent within a minute, for none
does harm if it runs too soon. What is due is reckoned from the time that has passed, so no jump of a clock stops it.
The beat of an embedded site is its only one. It needs no lease, which would outlive it by some seconds.
"""

import signal
from datetime import UTC, datetime, timedelta
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any

from celery.beat import Scheduler
from celery.schedules import schedule
from celery.signals import beat_init
from redis import Redis

from pbem.clock import seconds_since_boot
from pbem.services.monitoring.probes import BOUND_S

from .app import config_of_worker
from .lease import RENEW_S, Lease

AT_START = timedelta(minutes=1)
"""How long after its start a beat sends a task for the first time, at most."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_told_to_end: SimpleQueue[int] = SimpleQueue()
"""The signals that have come. `SimpleQueue.put` is reentrant, so a signal's handler may call it."""


def _now_on_monotonic_clock() -> datetime:
    """Returns a moment that is later by as much time as has passed, whatever happens to any clock."""
    return _EPOCH + timedelta(seconds=seconds_since_boot())


class LeasedScheduler(Scheduler):
    """Celery's scheduler, which sends nothing while another process has the lease."""

    def __init__(self, app: Any, *args: Any, **kwargs: Any) -> None:
        self.lease = None
        if config_of_worker().mode == "production":
            address = config_of_worker().redis_url
            assert address is not None, "production has a broker"
            self.lease = Lease(Redis.from_url(address, socket_timeout=BOUND_S, socket_connect_timeout=BOUND_S))
        super().__init__(app, *args, **kwargs)

    def setup_schedule(self) -> None:
        """Sets the schedule up so that everything is due within a minute, though it may have a longer period."""
        super().setup_schedule()
        for entry in self.schedule.values():
            period = timedelta(seconds=(entry.options or {})["expires"])  # see `schedule.schedule_of_site`
            entry.schedule = schedule(period, nowfun=_now_on_monotonic_clock, app=self.app)
            entry.last_run_at = _now_on_monotonic_clock() - max(period - AT_START, timedelta())

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Sends one task that is due, if any; returns the seconds until the next call.

        A process that is to end by a signal waits here for the next call. Raises SystemExit, which Celery's `Service`
        takes for its end, once it is told to end.
        """
        wait = self.send_one_due(*args, **kwargs)
        if self.lease is None:
            return wait
        try:
            _told_to_end.get(timeout=max(wait, 0))
        except Empty:
            return 0.0
        raise SystemExit

    def send_one_due(self, *args: Any, **kwargs: Any) -> float:
        """Sends one task that is due, if any, and if this is the process that sends; returns the seconds to wait."""
        if self.lease is not None and not self.lease.take_or_renew():
            return RENEW_S
        wait = float(super().tick(*args, **kwargs))
        return wait if self.lease is None else min(wait, RENEW_S)

    def close(self) -> None:
        """Ends without waiting for the lease to end."""
        super().close()
        if self.lease is not None:
            self.lease.release()


@beat_init.connect
def end_between_ticks(**_sent: Any) -> None:
    """Has SIGTERM and SIGINT end a beat after the tick in which they come; a second one ends it at once.

    Without a broker a tick may last for as long as there is none. Celery's handlers send and raise from wherever the
    process is: in the middle of a call that holds a lock, which they then wait for, or in a finaliser, which loses the
    exception. A beat that runs as a thread is ended by its worker.
    """
    if config_of_worker().mode == "production":
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _note_signal)


def _note_signal(number: int, _frame: FrameType | None) -> None:
    if not _told_to_end.empty():
        raise SystemExit
    _told_to_end.put(number)
