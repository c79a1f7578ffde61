"""Claiming open asks that somebody other than their player is to answer.

A claim is a conditional UPDATE with a lease: whoever changes the row has it, in any number of workers; a crash,
or a match that could not be locked, frees it when the lease ends. What was claimed is always given to who claimed it:
when the database is busy in the midst of it, the rest is left to the next one who comes.
"""

from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import or_, select, update

from pbem.errors import Busy
from pbem.models.tables import AskRow, table
from pbem.services.site import Site

LEASE = timedelta(seconds=60)
BATCH = 100

log = structlog.get_logger()

AskId = tuple[str, str, int]
"""Match, key and seat."""


def claim(site: Site, *wanted: Any, order: Any) -> list[AskId]:
    """Up to BATCH open asks that fulfil the conditions and that nobody has claimed lately, now claimed.

    Raises Busy when none of them could be.
    """
    now = site.now()
    t = table(AskRow)
    free = (t.c.closed_at.is_(None), or_(t.c.claimed_until.is_(None), t.c.claimed_until < now), *wanted)
    with site.reading() as session:
        rows = session.execute(select(t.c.match_id, t.c.key, t.c.seat).where(*free).order_by(order).limit(BATCH)).all()
    claimed: list[AskId] = []
    for match_id, key, seat in rows:
        this = (t.c.match_id == match_id, t.c.key == key, t.c.seat == seat)
        try:
            with site.writing() as work:
                taken = work.connection().execute(update(t).where(*this, *free).values(claimed_until=now + LEASE))
        except Busy:
            if not claimed:
                raise
            log.info("claim.busy", claimed=len(claimed), found=len(rows))
            break
        if taken.rowcount == 1:
            claimed.append((match_id, key, seat))
    return claimed
