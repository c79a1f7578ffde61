"""Matches with free seats, and those who ask for them or are invited."""

from collections.abc import Sequence

from pbem.models.tables import SeatRow
from pbem.services.lobby import joining, matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat, Unnamed
from pbem.services.tokens import InvitationClaim, OpeningClaim
from pbem.services.who import STRANGER
from tests.table import House, address_of

ALICE = Invitee("Alice", "alice@example.org")
READER = ("en", "Europe/London")


def inviting(house: House, *others: Invitee | Unnamed | BotSeat | OpenSeat) -> str:
    """A match that Alice has confirmed."""
    match_id = matches.create_match(house.site, STRANGER, NewMatch("hogen", [ALICE, *others], language="en"))
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), *READER)
    return match_id


def join_link(house: House, match_id: str, seat: int = 2) -> str:
    """The join token that the organiser sees."""
    return joining.join_tokens_for_organiser(house.site, match_id, 0)[seat]


def invitee(name: str) -> Invitee:
    return Invitee(name, address_of(name))


def claim_seat(house: House, token: str, name: str) -> tuple[str, int]:
    return joining.claim_seat(house.site, house.tokens.read(OpeningClaim, token), invitee(name), "en", "Asia/Tokyo")


def row_of_seat(house: House, match_id: str, seat: int = 2) -> SeatRow:
    with house.site.reading() as session:
        found = session.get_one(SeatRow, (match_id, seat))
        session.expunge(found)
    return found


def valid_invitation(house: House, match_id: str, seat: int = 2) -> str:
    """Returns the valid invitation for the seat."""
    return house.token("invitation", match_id, seat, row_of_seat(house, match_id, seat).epoch)


FIVE = ("Carol", "Dave", "Erin", "Fanny", "Gus")


def ask_for_seat(house: House, match_id: str, names: Sequence[str] = FIVE) -> dict[str, str]:
    """Has these people ask for the third seat by its one link, and returns the invitations that they have got."""
    token, found = join_link(house, match_id), {}
    for name in names:
        claim_seat(house, token, name)
        found[name] = valid_invitation(house, match_id)
    return found


def accept_invitation(house: House, token: str) -> tuple[str, int]:
    return matches.accept_invitation(house.site, house.tokens.read(InvitationClaim, token), *READER)
