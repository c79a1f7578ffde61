"""The seat is no longer kept for you. Sent to somebody whose invitation has ended before they answered it."""

from dataclasses import dataclass

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter
from pbem.services.access import seat_links
from pbem.services.mail.letter_context import LetterContext

WAITING = ("inviting", "running", "paused")


@dataclass(frozen=True, kw_only=True)
class Displaced(MatchLetter):
    """The reader was invited to `seat`, which is not kept for them any more.

    `called` is the name that they had there, "" if it is no longer known: `names` has the player who is there now.
    """

    organiser: Name
    called: Name

    @property
    def addressee(self) -> str:
        """The name under which the reader was invited."""
        return self.called


def build(context: LetterContext) -> Displaced | str:
    """Returns the letter; stale if the reader has a seat or an invitation again, or the match is called off or over."""
    sitting = [seat.player_id for seat in context.table.seats]
    if context.match.status not in WAITING or context.reader.player.id in sitting:
        return "stale"
    seat = context.reader.seat
    assert seat is not None, "the mail is about one"
    called = seat_links.name_of_players_latest_claim(context.session, seat, context.reader.player.id)
    about = context.about() | {"head": None}  # how far the match is has become none of their business
    return Displaced(**about, organiser=context.names()[0], called=called)


KIND = Kind(Displaced, build, capped=True, to_newcomer=True)
