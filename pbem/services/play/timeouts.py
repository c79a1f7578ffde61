"""Time limits: passed deadlines, lapsed invitations, and matches nobody comes back to.

Swept by the beat, by shares of the matches; every sweep may run twice or in two places.

1. Find asks whose clock acts by now (see `deadlines`), or whose silent window closes, and that nobody has claimed
   recently.
2. Claim a batch by a conditional UPDATE with a lease: the worker that changes the row holds it; after a crash the
   lease expires.
3. For each, lock the match, check it again, and let the fallback answer as the clock, or the bot that the seat's
   absent owner has chosen, put the seat to the vote, or close the window.
4. Let orders answer what they are there for.
5. Repeat while anything is claimed: for an absent seat the clock answers one ask after the other.

Each round uses a single moment at which the service was known to be up: what fell due while the machine slept in the
middle of it is not played before the next round has given that time back.

Orders answer in the sweep, never in the request of the player who has moved. Each question to a person is looked at
once, whether its seat has orders or not, so that nothing in a request tells it. The first look comes when the sweep
does, and not right after the move: a match that is locked then would tell that somebody has orders. Where an order
shows itself by answering at once, the workers are woken for it (`let_undelayed_orders_answer`): they read without a
lock
whether one answers, and lock the match only then.

1. Questions of seats without orders are done with by one statement.
2. Of the others a batch is claimed. An order that answers does so at once in a silent window, where nobody sees it, and
   at a public question; else when its delay is over (`pbem.kit.windows`): the question is looked at again then.
3. A question that the orders leave to their owner is mailed to them now, and not before: see
`end_of_wait_for_order`.

What is drawn, the moment at which an order answers or a window closes, is met by the first sweep from then on.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import structlog
from sqlalchemy import ColumnElement, bindparam, exists, func, or_, select, tuple_, update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from pbem.errors import Busy, GameUnavailable
from pbem.games import all_games, find_game, slow_bots
from pbem.kit.replay import key_without_takebacks
from pbem.kit.windows import is_order_delayed, order_delay_s
from pbem.models.prepared import Prepared
from pbem.models.tables import AskRow, Match, OrderRow, SeatRow, table
from pbem.services.calendar import heartbeats
from pbem.services.clock import outages
from pbem.services.log import proofs, windows
from pbem.services.log.cancellation import call_off
from pbem.services.log.leases import BATCH, claim_asks
from pbem.services.log.store import Table, get_match
from pbem.services.log.table import PEOPLE, LockedTable, lock_table
from pbem.services.play import orders, stand_ins, voting
from pbem.services.play.decisions import answer_as_clock_or_stand_in, follow_order, play_sealed_answers_if_due
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site

ROUNDS = 1000
LAPSING_STATUSES = ("unconfirmed", "inviting", "paused")
SWEEP_INTERVAL = timedelta(seconds=10)
"""How often the sweep comes."""
ORDER_PATIENCE = timedelta(minutes=5)
"""How long the mail of a question waits for a sweep that is late, because an order may answer."""
PAUSED_INTERVAL = timedelta(minutes=10)
"""How often a question is looked at while its match stands still."""
_asks, _matches, _s, _o = table(AskRow), table(Match), table(SeatRow), table(OrderRow)

log = structlog.get_logger()


def beat_and_sweep_deadlines_if_web_up(site: Site, shard: Shard = ALL) -> int:
    """Records the sweep's heartbeat, lets the clock move where time is up, and returns the number of asks answered.

    Answers none while the web is down.
    """
    return (
        _let_clock_move_where_time_is_up(site, partial(outages.beat_and_apply_outages, site, shard), shard)
        if beat_and_check_web(site, shard)
        else 0
    )


def beat_and_check_web(site: Site, shard: Shard = ALL) -> bool:
    """Records the sweep's heartbeat; returns True if the web is up, too.

    While the web is down no time may run out: nobody could answer, and the time will be given back.
    """
    now = outages.beat_and_apply_outages(site, shard)
    with site.reading() as session:
        stopped = heartbeats.silent_heartbeats(session.connection(), now)
    if stopped:
        log.warning("clock.waits", stopped=sorted(stopped))
    return not stopped


def sweep_deadlines(site: Site) -> int:
    """Lets the clock move where time is up; returns the number of asks answered."""
    return _let_clock_move_where_time_is_up(site, site.now, ALL)


def _let_clock_move_where_time_is_up(site: Site, moment: Callable[[], datetime], shard: Shard) -> int:
    t, played = _asks, 0
    for _ in range(ROUNDS):
        if site.stopping():
            break
        now = moment()
        # What somebody has ordered comes before the clock moves for them.
        followed = let_orders_answer(site, now, shard)
        left = or_(t.c.bot.is_(None), t.c.bot.not_in(slow_bots()), t.c.acts_at <= now - stand_ins.BOT_PATIENCE)
        due = claim_asks(site, t.c.acts_at <= now, left, t.c.sealed_at.is_(None), order=t.c.acts_at, shard=shard)
        played += sum(answer_expired_ask(site, *one, now=now) for one in due if not site.stopping())
        closing = claim_asks(site, t.c.closes_at <= now, order=t.c.closes_at, shard=shard)
        played += sum(close_window_if_due(site, match_id, now) for match_id, _, _ in closing if not site.stopping())
        if not (followed or due or closing):
            break
    return played


def answer_expired_ask(site: Site, match_id: str, key: str, seat: int, now: datetime | None = None) -> bool:
    """Answers one ask as the clock if its time, checked under the lock, was up at that moment; True if it did."""
    now = now or site.now()
    try:
        with site.writing() as work:
            table = lock_table(work, match_id, now)
            ask = table.ask(key, seat)
            if ask is None or table.match.status != "running" or find_game(table.match.game) is None:
                return False
            outages.apply_outages_to_locked_match(table)
            if not _is_ask_due(ask, now) or not voting.may_clock_play_or_open_vote(table, ask):
                return False
            if stand_ins.leave_to_thinking_stand_in(table, ask):
                return False
            table.now = site.now()  # the time was up at the moment of the sweep; what follows, follows now
            answer_as_clock_or_stand_in(table, ask)
            return True
    except Busy:
        log.info("clock.busy", match=match_id, key=key)  # the lease ends, and the next sweep tries again
    except Exception:
        # A match that cannot be loaded or played must not stop the clocks of the others in the sweep.
        log.exception("clock.failed", match=match_id, key=key, seat=seat)
    return False


def _is_ask_due(ask: AskRow, now: datetime) -> bool:
    return ask.closed_at is None and ask.sealed_at is None and ask.acts_at is not None and ask.acts_at <= now


def close_window_if_due(site: Site, match_id: str, now: datetime) -> bool:
    """Closes the match's silent window if all have answered and its floor is past at that moment; True if it did."""
    try:
        with site.writing() as work:
            table = lock_table(work, match_id, now)
            if play_sealed_answers_if_due(table):
                return True
            windows.note_window_looked_at(table)
    except (Busy, GameUnavailable) as problem:
        log.info("window.busy", match=match_id, code=problem.code)
    except Exception:
        # A match that cannot be loaded or played must not keep the windows of the others open.
        log.exception("window.failed", match=match_id)
    return False


