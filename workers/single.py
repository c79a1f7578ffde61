"""The worker of `pbem run`: one process, with beat as a thread in it.

    python -m pbem.workers.single [LAUNCHER]

A pool of processes would end a task that hangs, and outlive a crash in a native library. Here a thread ends the process
if a task has taken longer than it may, and the launcher starts it again, as after a crash. What was in hand
is still claimed then, so it waits until its lease is over, and all else goes on. The process with the id LAUNCHER forks
another one whenever bots are to think.
"""

import os
import sys
import threading
import time
from typing import Any

import structlog
from celery.beat import EmbeddedService

from . import thinking, watch
from .app import app, site
from .beat import LeasedScheduler
from .schedule import schedule_of_one

LOOK_S = 10.0
STUCK = 70
"""The status of a process that ended itself because it was stuck."""

log = structlog.get_logger()


def main() -> int:
    """Works until a signal ends it; returns the exit status."""
    app.conf.beat_schedule = schedule_of_one()
    if len(sys.argv) > 1:
        thinking.fork_at(int(sys.argv[1]))
    worker = app.Worker(
        pool="solo", loglevel="WARNING", quiet=True,
        without_gossip=True, without_mingle=True, without_heartbeat=True,
    )  # fmt: skip
    beat: Any = EmbeddedService(app, thread=True, scheduler_cls=LeasedScheduler)
    beat.start()
    threading.Thread(target=_end_if_stuck, args=(beat,), name="stuck", daemon=True).start()
    worker.start()
    beat.stop()
    site().counters.flush()
    return int(worker.exitcode or 0)


def _end_if_stuck(beat: threading.Thread) -> None:
    """Ends the process if a task hangs, or if there is no beat any more."""
    while True:
        time.sleep(LOOK_S)
        if watch.is_stuck(beat):
            log.error("worker.stuck", seconds=round(watch.seconds_busy()), beat=beat.is_alive())
            os._exit(STUCK)


if __name__ == "__main__":
    sys.exit(main())
