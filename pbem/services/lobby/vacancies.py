"""A seat that is offered by a link, to be shown to anyone who holds the link, and why it can no longer be taken."""

from dataclasses import dataclass

from sqlmodel import Session

from pbem.errors import N_, Gone, NotFound, Problem
from pbem.models.tables import Match, SeatRow
from pbem.services.tokens import ERA, OpeningClaim, opening_of, unknown_link
from pbem.services.views.match_views import Sheet, View

REFUSALS = {
    "unconfirmed": N_("The organiser has not confirmed this match yet."),
    "cancelled": N_("This match has been called off."),
    "begun": N_("The match has already begun."),
    "over": N_("The match is not being played."),
    "back": N_("The player of this seat is back."),
    "taken": N_("Somebody else has taken this seat meanwhile."),
}


@dataclass(frozen=True)
class Vacancy:
    """A seat that may be taken, as everybody may see it.

    `how` is "free", or the reason why it is not, a key of REFUSALS; "yours" if the viewer has taken it.
    """

    sheet: Sheet
    seat: int
    how: str
    view: View | None = None
    """None before the match has begun, and if it admits no spectators."""
    name: str = ""
    """The name that the newcomer has chosen, if any."""
    language: str = ""
    zone: str = ""
    verified: bool = False
    play_token: str | None = None
    """The play token of a newcomer who has taken the seat; None once they renewed it: this link must not reveal it."""


def invitation_state(status: str) -> str:
    """Returns "free" while a match of this status waits for its players, otherwise the reason why they are too late."""
    if status == "inviting":
        return "free"
    return status if status in ("unconfirmed", "cancelled") else "begun"


def check_free(how: str) -> None:
    """Raises Gone with the reason if the seat is not free."""
    if how != "free":
        raise Gone(REFUSALS[how])


# --- old links to open seats ----------------------------------------------------------------------------------

ENDED = {
    "cancelled": N_("This match has been called off. Ask whoever invited you, or start a match of your own."),
    "begun": N_("The match has begun without this link. Ask whoever invited you, or start a match of your own."),
}
REPLACED = N_(
    "This link has ended: its seat has got a new link, or went to somebody else. Ask whoever gave you the link whether "
    "a seat is free."
)
NO_MATCH = N_("There is no such match any more. Ask whoever gave you the link, or start a match of your own.")


def check_opening(session: Session, claim: OpeningClaim) -> tuple[Match, SeatRow]:
    """Returns the match and the seat of a join link.

    Raises Gone for an old link, NotFound if its match is gone, Unauthorized for one that never was.
    """
    seat = session.get(SeatRow, (claim.match_id, claim.seat), populate_existing=True)
    match = session.get(Match, claim.match_id)
    if seat is None or match is None:
        raise NotFound(NO_MATCH)
    if opening_of(seat.epoch) != claim.era:
        raise _ended(match, seat, claim)
    return match, seat


def _ended(match: Match, seat: SeatRow, claim: OpeningClaim) -> Problem:
    if not 0 < claim.era <= seat.epoch // ERA:
        return unknown_link()
    return Gone(ENDED.get(invitation_state(match.status), REPLACED))
