"""What a phone that is 360 wide shows at once, and a screen beside its board: every answer, and large enough."""

import re
from collections import Counter
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.board.whole import draw
from pbem.games.hexen_rennen.facts_race import State, flights_of_active_seat
from pbem.kit.contract import Ask
from pbem.kit.play import Table
from pbem.kit.texts import LANGS
from pbem.render import phrases, pictures
from tests.games.hexen_rennen.questions import questions, scene_of

NAMES = ["Katharin", "Wilfried", "Hildegar", "Adelheid"]
SCREEN = 654
"""Units of a portrait board that 608 pixels have room for, 360 wide."""
FINGER = 48
"""Units of 44 pixels on such a phone."""
BESIDE = 308
"""Pixels that a screen of 1366 x 768 has for the choices: 64 a row of three, 46 for a last one alone."""
MATCHES = pytest.mark.parametrize("matches", [1, pytest.param(5, marks=pytest.mark.long)])


def drawing_of(fold: State, ask: Ask, table: Table) -> ElementTree.Element:
    scene = scene_of(fold, ask, table, "en")
    return ElementTree.fromstring(pictures.svg_with_names(draw(fold, ask.seat, "en", scene), NAMES))


def frame(element: ElementTree.Element) -> list[float]:
    return [float(element.attrib[name]) for name in ("x", "y", "width", "height")]


@MATCHES
def test_every_answer_is_on_the_first_screen_of_a_phone(matches: int) -> None:
    kinds: Counter[str] = Counter()
    for fold, ask, table in questions(matches):
        kinds[ask.kind] += 1
        tree = drawing_of(fold, ask, table)
        assert tree.attrib["viewBox"].startswith("0 0 390 ")
        touched = set()
        for link in tree.iter("a"):
            x, y, wide, high = frame(link[0])
            assert x >= 0, link.attrib
            assert x + wide <= 390, link.attrib
            assert y + high <= SCREEN, link.attrib
            assert min(wide, high) >= FINGER, link.attrib
            touched.add(link.attrib["href"])
        scene = scene_of(fold, ask, table, "en")
        wanted = {link.href for link in (*scene.links.values(), *scene.refused.values())}
        assert touched == wanted - {f"?no=fly-{end}" for end in flights_of_active_seat(fold).values()}, (
            "a flight may end there"
        )
    assert all(kinds[kind] > 20 * matches or kind in ("clan", "divide") for kind in GAME.meta.asks)


@MATCHES
def test_a_keyboard_reaches_each_answer_once(matches: int) -> None:
    for fold, ask, table in questions(matches):
        scene = scene_of(fold, ask, table, "en")
        both = [
            {step: replace(link, in_tab_order=True) for step, link in one.items()}
            for one in (scene.links, scene.refused)
        ]
        svg = draw(fold, ask.seat, "en", replace(scene, links=both[0], refused=both[1]))
        reached = Counter(re.findall(r'<a href="([^"]+)"', svg))
        assert reached.keys() >= {link.href for link in scene.links.values()}
        assert max(reached.values()) == 1


@MATCHES
def test_the_race_is_on_the_first_screen_and_large_enough_to_read(matches: int) -> None:
    for fold, ask, table in questions(matches):
        tree = drawing_of(fold, ask, table)
        assert min(float(text.attrib["font-size"]) for text in tree.iter("text")) >= 12
        for group in tree.iter("g"):
            if "data-token" in group.attrib or "data-piece" in group.attrib:
                _, y, _, high = frame(group[0])
                assert y + high <= SCREEN


@MATCHES
def test_the_choices_beside_a_board_fit_the_smallest_screen(matches: int) -> None:
    for fold, ask, _ in questions(matches):
        if ask.kind == "divide":
            continue
        for lang in LANGS:
            labels = [GAME.path(move, fold, lang)[0].label for move in GAME.legal(fold, ask.seat)]
            last = labels[-1] if len(labels) > 1 else ""
            rows = -(-(len(labels) - bool(last)) // 3)
            assert rows * 64 + 46 <= BESIDE
            for label in labels:
                said = phrases.phrase_text(label, NAMES)
                assert len(said) <= 20, "three lines of a third of the column"


def test_the_fields_of_a_division_are_chosen_on_the_board() -> None:
    fold, ask, _ = next(questions(1))
    kinds = {step.text.partition("-")[0] for step in GAME.path(GAME.legal(fold, ask.seat)[0], fold, "en")}
    assert kinds == GAME.meta.on_board
    assert re.fullmatch("[123]{3}", "".join(sorted(kinds)))
