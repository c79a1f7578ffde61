"""An erased player stays erased: anything they were about to do is refused, and nothing is stored for them again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import date

import pytest

from pbem.errors import NotFound, Problem, Unauthorized
from pbem.features.webhooks import registry
from pbem.models.tables import Player
from pbem.services.access import access_tokens
from pbem.services.clock import holidays
from pbem.services.lobby import joining, matches
from pbem.services.lobby.match_request import Invitee, NewMatch, OpenSeat
from pbem.services.mail import digests
from pbem.services.play import substitutes
from pbem.services.privacy import address_change, erasure
from pbem.services.site import Site
from pbem.services.tokens import OpeningClaim, VacancyClaim
from pbem.services.who import STRANGER
from tests.harness.waiting import SECONDS, wait_until, watch_locks
from tests.services.letterbox import id_of
from tests.services.play.stage.substitutes import match_with_absent_bob, token_to_share
from tests.services.privacy.rows import all_rows
from tests.table import House, address_of

TODAY = date(2026, 3, 12)
HOOK = "https://hooks.example.org/x"

CHANGES: dict[str, Callable[[Site, int], object]] = {
    "a holiday": lambda site, number: holidays.add_holiday(site, number, TODAY, TODAY),
    "a holiday taken back": lambda site, number: holidays.cancel_holiday(site, number, TODAY),
    "his hours": lambda site, number: holidays.set_clock_hours(site, number, True, (22, 7), "Europe/London"),
    "how he is written to": lambda site, number: digests.set_preferences(site, number, "en", "Europe/London", 18),
    "a webhook": lambda site, number: registry.add_webhook(site, number, HOOK, ["moved"]),
    "a token": lambda site, number: access_tokens.create_token(site, number, "bot", access_tokens.SCOPES, None),
    "another address": lambda site, number: address_change.request_change(site, number, "bob2@example.org"),
}
"""Everything that a signed-in player can change, by the player's id."""


def erase_player(house: House, name: str) -> int:
    """Erases one of the cast; returns the id that they had."""
    number = id_of(house, name)
    assert number is not None
    erasure.erase_player(house.site, number)
    return number


def check_refusal(house: House, job: Callable[[], object]) -> None:
    """Checks that the job is refused as for an unknown player, and changes nothing."""
    before = all_rows(house)
    with pytest.raises(Unauthorized):
        job()
    assert all_rows(house) == before


@pytest.mark.long
@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_stored_for_an_erased_player(house: House, change: str) -> None:
    house.begin()
    number = erase_player(house, "Bob")
    check_refusal(house, lambda: CHANGES[change](house.site, number))


@pytest.mark.on_postgresql
@pytest.mark.parametrize("change", ["a holiday", "how he is written to", "a webhook"])
def test_requests_during_a_players_erasure_wait_and_are_refused(house: House, change: str) -> None:
    house.begin()
    number, said = id_of(house, "Bob"), list[Problem]()
    assert number is not None

    def run() -> None:
        try:
            CHANGES[change](house.site, number)
        except Problem as problem:
            said.append(problem)

    other = threading.Thread(target=run)
    with watch_locks(house.site.engine) as waits, house.site.writing() as session:
        erasure.clear_player_row(session.get_one(Player, number, with_for_update=True))
        session.flush()
        other.start()
        wait_until(waits, "it has begun, and waits")
    other.join(SECONDS)
    assert isinstance(said[0], Unauthorized)


@pytest.mark.on_postgresql
def test_the_webhook_of_an_erased_player_cannot_be_changed(house: House) -> None:
    house.begin()
    number = id_of(house, "Bob")
    hook, _ = registry.add_webhook(house.site, number, HOOK, ["moved"])
    erase_player(house, "Bob")
    with pytest.raises(NotFound):
        registry.change_webhook(house.site, number, hook.id, kinds=["your_turn"], active=True)


@pytest.mark.long
def test_an_erased_player_can_take_neither_an_open_nor_a_vacant_seat(house: House) -> None:
    left = match_with_absent_bob(house)
    people = [Invitee(name, address_of(name)) for name in ("Alice", "Carol")]
    joined = matches.create_match(house.site, STRANGER, NewMatch("hogen", [*people, OpenSeat()]))
    matches.confirm_match(house.site, house.claim("confirm", joined, 0), "en", "Europe/Paris")
    house.create(4)
    number = erase_player(house, "Dave")
    way = joining.join_tokens_for_organiser(house.site, joined, 0)[2]
    check_refusal(
        house, lambda: joining.take_seat_at_once(house.site, house.tokens.read(OpeningClaim, way), number, "Dave")
    )
    check_refusal(
        house,
        lambda: substitutes.take_seat_at_once(
            house.site, house.tokens.read(VacancyClaim, token_to_share(house, left)), number, "Dave"
        ),
    )
