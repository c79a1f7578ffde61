"""The mail that invites somebody to a match."""

from pbem.mail.kinds.invitation import Invitation
from pbem.services.lobby.seating import invitation_key
from pbem.services.mail import board_letters
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> Invitation | str:
    """Returns the letter; stale once it is answered or somebody else is invited to the seat."""
    current = context.row.key == f"epoch{context.seat.epoch}"
    if context.match.status != "inviting" or context.seat.status != "invited" or not current:
        return "stale"
    assert context.match.lapses_at is not None, "a match that invites has a last day"
    turn, increment = board_letters.turn_time(context.match)
    return Invitation(
        **context.about(),
        organiser=context.names()[0],
        invitation_url=context.link("invitation", "invitation"),
        until=context.match.lapses_at,
        turn=turn,
        increment=increment,
        again=context.row.dedupe != invitation_key(context.seat),
    )
