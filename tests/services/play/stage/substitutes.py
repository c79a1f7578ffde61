"""An absent player, and those who ask for the seat."""

from __future__ import annotations

from typing import Any

from sqlmodel import col, select

from pbem.models.tables import SubstituteRow
from pbem.services.lobby.match_request import Invitee
from pbem.services.play import substitutes
from pbem.services.players import players
from pbem.services.tokens import OfferClaim, VacancyClaim
from pbem.services.views import match_views
from tests.services.play.stage.presence import miss_turns, seat_of
from tests.table import House, address_of

READER = ("en", "Europe/Berlin")


def match_with_absent_bob(house: House, seats: int = 3, **wanted: Any) -> str:
    """A match in which Bob has become absent."""
    match_id = house.begin(seats, **wanted)
    miss_turns(house, match_id, 1)
    assert seat_of(house, match_id, 1).absent
    return match_id


def play_until_bob_is_asked(house: House, match_id: str) -> None:
    """Plays on until Bob's seat is asked, before the sweep."""
    while 1 not in [ask.seat for ask in house.asks(match_id)]:
        house.play(match_id, house.asks(match_id)[0].seat)


def token_to_share(house: House, match_id: str, viewer: int = 0, seat: int = 1) -> str:
    """Returns the token that a player at the table may share."""
    given = substitutes.substitute_links_by_seat(
        house.site, match_views.read_sheet(house.site, match_id, viewer), viewer
    )
    return given[seat].rpartition("/")[2]


def ask_for_vacant_seat(house: House, token: str, name: str = "Charlie") -> tuple[str, int]:
    """Asks for the seat."""
    return substitutes.ask_for_seat(
        house.site, house.tokens.read(VacancyClaim, token), Invitee(name, address_of(name)), *READER
    )


def token_of_offer(house: House, name: str = "Charlie") -> str:
    """Returns the token in the newest mail about the seat to this address."""
    player = players_id(house, name)
    with house.site.reading() as session:
        found = select(SubstituteRow.id).where(SubstituteRow.player_id == player).order_by(col(SubstituteRow.id).desc())
        newest = session.exec(found).first()
    assert newest is not None
    return house.site.tokens.sign(OfferClaim(newest))


def players_id(house: House, name: str) -> int:
    """Returns the id of a player with a verified address, added if new."""
    with house.site.writing() as session:
        player = players.find_or_add(session, address_of(name), "en", house.clock())
        player.verified_at = player.verified_at or house.clock()
        session.flush()
        assert player.id is not None
        return player.id


def take_over(house: House, match_id: str, name: str = "Charlie", seat: int = 1, giver: int = 0) -> None:
    """Takes the seat over by the mail that was asked for."""
    ask_for_vacant_seat(house, token_to_share(house, match_id, giver, seat), name)
    substitutes.accept_offer(house.site, house.tokens.read(OfferClaim, token_of_offer(house, name)), *READER)
