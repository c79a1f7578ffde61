"""A seat that is offered by a link, to be shown to whoever holds the link, and why it can no longer be taken."""

from dataclasses import dataclass

from pbem.errors import N_, Gone
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
