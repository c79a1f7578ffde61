"""The checks of a circle's name, and of a member's name within it."""

from sqlmodel import Session

from pbem.errors import N_, Invalid
from pbem.features.circles.rows import members_of
from pbem.names import alike
from pbem.services.players.players import checked_name

TITLE_LENGTH = 40
MEMBERS_MOST = 200
"""How many members a circle may have."""


def checked_title(title: str) -> str:
    """Returns the circle's name, normalised. Raises Invalid for what would not do as a player's name, but longer."""
    if not title.strip():
        raise Invalid(N_("A circle needs a name."), fields=("title",))
    return checked_name(title, TITLE_LENGTH)


def check_room_for(session: Session, circle_id: str, name: str, member_id: int | None) -> None:
    """Checks that the circle takes somebody of this name: nobody else is called so there, or nearly so.

    The circle must be locked. Raises Invalid.
    """
    names = [other.name for other in members_of(session, circle_id) if other.id != member_id]
    if len(names) >= MEMBERS_MOST:
        raise Invalid(N_("This circle has as many members as it may have."))
    if any(len(names) in group for group in alike([*names, name])):
        message = N_("Somebody in this circle is called “%(name)s”, or nearly so. Please choose another name.")
        raise Invalid(message, {"name": name})
