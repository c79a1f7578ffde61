"""The drawn examples of every game's rules: shown once each in both languages, readable, of known signs."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from pbem.games import folder_of_game
from pbem.kit.contract import AnyGame
from pbem.kit.drawing.figures import LEAST, WIDTH
from pbem.kit.texts import Lang
from pbem.render import pictures
from pbem.testing.faces.boards import CLASSES
from tests.games.discovered import GAMES, LANGUAGES, UNSET_IN_FRENCH
from tests.games.stage.drawn import classes_in, sizes_of_texts

SHOWN = re.compile(r"^!\[(.+)\]\(figure:([a-z-]+)\)$", re.MULTILINE)
FEWEST = 3


def captions_of(game: AnyGame, lang: Lang) -> list[tuple[str, str]]:
    """The captions and names of the figures in the rules, in order."""
    return SHOWN.findall((folder_of_game(game.meta.slug) / f"RULES.{lang}.md").read_text(encoding="utf-8"))


@GAMES
@LANGUAGES
def test_the_rules_show_every_figure_once(game: AnyGame, lang: Lang) -> None:
    names = [name for _, name in captions_of(game, lang)]
    assert sorted(names) == sorted(game.figures)
    assert len(names) >= FEWEST


@GAMES
def test_the_figures_stand_at_the_same_rules_in_both_languages(game: AnyGame) -> None:
    places = []
    for lang in ("fr", "en"):
        text = (folder_of_game(game.meta.slug) / f"RULES.{lang}.md").read_text(encoding="utf-8")
        places.append(re.findall(r"^(\d+\.\d+)\.|\(figure:([a-z-]+)\)$", text, re.MULTILINE))
    assert places[0] == places[1]


@GAMES
def test_captions_follow_french_typography(game: AnyGame) -> None:
    for caption, _ in captions_of(game, "fr"):
        assert not UNSET_IN_FRENCH.search(caption), caption


@GAMES
@LANGUAGES
def test_a_figure_can_be_read_on_a_phone_and_by_screen_readers(game: AnyGame, lang: Lang) -> None:
    for name, figure in game.figures.items():
        drawn = ElementTree.fromstring(figure(lang))
        assert drawn.attrib["viewBox"].split()[:3] == ["0", "0", str(WIDTH)], name
        assert drawn.get("role") == "img", name
        assert len(drawn.get("aria-label", "")) > 20, name
        assert min(sizes_of_texts(drawn), default=LEAST) >= LEAST - 0.01, name
        if lang == "fr":
            for said in (drawn.get("aria-label", ""), *(text.text or "" for text in drawn.iter("text"))):
                assert not UNSET_IN_FRENCH.search(said), said


@GAMES
@LANGUAGES
def test_a_figure_is_made_of_known_symbols_and_classes(game: AnyGame, lang: Lang) -> None:
    for name, figure in game.figures.items():
        drawn = pictures.svg_with_names(figure(lang), ())
        assert pictures.symbol_definitions(game, drawn)
        assert classes_in(drawn) <= CLASSES, name
