"""The worker of `pbem run`: one process, with beat as a thread in it.

    python -m pbem.workers.single [LAUNCHER]

A pool of processes would end a task that hangs, and outlive a crash in a native library. Here a thread ends the process
if a task has taken longer than it may, and the launcher starts it again, as after a crash. What was in hand
is still claimed then, so it waits until its lease is over, and all else goes on. The process with the id LAUNCHER forks
another one whenever bots are to think.
"""

import sys
from typing import Any

from celery.beat import EmbeddedService

from . import thinking, watch
from .app import app, site_of_worker
from .beat import LeasedScheduler
from .schedule import schedule_of_single_worker

RESTORE_S = 20
"""How often it looks for tasks whose worker has died. There is no other worker, and beat sends most of them again."""


def main() -> int:
    """Works until a signal ends it; returns the exit status."""
    app.conf.beat_schedule = schedule_of_single_worker(site_of_worker().config.features)
    app.conf.broker_transport_options["unacked_restore_interval"] = RESTORE_S
    if len(sys.argv) > 1:
        thinking.set_launcher_to_fork(int(sys.argv[1]))
    worker = app.Worker(
        pool="solo", loglevel="WARNING", quiet=True,
        without_gossip=True, without_mingle=True, without_heartbeat=True,
    )  # fmt: skip
    beat: Any = EmbeddedService(app, thread=True, scheduler_cls=LeasedScheduler)
    beat.start()
    watch.start_watch_for_stuck_task(site_of_worker, beat)
    worker.start()
    beat.stop()
    site_of_worker().counters.flush()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main())
