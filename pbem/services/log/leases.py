"""Claims open asks that are to be answered by somebody other than their player.

A claim is a conditional UPDATE with a lease: the worker that changes the row holds it, however many workers there are.
After a crash, or if the match could not be locked, the claim becomes free when the lease ends. Claims that succeeded
are always returned to the caller: if the database becomes busy halfway, the remaining asks are left for the next call.
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
"""Match, key and seat of an ask."""


def claim(site: Site, *wanted: Any, order: Any) -> list[AskId]:
    """Claims up to BATCH open asks that meet the conditions and have no current lease, and returns them.

    Raises Busy if not even the first could be claimed.
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
