"""Time: deadlines that pass, invitations that lapse. Swept by beat; every sweep may run twice or in two places.

1. Look for asks whose deadline has passed and that nobody has claimed lately.
2. Claim each by a conditional UPDATE with a lease: whoever changes the row has it; a crash frees it later.
3. For each, lock the match, look again, and let the fallback answer as the clock.
"""

import structlog
from sqlalchemy import select

from pbem.errors import Busy
from pbem.models.tables import AskRow, Match, table
from pbem.services import store
from pbem.services.cancelling import call_off
from pbem.services.claims import BATCH, claim
from pbem.services.moves import play_fallback
from pbem.services.site import Site

log = structlog.get_logger()


def sweep_deadlines(site: Site) -> int:
    """Lets the clock play where time is up; gives how many asks it answered."""
    t = table(AskRow)
    return sum(expire(site, *due) for due in claim(site, t.c.deadline <= site.now(), order=t.c.deadline))


def expire(site: Site, match_id: str, key: str, seat: int) -> bool:
    """Answers one ask as the clock, if under the match's lock its time is still up; says whether it did."""
    try:
        with site.writing() as session:
            match = store.lock_match(session, match_id)
            ask = store.get_ask(session, match_id, key, seat)
            if ask is None or ask.closed_at is not None or ask.deadline > site.now() or match.status != "running":
                return False
            play_fallback(site, session, match, store.game_of(match), ask)
            return True
    except Busy:
        log.info("clock.busy", match=match_id, key=key)  # the lease ends and the next sweep comes again
    except Exception:
        # A match that cannot be loaded or played must not stop the clocks of the others swept with it.
        log.exception("clock.failed", match=match_id, key=key, seat=seat)
    return False


def sweep_lapsed(site: Site) -> int:
    """Cancels matches that were not confirmed or not filled in time; gives how many."""
    t = table(Match)
    late = (t.c.status.in_(("unconfirmed", "inviting")), t.c.lapses_at <= site.now())
    with site.reading() as session:
        ids = session.execute(select(t.c.id).where(*late).limit(BATCH)).scalars().all()
    return sum(_lapse(site, match_id) for match_id in ids)


def _lapse(site: Site, match_id: str) -> bool:
    now = site.now()
    with site.writing() as session:
        match = store.lock_match(session, match_id)
        if match.status not in ("unconfirmed", "inviting") or match.lapses_at is None or match.lapses_at > now:
            return False
        call_off(session, match, "lapsed", now)
        return True
