"""A task as the worker's main process sees it, which hands it to the pool.

It expires by the time of the site, not by the machine's clock. The main process alone hears of a task that ends
together with the process that runs it: one that hangs is killed, and a native library may crash. It has the task done
again by another process; if it always ends so, nobody would know.
"""

from datetime import datetime
from typing import Any, Literal

from billiard.exceptions import WorkerLostError
from celery.worker import request
from celery.worker.state import revoked

from . import watch


class Request(request.Request):
    """A task that has been received."""

    def maybe_expire(self) -> Literal[True] | None:
        """Returns True if the task has expired, and is therefore not to be run."""
        app: Any = self.app
        expires: datetime | None = self.expires
        if expires is None or app.now() <= expires:
            return None
        revoked.add(self.id)
        return True

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """Notes a task that was killed because it had taken too long."""
        super().on_timeout(soft, timeout)
        if not soft:
            self._note_failure(watch.HUNG)

    def on_failure(self, exc_info: Any, *args: Any, **kwargs: Any) -> Any:
        """Notes a task whose process has ended by itself."""
        error = getattr(exc_info.exception, "exc", exc_info.exception)
        if isinstance(error, WorkerLostError):
            self._note_failure(type(error).__name__)
        return super().on_failure(exc_info, *args, **kwargs)

    def _note_failure(self, error: str) -> None:
        from .app import site_of_worker  # which imports `watch`, and so names this module

        watch.recorder.note_end_of_run(
            site_of_worker(), watch.task_label_for_failures(self.task.name, self.args), error
        )
