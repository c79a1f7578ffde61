"""The boards of every game in every phase: an SVG that pages and mails can show, for any viewer and choice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from msgspec import structs

from pbem.games import all_games
from pbem.kit.contract import AnyGame, Scene, Viewer
from pbem.kit.play import Table
from pbem.kit.texts import LANGS, Lang
from pbem.render import pictures
from pbem.testing.faces.boards import CLASSES, boards_of_position
from tests.games.discovered import GAMES, options_of
from tests.games.stage.boards import TELLS, positions
from tests.harness.cases import cases
from tests.transcripts import seed_of

BOARDS = pytest.mark.parametrize(
    ("lang", "every"),
    [("fr", 60), ("en", 10_000), *(pytest.param(lang, 4, marks=pytest.mark.long) for lang in LANGS)],
)
"""In the short run English stands in the drawn positions alone, and in the first of each match."""


def draw_unnamed(table: Table, viewer: Viewer, lang: Lang) -> Iterator[str]:
    """The same without the shapes' names."""
    return (svg for _, svg in boards_of_position(table, viewer, lang))


@pytest.mark.long
@BOARDS
@GAMES
def test_every_board_is_well_formed_and_uses_known_symbols_and_classes(game: AnyGame, lang: Lang, every: int) -> None:
    for table in positions(game, every):
        past = tuple((n, entry.event) for n, entry in enumerate(table.entries, 1))
        for scene in (Scene(), Scene(recent=past[-12:])):  # what a replay shows with all cards open
            check_board(game, game.draw(table.state, None, lang, scene), table.seats)
        for viewer in table.viewers:
            for svg in draw_unnamed(table, viewer, lang):
                check_board(game, svg, table.seats)


@pytest.mark.long
@GAMES
def test_a_board_marks_each_seat_that_a_bot_plays(game: AnyGame) -> None:
    table = Table(game, max(game.meta.seats), options_of(game, max(game.meta.seats)), seed_of("bots", 0, 0))
    for viewer in (*range(table.seats), None):
        for bots in (frozenset[int](), frozenset(range(table.seats)) - {viewer}):
            for shape in set(game.meta.shapes) - {"pad"}:
                svg = game.draw(table.folds[viewer], viewer, "fr", Scene(shape=shape, bots=bots))
                marked = svg.count("<title>robot</title>")
                assert marked >= len(bots) if bots else not marked


OWN = re.compile(r"(?i)you|vous|your (hand|cards|numbers|ally)( \(out\))?(: \d+)?|you are out")
"""What still belongs to a player who has resigned: their seat, what they hold, and how they fared."""


@pytest.mark.long
@GAMES
def test_a_resigned_viewers_board_shows_no_question_to_them(game: AnyGame) -> None:
    changed = False
    for table in positions(game, 40):
        for ask in game.pending(table.state):
            for shape in (shape for shape in game.meta.shapes if shape != "pad"):
                fold, scene = table.folds[ask.seat], Scene(shape=shape)
                asked = game.draw(fold, ask.seat, "en", scene)
                left = game.draw(fold, ask.seat, "en", structs.replace(scene, resigned=True))
                changed |= asked != left
                said = [text for text in TELLS.findall(left) if not OWN.fullmatch(text)]
                assert [text for text in said if re.search(r"(?i)\byour?\b", text)] == []
    assert changed


def check_board(game: AnyGame, svg: str, seats: int) -> None:
    tree = ElementTree.fromstring(pictures.svg_with_names(svg, [f"Seat {n}" for n in range(seats)]))
    used: set[str] = set()
    for element in tree.iter():
        assert "style" not in element.attrib, "the content security policy forbids it"
        used.update(element.attrib.get("class", "").split())
    assert used <= CLASSES
    assert tree.attrib["role"] == ("group" if any(True for _ in tree.iter("a")) else "img")
    assert "None" not in svg
    defined = ElementTree.fromstring(pictures.symbol_definitions(game, svg))
    assert {f"#{symbol.attrib['id']}" for symbol in defined} == set(re.findall(r'<use href="([^"]+)"', svg))


@cases(
    "wrong",
    [
        '<svg role="img"><g class="unheard-of"/></svg>',
        '<svg role="img"><g style="fill:red"/></svg>',
        '<svg role="img"><use href="#unheard-of"/></svg>',
        '<svg role="img"><a href="?x"/></svg>',
        '<svg role="img"><text>None</text></svg>',
        '<svg role="img"><text>{3}</text></svg>',
        '<svg role="img"><g></svg>',
    ],
)
def test_the_check_of_boards_finds_planted_faults(wrong: str) -> None:
    """Tests the test."""
    with pytest.raises((AssertionError, ElementTree.ParseError, ValueError)):
        check_board(all_games()["hogen"], wrong, 3)
