"""A frame of a replay as a picture: the board, and below it the step's sentence, as the replay's page shows them."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import escape

from pbem.kit.contract import AnyGame
from pbem.kit.drawing.svg import number
from pbem.render import pictures
from pbem.render.pictures import Theme
from pbem.render.share_pictures import wrapped

WIDTH = 600
"""Frames are laid out for this width, in pixels; of a picture of its own each pixel may be several."""
LINES = 4
"""The most lines that a sentence has in an animation."""
MANY_LINES = 8
"""The most lines that it has in a picture of its own."""
_LEFT, _TOP, _LINE, _CAPTION = 20, 14, 33, 30
_SIZE, _SMALL = 25, 20
_ROOM = (WIDTH - 2 * _LEFT) / (_SIZE * 0.54)
"""About how many ordinary letters a line holds."""
_VIEW_BOX = re.compile(r'viewBox="\S+ \S+ (\S+) ([^" ]+)"')


@dataclass(frozen=True)
class Frame:
    """What a frame shows: a board as a game draws it, and the words below it."""

    game: AnyGame
    board: str
    names: Sequence[str]
    caption: str
    sentence: str


def board_height(boards: Iterable[str]) -> int:
    """Returns the height of the tallest of these boards in a frame."""
    return max(map(_height, boards), default=0)


def lines(sentences: Iterable[str], most: int = LINES) -> int:
    """Returns the lines that the longest of these sentences takes, at most this many."""
    return max((len(wrapped(words, _ROOM, most)) for words in sentences), default=0)


def text_height(count: int) -> int:
    """Returns the height of the words below a board whose sentence has this many lines."""
    return _TOP + _CAPTION + count * _LINE + _TOP


def document(frame: Frame, board: int, count: int, theme: Theme) -> str:
    """Returns the frame as a whole SVG document, with so much height for the board and this many lines below it."""
    height = board + text_height(count)
    own = _height(frame.board)
    words = [
        _text("i2", board + _TOP + _SMALL, _SMALL, frame.caption),
        *(
            _text("in", board + _TOP + _CAPTION + _LINE * n - 7, _SIZE, line)
            for n, line in enumerate(wrapped(frame.sentence, _ROOM, count), 1)
        ),
    ]
    drawn = pictures.document(frame.game, frame.board, frame.names, theme)
    inside = "".join((
        f'<rect class="pa" width="{WIDTH}" height="{height}"/>',
        pictures.embedded(drawn, 0, (board - own) / 2, WIDTH, own, "xMidYMid meet"),
        f'<path class="ln" stroke-width="1.5" d="M0 {board + 0.75}h{WIDTH}"/>',
        *words,
    ))  # fmt: skip
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="Literata">'
        f"<style>{pictures.literal_styles(theme)}</style>{inside}</svg>"
    )


def _height(board: str) -> int:
    found = _VIEW_BOX.search(board)
    assert found is not None, "a board says how large it is"
    return math.ceil(WIDTH * float(found[2]) / float(found[1]))


def _text(classes: str, y: float, size: float, words: str) -> str:
    return f'<text class="{classes}" x="{_LEFT}" y="{number(y)}" font-size="{number(size)}">{escape(words)}</text>'
