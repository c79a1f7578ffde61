"""The texts of Hagakure fit their places in the strip above the board."""

import pytest

from pbem.games.hagakure import GAME
from pbem.kit.texts import LANGS, Lang
from tests.games.stage.lengths import MOST_ASKED, MOST_TITLE, asked, letters, told
from tests.harness.cases import cases

MOST_TOLD = 65
SECRETS = 70
"""Of the cards of a whole hand, which one alone has seen."""


@cases("lang", LANGS)
def test_the_title_of_each_question_is_one_line_of_a_phone(lang: Lang) -> None:
    assert [ask.title[lang] for ask in GAME.meta.asks.values() if len(ask.title[lang]) > MOST_TITLE] == []


@pytest.mark.long
@cases("lang", LANGS)
def test_questions_and_chosen_moves_are_two_lines_of_a_phone(lang: Lang) -> None:
    found = [(kind, text) for kind, text in asked(GAME, lang) if letters(text) > MOST_ASKED]
    assert found == []


@pytest.mark.long
@cases("lang", LANGS)
def test_a_line_of_the_story_is_two_lines_of_the_strip(lang: Lang) -> None:
    lines = [*told(GAME, lang)]
    assert [text for kind, text in lines if letters(text) > (SECRETS if kind == "Looked" else MOST_TOLD)] == []
    assert len({kind for kind, _ in lines}) > 8
