"""The machine, shared fairly among gunicorn's processes: connections by free threads, processors by number.

*A process takes no connection that it has no thread for.* gunicorn's own worker accepts as fast as it can, so of
several processes the one that wakes first takes nearly all connections that come together, and keeps them: one process
works at the limit of its interpreter lock while the others have nothing to do. What is left in the listener's queue
goes to whoever has a thread free.

*A process keeps to one processor*, where each then gets as many as any other. Only one of its threads runs Python at a
time anyway; across processors they wake each other at every wait for the database, which costs more than it brings
(docs/speed.md has the figures). Where the numbers do not come out even, the kernel places them as it likes.
"""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from gunicorn.workers.gthread import ThreadWorker


class FairThreadWorker(ThreadWorker):
    """A process of threads that accepts a connection only while one of its threads is free."""

    @property
    def worker_connections(self) -> int:
        """How many connections there may be now: those that wait for their next request, and one for each thread."""
        waiting = len(self.keepalived_conns) + len(self.pending_conns)
        return min(int(self.cfg.worker_connections), waiting + int(self.cfg.threads))

    @worker_connections.setter
    def worker_connections(self, _most: Any) -> None:
        """Left to the settings, where gunicorn's own worker reads it once."""


def usable() -> Sequence[int]:
    """The processors that this process may run on; none where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else ()


def processor(processors: Sequence[int], processes: int, taken: Iterable[int | None]) -> int | None:
    """The processor that the next of so many processes keeps to, the one that fewest of the living keep to; or None.

    >>> processor([0, 1], 4, [0, 1, 0])
    1
    >>> processor([0, 1], 3, []) is None
    True
    """
    if not processors or processes % len(processors):
        return None
    counts = Counter(taken)
    return min(processors, key=lambda one: counts[one])


def pre_fork(server: Any, worker: Any) -> None:
    """Gives the process that is about to begin its processor. Called by gunicorn."""
    taken = [living.processor for living in server.WORKERS.values()]
    worker.processor = processor(usable(), server.num_workers, taken)


def post_fork(_server: Any, worker: Any) -> None:
    """Lets the process that has begun keep to its processor. Called by gunicorn, before there are threads."""
    if worker.processor is not None:
        os.sched_setaffinity(0, {worker.processor})
