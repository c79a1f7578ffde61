"""What the owner of a seat has seen of what happened: what they have marked, and what they looked at as they answered.

A mail that was sent is not seen, nor is a page that was fetched: programs follow links, too. Nobody else learns of it.
"""

from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session

from pbem.errors import N_, Invalid
from pbem.models.tables import SeatRow
from pbem.services import statements
from pbem.services.access import seat_links
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim


def mark_seen(site: Site, claim: SeatClaim, upto: int) -> int:
    """Marks what happened up to this entry as seen by the owner of the seat; returns up to which it now is.

    It only ever grows. Raises Unauthorized, NotFound, and Invalid for an entry that is not there yet.
    """
    with site.writing() as work:
        match, seat = seat_links.lock_seat(work, claim)
        if not 0 <= upto <= match.version:
            raise Invalid(N_("The match has no entry %(n)s."), {"n": upto})
        note_seen(work, seat, upto)
        return max(seat.seen or 0, upto)


def note_seen(session: Session, seat: SeatRow, upto: int) -> None:
    """Marks what happened up to this entry as seen, unless more is. The match must be locked."""
    if (seat.seen or 0) >= upto:
        return
    own = {"at_match": seat.match_id, "at_seat": seat.seat, "at_epoch": seat.epoch}
    if statements.SEEN.ask(session, {**own, "upto": upto}).count:
        set_committed_value(seat, "seen", upto)
