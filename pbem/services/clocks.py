"""Time: deadlines that pass, invitations that lapse. Swept by beat; every sweep may run twice or in two places.

1. Look for asks whose deadline has passed and that nobody has claimed lately.
2. Claim each by a conditional UPDATE with a lease: whoever changes the row has it; a crash frees it later.
3. For each, lock the match, look again, and let the fallback answer as the clock.
"""

from datetime import timedelta

import structlog
from sqlalchemy import or_, select, update

from pbem.errors import Busy
from pbem.models.tables import AskRow, Match, table
from pbem.services import store
from pbem.services.matches import call_off
from pbem.services.moves import play_fallback
from pbem.services.site import Site

LEASE = timedelta(seconds=60)
BATCH = 100

log = structlog.get_logger()


def sweep_deadlines(site: Site) -> int:
    """Lets the clock play where time is up; gives how many asks it answered."""
    return sum(expire(site, *due) for due in _claim_due(site))


def _claim_due(site: Site) -> list[tuple[str, str, int]]:
    now = site.now()
    t = table(AskRow)
    free = or_(t.c.claimed_until.is_(None), t.c.claimed_until < now)
    due = (t.c.closed_at.is_(None), t.c.deadline <= now, free)
    with site.reading() as session:
        rows = session.execute(
            select(t.c.match_id, t.c.key, t.c.seat).where(*due).order_by(t.c.deadline).limit(BATCH)
        ).all()
    claimed = []
    for match_id, key, seat in rows:
        with site.writing() as session:
            this = (t.c.match_id == match_id, t.c.key == key, t.c.seat == seat)
            taken = session.connection().execute(update(t).where(*this, *due).values(claimed_until=now + LEASE))
            if taken.rowcount == 1:
                claimed.append((match_id, key, seat))
    return claimed


def expire(site: Site, match_id: str, key: str, seat: int) -> bool:
    """Answers one ask as the clock, if under the match's lock its time is still up; says whether it did."""
    try:
        with site.writing() as session:
            match = store.lock_match(session, match_id)
            ask = session.get(AskRow, (match_id, key, seat), populate_existing=True)
            if ask is None or ask.closed_at is not None or ask.deadline > site.now() or match.status != "running":
                return False
            play_fallback(site, session, match, store.game_of(match), ask)
            return True
    except Busy:
        log.info("clock.busy", match=match_id, key=key)  # the lease ends and the next sweep comes again
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
