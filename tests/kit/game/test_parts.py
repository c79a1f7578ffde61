"""A board made of parts: drawn, said, and touched."""

from __future__ import annotations

import re

import pytest

from pbem.kit.contract import Link, Scene
from pbem.kit.drawing.board import View
from pbem.kit.game.parts import LEAST, WIDE, Die, Meter, Row
from pbem.kit.texts import LANGS
from pbem.render import pictures
from pbem.testing.starter import pig
from pbem.testing.starter.pig import State
from tests.harness.cases import cases
from tests.kit.game import sealed

FRAME = re.compile(r'<rect class="iw" x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"')
MARK = re.compile(r'<use href="#seat-\d" x="[\d.]+" y="([\d.]+)"')
BOX = re.compile(r'<rect class="\w+" x="([\d.-]+)" y="[\d.-]+" width="([\d.]+)"')


def test_a_drawn_board_part_links_to_its_move() -> None:
    scene = Scene(links={"roll": Link("/roll", "Roll"), "hold": Link("/hold", "Hold")}, chosen=("hold",))
    drawn = pig.GAME.draw(State((0, 7), pot=4), 0, "en", scene)
    assert drawn.count('href="/roll"') == drawn.count('href="/hold"') == 1
    assert 'href="/roll"' not in pig.GAME.draw(State((0, 7), pot=4), 0, "en", Scene())


def test_board_parts_are_described_in_words_the_viewers_own_first() -> None:
    state = State((0, 7), active=1, pot=4)
    assert pig.GAME.describe(state, 1, "en") == (
        "your turn",
        "Die 6. 4 at stake.",
        "{1} (seat B, you) : 7.",
        "{0} (seat A) : 0.",
    )
    assert pig.GAME.describe(state, None, "fr")[0] == "à {1} de jouer"
    assert pig.GAME.describe(state, 1, "en", over=True)[0] == "Die 6. 4 at stake."


def test_the_frame_of_what_is_touched_leaves_room_for_the_seat_below_it() -> None:
    scene = Scene(links={"roll": Link("/roll", "Roll"), "hold": Link("/hold", "Hold")})
    drawn = pig.GAME.draw(State((0, 7), pot=4), 0, "en", scene)
    frames = [(float(top), float(high)) for top, high in FRAME.findall(drawn)]
    first, second = (float(top) for top in MARK.findall(drawn))
    assert max(top + high for top, high in frames) + 8 < first < second


@cases("dice", range(1, 13))
def test_a_row_of_dice_stays_within_its_box_and_leaves_room_for_a_name(dice: int) -> None:
    row = Row((Meter(3, 5, seat=0), *map(Die, (None, *range(1, 7), *range(1, 7))[:dice])))
    view = View(State((3, 0)), None, "en", Scene())
    boxes = [(float(x), float(wide)) for x, wide in BOX.findall(row.draw(0, 0, WIDE, view))]
    assert max(x + wide for x, wide in boxes) <= WIDE
    assert LEAST - 30 <= boxes[0][1] <= WIDE, "the bar below the name"
    alone = [(float(x), float(wide)) for x, wide in BOX.findall(Row((Die(1), Die(1))).draw(0, 0, WIDE, view))]
    assert min(x for x, _ in alone) + max(x + wide for x, wide in alone) == WIDE, "in the middle"


@pytest.mark.usefixtures("install")
def test_every_board_part_can_be_drawn_as_a_png() -> None:
    for lang in LANGS:
        drawn = pig.GAME.draw(State((0, 50), pot=4), None, lang, Scene())
        assert pictures.board_png(pig.GAME, drawn, ["Alice", "Bob"], 360)
        hidden = sealed.State((None, 3, None), (None,) * 3, (3, 2, 1))
        assert pictures.board_png(
            sealed.GAME, sealed.GAME.draw(hidden, 1, lang, Scene()), ["Alice", "Bob", "Charlie"], 360
        )


def test_several_seats_in_turn_or_winners_are_named_by_their_letters() -> None:
    asked = sealed.State((None,) * 3, (None,) * 3, (3, 2, 1), answered=(False,) * 3, rolled=3, said=9)
    assert [sealed.GAME.describe(asked, viewer, "en")[0] for viewer in (None, 1)] == ["B · C to play", "your turn"]
    won = State((50, 50))
    assert [pig.GAME.describe(won, viewer, "fr")[0] for viewer in (None, 0)] == ["A · B gagnent", "vous gagnez"]
