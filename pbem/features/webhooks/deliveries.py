"""Makes the calls that are due: at least once, with the same id each time, in any number of workers.

1. Claim a webhook by a conditional UPDATE with a lease, and take its oldest call: each webhook gets one call at a time,
   in order.
2. Build its content from the current facts; a call that has become pointless is closed without being made.
3. Call, then close the row. A crash in between repeats the call with its old id.
4. After a failure the webhook's calls wait, with growing delays and jitter, and so do those added meanwhile; only calls
   requested by hand are tried at once. If there is no success within a day of the first failure, the webhook is
   disabled, open calls are dropped, and its owner gets a mail.

Runs are short, so that mails and clocks get their turn: a few parallel calls, then it wakes the worker for the next
run. There are only as many runs at a time as the site has shards: while those workers wait for slow servers, the others
are not involved. Each has a number below that of the shards, which stands beside its leases: so a slow call that is a
run's last one counts as much as four.
"""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import structlog
from sqlalchemy import bindparam, or_, select, update

from pbem.errors import Busy, GameUnavailable
from pbem.features import safe_http
from pbem.features.safe_http import Answer
from pbem.features.webhooks import cursors
from pbem.features.webhooks.payloads import request_of_call
from pbem.features.webhooks.tables import Delivery, Webhook
from pbem.models.tables import table
from pbem.services.log import locks, outbox
from pbem.services.log.store import GAME_RETRY_S
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site, Work

RUN, THREADS, RUN_S = 20, 4, 2.0
"""The maximum number of calls in a run, the number of parallel calls, and the seconds after which none are started."""
LEASE = timedelta(minutes=1)
PATIENCE = timedelta(days=1)
WAITS_S = (10, 60, 300, 900, 3600)
GONE = 410

log = structlog.get_logger()

_t, _h = table(Delivery), table(Webhook)
_now = bindparam("now", type_=_t.c.due_at.type)
_due_now = (_t.c.done_at.is_(None), _t.c.due_at <= _now)
_free = or_(_h.c.busy_until.is_(None), _h.c.busy_until < _now)
_OLDEST = (
    select(_h.c.id)
    .select_from(_t.join(_h, _h.c.id == _t.c.webhook_id))
    .where(*_due_now, _h.c.disabled_at.is_(None), _free)
    .order_by(_t.c.due_at, _t.c.id)
    .limit(1)
    .correlate(None)
)
_TAKE = (
    update(_h)
    .where(_h.c.id == _OLDEST.with_for_update(of=_h, skip_locked=True).scalar_subquery(), _free)
    .values(busy_until=bindparam("until", type_=_h.c.busy_until.type), busy_run=bindparam("run"))
    .returning(_h.c.id)
)
_BUSY = select(_h.c.busy_run).where(_h.c.busy_until >= _now)
_FIRST = select(_t.c.id).where(_t.c.webhook_id == bindparam("hook"), *_due_now).order_by(_t.c.due_at, _t.c.id).limit(1)


def deliver_due_calls(site: Site, shard: Shard = ALL) -> int:
    """Queues new calls and makes those that are due; returns the number made. Safe to run twice at once.

    `shard` bounds the matches in which it looks for new ones.
    """
    if not cursors.has_active_webhooks(site):
        return 0
    moved = cursors.queue_calls_for_new_events(site, shard)
    # A wake-up is for all shards and takes any free number. A race may let one more start, but calls no webhook twice.
    with site.one_statement() as connection:
        taken = {*connection.execute(_BUSY, {"now": site.now()}).scalars()}
    numbers = range(site.config.shards) if shard == ALL else (shard.number,)
    free = [number for number in numbers if number not in taken]
    run = random.choice(free) if free else None
    first = claim_call(site, run) if run is not None else None
    made = 0
    if run is not None and first is not None:
        until = time.monotonic() + RUN_S
        calls = (first, *[None] * (THREADS - 1))
        with ThreadPoolExecutor(THREADS, "hooks") as pool:
            runs = [pool.submit(_claim_and_deliver_calls, site, run, until, claimed) for claimed in calls]
            made = sum(one.result() for one in runs)
    if moved >= cursors.SOME or (first is not None and not site.stopping() and _has_due_calls(site)):
        site.wake()
    return made


