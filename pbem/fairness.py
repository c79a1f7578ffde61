"""The machine, shared fairly among gunicorn's processes: connections by free threads, processors by number.

*A process takes no connection that it has no thread for.* gunicorn's own worker accepts as fast as it can, so of
several processes the one that wakes first takes nearly all connections that come together, and keeps them: one process
works at the limit of its interpreter lock while the others have nothing to do. What is left in the listener's queue
goes to whoever has a thread free.

*A process keeps to one processor*, where each processor then gets as many as any other (see `pbem.processors`).
"""

from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from pbem import processors


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


def pre_fork(server: Any, worker: Any) -> None:
    """Gives the process that is about to begin its processor. Called by gunicorn."""
    taken = [living.processor for living in server.WORKERS.values()]
    worker.processor = processors.place(server.num_workers, taken)


def post_fork(_server: Any, worker: Any) -> None:
    """Lets the process that has begun keep to its processor. Called by gunicorn, before there are threads."""
    if worker.processor is not None:
        processors.keep_to({worker.processor})
