"""The mail that tells the organiser who does not want to play. The row's key names the seat and its epoch."""

from pbem.mail.kinds.declined import Declined
from pbem.models.tables import SeatRow
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> Declined | str:
    """Returns the letter; stale once somebody else is invited to the seat."""
    left, _, epoch = (context.row.key or "").partition(".epoch")
    gone = context.session.get(SeatRow, (context.match.id, int(left)))
    if context.match.status != "inviting" or gone is None or gone.status != "declined" or gone.epoch != int(epoch):
        return "stale"
    return Declined(**context.about(), who=gone.name, match_url=context.link("play", "play"))
