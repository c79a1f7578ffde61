"""The mail that invites somebody to a match."""

from pbem.mail.kinds.invitation import Invitation
from pbem.services.mail import board_letters
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> Invitation | str:
    """Returns the letter; stale once it is answered or somebody else is invited to the seat."""
    current = desk.row.key == f"epoch{desk.seat.epoch}"
    if desk.match.status != "inviting" or desk.seat.status != "invited" or not current:
        return "stale"
    assert desk.match.lapses_at is not None, "a match that invites has a last day"
    turn, increment = board_letters.turn_time(desk.match)
    return Invitation(
        **desk.about(),
        organiser=desk.names()[0],
        invitation_url=desk.link("invitation", "invitation"),
        until=desk.match.lapses_at,
        turn=turn,
        increment=increment,
    )
