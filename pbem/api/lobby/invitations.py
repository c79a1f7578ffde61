"""What the links to a seat do: confirm a match, accept, decline, join, take over a seat."""

from collections.abc import Mapping
from typing import Any

from pbem.api.lobby.matches import lucky_word_field
from pbem.api.protocol.bodies import Nothing, RequestSchema, SingleLine
from pbem.api.protocol.callers import LINK, language, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.problems import with_fields
from pbem.api.views.match_views import Started, warnings_in_words
from pbem.errors import Invalid
from pbem.services.lobby import joining, match_request, matches
from pbem.services.lobby.offers import Offer, What
from pbem.services.play import substitutes
from pbem.services.players.players import check_address, check_language, check_zone, normalise_name
from pbem.services.tokens import ConfirmClaim, InvitationClaim, OfferClaim, OpeningClaim, SeatClaim, VacancyClaim
from pbem.services.views import match_views, seats
from pbem.services.who import ORGANISER

JOIN = "api-invitations.ask_for_open_seat"
SUBSTITUTE = "api-invitations.ask_to_substitute"

blueprint = Endpoints(
    "invitations", "Answering the first mails; the token is the last segment of the mail's link.", who=LINK
)


class Reader(RequestSchema):
    """The player's language and time zone. A missing field stays as it is (at first, as the organiser chose)."""

    language = SingleLine(8, check_language)
    zone = SingleLine(64, check_zone, about="A time zone of the IANA list, like Europe/Paris.")


class Joiner(Reader):
    """Somebody who asks for an open seat: their address gets the invitation."""

    name = SingleLine(200, normalise_name, required=True)
    email = SingleLine(254, check_address, required=True)


class NewPlayer(Reader):
    """Somebody who takes a seat."""

    word = lucky_word_field("Their lucky word: at most 40 characters. Without one, it follows from the seed.")


class Seated(Started, frozen=True, kw_only=True):
    """A match, and the seat in it."""

    seat: int


def _language_and_zone_of_request(body: Mapping[str, str], claim: SeatClaim) -> tuple[str, str]:
    """Returns the language and zone of the request; what is missing is taken from the invited player."""
    language, zone = seats.language_and_zone(site(), claim)
    return body.get("language", language), body.get("zone", zone)


def _seat_with_warnings(match_id: str, seat: int, name: str | None = None, status: str | None = None) -> Seated:
    """Returns the match and the seat with the warnings, which consider the requested name, if any."""
    sheet = match_views.read_sheet(site(), match_id, seat)
    seen = sheet if name is None else sheet.with_name(seat, name)
    return Seated(id=match_id, seat=seat, status=status or sheet.status, warnings=warnings_in_words(seen))


@blueprint.operation("confirmMatch", "POST /confirm/<token>", body=Reader, body_required=False, refuses=(429,))
def confirm_match(body: Mapping[str, str], token: str) -> Seated:
    """Confirms the match as its organiser: the others are invited now."""
    claim = site().tokens.read(ConfirmClaim, token)
    match_id = matches.confirm_match(site(), claim, *_language_and_zone_of_request(body, claim))
    return _seat_with_warnings(match_id, ORGANISER)


@blueprint.operation("acceptSeat", "POST /invitation/<token>/accept", body=NewPlayer, body_required=False)
def accept_seat(body: Mapping[str, str], token: str) -> Seated:
    """Takes the seat; with the last one the match begins."""
    claim = site().tokens.read(InvitationClaim, token)
    return _seat_with_warnings(
        *matches.accept_invitation(site(), claim, *_language_and_zone_of_request(body, claim), word=body.get("word"))
    )


@blueprint.operation("declineSeat", "POST /invitation/<token>/decline", body=Nothing)
def decline_seat(token: str) -> Seated:
    """Declines the seat; the organiser is told."""
    claim = site().tokens.read(InvitationClaim, token)
    return _seat_with_warnings(matches.decline_invitation(site(), claim), claim.seat)


@blueprint.operation("joinMatch", "POST /join/<token>", body=Joiner, refuses=(429,))
def ask_for_open_seat(body: Mapping[str, str], token: str) -> Seated:
    """Asks for an open seat. The address gets the invitation, and the seat is taken by accepting that.

    The answer does not tell whether the address is known here. The link stays valid until the seat is taken.
    """
    claim = site().tokens.read(OpeningClaim, token)
    _ask_for_seat(joining.OFFER, claim, body)
    return _seat_with_warnings(claim.match_id, claim.seat, status="inviting")


@blueprint.operation("askForSeat", "POST /substitute/<token>", body=Joiner, refuses=(429,))
def ask_to_substitute(body: Mapping[str, str], token: str) -> Seated:
    """Asks to take over a seat that was left. The address gets a mail; the first to accept gets the seat.

    The answer does not tell whether the address is known here.
    """
    claim = site().tokens.read(VacancyClaim, token)
    _ask_for_seat(substitutes.OFFER, claim, body)
    return _seat_with_warnings(claim.match_id, claim.seat, body["name"])


def _ask_for_seat(offer: Offer[What, Any], what: What, body: Mapping[str, str]) -> None:
    """Asks for a seat. All but the name has been looked at: if it is refused, it is somebody else's there."""
    who, zone = match_request.Invitee(body["name"], body["email"]), body.get("zone", "Europe/Paris")
    try:
        offer.ask(site(), what, who, body.get("language", language()), zone)
    except Invalid as problem:
        raise with_fields(problem, "name") from None


@blueprint.operation("takeSeatOver", "POST /takeover/<token>/accept", body=Reader, body_required=False)
def take_seat_over(body: Mapping[str, str], token: str) -> Seated:
    """Takes the seat over. Its open question is asked again with the full time, and its old links stop working."""
    claim = site().tokens.read(OfferClaim, token)
    language, zone = substitutes.language_and_zone(site(), claim)
    return _seat_with_warnings(
        *substitutes.accept_offer(site(), claim, body.get("language", language), body.get("zone", zone))
    )  # fmt: skip
