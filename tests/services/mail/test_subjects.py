"""The subject of a match's mails: the same from its start to its end, and another one for each match at a time."""

from __future__ import annotations

import pytest

from pbem.services.privacy import erasure
from tests.services.play.stage.presence import sleep
from tests.services.play.stage.substitutes import absent, players_id, take_over
from tests.table import CAST, House, address_of


def subjects(house: House, name: str) -> list[str]:
    """Returns the subjects of all turn mails to one of the cast, oldest first."""
    house.drain()
    found = house.mail.to(address_of(name))
    return [str(mail["Subject"]) for mail in found if str(mail["Message-ID"]).startswith("<turn-")]


def play_on(house: House, match_id: str, moves: int) -> None:
    """Plays on; each question is mailed before it is answered."""
    for _ in range(moves):
        house.drain()
        house.play(match_id, house.asks(match_id)[0].seat)


@pytest.mark.long
def test_two_simultaneous_matches_of_the_same_people_differ_in_subject(house: House) -> None:
    first = house.begin()
    house.begin()
    assert subjects(house, "Bob") == ["Hogen with Alice and Carol", "Hogen with Alice and Carol (2nd match)"]
    assert subjects(house, "Alice") == ["Hogen avec Bob et Carol", "Hogen avec Bob et Carol (2e partie)"]
    house.play_out(first)
    house.begin()
    assert subjects(house, "Bob")[-1] == "Hogen with Alice and Carol", "the first number is free again"


@pytest.mark.long
def test_other_people_and_other_games_have_numbers_of_their_own(house: House) -> None:
    house.begin()
    house.begin(4)
    house.begin(game="niigata")
    assert not [subject for name in CAST for subject in subjects(house, name) if "(" in subject]


@pytest.mark.on_postgresql
def test_a_subject_names_a_replaced_player_until_their_erasure(
    house: House,
) -> None:
    match_id = absent(house)
    take_over(house, match_id)
    play_on(house, match_id, 12)
    assert {*subjects(house, "Carol")} == {"Hogen with Alice and Bob"}
    assert subjects(house, "Charlie")[-1] == "Hogen with Alice and Carol"
    erasure.erase(house.site, players_id(house, "Bob"))
    play_on(house, match_id, 12)
    assert subjects(house, "Carol")[-1] == "Hogen with Alice and Charlie"


@pytest.mark.long
def test_erasing_a_player_who_had_only_taken_over_changes_no_subject(house: House) -> None:
    match_id = absent(house)
    take_over(house, match_id)
    sleep(house, match_id, 1)
    take_over(house, match_id, "Dave")
    play_on(house, match_id, 6)
    assert {*subjects(house, "Carol")} == {"Hogen with Alice and Bob"}
    erasure.erase(house.site, players_id(house, "Charlie"))
    play_on(house, match_id, 6)
    assert {*subjects(house, "Carol")} == {"Hogen with Alice and Bob"}, "Bob began"
    erasure.erase(house.site, players_id(house, "Bob"))
    play_on(house, match_id, 6)
    assert subjects(house, "Carol")[-1] == "Hogen with Alice and Dave"


@pytest.mark.long
def test_a_match_with_a_substitute_differs_in_subject_from_a_new_one(house: House) -> None:
    first = absent(house)
    take_over(house, first)
    house.begin()
    assert sorted({*subjects(house, "Carol")}) == ["Hogen with Alice and Bob", "Hogen with Alice and Bob (2nd match)"]
