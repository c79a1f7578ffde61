"""The picture beside a shared link: everything fits, whatever people are called."""

from __future__ import annotations

import re
import struct
from dataclasses import replace

from pbem.features.previews import share_pictures
from pbem.features.previews.share_pictures import HEIGHT, WIDTH, Player, SharePicture
from pbem.games.hogen import GAME as HOGEN
from pbem.render import pictures
from tests.harness.cases import cases

BOARD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 400">'
    '<rect width="360" height="400" fill="#b0301b"/></svg>'
)


def picture_with_long_texts(seats: int, name: str = "Alice", boards: int = 1) -> SharePicture:
    """A picture with long texts."""
    players = tuple(Player(seat, name, "19") for seat in range(seats))
    said = f"{name} plays a card; this number would lead much too far. " * 3
    return SharePicture(
        "Replay, step 12 of 33", "Les bassins de Niigata", said, players, said, (BOARD,) * boards, HOGEN
    )


@cases("seats", [0, 2, 4, 6])
@cases("name", ["Al", "Alice-Bob-Carol-Dave-Alice-Bob", '<&>\x07"{0}'])
def test_every_text_line_stays_within_the_preview_picture(seats: int, name: str) -> None:
    svg = share_pictures.svg_document(picture_with_long_texts(seats, name))
    lines = [float(y) for y in re.findall(r'<text [^>]*y="([\d.]+)"', svg)]
    assert lines
    assert max(lines) < HEIGHT - 20
    assert len(re.findall(r'href="#seat-', svg)) == seats
    assert "\x07" not in svg


@cases("boards", [1, 4])
def test_a_preview_picture_is_a_png_of_the_declared_size(boards: int) -> None:
    drawn = share_pictures.svg_to_png(share_pictures.svg_document(picture_with_long_texts(4, boards=boards)))
    assert drawn.startswith(b"\x89PNG")
    assert struct.unpack(">II", drawn[16:24]) == (WIDTH, HEIGHT)


def test_a_cover_fills_its_place_and_a_board_is_shown_whole() -> None:
    cover = pictures.board_document(HOGEN, str(pictures.cover_svg(HOGEN, "en")), ())
    for shown, ratio in ((cover, "xMidYMid slice"), (BOARD, "xMidYMid meet")):
        svg = share_pictures.svg_document(replace(picture_with_long_texts(0), boards=(shown,)))
        assert re.findall(r'<image [^>]*preserveAspectRatio="([^"]+)"', svg) == [ratio]
