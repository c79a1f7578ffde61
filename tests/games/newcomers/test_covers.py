"""The cover of every game: small, without words, of known signs, and the same wherever it stands."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from pbem.games import all_games, folder_of_game
from pbem.kit.contract import AnyGame
from pbem.kit.laws.offered import COVER
from pbem.render import pictures
from pbem.testing.faces.boards import CLASSES
from tests.games.discovered import GAMES
from tests.games.stage.drawn import classes_in

SYMBOL = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
LARGEST = 6_000
"""The bytes that a cover may have: a page of all games has that of each."""


def cover_of(game: AnyGame) -> str:
    """The file with the cover of the game."""
    return (folder_of_game(game.meta.slug) / COVER).read_text(encoding="utf-8")


@GAMES
def test_a_cover_is_small_and_made_of_known_symbols_and_classes(game: AnyGame) -> None:
    drawn = cover_of(game)
    assert len(drawn) <= LARGEST
    assert classes_in(drawn) <= CLASSES
    assert not re.search(r'\b(?:id|style|fill|stroke)="(?!none)', drawn)
    assert pictures.definitions_of_used_symbols(game, (drawn,))
    assert pictures.board_png(game, str(pictures.cover_svg(game, "en")), (), 128)


@GAMES
def test_a_cover_has_no_words(game: AnyGame) -> None:
    """Nobody has to translate it: a digit, or the letter of a clan."""
    words = [(text.text or "").strip() for text in ElementTree.fromstring(cover_of(game)).iter() if text.text]
    assert [word for word in words if len(word) > 1] == []


def test_covers_of_all_games_share_no_conflicting_symbols() -> None:
    """A symbol that two of them use is the same in both games."""
    drawn: dict[str, set[str]] = {}
    for game in all_games().values():
        for symbol in SYMBOL.finditer(
            pictures.definitions_of_used_symbols(game, (str(pictures.cover_svg(game, "en")),))
        ):
            drawn.setdefault(symbol[1], set()).add(symbol[0])
    assert [name for name, ways in drawn.items() if len(ways) > 1] == []
    assert {f"cover-{slug}" for slug in all_games()} <= drawn.keys()


def test_a_night_covers_page_version_is_a_night_scene_too() -> None:
    nights = [slug for slug, game in all_games().items() if "night-svg" in cover_of(game)]
    assert nights
    for slug, game in all_games().items():
        assert ("night-svg" in pictures.cover_svg(game, "en")) == (slug in nights)
