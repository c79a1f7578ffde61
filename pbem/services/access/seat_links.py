"""Finds the seat that a link acts for, and tells the former player of a seat that somebody has taken it over."""

from datetime import datetime

from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.errors import N_, Gone, NotFound, Problem, Unauthorized
from pbem.models.prepared import find_by_key
from pbem.models.tables import Match, OutboxRow, SeatRow, SubstituteRow
from pbem.services.log import locks
from pbem.services.log.table import LockedTable, lock_table
from pbem.services.site import Site, Work
from pbem.services.statements import CALLER
from pbem.services.tokens import SeatClaim, SeatPurpose, opening_of, unknown_link


def seat_of_link(session: Session, claim: SeatClaim, purpose: SeatPurpose, *, refresh: bool = False) -> SeatRow:
    """Returns the seat of the link, if the link is current and made for this purpose.

    With `refresh` the row is read again even if the session has it from before the match was locked. Raises
    Unauthorized, and Gone for an invitation whose seat somebody else has taken meanwhile.
    """
    if claim.purpose != purpose:
        raise unknown_link()
    key = (claim.match_id, claim.seat)
    seat = session.get(SeatRow, key, populate_existing=True) if refresh else find_by_key(session, SeatRow, *key)
    if seat is None:
        raise unknown_link()
    if seat.epoch != claim.epoch:
        if (earlier := earlier_claim_of_invitation(session, claim)) is not None:
            return seat_as_seen_by_claimant(seat, earlier)
        if not _was_taken_by_this_invitation(session, claim, seat):
            raise error_for_ended_link(session, claim)
    return seat


def earlier_claim_of_invitation(session: Session, claim: SeatClaim) -> SubstituteRow | None:
    """Returns the claim that this invitation was written for, if others have claimed the seat since.

    None if somebody has taken the seat, and if the claim is the seat's latest. The claim is void if its player has
    declined it.
    """
    seat = find_by_key(session, SeatRow, claim.match_id, claim.seat)
    if claim.purpose not in ("invitation", "mute") or seat is None or seat.status == "accepted":
        return None
    era = opening_of(claim.epoch)
    if claim.epoch >= seat.epoch or era is None or era != opening_of(seat.epoch):
        return None
    return session.exec(_query_of_seat_claims(seat).where(SubstituteRow.away_n == -claim.epoch)).first()


def _was_taken_by_this_invitation(session: Session, claim: SeatClaim, seat: SeatRow) -> bool:
    """True if the seat was taken by this invitation after others had claimed it, and has had no new link since.

    If the latest claim was another's, accepting an earlier one has raised the epoch once; a new link raises it again.
    Where it was the player's own, nothing tells the two apart: their earlier invitations have ended.
    """
    era = opening_of(claim.epoch)
    if claim.purpose != "invitation" or seat.status != "accepted" or era is None or era != opening_of(seat.epoch):
        return False
    claims = session.exec(_query_of_seat_claims(seat).order_by(col(SubstituteRow.away_n))).all()
    theirs = [-one.away_n for one in claims if one.player_id == seat.player_id and not one.void]
    latest = claims[0] if claims else None
    if latest is None or latest.player_id == seat.player_id:
        return False
    return claim.epoch in theirs and seat.epoch == 1 - latest.away_n


def seat_as_seen_by_claimant(seat: SeatRow, claim: SubstituteRow) -> SeatRow:
    """Returns the seat as it is for the one who has this claim; the row is not in the database."""
    status = "declined" if claim.void else "invited"
    mine = {"player_id": claim.player_id, "name": claim.name, "epoch": -claim.away_n, "status": status, "word": None}
    return SeatRow(**seat.model_dump() | mine | {"muted": claim.void})


def store_latest_claim(work: Work, seat: SeatRow, now: datetime) -> None:
    """Stores the latest claim of an open seat, which stays good when others claim it, too."""
    claim = work.exec(_query_of_seat_claims(seat).where(SubstituteRow.away_n == -seat.epoch)).first()
    if claim is None:
        assert seat.player_id is not None, "somebody has claimed it"
        claim = SubstituteRow(
            match_id=seat.match_id, seat=seat.seat, away_n=-seat.epoch, player_id=seat.player_id, name=seat.name, at=now
        )
    claim.name = seat.name
    work.put(claim)


def end_claims_except_of_winner(session: Session, seat: SeatRow, winner: int | None) -> set[int | None]:
    """Ends all claims of the open seat but the `winner`'s; returns the ids of the players who had them."""
    claims = [one for one in session.exec(_query_of_seat_claims(seat)) if one.player_id != winner and not one.void]
    for claim in claims:
        claim.void = True
    return {claim.player_id for claim in claims}


def end_claims_of_leaving_player(session: Session, seat: SeatRow) -> None:
    """Ends the claims that the seat's player has on it, who leaves it."""
    for claim in session.exec(_query_of_seat_claims(seat).where(SubstituteRow.player_id == seat.player_id)):
        claim.void = True


def name_of_players_latest_claim(session: Session, seat: SeatRow, player_id: int) -> str:
    """Returns the name for which the player last claimed the seat by its join link; "" if they have not."""
    claims = _query_of_seat_claims(seat).where(SubstituteRow.player_id == player_id).order_by(col(SubstituteRow.away_n))
    latest = session.exec(claims).first()
    return latest.name if latest is not None else ""


