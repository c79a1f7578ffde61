"""The heartbeat of the web: each web process records once a minute that players can reach the service.

It needs no visitors: a quiet site is up. A web process not started by `pbem.run.server` has no heartbeat, and no clock
waits for one.
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


def start_web_heartbeat(site: Site) -> None:
    """Starts the heartbeat in a daemon thread, which runs until the process ends or is asked to stop."""
    threading.Thread(target=_beat_until_stopped, args=(site,), name="heart", daemon=True).start()


def _beat_until_stopped(site: Site) -> None:
    while not site.stopping():
        beat_once(site)
        time.sleep(EVERY_S)


def beat_once(site: Site) -> None:
    """Moves the web's heartbeat. If the database is down or not migrated yet, the next beat tries again."""
    try:
        outages.record_heartbeat(site, WEB)
    except Problem as problem:
        log.warning("heart.failed", code=problem.code)
    except Exception:
        log.exception("heart.failed")
