"""What the owner of a seat has seen of what happened: what they have marked, and what they looked at as they answered.

A mail that was sent is not seen, nor is a page that was fetched: programs follow links, too. Nobody else learns of it.
"""

from sqlalchemy import or_, update
from sqlmodel import Session

from pbem.errors import N_, Invalid
from pbem.models.tables import SeatRow, table
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
    t = table(SeatRow)
    grows = or_(t.c.seen.is_(None), t.c.seen < upto)
    own = (t.c.match_id == seat.match_id, t.c.seat == seat.seat, t.c.epoch == seat.epoch)
    session.connection().execute(update(t).where(*own, grows).values(seen=upto))
    session.expire(seat, ["seen"])
