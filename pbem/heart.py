"""gunicorn's hook that lets each web process keep the pulse of the web (see `pbem.services.heart`).

In production `pbem.server` has it too; `pbem run` names this module by `--config python:pbem.heart`.
"""

from typing import Any


def post_worker_init(worker: Any) -> None:
    """Lets the heart of a process that has loaded the application beat until it ends."""
    # Imported here: gunicorn's first process reads this module too, and needs none of what the heart does.
    from pbem.services import heart

    heart.start(worker.wsgi.extensions["pbem"])
