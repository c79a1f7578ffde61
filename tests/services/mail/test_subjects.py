"""The subject of a match's mails: the same from its start to its end, and another one for each match at a time."""

from __future__ import annotations

import pytest

from pbem.services.privacy import erasure
from tests.services.play.stage.presence import miss_turns
from tests.services.play.stage.substitutes import match_with_absent_bob, players_id, take_over
from tests.table import CAST, House, address_of


def subjects_of_turn_mails(house: House, name: str) -> list[str]:
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
    assert subjects_of_turn_mails(house, "Bob") == [
        "Hogen with Alice and Carol",
        "Hogen with Alice and Carol (2nd match)",
    ]
    assert subjects_of_turn_mails(house, "Alice") == ["Hogen avec Bob et Carol", "Hogen avec Bob et Carol (2e partie)"]
    house.play_out(first)
    house.begin()
    assert subjects_of_turn_mails(house, "Bob")[-1] == "Hogen with Alice and Carol", "the first number is free again"


@pytest.mark.long
def test_subjects_number_only_matches_of_the_same_game_and_people(house: House) -> None:
    house.begin()
    house.begin(4)
    house.begin(game="niigata")
    assert not [subject for name in CAST for subject in subjects_of_turn_mails(house, name) if "(" in subject]


@pytest.mark.on_postgresql
def test_a_subject_names_a_replaced_player_until_their_erasure(
    house: House,
) -> None:
    match_id = match_with_absent_bob(house)
    take_over(house, match_id)
    play_on(house, match_id, 12)
    assert {*subjects_of_turn_mails(house, "Carol")} == {"Hogen with Alice and Bob"}
    assert subjects_of_turn_mails(house, "Charlie")[-1] == "Hogen with Alice and Carol"
    erasure.erase_player(house.site, players_id(house, "Bob"))
    play_on(house, match_id, 12)
    assert subjects_of_turn_mails(house, "Carol")[-1] == "Hogen with Alice and Charlie"


@pytest.mark.long
def test_erasing_a_player_who_had_only_taken_over_changes_no_subject(house: House) -> None:
    match_id = match_with_absent_bob(house)
    take_over(house, match_id)
    miss_turns(house, match_id, 1)
    take_over(house, match_id, "Dave")
    play_on(house, match_id, 6)
    assert {*subjects_of_turn_mails(house, "Carol")} == {"Hogen with Alice and Bob"}
    erasure.erase_player(house.site, players_id(house, "Charlie"))
    play_on(house, match_id, 6)
    assert {*subjects_of_turn_mails(house, "Carol")} == {"Hogen with Alice and Bob"}, "Bob began"
    erasure.erase_player(house.site, players_id(house, "Bob"))
    play_on(house, match_id, 6)
    assert subjects_of_turn_mails(house, "Carol")[-1] == "Hogen with Alice and Dave"


@pytest.mark.long
def test_a_match_with_a_substitute_differs_in_subject_from_a_new_one(house: House) -> None:
    first = match_with_absent_bob(house)
    take_over(house, first)
    house.begin()
    assert sorted({*subjects_of_turn_mails(house, "Carol")}) == [
        "Hogen with Alice and Bob",
        "Hogen with Alice and Bob (2nd match)",
    ]
