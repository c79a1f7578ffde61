"""The mail that tells somebody that the seat they were invited to is not kept for them any more."""

from pbem.mail.kinds.displaced import Displaced
from pbem.services.access import seat_links
from pbem.services.log import store
from pbem.services.mail.letter_context import LetterContext

WAITING = ("inviting", "running", "paused")


def build(context: LetterContext) -> Displaced | str:
    """Returns the letter; stale if the reader has a seat or an invitation again, or the match is called off or over."""
    sitting = [seat.player_id for seat in store.seats_of(context.session, context.match.id)]
    if context.match.status not in WAITING or context.reader.player.id in sitting:
        return "stale"
    player, seat = context.reader.player.id, context.reader.seat
    assert seat is not None, "the mail is about one"
    called = seat_links.claimed_as(context.session, seat, player) if player is not None else ""
    about = context.about() | {"head": None}  # how far the match is has become none of their business
    return Displaced(**about, organiser=context.names()[0], called=called)
