"""Phrases with people's names in them, some of them hostile."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.games.hexen_rennen import GAME as HEXEN_RENNEN
from pbem.games.hogen import GAME
from pbem.kit.contract import Phrase
from pbem.render import badges, phrases
from tests.harness.cases import cases

ALICE, BOB = "Alice", "Bob"
HOSTILE = ["{1}", "{F1}", "<script>alert(1)</script>", 'Bob" onclick="x', "a & b", "}{", "{0", "&amp;"]


def text_of_markup(markup: str) -> str:
    """Returns the text that a reader sees of the markup."""
    tree = ElementTree.fromstring(f"<p>{markup.replace('&nbsp;', '&#160;')}</p>")
    return "".join(tree.itertext())


def test_a_phrase_names_the_seats_and_writes_the_notation() -> None:
    assert phrases.phrase_text("{1} gives {F4} to {0}.", [ALICE, BOB]) == "Bob gives F4 to Alice."


def test_html_sets_names_in_bold_and_draws_the_mark_beside_the_notation() -> None:
    assert phrases.phrase_html("{1}: {F4}", [ALICE, BOB], GAME.meta) == (
        '<b>Bob</b>: <span class="whole"><b>F4</b>&nbsp;<svg class="mini c5" viewBox="0 0 64 64" aria-hidden="true">'
        '<use href="#mon-f"/></svg></span>'
    )


@cases("close", [".", ",", "\u00a0;", "\u00a0!\u00a0»", "),", "…"])
def test_only_closing_punctuation_stays_on_the_line_of_its_symbol(close: str) -> None:
    markup = phrases.phrase_html(f"({{F4}}{close} {{M1}} or", [], GAME.meta)
    assert f"</svg>{close}</span> <span" in markup
    assert markup.endswith("</svg></span> or")
    assert text_of_markup(str(markup)) == f"(F4\u00a0{close} M1\u00a0 or"
    assert phrases.phrase_text(f"({{F4}}{close} {{M1}} or", []) == f"(F4{close} M1 or"


@cases("opens", ["(", "«\u00a0", "“", "[(", "(«\u00a0"])
def test_only_an_opening_bracket_stays_on_the_line_of_its_symbol(opens: str) -> None:
    markup = phrases.phrase_html(f"to 12 {opens}{{F4}}), then {{M1}}", [], GAME.meta)
    assert f'to 12 <span class="whole">{opens}<b>F4</b>' in markup
    assert 'then <span class="whole"><b>M1</b>' in markup
    assert text_of_markup(str(markup)) == f"to 12 {opens}F4\u00a0), then M1\u00a0"
    assert phrases.phrase_text(f"to 12 {opens}{{F4}})", []) == f"to 12 {opens}F4)"


def test_a_mail_gets_the_notation_without_a_drawing() -> None:
    assert phrases.phrase_html("{F4}", [], GAME.meta, phrases.bold_notation) == "<b>F4</b>"


@cases("name", HOSTILE)
def test_a_name_with_braces_or_notation_is_shown_literally(name: str) -> None:
    assert phrases.phrase_text("{0} and {1}", [name, BOB]) == f"{name} and Bob"
    assert text_of_markup(phrases.phrase_html("{0} and {1}", [name, BOB], GAME.meta)) == f"{name} and Bob"


@pytest.mark.long
@given(st.text(st.characters(categories=["L", "P", "S", "N", "Zs"])))
def test_no_name_adds_an_element_or_a_reference_to_a_phrase(name: str) -> None:
    markup = phrases.phrase_html("{0} < {1}", [name, name], GAME.meta)
    tree = ElementTree.fromstring(f"<p>{markup}</p>")
    assert [(child.tag, child.text or "") for child in tree] == [("b", name), ("b", name)]


def test_the_text_of_a_phrase_is_escaped_in_html() -> None:
    assert phrases.phrase_html("a < b & c", [], GAME.meta) == "a &lt; b &amp; c"


@cases("phrase", ["{2} plays", "{}", "{ 0 }", "open {", "} shut", "{²}", "{0:9}", "{-1}"])
def test_a_placeholder_that_is_no_seat_and_no_notation_is_an_error(phrase: Phrase) -> None:
    with pytest.raises(ValueError, match="no seat"):
        phrases.phrase_text(phrase, [ALICE, BOB])
    with pytest.raises(ValueError, match="no seat"):
        phrases.phrase_html(phrase, [ALICE, BOB], GAME.meta)


def test_notation_without_a_mark_is_an_error_in_html() -> None:
    with pytest.raises(ValueError, match="Z9"):
        phrases.phrase_html("{Z9}", [ALICE, BOB], GAME.meta)


def test_every_mark_of_the_game_can_stand_in_a_phrase() -> None:
    assert GAME.meta.marks
    for notation in GAME.meta.marks:
        assert phrases.phrase_text(f"{{{notation}}}", []) == notation


def test_a_badge_shows_the_shape_and_the_letter_of_the_seat() -> None:
    use, text = list(ElementTree.fromstring(badges.badge_picture(2, GAME.meta.seat_marks)))
    assert use.attrib["href"] == "#seat-3"
    assert use.attrib["class"] == "c3"
    assert text.text == "C"


def test_a_game_with_marks_of_its_own_has_them_on_its_badges() -> None:
    (badge,) = ElementTree.fromstring(badges.badge_picture(3, HEXEN_RENNEN.meta.seat_marks))
    *_, use, text = list(badge)
    assert use.attrib["href"] == "#hx-d"
    assert badge.attrib["class"] == "c5", "the colour of the clan"
    assert text.text == "D"
