"""The mail that offers a seat to a substitute. The row's key names the offer."""

from pbem.mail.kinds.substitute import Substitute
from pbem.models.tables import SubstituteRow
from pbem.services.mail import board_letters
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> Substitute | str:
    """Returns the letter; stale once the seat is taken."""
    offer = desk.session.get(SubstituteRow, int(desk.row.key or 0))
    left = offer is not None and not offer.void and offer.epoch is None and offer.away_n == desk.seat.away_n
    if offer is None or not left or desk.match.status not in ("running", "paused"):
        return "stale"
    about, seat = desk.about(), desk.seat.seat
    former = about["names"][seat]
    about["names"] = (*about["names"][:seat], offer.name, *about["names"][seat + 1 :])
    turn, increment = board_letters.turn_time(desk.match)
    return Substitute(
        **about,
        former=former,
        turn=turn,
        increment=increment,
        takeover_url=desk.site.url(f"/takeover/{desk.site.tokens.for_offer(int(desk.row.key or 0))}"),
    )