def merge_claims_of_player(work: Work, seat: SeatRow, player_id: int, now: datetime) -> None:
    """Puts one claim that no link opens yet in place of all that the player has on a seat that nobody has taken.

    It becomes the seat's latest claim, so the mail with the player's links contains it.
    """
    claims = work.exec(_query_of_seat_claims(seat).where(SubstituteRow.player_id == player_id)).all()
    standing = [claim for claim in claims if not claim.void and opening_of(-claim.away_n) == opening_of(seat.epoch)]
    for claim in claims:
        work.delete(claim)
    if standing and seat.status in ("invited", "declined"):
        latest = min(standing, key=lambda claim: claim.away_n)
        seat.player_id, seat.name, seat.status, seat.epoch = player_id, latest.name, "invited", seat.epoch + 1
        store_latest_claim(work, seat, now)


def _query_of_seat_claims(seat: SeatRow) -> SelectOfScalar[SubstituteRow]:
    """All claims there have been of the seat by its join links, by their epochs; also those that are void."""
    return select(SubstituteRow).where(
        SubstituteRow.match_id == seat.match_id, SubstituteRow.seat == seat.seat, col(SubstituteRow.away_n) < 0
    )


def lock_seat(work: Work, claim: SeatClaim, purpose: SeatPurpose = "play") -> tuple[LockedTable, SeatRow]:
    """Returns the match, locked until the transaction ends, and the seat of this link for this purpose.

    Raises NotFound, also if no person holds the seat, and Unauthorized for an old link.
    """
    table = lock_table(work, claim.match_id)
    seat = seat_of_link(work, claim, purpose)
    if seat.status != "accepted" or seat.player_id is None:
        raise NotFound(N_("There is no such seat."))
    return table, seat


def lock_seat_and_hold_player(work: Work, claim: SeatClaim, purpose: SeatPurpose) -> tuple[LockedTable, SeatRow]:
    """Returns the locked match and the seat of the link; rows may point to the seat's player. Raises Unauthorized."""
    locks.hold_players(work, [seat_of_link(work, claim, purpose).player_id])
    table = lock_table(work, claim.match_id)
    return table, seat_of_link(work, claim, purpose, refresh=True)


def error_for_ended_link(session: Session, claim: SeatClaim) -> Problem:
    """Returns the error for an old link of a seat; it says who holds the seat now, if that is why the link ended."""
    taken = select(SubstituteRow.id).where(
        col(SubstituteRow.match_id) == claim.match_id,
        col(SubstituteRow.seat) == claim.seat,
        col(SubstituteRow.epoch) > claim.epoch,
    )
    if session.exec(taken.limit(1)).first() is not None:
        return Unauthorized(N_("Somebody else has taken over this seat. Its old links no longer work."))
    return _error_for_lost_invitation(session, claim) if claim.purpose == "invitation" else unknown_link()


def language_of_link_holder(site: Site, claim: SeatClaim) -> str | None:
    """Returns the language of the player whose play link this is, or None if the seat has no player.

    Raises Unauthorized if the link is no longer valid.
    """
    with site.one_statement() as connection:
        found = CALLER.send(connection, {"match": claim.match_id, "seat": claim.seat}).rows()
    if not found or found[0][0] != claim.epoch:
        with site.reading() as session:
            raise error_for_ended_link(session, claim)
    language: str | None = found[0][1]
    return language


ASK_FOR_ANOTHER = N_(
    "This invitation has ended: somebody else has asked for the same seat by the same link. As long as nobody has "
    "taken it, you can use that link again; or ask the organiser for another seat."
)
SEAT_TAKEN = N_(
    "This invitation has ended: %(name)s has taken the seat. Ask the organiser whether another is free, or start a "
    "match of your own."
)
NOT_KEPT = N_(
    "This invitation has ended: the seat is no longer kept for you. Ask the organiser whether another is free, or "
    "start a match of your own."
)


EPOCH = "epoch"
"""The prefix of an invitation's key in the outbox; the epoch of its seat follows."""


def invitation_mail_key(match_id: str, player_id: int | None) -> str:
    """Returns the key under which the first invitation of this player to this match is queued."""
    return f"invitation:{match_id}:{player_id}"


def _error_for_lost_invitation(session: Session, claim: SeatClaim) -> Problem:
    """Returns the error for an invitation whose seat is somebody else's meanwhile, free again, or has a new link."""
    seat, match = session.get(SeatRow, (claim.match_id, claim.seat)), session.get(Match, claim.match_id)
    if seat is None or match is None or seat.epoch < claim.epoch:
        return unknown_link()
    if match.status == "cancelled":
        return Gone(N_("This match has been called off."))
    if seat.status == "accepted":
        sent = select(OutboxRow.id).where(
            col(OutboxRow.dedupe) == invitation_mail_key(claim.match_id, seat.player_id),
            col(OutboxRow.seat) == claim.seat,
            col(OutboxRow.key) == f"{EPOCH}{claim.epoch}",
        )
        theirs = _query_of_seat_claims(seat).where(
            SubstituteRow.away_n == -claim.epoch, SubstituteRow.player_id == seat.player_id
        )
        if session.exec(sent).first() is not None or session.exec(theirs).first() is not None:
            return unknown_link()  # it is their own seat, whose link was renewed: their links lead to it
        return Gone(SEAT_TAKEN, {"name": seat.name})
    era = opening_of(claim.epoch)
    return Gone(ASK_FOR_ANOTHER if era is not None and era == opening_of(seat.epoch) else NOT_KEPT)
