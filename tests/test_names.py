"""The characters that a name may hold, by their Unicode properties, and which names look alike."""

import sys
import unicodedata

import pytest
import regex
from confusable_homoglyphs.confusables import confusables_data
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem import names
from pbem.errors import Invalid
from pbem.services.players.players import NAME_LENGTH, normalise_name
from tests.harness.cases import cases

EVERYTHING = "".join(map(chr, range(sys.maxunicode + 1)))
CONTROLS = regex.findall(r"\p{Cc}", EVERYTHING)
IGNORABLE = regex.findall(r"\p{Default_Ignorable_Code_Point}", EVERYTHING)
SPACES = regex.findall(r"\p{White_Space}", EVERYTHING)
EMPTY = ["\u2800", "\u3164", "\u115f", "\u1160", "\uffa0", "\U00016fe4", "\U0001d159", "\u034f", "\u17b4", "\ufffc"]
"""What pages of "invisible characters" offer to copy, whether there is a property for it or not."""


@cases(
    "name", ["=?utf-8?q?=0AX=3Ay?=", "=?utf-8?q?e=2Ecom=2Fx?=", "=?utf-8?q?a=00b?=", "=?utf-8?q?=FF=FE?=", "=?x", "a=?"]
)
def test_an_encoded_word_is_no_name_nor_is_the_beginning_of_one(name: str) -> None:
    with pytest.raises(Invalid, match="encoded text"):
        normalise_name(name)


def test_no_control_character_is_part_of_a_name_wherever_it_stands() -> None:
    assert "\0" in CONTROLS
    assert "\n" in CONTROLS
    for control in CONTROLS:
        for name in (control, f"Al{control}ice", f"{control}Alice", f"Alice{control}"):
            with pytest.raises(Invalid):
                normalise_name(name)


@pytest.mark.long
def test_a_name_that_is_or_holds_an_invisible_letter_is_refused() -> None:
    for letter in {*IGNORABLE, *EMPTY}:
        for name in (letter, letter * 3, f"{letter} {letter}", f"Al{letter}ice"):
            with pytest.raises(Invalid):
                normalise_name(name)


def test_a_name_of_spaces_or_of_marks_alone_is_refused() -> None:
    for name in ["", *SPACES, *(space * 3 for space in SPACES), "\u0301", "\u0301 \u0302", "\u20dd"]:
        with pytest.raises(Invalid):
            normalise_name(name)


@cases("space", [" ", "\u00a0", "\u3000", "\u2009"])
def test_spaces_of_any_width_become_one_space(space: str) -> None:
    assert normalise_name(f"{space}Jean{space}{space}Luc{space}") == "Jean Luc"


@cases(
    "name",
    [
        "Alice ❤\ufe0f",
        "Dave ☕\ufe0e",
        "葛\U000e0100",
        "♞",
        "⠁⠇⠊⠉⠑",
        "O’Neill",
        "김철수",
        "नेहा",
        "ไพลิน",
        "مريم",
        "x=y?=",
    ],
)
def test_ordinary_names_of_all_scripts_are_accepted(name: str) -> None:
    assert normalise_name(name) == name


@cases("name", ["／／e", "bob＠x", "∕∕evil", "http⁚⁄⁄e", "a﹕b", "a＼b", "‹b›"])
def test_signs_that_look_like_those_of_an_address_are_refused_in_names(name: str) -> None:
    with pytest.raises(Invalid, match="looks like an address"):
        normalise_name(name)


@cases("name", ["(C)", "(c)", "( B )", "（Ｂ）", "(С)", "❨C❩"])
def test_labels_of_unnamed_seats_are_refused_as_player_names(name: str) -> None:
    with pytest.raises(Invalid, match="seat without a name"):
        normalise_name(name)


@cases("name", ["ノリコ", "丿", "5% Bob", "Ann-Marie", "Jo & Co", "A…", "(Jo)", "C", "Bob (B)"])
def test_letters_that_resemble_address_signs_are_accepted(name: str) -> None:
    assert normalise_name(name) == name


@pytest.mark.long
@settings(deadline=None)
@given(st.text())
def test_every_accepted_name_is_printable_visible_and_normalised(name: str) -> None:
    try:
        accepted = normalise_name(name)
    except Invalid:
        return
    assert 0 < len(accepted) <= NAME_LENGTH
    assert not any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for letter in accepted)
    assert "=?" not in accepted
    assert any(unicodedata.category(letter)[0] in "LNPS" for letter in accepted)
    assert normalise_name(accepted) == accepted


@cases(
    "one, other",
    [
        ("Alice", "Аlice"),  # Cyrillic А
        ("Alice", "AIice"),  # capital i
        ("Carol", "Caro1"),
        ("Bob", "B0b"),
        ("Bob", "Βοb"),  # Greek Beta and omicron
        ("Bob", "B\u03bfb"),
        ("modern", "modem"),
        ("カ", "力"),  # katakana and a Han ideograph
        ("bob", "ВОВ"),  # Cyrillic, and in capitals
        ("Bob1", "Bob1\ufe0f"),
        ("Ｄave", "Dave"),
        ("מם", "מם"),
    ],
)
def test_lookalike_names_are_found(one: str, other: str) -> None:
    assert names.positions_of_lookalikes([one, "Erin", other]) == [(0, 2)]


@cases("table", [["Alice", "Bob", "Carol", "Dave"], ["Zoe", "Zoé"], ["Anna", "Hanna"]])
def test_clearly_different_names_cause_no_lookalike_warning(table: list[str]) -> None:
    assert names.positions_of_lookalikes(table) == []


def test_three_lookalike_names_form_one_group() -> None:
    assert names.positions_of_lookalikes(["Ali", "Bob", "AIi", "A1i"]) == [(0, 2, 3)]


@pytest.mark.long
def test_skeletons_keep_every_confusable_pair_that_is_not_decomposed() -> None:
    pairs = {(letter, pair["c"]) for letter, pairs in confusables_data.items() for pair in pairs}
    whole = [pair for pair in pairs if all(unicodedata.is_normalized("NFD", letters) for letters in pair)]
    assert len(whole) > 10_000
    assert [pair for pair in whole if names.skeleton_of_name(pair[0]) != names.skeleton_of_name(pair[1])] == []
