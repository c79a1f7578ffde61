"""What people type."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import CARDS, NUMBERS, Divide, Fly, Leave, Play
from pbem.games.hexen_rennen.rules import DIVISIONS
from pbem.kit.contract import LANGS, Move, Unreadable
from pbem.kit.notation import LONGEST

stages = st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=9).map(tuple)
moves = st.one_of(
    st.integers(0, 1679).map(lambda i: DIVISIONS[i]),
    st.builds(Divide, st.tuples(stages, stages, stages)),
    st.builds(Fly, st.integers(0, 51)),
    st.builds(Play, st.sampled_from(CARDS)),
    st.just(Leave()),
)


@given(moves)
def test_every_move_reads_back_as_it_was_written(move: Move) -> None:
    assert GAME.parse(GAME.format(move)) == move
    assert GAME.parse(GAME.format(move).upper()) == move


@given(st.text() | st.text("abcds234567890 1/|;,.:' flyplayleavedividestageetape"))
def test_whatever_is_typed_is_a_move_or_unreadable(text: str) -> None:
    try:
        move = GAME.parse(text)
    except Unreadable:
        return
    assert GAME.parse(GAME.format(move)) == move


def test_a_hint_comes_in_both_languages() -> None:
    with pytest.raises(Unreadable) as caught:
        GAME.parse("?")
    assert "divide 2 3 4 / 5 6 7 / 8 9 10" in caught.value.hint["fr"]
    assert "divide 2 3 4 / 5 6 7 / 8 9 10" in caught.value.hint["en"]


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("divide 4 3 2 / 5 6 7 / 8 9 10", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("Répartis 2 3 4 | 5 6 7 | 8 9 10", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("je répartis 2, 3, 4 ; 5, 6, 7 ; 8, 9 et 10", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("2 3 4 | 5 6 7 | 8 9 10", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("2 3 4 ; 5 6 7 ; 8 9 10", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("(2,3,4) (5,6,7) (8,9,10)", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("234 567 8910", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("1: 2 3 4, 3: 8 9 10, 2: 5 6 7", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("1re étape : 2 3 4 ; 2e étape : 5 6 7 ; 3e étape : 8 9 10", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("stage 1 5 6 2 stage 2 3 4 7 stage 3 8 9 10", "divide 2 5 6 / 3 4 7 / 8 9 10"),
        ("split 234 567 8910", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("partage 2345678910", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("234/567/1098", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("2 5 9 S / 3 6 10 S / 4 7 8 S", "divide 2 5 9 / 3 6 10 / 4 7 8"),
        ("étape 1 : 2 3 4, étape 2 : 5 6 7, étape 3 : 8 9 10", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("stage 3: 8 9 10 stage 1: 2 3 4 stage 2: 5 6 7", "divide 2 3 4 / 5 6 7 / 8 9 10"),
        ("divide 2 3 / 4 5 6 7 / 8 9 10", "divide 2 3 / 4 5 6 7 / 8 9 10"),
        ("FLY 10", "fly 10"),
        ("vole 10", "fly 10"),
        ("fly10", "fly 10"),
        ("la sorcière en 10", "fly 10"),
        ("déplace la sorcière de 10", "fly 10"),
        ("je déplace celle du départ", "fly 0"),
        ("move the witch at the start", "fly 0"),
        ("sorcière 0", "fly 0"),
        ("fly-10", "fly 10"),
        ("la sorcière sur la tuile 10", "fly 10"),
        ("vol depuis le départ", "fly 0"),
        ("play 5", "play 5"),
        ("joue la carte 5", "play 5"),
        ("Carte : S", "play S"),
        ("play s.", "play S"),
        ("joue le symbole magique", "play S"),
        ("card A5", "play 5"),
        ("je joue AS", "play S"),
        ("play10", "play 10"),
        ("play 3:", "play 3"),
        ("use card 5", "play 5"),
        ("utilise le 5", "play 5"),
        ("recule-la de 5", "play 5"),
        ("send her back 5", "play 5"),
        ("leave", "leave"),
        ("Laisse !", "leave"),
        ("je reste", "leave"),
        ("je passe", "leave"),
        ("ne rien jouer", "leave"),
        ("play nothing", "leave"),
        ("keep my cards", "leave"),
        ("non", "leave"),
        ("je ne joue pas", "leave"),
        ("I don't play", "leave"),
        ("leave the witch", "leave"),
        ("Laisse la sorcière", "leave"),
        ("ne bouge pas", "leave"),
        ("aucune carte", "leave"),
        ("play none", "leave"),
        ("non merci", "leave"),
        ("je passe mon tour", "leave"),
    ],
)
def test_spellings(typed: str, written: str) -> None:
    assert GAME.format(GAME.parse(typed)) == written


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "hello",
        "10",
        "S",
        "fly",
        "fly 52",
        "fly 10 11",
        "fly ten",
        "fly A10",
        "fly -1",
        "vole de 10 à 14",
        "1: 2 3 4, 2: 5 6 7",
        "leave the witch on 12",
        "laisse 2 3 4 / 5 6 7 / 8 9 10",
        "divide leave",
        "play",
        "play 1",
        "play 11",
        "play 5 6",
        "play S 5",
        "leave 5",
        "fly 5 play 5",
        "divide",
        "divide 2 3 4",
        "divide 2 3 4 / 5 6 7",
        "divide 2 3 4 / 5 6 7 / 8 9 11",
        "divide 2 3 4 / 5 6 7 / 8 9 1",
        "divide 2 3 4 S / 5 6 7 S / 8 9 10",
        "divide 2 3 4 S S / 5 6 7 / 8 9 10 S",
        "divide 2 3 4 / 5 6 7 / 8 9 10 / 2",
        "stage 1: 2 3 4 stage 1: 5 6 7 stage 2: 8 9 10",
        "divide 2 3 4 5 6 7 8 9",
        "fly 1" + " " * LONGEST,
    ],
)
def test_what_is_not_clear_is_not_guessed(typed: str) -> None:
    with pytest.raises(Unreadable):
        GAME.parse(typed)


@pytest.mark.parametrize(
    ("typed", "foreign"),
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
def test_the_letter_of_another_clan_is_refused(typed: str, foreign: str) -> None:
    """B would play a card that the text does not name."""
    with pytest.raises(Unreadable) as caught:
        GAME.parse(typed, 1)
    for lang in LANGS:
        assert caught.value.hint[lang].startswith(f"{foreign} ")
        instead = caught.value.hint[lang].rpartition("Write " if lang == "en" else "Écrivez ")[2].rstrip(".")
        for written in re.split(" or | ou ", instead):
            assert GAME.parse(written, 1) == GAME.parse(typed)


def test_who_names_another_clan_is_told_what_to_type() -> None:
    with pytest.raises(Unreadable) as caught:
        GAME.parse("joue A4", 1)
    assert caught.value.hint.fr == "A4 est du clan A, et le vôtre est B. Écrivez joue 4 ou joue B4."
    assert caught.value.hint.en == "A4 is of clan A, and yours is B. Write play 4 or play B4."
    assert GAME.parse("play 4", 1) == GAME.parse("play B4", 1) == Play("4")


@pytest.mark.parametrize("seat", range(4))
def test_the_letter_of_ones_own_clan_may_stand_there(seat: int) -> None:
    letter = "ABCD"[seat]
    assert GAME.parse(f"joue {letter}4", seat) == Play("4")
    assert GAME.parse(f"joue {letter}S", seat) == Play("S")
    division = GAME.parse(f"divide {letter}2 3 4 / {letter}5 6 7 / 8 9 {letter}10", seat)
    assert division == GAME.parse("divide 2 3 4 / 5 6 7 / 8 9 10", seat)


@pytest.mark.parametrize(
    "written", ["{} 4", "{}-4", "{}.4", "4{}", "4 {}", "la 4 de {}", "le 4 d'{}", "({})4", "carte {}:4"]
)
@pytest.mark.parametrize("seat", range(4))
def test_the_letter_of_ones_own_clan_may_stand_on_either_side(seat: int, written: str) -> None:
    assert GAME.parse("joue " + written.format("ABCD"[seat]), seat) == Play("4")


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("typed", ["fly a 10", "fly 10 B", "vole c-10", "fly D10"])
def test_no_witch_is_named_by_the_letter_of_a_clan(typed: str, seat: int) -> None:
    with pytest.raises(Unreadable):
        GAME.parse(typed, seat)


@pytest.mark.parametrize(
    ("typed", "written"),
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
