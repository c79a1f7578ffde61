"""The seat that a link acts for; and what is said to who held it before somebody took it over."""

from sqlmodel import Session, col, select

from pbem.errors import N_, NotFound, Unauthorized
from pbem.models.tables import Match, SeatRow, SubstituteRow
from pbem.services.log import locks
from pbem.services.site import Site
from pbem.services.statements import CALLER
from pbem.services.tokens import SeatClaim, SeatPurpose, unknown_link


def seat_of(session: Session, claim: SeatClaim, purpose: SeatPurpose, *, anew: bool = False) -> SeatRow:
    """The seat of the link, if that is one for this purpose and no old one.

    It is read `anew` where it was read before its match was locked. Raises Unauthorized.
    """
    if claim.purpose != purpose:
        raise unknown_link()
    seat = session.get(SeatRow, (claim.match_id, claim.seat), populate_existing=anew)
    if seat is None:
        raise unknown_link()
    if seat.epoch != claim.epoch:
        raise refusal(session, claim)
    return seat


def lock_seat(session: Session, claim: SeatClaim) -> tuple[Match, SeatRow]:
    """The match, locked until the transaction ends, and the seat for which its player shows this play link.

    Raises NotFound, also where no person sits there, and Unauthorized for an old link.
    """
    match = locks.lock_match(session, claim.match_id)
    seat = seat_of(session, claim, "play")
    if seat.status != "accepted" or seat.player_id is None:
        raise NotFound(N_("There is no such seat."))
    return match, seat


def hold_seat(session: Session, claim: SeatClaim, purpose: SeatPurpose) -> tuple[Match, SeatRow]:
    """The match, locked, and the seat of the link, to whose player rows may point. Raises Unauthorized."""
    locks.hold_players(session, [seat_of(session, claim, purpose).player_id])
    match = locks.lock_match(session, claim.match_id)
    return match, seat_of(session, claim, purpose, anew=True)


def refusal(session: Session, claim: SeatClaim) -> Unauthorized:
    """What is said to who holds an old link of a seat: where he sat there himself, that it is somebody else's now."""
    taken = select(SubstituteRow.id).where(
        col(SubstituteRow.match_id) == claim.match_id,
        col(SubstituteRow.seat) == claim.seat,
        col(SubstituteRow.epoch) > claim.epoch,
    )
    if session.exec(taken.limit(1)).first() is None:
        return unknown_link()
    return Unauthorized(N_("Somebody else has taken over this seat. Its old links no longer work."))


def confirmed_language(site: Site, claim: SeatClaim) -> str | None:
    """The language of the player whose play token this is, None for nobody's. Raises Unauthorized where it ended."""
    with site.glancing() as connection:
        found = CALLER.send(connection, {"match": claim.match_id, "seat": claim.seat}).rows()
    if not found or found[0][0] != claim.epoch:
        with site.reading() as session:
            raise refusal(session, claim)
    language: str | None = found[0][1]
    return language
