"""A match that is over: its boards, drawn and in words, ask nobody anything, and a picture says how it ended."""

import re
from dataclasses import replace
from typing import cast, get_args
from xml.etree import ElementTree

import pytest

from pbem.games import all_games
from pbem.kit.assemble import AssembledGame
from pbem.kit.contract import AnyGame, Outcome, Scene, Viewer
from pbem.kit.drawing.ends import HEIGHT, WIDTH
from pbem.kit.texts import Lang
from pbem.render import ends, pictures
from pbem.render.pictures import Theme
from pbem.testing.faces.boards import CLASSES
from tests.games.discovered import GAMES, LANGUAGES
from tests.games.stage.boards import TELLS, positions
from tests.harness.cases import cases

POSITION: dict[str, dict[Lang, str]] = {
    "allegeance": {
        "fr": "Manche tour annonce annoncé par aucune carte dessus dessous de haut en bas faux reste répondu jeton",
        "en": "Round turn announced announces by no card on under it from that wrong left answered token",
    },
    "hagakure": {"fr": "Bannières en tête ni", "en": "Banners ahead neither nor"},
    "hexen-rennen": {
        "fr": "au départ rien encore retourné réparti libre clan",
        "en": "at start nothing turned up yet divided free clan",
    },
    "hogen": {
        "fr": "Appels appelez appelle appelé avait un restés sans réponse passe inconnues cachées aucune choisie",
        "en": "Calls call called calls had for that answered unanswered passes no chosen Hidden cards",
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


def texts_of_boards(game: AnyGame, fold: object, viewer: Viewer, lang: Lang, *, over: bool) -> list[str]:
    """What is said in the drawings of all shapes and in the lines of words."""
    drawn = (game.draw(fold, viewer, lang, Scene(shape=s, over=over)) for s in game.meta.shapes if s != "pad")
    return [*(said for svg in drawn for said in TELLS.findall(svg)), *game.describe(fold, viewer, lang, over=over)]


def words_without_names(said: list[str]) -> set[str]:
    """The words without names and numbers."""
    return set(WORD.findall(re.sub(r"\{[^}]*\}", " ", " ".join(said))))


@pytest.mark.long
@LANGUAGES
@GAMES
def test_a_finished_board_has_only_words_of_its_end_and_position(game: AnyGame, lang: Lang) -> None:
    end, stopped, asking = set[str](), set[str](), set[str]()
    for table in positions(game, 40):
        for viewer in table.viewers:
            fold = table.folds[viewer]
            if game.pending(table.state):
                stopped |= words_without_names(texts_of_boards(game, fold, viewer, lang, over=True))
                asking |= words_without_names(texts_of_boards(game, fold, viewer, lang, over=False))
            else:
                end |= words_without_names(texts_of_boards(game, fold, viewer, lang, over=False))
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


def test_hogens_board_over_keeps_an_open_call_but_no_answerer() -> None:
    game = all_games()["hogen"]
    for table in positions(game, 1):
        if table.state.call is not None:
            break
    lines = game.describe(table.state, None, "en", over=True)
    assert [line for line in lines if "had called for" in line]
    assert "answer" not in " ".join(lines)


@cases("over", [False, True])
def test_hogens_board_says_hidden_only_while_the_match_runs(over: bool) -> None:
    game = all_games()["hogen"]
    table = next(table for table in positions(game, 1) if all(table.state.chosen))
    drawn = game.draw(table.folds[0], 0, "en", Scene(over=over))
    assert (">hidden<" in drawn) is not over


# --- the picture ----------------------------------------------------------------------------------------------

KINDS = pytest.mark.parametrize("own", [True, False], ids=["own", "plain"])


def outcomes_of(game: AnyGame) -> list[Outcome | None]:
    """Each way in which seats can have won or lost, with scores, without, and by the table; None: called off."""
    seats = max(game.meta.seats)
    alone = [(seat,) for seat in range(seats)]
    together = [tuple(range(count)) for count in (0, 2, seats)]
    scores = tuple(range(seats))
    return [None, Outcome("last_seat", (seats - 1,), scores)] + [
        Outcome(reason, winners, kept)
        for reason in game.meta.endings
        for winners in (*alone, *together)
        for kept in (None, scores, (-12,) * seats, (120,) * seats)
    ]


def without_own(game: AnyGame, own: bool) -> AnyGame:
    """The game, or one like it that draws no end."""
    return game if own else cast(AnyGame, replace(cast(AssembledGame, game), end=None))


@GAMES
@KINDS
def test_every_end_is_drawn_of_known_symbols_and_classes_alone(game: AnyGame, own: bool) -> None:
    for outcome in outcomes_of(game):
        drawn = ends.end_picture(without_own(game, own), outcome)
        tree = ElementTree.fromstring(drawn)
        assert tree.attrib["viewBox"] == f"0 0 {WIDTH} {HEIGHT}"
        assert tree.attrib["aria-hidden"] == "true", "the headline beside it says who won"
        used = {name for element in tree.iter() for name in element.get("class", "").split()}
        assert used <= CLASSES
        defined = ElementTree.fromstring(pictures.symbol_definitions(game, drawn))
        assert {f"#{symbol.attrib['id']}" for symbol in defined} >= set(re.findall(r'<use href="([^"]+)"', drawn))


@GAMES
@KINDS
def test_the_end_drawings_of_a_win_a_draw_and_a_cancelled_match_differ(game: AnyGame, own: bool) -> None:
    shown, reason = without_own(game, own), next(iter(game.meta.endings))
    drawn = [
        ends.end_picture(shown, one) for one in (Outcome(reason, (0,)), Outcome(reason, (1,)), Outcome(reason), None)
    ]
    assert len({*drawn}) == len(drawn)


@GAMES
@KINDS
def test_the_end_drawing_shows_the_winners_score_or_else_their_letters(game: AnyGame, own: bool) -> None:
    shown, reason = without_own(game, own), next(iter(game.meta.endings))
    scores = (4, 117, *[0] * (max(game.meta.seats) - 2))

    def words(outcome: Outcome) -> list[str]:
        return re.findall(r"<text[^>]*>([^<]+)</text>", ends.end_picture(shown, outcome))

    assert words(Outcome(reason, (1,), scores))[-1] == "117"
    assert words(Outcome(reason, (0, 1)))[-2:] == ["A", "B"]
    assert "117" not in words(Outcome("last_seat", (1,), scores)), "the table ended it: nobody won by points"
    assert words(Outcome("last_seat", (1,), scores))[-1] == "B"


@GAMES
def test_every_end_drawing_can_be_a_png_in_light_and_dark_colours(game: AnyGame) -> None:
    reason = next(iter(game.meta.endings))
    for own in (True, False):
        drawn = ends.draw_end(without_own(game, own), Outcome(reason, (0,)))
        shown = {
            pictures.document_png(pictures.board_document(game, drawn, (), theme), 360) for theme in get_args(Theme)
        }
        assert len(shown) == 2


def test_each_built_in_game_draws_its_own_end() -> None:
    ours = [game for game in all_games().values() if game.end is not None]
    assert {game.meta.slug for game in ours} >= {"allegeance", "hagakure", "hexen-rennen", "hogen", "niigata"}
    drawn = [game.end(Outcome(next(iter(game.meta.endings)), (0,))) for game in ours if game.end is not None]
    assert len({*drawn}) == len(ours)
