"""Time limits: passed deadlines, lapsed invitations, and matches nobody comes back to.

Swept by the beat; every sweep may run twice or in two places.

1. Find asks whose clock acts by now (see `deadlines`) and that nobody has claimed recently.
2. Claim each by a conditional UPDATE with a lease: the worker that changes the row holds it; after a crash the lease
   expires.
3. For each, lock the match, check it again, and let the fallback answer as the clock, or put the seat to the vote.
4. Repeat while anything is claimed: for an absent seat the clock answers one ask after the other.

Each round uses a single moment at which the service was known to be up: what fell due while the machine slept in the
middle of it is not played before the next round has given that time back.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import select

from pbem.errors import Busy
from pbem.models.tables import AskRow, Match, table
from pbem.services.calendar import heartbeats
from pbem.services.clock import outages
from pbem.services.log import locks, store
from pbem.services.log.cancellation import call_off
from pbem.services.log.leases import BATCH, claim
from pbem.services.play import presence, voting
from pbem.services.play.moves import play_fallback
from pbem.services.site import Site

ROUNDS = 1000

log = structlog.get_logger()


def tick(site: Site) -> int:
    """Records the sweep's heartbeat, then lets the clock move where time is up; the beat runs this often.

    Returns the number of asks answered.
    """
    return _sweep(site, partial(outages.beat, site)) if beat_and_check_web(site) else 0


def beat_and_check_web(site: Site) -> bool:
    """Records the sweep's heartbeat; returns True if the web is up, too.

    While the web is down no time may run out: nobody could answer, and the time will be given back.
    """
    now = outages.beat(site)
    with site.reading() as session:
        stopped = heartbeats.stopped_heartbeats(session.connection(), now)
    if stopped:
        log.warning("clock.waits", stopped=sorted(stopped))
    return not stopped


def sweep_deadlines(site: Site) -> int:
    """Lets the clock move where time is up; returns the number of asks answered."""
    return _sweep(site, site.now)


def _sweep(site: Site, moment: Callable[[], datetime]) -> int:
    t = table(AskRow)
    played = 0
    for _ in range(ROUNDS):
        if site.stopping():
            break
        now = moment()
        due = claim(site, t.c.acts_at <= now, order=t.c.acts_at)
        if not due:
            break
        played += sum(expire(site, *one, now=now) for one in due if not site.stopping())
    return played


def expire(site: Site, match_id: str, key: str, seat: int, now: datetime | None = None) -> bool:
    """Answers one ask as the clock if its time was up at that moment; returns True if it did.

    The time is checked under the match's lock.
    """
    now = now or site.now()
    try:
        with site.writing() as work:
            match = locks.lock_match(work, match_id)
            ask = store.get_ask(work, match_id, key, seat)
            if ask is None or match.status != "running":
                return False
            outages.catch_up(work, match, now)
            if not _acts(ask, now) or not voting.may_play(work, match, ask, now):
                return False
            play_fallback(site, work, match, store.game_of(match), ask)
            presence.record_miss(work, match, ask, site.now())
            return True
    except Busy:
        log.info("clock.busy", match=match_id, key=key)  # the lease ends, and the next sweep tries again
    except Exception:
        # A match that cannot be loaded or played must not stop the clocks of the others in the sweep.
        log.exception("clock.failed", match=match_id, key=key, seat=seat)
    return False


def _acts(ask: AskRow, now: datetime) -> bool:
    return ask.closed_at is None and ask.acts_at is not None and ask.acts_at <= now


LAPSING = ("unconfirmed", "inviting", "paused")


def sweep_lapsed(site: Site) -> int:
    """Cancels matches that were not confirmed or filled in time, or were abandoned; returns the number cancelled."""
    t = table(Match)
    late = (t.c.status.in_(LAPSING), t.c.lapses_at <= site.now())
    with site.reading() as session:
        ids = session.execute(select(t.c.id).where(*late).limit(BATCH)).scalars().all()
    return sum(_lapse(site, match_id) for match_id in ids if not site.stopping())


def _lapse(site: Site, match_id: str) -> bool:
    now = site.now()
    try:
        with site.writing() as work:
            match = locks.lock_match(work, match_id)
            outages.catch_up(work, match, now)
            if match.status not in LAPSING or match.lapses_at is None or match.lapses_at > now:
                return False
            call_off(work, match, "abandoned" if match.status == "paused" else "lapsed", now)
            return True
    except Busy:
        log.info("lapse.busy", match=match_id)  # the next sweep tries again
    except Exception:
        # A match that cannot be loaded or called off must not hold up the others in the sweep.
        log.exception("lapse.failed", match=match_id)
    return False
