"""Time limits: passed deadlines, lapsed invitations, and matches nobody comes back to.

Swept by the beat, by shares of the matches; every sweep may run twice or in two places.

1. Find asks whose clock acts by now (see `deadlines`), or whose silent window closes, and that nobody has claimed
   recently.
2. Claim a batch by a conditional UPDATE with a lease: the worker that changes the row holds it; after a crash the
   lease expires.
3. For each, lock the match, check it again, and let the fallback answer as the clock, or the bot that the seat's
   absent owner has chosen, put the seat to the vote, or close the window.
4. Let orders answer what they are there for (see `following`).
5. Repeat while anything is claimed: for an absent seat the clock answers one ask after the other.

Each round uses a single moment at which the service was known to be up: what fell due while the machine slept in the
middle of it is not played before the next round has given that time back.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import or_, select

from pbem.errors import Busy, GameUnavailable
from pbem.games import all_games, find_game
from pbem.kit.bots import LEVELS
from pbem.models.tables import AskRow, Match, table
from pbem.services.calendar import heartbeats
from pbem.services.clock import outages
from pbem.services.log import windows
from pbem.services.log.cancellation import call_off
from pbem.services.log.leases import BATCH, claim
from pbem.services.log.table import lock_table
from pbem.services.play import following, stand_ins, voting
from pbem.services.play.decisions import close_window, play_fallback
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site

ROUNDS = 1000
_asks, _matches = table(AskRow), table(Match)

log = structlog.get_logger()


def tick(site: Site, shard: Shard = ALL) -> int:
    """Records the sweep's heartbeat, then lets the clock move where time is up; the beat runs this often.

    Returns the number of asks answered.
    """
    return _sweep(site, partial(outages.beat, site, shard), shard) if beat_and_check_web(site, shard) else 0


def beat_and_check_web(site: Site, shard: Shard = ALL) -> bool:
    """Records the sweep's heartbeat; returns True if the web is up, too.

    While the web is down no time may run out: nobody could answer, and the time will be given back.
    """
    now = outages.beat(site, shard)
    with site.reading() as session:
        stopped = heartbeats.stopped_heartbeats(session.connection(), now)
    if stopped:
        log.warning("clock.waits", stopped=sorted(stopped))
    return not stopped


def sweep_deadlines(site: Site) -> int:
    """Lets the clock move where time is up; returns the number of asks answered."""
    return _sweep(site, site.now, ALL)


def _sweep(site: Site, moment: Callable[[], datetime], shard: Shard) -> int:
    t, played = _asks, 0
    for _ in range(ROUNDS):
        if site.stopping():
            break
        now = moment()
        # What somebody has ordered comes before the clock moves for them.
        followed = following.follow_orders(site, now, shard)
        left = or_(t.c.bot.is_(None), t.c.bot.not_in(LEVELS), t.c.acts_at <= now - stand_ins.PATIENCE)
        due = claim(site, t.c.acts_at <= now, left, t.c.sealed_at.is_(None), order=t.c.acts_at, shard=shard)
        played += sum(expire(site, *one, now=now) for one in due if not site.stopping())
        closing = claim(site, t.c.closes_at <= now, order=t.c.closes_at, shard=shard)
        played += sum(close(site, match_id, now) for match_id, _, _ in closing if not site.stopping())
        if not (followed or due or closing):
            break
    return played


def expire(site: Site, match_id: str, key: str, seat: int, now: datetime | None = None) -> bool:
    """Answers one ask as the clock if its time was up at that moment; returns True if it did.

    The time is checked under the match's lock.
    """
    now = now or site.now()
    try:
        with site.writing() as work:
            table = lock_table(work, match_id, now)
            ask = table.ask(key, seat)
            if ask is None or table.match.status != "running" or find_game(table.match.game) is None:
                return False
            outages.catch_up(table)
            if not _is_due(ask, now) or not voting.may_play(table, ask):
                return False
            if stand_ins.hand_over(table, ask):
                return False
            table.now = site.now()  # the time was up at the moment of the sweep; what follows, follows now
            play_fallback(table, ask)
            return True
    except Busy:
        log.info("clock.busy", match=match_id, key=key)  # the lease ends, and the next sweep tries again
    except Exception:
        # A match that cannot be loaded or played must not stop the clocks of the others in the sweep.
        log.exception("clock.failed", match=match_id, key=key, seat=seat)
    return False


def _is_due(ask: AskRow, now: datetime) -> bool:
    return ask.closed_at is None and ask.sealed_at is None and ask.acts_at is not None and ask.acts_at <= now


def close(site: Site, match_id: str, now: datetime) -> bool:
    """Closes the match's silent window if all have answered and its floor is past at that moment; True if it did."""
    try:
        with site.writing() as work:
            table = lock_table(work, match_id, now)
            if close_window(table):
                return True
            windows.note_looked(table)
    except (Busy, GameUnavailable) as problem:
        log.info("window.busy", match=match_id, code=problem.code)
    except Exception:
        # A match that cannot be loaded or played must not keep the windows of the others open.
        log.exception("window.failed", match=match_id)
    return False


LAPSING = ("unconfirmed", "inviting", "paused")


def sweep_lapsed(site: Site, shard: Shard = ALL) -> int:
    """Cancels matches that were not confirmed or filled in time, or were abandoned; returns the number cancelled.

    Those whose game is unavailable stand still.
    """
    outages.hold_unavailable(site, shard)
    t = _matches
    late = (t.c.status.in_(LAPSING), t.c.lapses_at <= site.now(), *shard.matches(t.c.id))
    late = (*late, t.c.game.in_([*all_games()]))
    with site.reading() as session:
        ids = session.execute(select(t.c.id).where(*late).limit(BATCH)).scalars().all()
    return sum(_lapse(site, match_id) for match_id in ids if not site.stopping())


def _lapse(site: Site, match_id: str) -> bool:
    now = site.now()
    try:
        with site.writing() as work:
            table = lock_table(work, match_id, now)
            outages.catch_up(table)
            match = table.match
            if match.status not in LAPSING or match.lapses_at is None or match.lapses_at > now:
                return False
            call_off(table, "abandoned" if match.status == "paused" else "lapsed")
            return True
    except Busy:
        log.info("lapse.busy", match=match_id)  # the next sweep tries again
    except Exception:
        # A match that cannot be loaded or called off must not hold up the others in the sweep.
        log.exception("lapse.failed", match=match_id)
    return False
