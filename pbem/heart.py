"""gunicorn's hooks: each web process keeps the pulse of the web (see `pbem.services.heart`), and ends in order: nobody
waits in it any longer then (see `pbem.services.waiting`).

In production `pbem.server` has them too; `pbem run` names this module by `--config python:pbem.heart`.
"""

from typing import Any


def post_worker_init(worker: Any) -> None:
    """Lets the heart of a process that has loaded the application beat until it ends, and nobody wait longer."""
    # Imported here: gunicorn's first process reads this module too, and needs none of what the heart does.
    from pbem.services import heart

    heart.start(worker.wsgi.extensions["pbem"])
    worker.wsgi.extensions["pbem.waiting"].ended = lambda: not worker.alive


def worker_exit(_server: Any, worker: Any) -> None:
    """Delivers what a process that ends has counted last: in `pbem run` it is a fork, which Python does not see end."""
    wsgi = getattr(worker, "wsgi", None)  # a process that could not load the application has none
    if wsgi is not None:
        wsgi.extensions["pbem"].tally.flush()