def cancel_lapsed_matches(site: Site, shard: Shard = ALL) -> int:
    """Cancels matches that were not confirmed or filled in time, or were abandoned; returns the number cancelled.

    Those whose game is unavailable stand still, and are noted as held first.
    """
    outages.hold_or_resume_unavailable_matches(site, shard)
    t = _matches
    late = (t.c.status.in_(LAPSING_STATUSES), t.c.lapses_at <= site.now(), *shard.match_conditions(t.c.id))
    late = (*late, t.c.game.in_([*all_games()]))
    with site.reading() as session:
        ids = session.execute(select(t.c.id).where(*late).limit(BATCH)).scalars().all()
    return sum(_cancel_lapsed_match(site, match_id) for match_id in ids if not site.stopping())


def _cancel_lapsed_match(site: Site, match_id: str) -> bool:
    now = site.now()
    try:
        with site.writing() as work:
            table = lock_table(work, match_id, now)
            outages.apply_outages_to_locked_match(table)
            match = table.match
            if match.status not in LAPSING_STATUSES or match.lapses_at is None or match.lapses_at > now:
                return False
            call_off(table, "abandoned" if match.status == "paused" else "lapsed")
            return True
    except Busy:
        log.info("lapse.busy", match=match_id)  # the next sweep tries again
    except Exception:
        # A match that cannot be loaded or called off must not hold up the others in the sweep.
        log.exception("lapse.failed", match=match_id)
    return False


