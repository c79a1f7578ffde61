"""gunicorn's settings in production: `gunicorn --config python:pbem.server "pbem:create_app()"`.

Threads, because a request mostly waits for the database. A process that is told to end answers what it has begun:
SIGTERM, then at most `graceful_timeout` seconds. A move that was not answered in that time was perhaps made; whoever
sends the same move again gets the first receipt.
"""

import os
import sys
from typing import Any

from pbem.config import THREADS, Config, ConfigError, mode_of
from pbem.fairness import post_fork as post_fork
from pbem.fairness import pre_fork as pre_fork
from pbem.heart import post_worker_init as post_worker_init
from pbem.heart import worker_exit as worker_exit

bind = f"0.0.0.0:{os.environ.get('PORT') or 8000}"
workers = int(os.environ.get("WEB_CONCURRENCY") or 2)
worker_class = "pbem.fairness.FairThreadWorker"
threads = THREADS
graceful_timeout = 30
control_socket_disable = True
logger_class = "pbem.web.logs.JsonLogger"
# The application writes a line for each request itself, with the route in place of the path.
accesslog = None
if os.path.isdir("/dev/shm"):  # noqa: S108 - gunicorn's own sign of life, which must not wait for a disk
    worker_tmp_dir = "/dev/shm"  # noqa: S108


def on_starting(_server: Any) -> None:
    """Ends with every wrong setting named, before a process is started that would fail over and over."""
    try:
        Config.from_env(os.environ, mode_of(os.environ))
    except ConfigError as error:
        sys.exit(str(error))
