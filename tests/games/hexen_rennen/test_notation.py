"""What people type."""

import re

import pytest

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import Play
from pbem.kit.contract import Unreadable
from pbem.kit.texts import LANGS
from tests.harness.cases import cases


@cases(
    "typed, foreign",
    [
        ("joue A4", "A4"),
        ("play a4", "A4"),
        ("je joue la carte C10", "C10"),
        ("card DS", "DS"),
        ("send her back A4", "A4"),
        ("divide B2 3 4 / 5 A6 7 / 8 9 10", "A6"),
        ("joue A 4", "A4"),
        ("joue a-4", "A4"),
        ("joue A.4", "A4"),
        ("play 4A", "A4"),
        ("joue 4 a", "A4"),
        ("joue la 4 de A", "A4"),
        ("joue le 4 d’A", "A4"),
        ("play the 4 of the C", "C4"),
        ("play card A:4", "A4"),
        ("joue A, carte 4", "A4"),
        ("play (A)4", "A4"),
        ("joue A 10", "A10"),
        ("play A S", "AS"),
        ("joue S - d", "DS"),
        ("play a 5", "A5"),
        ("divide 2 3 A / 4 5 6 7 / 8 9 10", "A3"),
        ("divide A234 567 8910", "A234"),
    ],
)
def test_every_hint_about_another_clans_card_suggests_what_can_be_typed(typed: str, foreign: str) -> None:
    """B would play a card that the text does not name."""
    with pytest.raises(Unreadable) as caught:
        GAME.parse(typed, 1)
    for lang in LANGS:
        assert caught.value.hint[lang].startswith(f"{foreign} ")
        instead = caught.value.hint[lang].rpartition("Write " if lang == "en" else "Écrivez ")[2].rstrip(".")
        for written in re.split(" or | ou ", instead):
            assert GAME.parse(written, 1) == GAME.parse(typed)


def test_naming_another_clans_card_is_unreadable_and_hints_what_to_type() -> None:
    with pytest.raises(Unreadable) as caught:
        GAME.parse("joue A4", 1)
    assert caught.value.hint.fr == "A4 est du clan A, et le vôtre est B. Écrivez joue 4 ou joue B4."
    assert caught.value.hint.en == "A4 is of clan A, and yours is B. Write play 4 or play B4."
    assert GAME.parse("play 4", 1) == GAME.parse("play B4", 1) == Play("4")


@cases("seat", range(4))
def test_typed_cards_may_carry_the_letter_of_ones_own_clan(seat: int) -> None:
    letter = "ABCD"[seat]
    assert GAME.parse(f"joue {letter}4", seat) == Play("4")
    assert GAME.parse(f"joue {letter}S", seat) == Play("S")
    division = GAME.parse(f"divide {letter}2 3 4 / {letter}5 6 7 / 8 9 {letter}10", seat)
    assert division == GAME.parse("divide 2 3 4 / 5 6 7 / 8 9 10", seat)


@cases("written", ["{} 4", "{}-4", "{}.4", "4{}", "4 {}", "la 4 de {}", "le 4 d'{}", "({})4", "carte {}:4"])
@cases("seat", range(4))
def test_a_typed_clan_letter_may_stand_on_either_side_of_the_card(seat: int, written: str) -> None:
    assert GAME.parse("joue " + written.format("ABCD"[seat]), seat) == Play("4")


@cases("seat", range(4))
@cases("typed", ["fly a 10", "fly 10 B", "vole c-10", "fly D10"])
def test_a_flight_typed_with_the_letter_of_a_clan_is_unreadable(typed: str, seat: int) -> None:
    with pytest.raises(Unreadable):
        GAME.parse(typed, seat)


@cases(
    "typed, written",
    [
        ("play a card: 5", "play 5"),
        ("use a symbol", "play S"),
        ("move a witch on 10", "fly 10"),
        ("vole à 10", "fly 10"),
        ("vole a\u0300 10", "fly 10"),
        ("vole a la tuile 10", "fly 10"),
        ("joue à 4", "play 4"),
    ],
)
def test_an_article_and_a_preposition_are_no_letter_of_a_clan(typed: str, written: str) -> None:
    assert GAME.format(GAME.parse(typed, 1)) == written
