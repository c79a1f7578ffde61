"""Tasks that end together with the process that runs them: one that hangs is killed, and a native library may crash.

No signal is sent in the process that has died. Celery's main process hears of it, and has the task done again by
another one; if it always ends so, nobody would know.
"""

from typing import Any

from billiard.exceptions import WorkerLostError
from celery.worker import request

from . import watch


class Request(request.Request):
    """A task as the main process sees it."""

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """Notes a task that was killed because it had taken too long."""
        super().on_timeout(soft, timeout)
        if not soft:
            self._note(watch.HUNG)

    def on_failure(self, exc_info: Any, send_failed_event: bool = True, return_ok: bool = False) -> Any:
        """Notes a task whose process has ended by itself."""
        error = getattr(exc_info.exception, "exc", exc_info.exception)
        if isinstance(error, WorkerLostError):
            self._note(type(error).__name__)
        return super().on_failure(exc_info, send_failed_event=send_failed_event, return_ok=return_ok)

    def _note(self, error: str) -> None:
        from .app import site  # which imports `watch`, and so names this module

        watch.note_lost(site(), self.task.name, self.args, error)
