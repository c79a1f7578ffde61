"""A phone's first screen, or the column beside a board, holds every answer to every question, with 3 and 4 players."""

import functools
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from pbem.games.hogen import GAME
from pbem.kit.contract import Ask, Link, Scene
from pbem.kit.play import Table, random_decisions
from pbem.testing.faces.boards import scenes_of_position
from tests.transcripts import seed_of

SEEN = 654
"""The units of a drawing that a phone of 360 by 740 pixels shows at once, below the strip."""
FINGER = 48
"""The units that are 44 pixels on it."""
ON_ITS_SIDE = 44
COLUMN = 308 / 340
"""How large a pad is drawn beside a board."""
ROOM = 308
"""The height that is left there for the choices, in pixels, at 1366 x 768."""
MOVED = re.compile(r"translate\(([\d.]+),([\d.]+)\) scale\(([\d.]+)\)")

SEATED = pytest.mark.parametrize(
    ("seats", "matches"),
    [pytest.param(seats, many, marks=() if many == 1 else pytest.mark.long) for seats in (3, 4) for many in (1, 6)],
)


def questions_of_matches(seats: int, matches: int) -> Iterator[tuple[Table, Ask]]:
    """Every question of the first part of this many random matches."""
    for number in range(matches):
        table = Table(GAME, seats, GAME.meta.options(), seed_of("layout of hogen", seats, number))
        for at, _ in enumerate(random_decisions(table)):
            for ask in GAME.pending(table.state):
                yield table, ask
            if at == 9:
                break


@functools.cache
def scenes_of(seats: int, matches: int) -> list[tuple[str, tuple[Any, int], Scene]]:
    """The folds and scenes on the way to each kind of answer, with the kind of the question."""
    found = []
    for table, ask in questions_of_matches(seats, matches):
        own = table.folds[ask.seat]
        paths = [GAME.path(one.move, own, "fr") for one in GAME.candidates(ask, own, "fr")]
        steps = {step.text: Link(f"?no={step.text}", step.label) for path in paths for step in path}
        for fold, scene in scenes_of_position(table, ask.seat, "fr"):
            refused = {step: link for step, link in steps.items() if step not in {*scene.links, *scene.chosen}}
            found.append((ask.kind, (fold, ask.seat), replace(scene, refused=refused)))
    return found


def touchable_boxes(svg: str) -> Iterator[tuple[str, float, float, float]]:
    """Each thing that can be touched: its label, width, height, and lower edge."""
    for link in ElementTree.fromstring(svg).iter("a"):
        found = []
        for part in link.iter():
            if moved := MOVED.fullmatch(part.get("transform", "")):
                x, y, scale = map(float, moved.groups())
                found.append((x, y, x + 100 * scale, y + 140 * scale))
            elif part.tag == "rect":
                x, y, wide, high = (float(part.attrib[name]) for name in ("x", "y", "width", "height"))
                found.append((x, y, x + wide, y + high))
        left, top, *_ = map(min, zip(*found, strict=True))
        *_, right, bottom = map(max, zip(*found, strict=True))
        yield link.attrib["aria-label"], right - left, bottom - top, bottom


@SEATED
def test_a_small_phone_shows_every_answer_at_once_in_reach_of_a_finger(seats: int, matches: int) -> None:
    kinds, answers = set(), set()
    for kind, (fold, seat), scene in scenes_of(seats, matches):
        svg = GAME.draw(fold, seat, "fr", scene)
        high = float(svg.partition('viewBox="0 0 390 ')[2].partition('"')[0])
        assert high <= SEEN + 12, "the margin below alone may be out of sight"
        for label, wide, tall, bottom in touchable_boxes(svg):
            assert bottom <= SEEN, label
            assert min(wide, tall) > FINGER - 0.01, f"{label}: {wide:.1f} x {tall:.1f}"
            answers.add(label.partition(" ")[0])
        assert not scene.links or {*re.findall(r'aria-label="([^"]+)"', svg)} >= {
            link.label.replace("{", "&#123;").replace("}", "&#125;") for link in scene.links.values()
        }
        kinds.add(kind)
    assert kinds == {"ally", "act", "answer"}
    assert len(answers) > 5


@SEATED
def test_a_phone_on_its_side_has_every_answer_in_reach_of_a_finger(seats: int, matches: int) -> None:
    for _, (fold, seat), scene in scenes_of(seats, matches):
        for label, wide, tall, bottom in touchable_boxes(GAME.draw(fold, seat, "fr", replace(scene, shape="low"))):
            assert bottom <= 390
            assert min(wide, tall) > ON_ITS_SIDE - 0.01, f"{label}: {wide:.1f} x {tall:.1f}"


@SEATED
def test_a_keyboard_reaches_each_answer_once(seats: int, matches: int) -> None:
    for _, (fold, seat), scene in scenes_of(seats, matches):
        links = {step: replace(link, in_tab_order=True) for step, link in scene.links.items()}
        reached = re.findall(
            r'<a (?:data-field="\w+" )?href="([^"]+)"', GAME.draw(fold, seat, "fr", replace(scene, links=links))
        )
        assert sorted(reached) == sorted(link.href.replace("&", "&amp;") for link in links.values())


@SEATED
def test_the_column_beside_a_board_holds_the_pad_and_all_other_choices(seats: int, matches: int) -> None:
    for _, (fold, seat), scene in scenes_of(seats, matches):
        pad = GAME.draw(fold, seat, "fr", replace(scene, shape="pad"))
        high = float(re.findall(r'viewBox="0 0 340 ([\d.]+)"', pad)[0]) * COLUMN if pad else 0
        left = [link for link in scene.links.values() if f'href="{link.href}"'.replace("&", "&amp;") not in pad]
        assert high + 64 * -(-len(left) // 3) <= ROOM
