"""Lets orders answer the questions that have been put: in the sweep, never in the request of the player who has moved.

Each question to a person is looked at once, whether its seat has orders or not, so that nothing in a request tells it.

1. Questions of seats without orders are done with by one statement.
2. Of the others a batch is claimed. An order that answers does so at once in a silent window, where nobody sees it, and
   at a public question; else when its delay is over (`kit.orders.delays`): the question is looked at again then.
3. A question that the orders leave to their owner is mailed to them now, and not before: see `wait_for_order`.
"""

from datetime import datetime, timedelta

import structlog
from sqlalchemy import ColumnElement, exists, select, tuple_, update
from sqlmodel import Session

from pbem.errors import Busy, GameUnavailable
from pbem.kit.replay import question_of
from pbem.kit.windows import delay_s, is_delayed
from pbem.models.tables import AskRow, OrderRow, table
from pbem.services.log import proofs
from pbem.services.log.leases import BATCH, claim
from pbem.services.log.table import PEOPLE, LockedTable, lock_table
from pbem.services.play import decisions
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site

LOOKS_EVERY = timedelta(seconds=10)
"""How often the sweep comes."""
PATIENCE = timedelta(minutes=5)
"""After so long without a sweep its mail no longer waits: the owner is asked."""
PAUSED = timedelta(minutes=10)
"""How often a question is looked at while its match stands still."""

log = structlog.get_logger()

_t, _o = table(AskRow), table(OrderRow)
_has_orders = exists(select(_o.c.seat).where(_o.c.match_id == _t.c.match_id, _o.c.seat == _t.c.seat, _o.c.body != ""))


def follow_orders(site: Site, now: datetime, shard: Shard = ALL) -> int:
    """Lets orders answer questions that are to be looked at by now, a batch at most; returns how many it looked at."""
    due = (_t.c.follow_at <= now, _t.c.closed_at.is_(None))
    _forget(site, *due, ~_has_orders, *shard.matches(_t.c.match_id))
    asks = claim(site, *due, _has_orders, order=_t.c.follow_at, shard=shard)
    for match_id, key, seat in asks:
        if site.stopping():
            break
        _follow(site, match_id, key, seat, now)
    return len(asks)


def _forget(site: Site, *which: ColumnElement[bool]) -> None:
    """Notes that nothing is to be looked at, at these questions; those that are locked are left for the next time."""
    found = select(_t.c.match_id, _t.c.key, _t.c.seat).where(*which)
    with site.one_statement() as connection:
        if connection.execute(found.limit(1)).first() is None:
            return
    while True:
        with site.writing() as work:
            rows = [tuple(row) for row in work.execute(found.limit(BATCH).with_for_update(skip_locked=True))]
            these = tuple_(_t.c.match_id, _t.c.key, _t.c.seat).in_(rows)
            work.connection().execute(update(_t).where(these, ~_has_orders).values(follow_at=None))
        if len(rows) < BATCH:
            return


def _follow(site: Site, match_id: str, key: str, seat: int, now: datetime) -> None:
    """Lets an order answer this question if it is due by then."""
    try:
        with site.writing() as work:
            table = lock_table(work, match_id, now)
            ask = table.ask(key, seat)
            if ask is None or ask.closed_at is not None or ask.follow_at is None or ask.follow_at > now:
                return
            after = _answers_at(table, ask)
            if table.match.status != "running":
                ask.follow_at = now + PAUSED
                return
            ask.follow_at = ask.claimed_until = None
            work.wake()  # its mail has waited
            decisions.follow_order(table, ask, after if after > now else None)
    except (Busy, GameUnavailable) as problem:
        log.info("orders.busy", match=match_id, key=key, code=problem.code)
    except Exception:
        # A match that cannot be loaded or played must not hold up the others in the sweep.
        log.exception("orders.failed", match=match_id, key=key, seat=seat)
        this = (_t.c.match_id == match_id, _t.c.key == key, _t.c.seat == seat)
        with site.writing() as work:  # the owner is asked instead
            work.connection().execute(update(_t).where(*this).values(follow_at=None, claimed_until=None))
            work.wake()


def _answers_at(table: LockedTable, ask: AskRow) -> datetime:
    """Returns the first moment at which an order answers this question; its delay is drawn from the match's key."""
    kind, people = table.game.meta.asks[ask.kind], [s for s in table.seats if s.bot is None and not s.resigned]
    if ask.floor_at is not None or len(people) < PEOPLE or not is_delayed(kind):
        return ask.opened_at
    luck = proofs.window_luck_of(table.match).order(question_of(ask.key), ask.seat)
    at = ask.opened_at + timedelta(seconds=delay_s(luck, table.match.turn_s))
    return min(at, ask.acts_at) if ask.acts_at is not None else at


def wait_for_order(session: Session, match_id: str, seat: int, key: str, now: datetime) -> datetime | None:
    """Returns until when the mail of this question waits, because an order of its seat may answer; None: for nothing.

    `key` is that of the first question of its stretch.
    """
    this = (_t.c.match_id == match_id, _t.c.seat == seat, _t.c.origin == key, _t.c.closed_at.is_(None))
    found = session.execute(select(_t.c.follow_at).where(*this, _t.c.follow_at.is_not(None), _has_orders)).first()
    at: datetime | None = found[0] if found is not None else None
    return max(at, now) + LOOKS_EVERY if at is not None and at >= now - PATIENCE else None
