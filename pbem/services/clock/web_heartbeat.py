"""The pulse of the web: each of its processes tells once a minute that there is somebody to be played with.

Nobody need visit: a quiet site is awake. A web that was never started by `pbem.run.server` has no heartbeat, and no
clock waits for one.
"""

import threading
import time

import structlog

from pbem.errors import Problem
from pbem.services.calendar.heartbeats import WEB
from pbem.services.clock import outages
from pbem.services.site import Site

EVERY_S = 60.0

log = structlog.get_logger()


def start(site: Site) -> None:
    """Lets the heart beat in a thread of its own, until the process ends or is told to."""
    threading.Thread(target=_run, args=(site,), name="heart", daemon=True).start()


def _run(site: Site) -> None:
    while not site.stopping():
        beat(site)
        time.sleep(EVERY_S)


def beat(site: Site) -> None:
    """Moves the pulse of the web. Where the database is away, or not yet migrated, the next beat tries again."""
    try:
        outages.record_heartbeat(site, WEB)
    except Problem as problem:
        log.warning("heart.failed", code=problem.code)
    except Exception:
        log.exception("heart.failed")
