"""gunicorn's hook that lets each web process keep the pulse of the web (see `pbem.services.heart`), and wakes those who
wait in it when it is to end (see `pbem.services.waiting`).

In production `pbem.server` has it too; `pbem run` names this module by `--config python:pbem.heart`.
"""

from typing import Any


def post_worker_init(worker: Any) -> None:
    """Lets the heart of a process that has loaded the application beat until it ends, and nobody wait longer."""
    # Imported here: gunicorn's first process reads this module too, and needs none of what the heart does.
    from pbem.services import heart

    heart.start(worker.wsgi.extensions["pbem"])
    worker.wsgi.extensions["pbem.waiting"].ended = lambda: not worker.alive
