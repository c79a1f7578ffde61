"""Notifies a reader's devices ahead of a mail; the mail follows if the notification is not opened in time.

1. A row whose seat has subscribed devices is pushed first. If any push service accepts the notification, the clocks
   that waited for the mail start, in the transaction that says so, and the row stays open: it is due again later.
2. Then a row whose notification was opened, or whose question is answered, is closed; else its mail leaves as always.
3. If no push service accepts it, the mail leaves at once, as if there were no devices. So it does in its reader's quiet
   hours and days off, in which no device is woken: see `notices`.

A crash between the call and the commit repeats the notification under its old tag, in whose place it appears.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import ColumnElement, Table, exists, select
from sqlalchemy.exc import SQLAlchemyError

from pbem.errors import Busy
from pbem.features.push import delivery, notices, subscriptions
from pbem.features.push.notices import Notice
from pbem.features.push.settings import MAIL_AFTER_S
from pbem.features.push.subscriptions import Call
from pbem.features.push.tables import PushSubscription
from pbem.models.prepared import get_existing
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, table
from pbem.services.clock.clock_start import start_clocks
from pbem.services.counters import Mark
from pbem.services.site import Reading, Site

PART = 8
"""The mail follows after this part of the time that is left, at the latest."""
TRIES = 5

log = structlog.get_logger()


@dataclass(frozen=True)
class Push:
    """A notification, the kind of mail that it goes ahead of, and the devices that it goes to."""

    kind: str
    notice: Notice
    devices: list[PushSubscription]


def condition(seat: Table) -> ColumnElement[bool]:
    """Returns the SQL condition that the seat has devices to notify."""
    t = table(PushSubscription)
    mine = (t.c.match_id == seat.c.match_id, t.c.seat == seat.c.seat, t.c.epoch == seat.c.epoch)
    return exists(select(t.c.device).where(*mine))


def prepare(site: Site, session: Reading, row: OutboxRow, match: Match, seat: SeatRow, player: Player) -> Push | None:
    """Returns the notification ahead of this mail; None if the mail goes alone, or was opened already."""
    if row.pushed_at is not None or row.opened_at is not None:
        return None
    try:
        notice = notices.notice_for(site, session, row, match, seat, player)
    except (Busy, SQLAlchemyError):
        raise
    except Exception:
        log.exception("push.unwritten", row=row.id)  # a bug of ours: the mail leaves all the same
        return None
    devices = subscriptions.subscribed(session, seat) if notice is not None else []
    return Push(row.kind, notice, devices) if notice is not None and devices else None


def send(site: Site, row_id: int, ready: Push, at: datetime) -> bool:
    """Sends the notification of a claimed row; returns True if a push service accepted it. Then the row is released.

    `at` is the moment as of which the notification was written, and from which the clock counts.
    """
    calls = delivery.notify(site, ready.devices, ready.notice)
    accepted = any(one.result == "accepted" for one in calls)
    if any(one.result != "skipped" for one in calls):
        _write(site, row_id, ready.notice, calls, accepted, at)
    site.counters.add([Mark("push", (ready.kind, one.result)) for one in calls])
    return accepted


def _write(site: Site, row_id: int, notice: Notice, calls: list[Call], accepted: bool, at: datetime) -> None:
    """Stores what became of the calls. Retries if the database is busy: the calls were made and would be repeated."""
    for tries_left in range(TRIES - 1, -1, -1):
        try:
            with site.writing() as work:
                row = get_existing(work, OutboxRow, row_id)
                if accepted:
                    start_clocks(work, row, "sent", at)
                    row.pushed_at = site.now()
                    row.due_at, row.claimed_until = row.pushed_at + wait_for_opening(site, notice, at), None
                subscriptions.settle(work, calls)
            return
        except Busy:
            if not tries_left:
                raise


def wait_for_opening(site: Site, notice: Notice, at: datetime) -> timedelta:
    """Returns how long the mail waits for the notification to be opened: less where there is less time."""
    longest = timedelta(seconds=site.config.number(MAIL_AFTER_S))
    return longest if notice.until is None else max(min(longest, (notice.until - at) / PART), timedelta())
