"""Ends a match that is not over: at its organiser's request, after a time limit, or by the host."""

from datetime import datetime

from pbem.errors import N_, Gone
from pbem.kit.codec import encode
from pbem.kit.replay import Cancelled, CancelReason
from pbem.models.tables import Match
from pbem.services.log import deals, locks, outbox, store
from pbem.services.site import Site, Work


def call_off(work: Work, match: Match, reason: CancelReason, now: datetime) -> None:
    """Cancels a match that is not over and queues a mail to each person who took a seat. The match must be locked.

    A match that has started gets a final table entry with the reason.
    """
    if match.version:
        store.record(work, match, [Cancelled(reason)], now)
    match.status, match.ended_at, match.lapses_at = "cancelled", now, None
    match.outcome = encode({"reason": reason}).decode()
    work.flush()
    deals.end_table(work, match)
    for ask in store.open_asks(work, match.id):
        ask.closed_at, ask.closed_by = now, "table"
    for seat in store.seats_of(work, match.id):
        if seat.status == "accepted" and seat.bot is None:
            dedupe = f"cancelled:{match.id}:{seat.seat}:{seat.epoch}"
            outbox.enqueue(work, dedupe, "cancelled", now, match_id=match.id, seat=seat.seat)


def cancel(site: Site, match_id: str) -> None:
    """Cancels a match on behalf of the host. Raises NotFound, Gone."""
    with site.writing() as work:
        match = locks.lock_match(work, match_id)
        if match.status in ("over", "cancelled"):
            raise Gone(N_("The match is over; nothing can be played any more."))
        call_off(work, match, "host", site.now())
