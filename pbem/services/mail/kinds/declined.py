"""The mail that tells the organiser who does not want to play. The row's key names the seat and its epoch."""

from pbem.mail.kinds.declined import Declined
from pbem.models.tables import SeatRow
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> Declined | str:
    """Returns the letter; stale once somebody else is invited to the seat."""
    left, _, epoch = (desk.row.key or "").partition(".epoch")
    gone = desk.session.get(SeatRow, (desk.match.id, int(left)))
    if desk.match.status != "inviting" or gone is None or gone.status != "declined" or gone.epoch != int(epoch):
        return "stale"
    return Declined(**desk.about(), who=gone.name, match_url=desk.link("play", "play"))