def _claim_and_deliver_calls(site: Site, run: int, until: float, row: int | None) -> int:
    """Makes one call after the other, a thread's share of the run; returns the number made."""
    made = 0
    for _ in range(RUN // THREADS):
        try:
            row = row or claim_call(site, run)
        except Busy:  # SQLite has one writer, currently another thread; the calls stay due
            return made
        if row is None:
            return made
        made += _deliver_call(site, row)
        row = None
        if site.stopping() or time.monotonic() > until:
            return made
    return made


def _has_due_calls(site: Site) -> bool:
    with site.one_statement() as connection:
        return connection.execute(_OLDEST, {"now": site.now()}).first() is not None


def claim_call(site: Site, run: int = 0) -> int | None:
    """Claims the webhook whose call has been due longest, for this run; returns the call's id, None if none is due."""
    if not _has_due_calls(site):  # most ticks find nothing and need no write lock
        return None
    now = site.now()
    with site.writing() as work:
        connection = work.connection()
        hook = connection.execute(_TAKE, {"now": now, "until": now + LEASE, "run": run}).scalar()
        first: int | None = connection.execute(_FIRST, {"now": now, "hook": hook}).scalar()
        if hook is not None and first is None:  # another worker called it between the check and the claim
            connection.execute(update(_h).where(_h.c.id == hook).values(busy_until=None))
        return first


def _deliver_call(site: Site, row_id: int) -> bool:
    """Makes one claimed call, or closes its row without one; returns True if it was made."""
    what = ""
    try:
        with site.reading() as session:
            row = session.get(Delivery, row_id)
            hook = session.get(Webhook, row.webhook_id) if row is not None else None
            if row is None or hook is None:  # removed since it was claimed
                return False
            what = row.dedupe
            call = request_of_call(site, session, row, hook)
        if call is None:
            _store_result_of_call(site, row_id, what, None)
            return False
    except Busy:
        raise
    except GameUnavailable:  # the other calls of the webhook go on
        with site.writing() as work:
            left = work.get(Delivery, row_id)
            if left is not None:
                left.due_at = site.now() + timedelta(seconds=GAME_RETRY_S)
                work.connection().execute(update(_h).where(_h.c.id == left.webhook_id).values(busy_until=None))
        return False
    except Exception:
        # A call that cannot be built must not stop the others; only this one waits.
        log.exception("hook.unwritten", row=row_id)
        _store_result_of_call(site, row_id, what, Answer(error="answer"), blame=False)
        return False
    answer = safe_http.post_safely(call.url, call.body, call.headers, private=site.config.webhooks_private)
    _store_result_of_call(site, row_id, what, answer)
    return True


def _store_result_of_call(site: Site, row_id: int, what: str, answer: Answer | None, *, blame: bool = True) -> None:
    """Stores the result of the call; None means that there was nothing to tell.

    Retries if the database is busy: the call was made and would otherwise be repeated. With `blame` a failure is the
    webhook's; otherwise it is ours: no other call waits for it, and the call is dropped after a day.
    """

    def close(work: Work) -> None:
        row = work.get(Delivery, row_id)
        if row is None or row.dedupe != what:  # deleted meanwhile, and its id perhaps reused
            return
        if answer is not None and not answer.is_accepted:  # its player may get a mail
            owner = work.get(Webhook, row.webhook_id)
            locks.hold_players(work, [owner.player_id if owner is not None else None])
        hook = work.get(Webhook, row.webhook_id, with_for_update=True, populate_existing=True)
        if hook is not None:  # None if it was just removed, with its calls
            _settle_call(site, work, row, hook, answer, blame=blame)

    site.persist(close)


def _settle_call(site: Site, work: Work, row: Delivery, hook: Webhook, answer: Answer | None, *, blame: bool) -> None:
    now = site.now()
    hook.busy_until = None
    work.add_all((row, hook))
    if answer is None:
        row.done_at, row.result = now, "stale"
        others = select(_t.c.id).where(_t.c.webhook_id == hook.id, _t.c.done_at.is_(None), _t.c.id != row.id)
        if work.execute(others.limit(1)).first() is None:  # none is left to test it: a later failure counts afresh
            hook.failing_since = None
        return
    row.attempts += 1
    row.status, row.error = answer.status, answer.error
    if answer.is_accepted:
        row.done_at, row.result = now, "delivered"
        hook.failing_since = None
        return
    if hook.disabled_at is not None:  # disabled during the call: open calls were dropped, and the reason stays
        return
    log.info("hook.failed", row=row.id, hook=hook.id, status=answer.status, error=answer.error)
    if answer.status == GONE:
        row.done_at, row.result = now, "gone"
        disable_webhook(work, hook, "gone", now)
        return
    # Jitter spreads retries over time; it has no influence on any match.
    wait_s = max(WAITS_S[min(row.attempts, len(WAITS_S)) - 1] * random.uniform(0.75, 1.25), answer.wait_s or 0)
    row.due_at = now + timedelta(seconds=wait_s)
    if not blame:
        if now - row.created_at >= PATIENCE:
            row.done_at, row.result = now, "dropped"
        return
    # The calls behind it wait, and those added until then.
    hook.wait_until = max(row.due_at, hook.wait_until or now)
    behind = (_t.c.webhook_id == hook.id, _t.c.done_at.is_(None), _t.c.due_at < row.due_at)
    work.connection().execute(update(_t).where(*behind).values(due_at=row.due_at))
    hook.failing_since = hook.failing_since or now
    if now - hook.failing_since >= PATIENCE:
        disable_webhook(work, hook, "failed", now)


def disable_webhook(work: Work, hook: Webhook, why: str, now: datetime) -> None:
    """Disables the webhook and drops its open calls; its owner gets a mail, the host an entry in the server log.

    No mail is sent if the host disables it.
    """
    hook.disabled_at, hook.why = now, why
    work.flush()
    undone = (_t.c.webhook_id == hook.id, _t.c.done_at.is_(None))
    dropped = {"done_at": now, "result": "dropped"}
    work.connection().execute(update(_t).where(*undone).values(dropped))
    work.expire_all()
    if why == "host":
        return
    if hook.player_id is None:
        log.error("hook.disabled", hook=hook.id, why=why)
        return
    log.info("hook.disabled", hook=hook.id, why=why)
    dedupe = f"webhook:{hook.id}:{now.strftime('%Y%m%dT%H%M%S')}"
    outbox.enqueue(work, dedupe, "webhook", now, player_id=hook.player_id, key=str(hook.id))
