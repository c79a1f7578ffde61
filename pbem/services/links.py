"""The seat that a link acts for; and what is said to who held it before somebody took it over."""

from sqlmodel import Session, col, select

from pbem.errors import N_, Unauthorized
from pbem.models.tables import SeatRow, SubstituteRow
from pbem.services.tokens import SeatClaim, unknown_link


def seat_of(session: Session, claim: SeatClaim) -> SeatRow:
    """The seat of the link, if that is not an old one. Raises Unauthorized."""
    seat = session.get(SeatRow, (claim.match_id, claim.seat))
    if seat is None:
        raise unknown_link()
    if seat.epoch != claim.epoch:
        raise refusal(session, claim)
    return seat


def refusal(session: Session, claim: SeatClaim) -> Unauthorized:
    """What is said to who holds an old link of a seat: where he sat there himself, that it is somebody else's now."""
    taken = select(SubstituteRow.id).where(
        col(SubstituteRow.match_id) == claim.match_id,
        col(SubstituteRow.seat) == claim.seat,
        col(SubstituteRow.epoch) > claim.epoch,
    )
    if session.exec(taken.limit(1)).first() is None:
        return unknown_link()
    return Unauthorized(N_("Somebody else has taken this seat over. Its old links do not work any more."))