# --- orders ------------------------------------------------------------------------------------------------------


_has_orders = exists(
    select(_o.c.seat).where(_o.c.match_id == _asks.c.match_id, _o.c.seat == _asks.c.seat, _o.c.body != "")
)


def let_orders_answer(site: Site, now: datetime, shard: Shard = ALL) -> int:
    """Lets orders answer questions that are to be looked at by now, a batch at most; returns how many it looked at."""
    _clear_checks_where_no_orders(
        site,
        _asks.c.follow_at <= now,
        _asks.c.closed_at.is_(None),
        ~_has_orders,
        *shard.match_conditions(_asks.c.match_id),
    )
    asks = claim_asks(site, _asks.c.follow_at <= now, _has_orders, order=_asks.c.follow_at, shard=shard)
    for match_id, key, seat in asks:
        if site.stopping():
            break
        _let_order_answer(site, match_id, key, seat, now)
    return len(asks)


def let_undelayed_orders_answer(site: Site) -> int:
    """Lets orders answer questions at which they do so at once, before all eyes; returns how many it locked for that.

    What no order answers is only read, and left to the sweep: a lock would tell the mover that orders stand. Safe to
    run twice or in two places.
    """
    now, followed = site.now(), 0
    with site.one_statement() as connection:
        rows = _FRESH.send(connection, {"now": now, "since": now - SWEEP_INTERVAL, "most": BATCH}).rows()
    seen = {kind for game in all_games().values() for kind, one in game.meta.asks.items() if not is_order_delayed(one)}
    for match_id, key, seat, at, kind, is_alone in rows:
        if site.stopping():
            break
        if not (is_alone or kind in seen) or site.left.find((match_id, key, seat, at)):
            continue
        if _would_order_answer_now(site, match_id, key, seat):
            _let_order_answer(site, match_id, key, seat, now)
            followed += 1
        else:
            site.left.keep((match_id, key, seat, at), True)
    return followed


_people = (_s.c.match_id == _asks.c.match_id, _s.c.bot.is_(None), _s.c.resigned.is_(False))
_few = select(func.count()).where(*_people).scalar_subquery() < PEOPLE
_FRESH = Prepared(
    select(_asks.c.match_id, _asks.c.key, _asks.c.seat, _asks.c.follow_at, _asks.c.kind, _few)
    .where(_asks.c.follow_at > bindparam("since"), _asks.c.follow_at <= bindparam("now"))
    .where(_asks.c.closed_at.is_(None), _asks.c.floor_at.is_(None), _has_orders)
    .order_by(_asks.c.follow_at.desc())
    .limit(bindparam("most"))
)


