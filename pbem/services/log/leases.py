"""Claims open asks that are to be answered by somebody other than their player.

A claim is a conditional UPDATE with a lease: the worker that changes the row holds it, however many workers there are.
A batch is claimed in one transaction, which skips the rows that another worker is claiming and waits for nobody, so
workers side by side get different asks. After a crash, or if the match could not be locked, the claim becomes free when
the lease ends.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import or_, select, tuple_, update

from pbem.models.tables import AskRow, table
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site

LEASE = timedelta(seconds=60)
RESERVED = 2 * LEASE
"""A claim that ends later than this is no worker's: it keeps the ask for the bots that think. Clocks may differ."""
BATCH = 100

_t = table(AskRow)
_key = (_t.c.match_id, _t.c.key, _t.c.seat)

AskId = tuple[str, str, int]
"""Match, key and seat of an ask."""


def claim_asks(
    site: Site, *wanted: Any, order: Any, shard: Shard = ALL, most: int = BATCH, reserved: bool = False
) -> list[AskId]:
    """Claims up to `most` open asks of the share that meet the conditions and have no current lease; returns them.

    With `reserved`, asks kept for bots that think are included. Raises Busy; then nothing is claimed.
    """
    now = site.now()
    free = (*_conditions_of_unclaimed(now, reserved), *wanted)
    found = select(*_key).where(*free, *shard.match_conditions(_t.c.match_id)).order_by(order)
    with site.one_statement() as connection:
        if connection.execute(found.limit(1)).first() is None:  # most ticks find nothing and need no write lock
            return []
    with site.writing() as work:
        rows = work.execute(found.limit(most).with_for_update(skip_locked=True)).all()
        asks = [(match_id, asked, seat) for match_id, asked, seat in rows]
        if asks:
            taken = update(_t).where(tuple_(*_key).in_(asks), *free).values(claimed_until=now + LEASE)
            work.connection().execute(taken)
    return asks


def read_unclaimed_asks(site: Site, *wanted: Any, order: Any, most: int, reserved: bool = False) -> list[AskId]:
    """Returns up to this many open asks that meet the conditions and that `claim_asks` could claim; claims none."""
    found = select(*_key).where(*_conditions_of_unclaimed(site.now(), reserved), *wanted)
    with site.one_statement() as connection:
        rows = connection.execute(found.order_by(order).limit(most)).all()
    return [(match_id, asked, seat) for match_id, asked, seat in rows]


def condition_of_untried(now: datetime) -> Any:
    """Returns the condition that no worker has claimed an ask yet, though it may be kept for bots that think."""
    return or_(_t.c.claimed_until.is_(None), _t.c.claimed_until > now + RESERVED)


def _conditions_of_unclaimed(now: datetime, reserved: bool) -> tuple[Any, ...]:
    unclaimed = condition_of_untried(now) if reserved else _t.c.claimed_until.is_(None)
    return _t.c.closed_at.is_(None), or_(unclaimed, _t.c.claimed_until < now)
