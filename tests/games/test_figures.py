"""What every game has drawn besides its boards, all of known signs: the examples of its rules, and its cover."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from pbem.games import all_games, folder_of
from pbem.kit.contract import AnyGame
from pbem.kit.drawing.figures import LEAST, WIDTH
from pbem.kit.laws.offered import COVER
from pbem.kit.texts import Lang
from pbem.render import pictures
from tests.games.discovered import GAMES, LANGUAGES, UNSET_IN_FRENCH
from tests.games.stage.boards import CLASSES

SHOWN = re.compile(r"^!\[(.+)\]\(figure:([a-z-]+)\)$", re.MULTILINE)
SYMBOL = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
SCALED = re.compile(r"scale\(([\d.]+)\)")
FEWEST = 3
LARGEST = 6_000
"""The bytes that a cover may have: a page of all games has that of each."""


def classes_in(drawn: str) -> set[str]:
    """The classes of all elements of a drawing."""
    return {one for found in re.findall(r'class="([^"]+)"', drawn) for one in found.split()}


def captions_of(game: AnyGame, lang: Lang) -> list[tuple[str, str]]:
    """The captions and names of the figures in the rules, in order."""
    return SHOWN.findall((folder_of(game.meta.slug) / f"RULES.{lang}.md").read_text(encoding="utf-8"))


def sizes(drawn: ElementTree.Element, scale: float = 1) -> Iterator[float]:
    """The size of each text in a drawing, in its units."""
    for found in SCALED.findall(drawn.get("transform", "")):
        scale *= float(found)
    if drawn.tag.endswith("text"):
        yield float(drawn.attrib["font-size"]) * scale
    for part in drawn:
        yield from sizes(part, scale)


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
        text = (folder_of(game.meta.slug) / f"RULES.{lang}.md").read_text(encoding="utf-8")
        places.append(re.findall(r"^(\d+\.\d+)\.|\(figure:([a-z-]+)\)$", text, re.MULTILINE))
    assert places[0] == places[1]


@GAMES
def test_captions_are_set_as_french_is(game: AnyGame) -> None:
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
        assert min(sizes(drawn), default=LEAST) >= LEAST - 0.01, name
        if lang == "fr":
            for said in (drawn.get("aria-label", ""), *(text.text or "" for text in drawn.iter("text"))):
                assert not UNSET_IN_FRENCH.search(said), said


@GAMES
@LANGUAGES
def test_a_figure_is_made_of_known_symbols_and_classes(game: AnyGame, lang: Lang) -> None:
    for name, figure in game.figures.items():
        drawn = pictures.page_svg(figure(lang), ())
        assert pictures.symbols(game, drawn)
        assert classes_in(drawn) <= CLASSES, name


# --- covers ---------------------------------------------------------------------------------------


def cover_of(game: AnyGame) -> str:
    """The file with the cover of the game."""
    return (folder_of(game.meta.slug) / COVER).read_text(encoding="utf-8")


@GAMES
def test_a_cover_is_small_and_made_of_known_symbols_and_classes(game: AnyGame) -> None:
    drawn = cover_of(game)
    assert len(drawn) <= LARGEST
    assert classes_in(drawn) <= CLASSES
    assert not re.search(r'\b(?:id|style|fill|stroke)="(?!none)', drawn)
    assert pictures.definitions(game, (drawn,))
    assert pictures.png(game, str(pictures.cover(game, "en")), (), 128)


@GAMES
def test_a_cover_has_no_words(game: AnyGame) -> None:
    """Nobody has to translate it: a digit, or the letter of a clan."""
    words = [(text.text or "").strip() for text in ElementTree.fromstring(cover_of(game)).iter() if text.text]
    assert [word for word in words if len(word) > 1] == []


def test_covers_can_stand_on_one_page() -> None:
    """A symbol that two of them use is the same in both games."""
    drawn: dict[str, set[str]] = {}
    for game in all_games().values():
        for symbol in SYMBOL.finditer(pictures.definitions(game, (str(pictures.cover(game, "en")),))):
            drawn.setdefault(symbol[1], set()).add(symbol[0])
    assert [name for name, ways in drawn.items() if len(ways) > 1] == []
    assert {f"cover-{slug}" for slug in all_games()} <= drawn.keys()


def test_a_night_scene_stays_one_in_daylight() -> None:
    nights = [slug for slug, game in all_games().items() if "night-svg" in cover_of(game)]
    assert nights
    for slug, game in all_games().items():
        assert ("night-svg" in pictures.cover(game, "en")) == (slug in nights)