def _would_order_answer_now(site: Site, match_id: str, key: str, seat: int) -> bool:
    """Returns whether an order would answer this question now, and does not wait; takes no lock."""
    try:
        with site.reading() as session:
            table = Table(session, get_match(session, match_id))
            ask = table.ask(key, seat)
            if ask is None or ask.closed_at is not None or _is_order_delayed(table, ask):
                return False
            return orders.would_order_answer(table, ask)
    except (SQLAlchemyError, Busy):
        raise  # no fault of the order: it is looked at again
    except Exception:
        # An order that cannot be read must not hold up the others: the sweep leaves it to its owner, and says why.
        log.exception("orders.unread", match=match_id, key=key, seat=seat)
        return False


def _clear_checks_where_no_orders(site: Site, *which: ColumnElement[bool]) -> None:
    """Notes that nothing is to be looked at, at these questions; those that are locked are left for the next time."""
    found = select(_asks.c.match_id, _asks.c.key, _asks.c.seat).where(*which)
    with site.one_statement() as connection:
        if connection.execute(found.limit(1)).first() is None:
            return
    while True:
        with site.writing() as work:
            rows = [tuple(row) for row in work.execute(found.limit(BATCH).with_for_update(skip_locked=True))]
            these = tuple_(_asks.c.match_id, _asks.c.key, _asks.c.seat).in_(rows)
            work.connection().execute(update(_asks).where(these, ~_has_orders).values(follow_at=None))
        if len(rows) < BATCH:
            return


def _let_order_answer(site: Site, match_id: str, key: str, seat: int, now: datetime) -> None:
    """Lets an order answer this question if it is due by then."""
    try:
        with site.writing() as work:
            table = lock_table(work, match_id, now)
            ask = table.ask(key, seat)
            if ask is None or ask.closed_at is not None or ask.follow_at is None or ask.follow_at > now:
                return
            after = _time_when_order_answers(table, ask)
            if table.match.status != "running":
                ask.follow_at = now + PAUSED_INTERVAL
                return
            ask.follow_at = ask.claimed_until = None
            work.wakes = True  # its mail has waited
            follow_order(table, ask, after if after > now else None)
    except (Busy, GameUnavailable) as problem:
        log.info("orders.busy", match=match_id, key=key, code=problem.code)
    except Exception:
        # A match that cannot be loaded or played must not hold up the others in the sweep.
        log.exception("orders.failed", match=match_id, key=key, seat=seat)
        this = (_asks.c.match_id == match_id, _asks.c.key == key, _asks.c.seat == seat)
        with site.writing() as work:  # the owner is asked instead
            work.connection().execute(update(_asks).where(*this).values(follow_at=None, claimed_until=None))
            work.wakes = True


def _time_when_order_answers(table: LockedTable, ask: AskRow) -> datetime:
    """Returns the first moment at which an order answers this question; its delay is drawn from the match's key."""
    if ask.floor_at is not None or not _is_order_delayed(table, ask):
        return ask.opened_at
    luck = proofs.luck_of_window_durations(table.match).order(key_without_takebacks(ask.key), ask.seat)
    at = ask.opened_at + timedelta(seconds=order_delay_s(luck, table.match.turn_s))
    return min(at, ask.acts_at) if ask.acts_at is not None else at


def _is_order_delayed(table: Table, ask: AskRow) -> bool:
    people = [seat for seat in table.seats if seat.bot is None and not seat.resigned]
    return len(people) >= PEOPLE and is_order_delayed(table.game.meta.asks[ask.kind])


def end_of_wait_for_order(session: Session, match_id: str, seat: int, key: str, now: datetime) -> datetime | None:
    """Returns until when the mail of this question waits because an order of its seat may answer.

    None if it does not wait. `key` is that of the first question of its stretch.
    """
    this = (_asks.c.match_id == match_id, _asks.c.seat == seat, _asks.c.origin == key, _asks.c.closed_at.is_(None))
    found = session.execute(select(_asks.c.follow_at).where(*this, _asks.c.follow_at.is_not(None), _has_orders)).first()
    at: datetime | None = found[0] if found is not None else None
    return max(at, now) + SWEEP_INTERVAL if at is not None and at >= now - ORDER_PATIENCE else None
