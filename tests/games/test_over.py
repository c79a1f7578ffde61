"""The boards of a match that is over, drawn and in words: nobody's turn any more, and nothing to do."""

import re

import pytest

from pbem.games import all_games
from pbem.kit.contract import AnyGame, Scene, Viewer
from pbem.kit.texts import Lang
from tests.games.discovered import GAMES, LANGUAGES
from tests.games.stage.boards import TELLS, positions
from tests.harness.cases import cases

POSITION: dict[str, dict[Lang, str]] = {
    "allegeance": {
        "fr": "Manche tour annonce annoncé par aucune carte dessus faux reste répondu",
        "en": "Round turn announced announces by no card on that wrong left answered",
    },
    "hagakure": {"fr": "en tête ni", "en": "ahead neither nor"},
    "hexen-rennen": {
        "fr": "au départ rien encore retourné réparti",
        "en": "at start nothing turned up yet divided",
    },
    "hogen": {
        "fr": "Appels appelez appelle appelé avait les un restés sans réponse passe inconnues aucune choisie",
        "en": "Calls call called calls had for that answered unanswered passes no chosen",
    },
    "niigata": {
        "fr": "clos libre gâchis gâchée gâchées tour tuile tuiles échassiers",
        "en": "Free closed waste wasted round tile tiles herons",
    },
}
"""The words that tell how things stand in the middle of a match, and that no board has at the end of one."""
WORD = re.compile(r"[^\W\d_]{2,}")
ASKED = re.compile(r'href="#wait"|class="li"[^>]*stroke-width="3"/>|class="gs"')
"""An hourglass, and the frame of the seat that is asked, by day and by night."""


def texts(game: AnyGame, fold: object, viewer: Viewer, lang: Lang, *, over: bool) -> list[str]:
    """What is said in the drawings of all shapes and in the lines of words."""
    drawn = (game.draw(fold, viewer, lang, Scene(shape=s, over=over)) for s in game.meta.shapes if s != "pad")
    return [*(said for svg in drawn for said in TELLS.findall(svg)), *game.describe(fold, viewer, lang, over=over)]


def words(said: list[str]) -> set[str]:
    """The words without names and numbers."""
    return set(WORD.findall(re.sub(r"\{[^}]*\}", " ", " ".join(said))))


@pytest.mark.long
@LANGUAGES
@GAMES
def test_a_match_that_is_over_has_only_words_of_its_end_and_position(game: AnyGame, lang: Lang) -> None:
    end, stopped, asking = set[str](), set[str](), set[str]()
    for table in positions(game, 40):
        for viewer in table.viewers:
            fold = table.folds[viewer]
            if game.pending(table.state):
                stopped |= words(texts(game, fold, viewer, lang, over=True))
                asking |= words(texts(game, fold, viewer, lang, over=False))
            else:
                end |= words(texts(game, fold, viewer, lang, over=False))
    assert stopped - end == set(POSITION[game.meta.slug][lang].split()) - end
    assert asking - stopped


@pytest.mark.long
@GAMES
def test_a_drawn_board_of_a_match_that_is_over_marks_nobody_as_asked(game: AnyGame) -> None:
    marked = 0
    for table in positions(game, 40):
        for viewer in table.viewers if game.pending(table.state) else ():
            for shape in (shape for shape in game.meta.shapes if shape != "pad"):
                fold = table.folds[viewer]
                marked += len(ASKED.findall(game.draw(fold, viewer, "en", Scene(shape=shape))))
                assert not ASKED.findall(game.draw(fold, viewer, "en", Scene(shape=shape, over=True)))
    assert marked


def test_an_open_call_of_hogen_stays_without_who_was_to_answer_it() -> None:
    game = all_games()["hogen"]
    for table in positions(game, 1):
        if table.state.call is not None:
            break
    lines = game.describe(table.state, None, "en", over=True)
    assert [line for line in lines if "had called for" in line]
    assert "answer" not in " ".join(lines)


@cases("over", [False, True])
def test_a_card_of_hogen_is_hidden_only_while_that_is_sure(over: bool) -> None:
    game = all_games()["hogen"]
    table = next(table for table in positions(game, 1) if all(table.state.chosen))
    drawn = game.draw(table.folds[0], 0, "en", Scene(over=over))
    assert (">hidden<" in drawn) is not over
