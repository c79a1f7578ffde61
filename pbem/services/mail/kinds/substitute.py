"""The mail that offers a seat to a substitute. The row's key names the offer."""

from pbem.mail.kinds.substitute import Substitute
from pbem.models.tables import SubstituteRow
from pbem.services.mail import board_letters
from pbem.services.mail.letter_context import LetterContext
from pbem.services.tokens import OfferClaim


def build(context: LetterContext) -> Substitute | str:
    """Returns the letter; stale once the seat is taken."""
    offer = context.session.get(SubstituteRow, int(context.row.key or 0))
    left = offer is not None and not offer.void and offer.epoch is None and offer.away_n == context.seat.away_n
    if offer is None or not left or context.match.status not in ("running", "paused"):
        return "stale"
    about, seat = context.about(), context.seat.seat
    former = about["names"][seat]
    about["names"] = (*about["names"][:seat], offer.name, *about["names"][seat + 1 :])
    turn, increment = board_letters.turn_time(context.match)
    return Substitute(
        **about,
        former=former,
        turn=turn,
        increment=increment,
        takeover_url=context.site.url(f"/takeover/{context.site.tokens.sign(OfferClaim(int(context.row.key or 0)))}"),
    )
