"""Do you want to take over this seat? Sent to somebody who has asked for a seat that was left.

The row's key names the offer.
"""

from dataclasses import dataclass
from datetime import timedelta

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter
from pbem.models.tables import SubstituteRow
from pbem.services.mail.letter_context import LetterContext
from pbem.services.tokens import OfferClaim


@dataclass(frozen=True, kw_only=True)
class Substitute(MatchLetter):
    """The reader has asked to take over the seat that `former` has left; `names` already has the reader's."""

    former: Name
    takeover_url: str
    turn: timedelta
    increment: timedelta | None = None


def build(context: LetterContext) -> Substitute | str:
    """Returns the letter; stale once the seat is taken."""
    offer = context.session.get(SubstituteRow, int(context.row.key or 0))
    left = offer is not None and not offer.void and offer.epoch is None and offer.away_n == context.seat.away_n
    if offer is None or not left or context.match.status not in ("running", "paused"):
        return "stale"
    about, seat = context.about(), context.seat.seat
    former = about["names"][seat]
    about["names"] = (*about["names"][:seat], offer.name, *about["names"][seat + 1 :])
    return Substitute(
        **about,
        former=former,
        **context.turn_time(),
        takeover_url=context.site.url(f"/takeover/{context.site.tokens.sign(OfferClaim(int(context.row.key or 0)))}"),
    )


KIND = Kind(Substitute, build, capped=True, on_request=True, proves_address=True, to_newcomer=True)
