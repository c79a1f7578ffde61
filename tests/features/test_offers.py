"""What is the same of all places: a seat before the start, a seat that was left, a circle, a season."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from pbem.errors import Gone, Invalid, Unauthorized
from pbem.features.circles import founding, joining
from pbem.features.leagues.entry import entering
from pbem.services.lobby import joining as seating
from pbem.services.lobby.match_request import BotSeat, Invitee, OpenSeat
from pbem.services.lobby.offers import Offer
from pbem.services.play import presence, substitutes
from pbem.services.tokens import OpeningClaim, VacancyClaim
from tests.features.circles import people
from tests.features.leagues import stage
from tests.services.letterbox import kinds_of_mails
from tests.services.lobby.joining import inviting
from tests.services.lobby.joining import join_link as join_link
from tests.services.play.stage.substitutes import match_with_absent_bob
from tests.services.play.stage.substitutes import token_to_share as substitute_link
from tests.services.privacy.rows import all_rows
from tests.table import House, address_of, claim_of

READER = ("en", "Europe/London")


class Place(NamedTuple):
    """A place at which Alice is already; `close` ends what offers it."""

    offer: Offer[Any, Any]
    what: Any
    mail: str
    close: Callable[[], object]


def seat_before_the_start(house: House) -> Place:
    match_id = inviting(house, OpenSeat(), BotSeat("random"))
    claim, alice = house.tokens.read(OpeningClaim, join_link(house, match_id, 1)), claim_of(house.site, match_id, 0)
    return Place(seating.OFFER, claim, "invitation", lambda: seating.open_seat(house.site, alice, 1))


def seat_that_was_left(house: House) -> Place:
    match_id = match_with_absent_bob(house)
    claim, bob = house.tokens.read(VacancyClaim, substitute_link(house, match_id)), claim_of(house.site, match_id, 1)
    return Place(substitutes.OFFER, claim, "substitute", lambda: presence.end_own_absence(house.site, bob))


def circle(house: House) -> Place:
    circle_id = people.circle_of(house, "Alice")
    alice = people.member_claim(house, circle_id, "Alice")
    return Place(
        joining.OFFER,
        people.invitation_link_claim(house, circle_id),
        "circle",
        lambda: founding.renew_link(house.site, alice),
    )


def season(house: House) -> Place:
    made = stage.found_league(house)
    entering.enter_player(house.site, stage.id_of_player(house, "Alice"), made.season_id, "Alice")
    return Place(entering.OFFER, made.season_id, "entry", lambda: stage.begin_season(house, made.season_id))


@pytest.fixture(params=[seat_before_the_start, seat_that_was_left, circle, season])
def place(house: House, request: pytest.FixtureRequest) -> Place:
    found: Place = request.param(house)
    house.drain()
    return found


def ask_for_place(house: House, place: Place, name: str, address: str | None = None) -> object:
    return place.offer.ask(house.site, place.what, Invitee(name, address or address_of(name)), *READER)


def test_an_invalid_request_for_a_place_is_refused_and_writes_nothing(house: House, place: Place) -> None:
    before = all_rows(house)
    for who in (Invitee("", "c@example.org"), Invitee("Charlie", "no address")):
        with pytest.raises(Invalid):
            place.offer.ask(house.site, place.what, who, *READER)
    for reader in (("xx", "Europe/Paris"), ("en", "Mars/Base")):
        with pytest.raises(Invalid):
            place.offer.ask(house.site, place.what, Invitee("Charlie", "c@example.org"), *reader)
    assert all_rows(house) == before


def test_asking_for_a_place_answers_alike_for_members_and_strangers(house: House, place: Place) -> None:
    assert ask_for_place(house, place, "Charlie") == ask_for_place(house, place, "Al", address_of("Alice"))


def test_asking_twice_for_a_place_sends_one_mail(house: House, place: Place) -> None:
    for _ in range(2):
        ask_for_place(house, place, "Charlie")
    house.drain()
    assert kinds_of_mails(house, "Charlie").count(place.mail) == 1


def test_a_signed_in_player_gets_a_place_at_once_even_if_repeated(house: House, place: Place) -> None:
    charlie = people.verify_address(house, "Charlie")
    first = place.offer.take(house.site, place.what, charlie, "Charlie")
    assert place.offer.take(house.site, place.what, charlie, "Charlie") == first


def test_an_ended_join_link_gives_no_place_in_circle_or_season(house: House, place: Place) -> None:
    place.close()
    with pytest.raises((Gone, Unauthorized)):
        ask_for_place(house, place, "Charlie")
    with pytest.raises((Gone, Unauthorized)):
        place.offer.take(house.site, place.what, people.verify_address(house, "Charlie"), "Charlie")
