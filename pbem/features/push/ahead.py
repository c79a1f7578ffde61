"""Notifies a reader's devices ahead of a mail; the mail follows if the notification is not opened in time.

1. A row whose seat has subscribed devices is pushed first. If any push service accepts the notification, the clocks
   that waited for the mail start, in the transaction that says so, and the row stays open: it is due again later.
2. Then a row whose notification was opened, or whose question is answered, is closed; else its mail leaves as always.
3. If no push service accepts it, the mail leaves at once, as if there were no devices. So it does in its reader's quiet
   hours and days off, in which no device is woken: see `notices`.

A crash between the call and the commit repeats the notification under its old tag, in whose place it appears.

It is encrypted for each device (RFC 8291) and signed by this site (RFC 8292). The endpoints were entered by strangers,
so they are called as webhooks are. All devices of a seat are called at once, and a call takes some seconds at most;
after one that got no answer, its server is left alone for a minute, so that no other mail waits for it.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from urllib.parse import urlsplit

import structlog
from sqlalchemy import ColumnElement, Table, exists, select
from sqlalchemy.exc import SQLAlchemyError

from pbem.errors import Busy
from pbem.features import safe_http
from pbem.features.push import notices, subscriptions
from pbem.features.push.notices import Notice
from pbem.features.push.settings import MAIL_AFTER_S
from pbem.features.push.subscriptions import Call, Result
from pbem.features.push.tables import PushSubscription
from pbem.features.safe_http import Answer
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, table
from pbem.services.counters import Mark
from pbem.services.mail.closing import start_clocks
from pbem.services.site import Reading, Site, Work

PART = 8
"""The mail follows after this part of the time that is left, at the latest."""

log = structlog.get_logger()

CALL_S = 3.0
"""The seconds that a call may take as a whole."""
REST_S = 60.0
"""The seconds for which a server is not called after it did not answer, or not in time."""
SIGNED_FOR = timedelta(hours=12)
"""How long a signature is valid; a day is the most that push services accept."""
AGENT = "pbem-push/1"
ENDED = (404, 410)
"""The subscription has ended: the reader has stopped it in their browser, or the device is gone."""
FOREIGN = (401, 403)
"""It was made for another key: this site's secret has changed."""
LATER = (408, 429)
"""The push service is busy; what it answers with any other 4xx is said of the subscription."""
MOST_REFUSALS = 10
"""After this many calls in a row that were not accepted, the last of them refused, a subscription is given up."""
UNSEEN = timedelta(days=30)
"""A device that has not subscribed again for so long is given up after as many calls that got no answer, too. One whose
reader still opens the seat's page subscribes again every day, and outlives its push service's bad days."""
MOST_RESTING = 1000
"""The servers that are left alone at once, at most."""

RESTING: dict[str, float] = {}
"""The servers that are left alone at present, each with the end of its rest on this process's clock, soonest first.

Other processes find out by themselves, for one call a minute each: cheaper than asking them about every call.
"""
_resting = Lock()


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
    devices = subscriptions.subscriptions_of_seat(session, seat) if notice is not None else []
    return Push(row.kind, notice, devices) if notice is not None and devices else None


def send(site: Site, row_id: int, ready: Push, at: datetime) -> bool:
    """Sends the notification of a claimed row; returns True if a push service accepted it. Then the row is released.

    `at` is the moment as of which the notification was written, and from which the clock counts.
    """
    calls = notify_devices(site, ready.devices, ready.notice)
    accepted = any(one.result == "accepted" for one in calls)
    if any(one.result != "skipped" for one in calls):
        _store_results_of_calls(site, row_id, ready.notice, calls, accepted, at)
    site.counters.add([Mark("push", (ready.kind, one.result)) for one in calls])
    return accepted


def _store_results_of_calls(
    site: Site, row_id: int, notice: Notice, calls: list[Call], accepted: bool, at: datetime
) -> None:
    """Stores what became of the calls. Retries if the database is busy: the calls were made and would be repeated."""

    def store(work: Work) -> None:
        row = work.get_one(OutboxRow, row_id)
        if accepted:
            start_clocks(work, row, "sent", at)
            row.pushed_at = site.now()
            row.due_at, row.claimed_until = row.pushed_at + delay_of_mail(site, notice, at), None
        subscriptions.note_results_of_calls(work, calls)

    site.persist(store)


def notify_devices(site: Site, devices: Sequence[PushSubscription], notice: Notice) -> list[Call]:
    """Sends the notification to each device, at the same time; returns what became of each. Never raises."""
    if len(devices) == 1:
        return [_send_to_device(site, devices[0], notice)]
    with ThreadPoolExecutor(len(devices), "push") as pool:
        return [*pool.map(lambda device: _send_to_device(site, device, notice), devices)]


def _send_to_device(site: Site, device: PushSubscription, notice: Notice) -> Call:
    server = urlsplit(device.endpoint).netloc
    if RESTING.get(server, 0) > time.monotonic():
        return Call(device, "skipped")
    try:
        body, headers = _body_and_headers(site, device, notice)
    except Exception:
        # Whatever a browser has sent as its keys, the mail must leave.
        log.exception("push.unwritten", row=notice.row)
        return Call(device, "failed")
    answer = safe_http.post_safely(device.endpoint, body, headers, private=site.config.webhooks_private, life_s=CALL_S)
    result = _result_of_call(device, answer, site.now())
    if result != "accepted":
        log.info("push.refused", row=notice.row, status=answer.status, error=answer.error, result=result)
    if answer.status is None or answer.status >= 500:
        now = time.monotonic()
        with _resting:
            RESTING.pop(server, None)
            while RESTING and (len(RESTING) >= MOST_RESTING or RESTING[next(iter(RESTING))] <= now):
                del RESTING[next(iter(RESTING))]
            RESTING[server] = now + REST_S
    return Call(device, result)


def _result_of_call(device: PushSubscription, answer: Answer, now: datetime) -> Result:
    if answer.is_accepted:
        return "accepted"
    often = device.refusals + 1 >= MOST_REFUSALS
    if answer.status is None or answer.status >= 500 or answer.status in LATER:
        return "gone" if often and now - device.created_at >= UNSEEN else "failed"
    over = answer.status in ENDED or answer.status in FOREIGN
    return "gone" if over or often else "refused"


def _body_and_headers(site: Site, device: PushSubscription, notice: Notice) -> tuple[bytes, dict[str, str]]:
    """Returns the body and the headers of the call."""
    # Only a worker with devices to notify loads these, and the HTTP clients that come with them.
    from py_vapid import Vapid02
    from pywebpush import WebPusher

    keys = {"p256dh": device.p256dh, "auth": device.auth}
    body: bytes = WebPusher({"endpoint": device.endpoint, "keys": keys}).encode(notice.payload())["body"]
    signer = Vapid02(subscriptions.private_key(site.config.secret))
    parts, until = urlsplit(device.endpoint), int((site.now() + SIGNED_FOR).timestamp())
    # For which server it is, until when, and whom that server may write to.
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": until, "sub": f"mailto:{site.config.mail_from}"}
    signed: dict[str, str] = signer.sign(claims)
    return body, {
        **signed,
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(notice.ttl_s),
        "Urgency": notice.urgency,
        "Topic": notice.tag,
        "User-Agent": AGENT,
    }


def delay_of_mail(site: Site, notice: Notice, at: datetime) -> timedelta:
    """Returns how long the mail waits for the notification to be opened: less where there is less time."""
    longest = timedelta(seconds=site.config.number(MAIL_AFTER_S))
    return longest if notice.until is None else max(min(longest, (notice.until - at) / PART), timedelta())
