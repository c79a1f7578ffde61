"""Ends a match that is not over: at its organiser's request, after a time limit, or by the host."""

from pbem.errors import N_, Gone
from pbem.kit.codec import encode
from pbem.kit.replay import Cancelled, CancelReason
from pbem.services.log import deals
from pbem.services.log.table import LockedTable, lock_table
from pbem.services.site import Site


def call_off(table: LockedTable, reason: CancelReason) -> None:
    """Cancels a match that is not over and queues a mail to each person who took a seat.

    A match that has started gets a final table entry with the reason.
    """
    match = table.match
    if match.version:
        table.record([Cancelled(reason)])
    match.status, match.ended_at, match.lapses_at = "cancelled", table.now, None
    match.outcome = encode({"reason": reason}).decode()
    table.work.flush()
    deals.end_table_of_deal(table.work, match)
    table.close_asks()
    for seat in table.seats:
        if seat.status == "accepted" and seat.bot is None:
            table.queue_mail("cancelled", seat.seat, f"cancelled:{match.id}:{seat.seat}:{seat.epoch}")


def cancel_match_for_host(site: Site, match_id: str) -> None:
    """Cancels a match on behalf of the host. Raises NotFound, Gone."""
    with site.writing() as work:
        table = lock_table(work, match_id)
        if table.match.status in ("over", "cancelled"):
            raise Gone(N_("The match is over; nothing can be played any more."))
        call_off(table, "host")
