"""The frames of a stretch of a replay, for a GIF that grows frame by frame, or as a picture of their own."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import escape
from PIL.Image import Image

from pbem.features.pictures import gif
from pbem.kit.contract import AnyGame
from pbem.kit.drawing.svg import number
from pbem.render import phrases, pictures
from pbem.render.i18n import message_catalogue
from pbem.render.pictures import Theme, document_png, wrap_text
from pbem.services.views.replays import Replay, Step

PAUSE_MS = 3000
"""For how long the last frame stands at least."""
PNG_WIDTH = 1200
SAMPLES = 5
"""How many of its frames decide a GIF's palette, spread over the stretch."""
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


class Reel:
    """The frames of a stretch of a replay, drawn when they are asked for."""

    def __init__(self, seen: Replay, steps: Sequence[Step], theme: Theme) -> None:
        self.seen, self.steps, self.theme = seen, steps, theme
        self._said = [phrases.phrase_text(step.text, seen.names) for step in steps]
        self._lines = lines_of_longest_sentence(self._said)
        self._drawn: dict[int, Image] = {}
        self._latest: tuple[int, Image] | None = None

    def gif_head(self) -> bytes:
        """Returns the head of the GIF: its size, which all frames fit into, and a palette from some of them."""
        height = height_of_tallest_board(self.seen.board(step) for step in self.steps)
        chosen = sorted({round(n * (len(self.steps) - 1) / (SAMPLES - 1)) for n in range(SAMPLES)})
        self._drawn = {at: self._picture_in_full_colour(at, height) for at in chosen}
        palette = gif.palette_of([*self._drawn.values()])
        return gif.gif_head((WIDTH, height + text_height(self._lines)), palette)

    def gif_frame(self, data: bytes, at: int, shown_ms: int) -> bytes:
        """Returns the frame of the at-th step, counted from 0, of the GIF that begins with this data."""
        last = at == len(self.steps) - 1
        before = None
        if at:
            before = (
                self._latest[1]
                if self._latest and self._latest[0] == at - 1
                else self._picture_in_palette(data, at - 1)
            )
        self._latest = at, self._picture_in_palette(data, at)
        return gif.gif_frame(self._latest[1], before, max(shown_ms, PAUSE_MS) if last else shown_ms)

    def png_of_first_step(self) -> bytes:
        """Returns the first step as a picture of its own, larger and with its whole sentence."""
        height = height_of_tallest_board([self.seen.board(self.steps[0])])
        count = lines_of_longest_sentence(self._said[:1], MANY_LINES)
        return document_png(self._svg_of_frame(0, height, count), PNG_WIDTH)

    def _picture_in_palette(self, data: bytes, at: int) -> Image:
        height, palette = gif.read_gif_head(data)
        return gif.reduce_to_palette(self._picture_in_full_colour(at, height - text_height(self._lines)), palette)

    def _picture_in_full_colour(self, at: int, height: int) -> Image:
        """Returns the frame in all its colours; those of the palette are kept, and given away with their frame."""
        known = self._drawn.pop(at, None)
        if known is not None:
            return known
        return gif.open_png(document_png(self._svg_of_frame(at, height, self._lines), WIDTH))

    def _svg_of_frame(self, at: int, height: int, count: int) -> str:
        seen, step = self.seen, self.steps[at]
        number = message_catalogue(seen.lang).gettext("Step %(number)s") % {"number": step.n}
        caption = f"{seen.game.meta.title[seen.lang]} · {number}"
        frame = Frame(seen.game, seen.board(step), seen.names, caption, self._said[at])
        return svg_document_of_frame(frame, height, count, self.theme)


@dataclass(frozen=True)
class Frame:
    """What a frame shows: a board as a game draws it, and the words below it."""

    game: AnyGame
    board: str
    names: Sequence[str]
    caption: str
    sentence: str


def height_of_tallest_board(boards: Iterable[str]) -> int:
    """Returns the height of the tallest of these boards in a frame."""
    return max(map(_height_of_board, boards), default=0)


def lines_of_longest_sentence(sentences: Iterable[str], most: int = LINES) -> int:
    """Returns the lines that the longest of these sentences takes, at most this many."""
    return max((len(wrap_text(words, _ROOM, most)) for words in sentences), default=0)


def text_height(count: int) -> int:
    """Returns the height of the words below a board whose sentence has this many lines."""
    return _TOP + _CAPTION + count * _LINE + _TOP


def svg_document_of_frame(frame: Frame, board: int, count: int, theme: Theme) -> str:
    """Returns the frame as a whole SVG document, with so much height for the board and this many lines below it."""
    height = board + text_height(count)
    own = _height_of_board(frame.board)
    words = [
        _text_element("i2", board + _TOP + _SMALL, _SMALL, frame.caption),
        *(
            _text_element("in", board + _TOP + _CAPTION + _LINE * n - 7, _SIZE, line)
            for n, line in enumerate(wrap_text(frame.sentence, _ROOM, count), 1)
        ),
    ]
    drawn = pictures.board_document(frame.game, frame.board, frame.names, theme)
    inside = "".join((
        f'<rect class="pa" width="{WIDTH}" height="{height}"/>',
        pictures.embed_document(drawn, 0, (board - own) / 2, WIDTH, own, "xMidYMid meet"),
        f'<path class="ln" stroke-width="1.5" d="M0 {board + 0.75}h{WIDTH}"/>',
        *words,
    ))  # fmt: skip
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="Literata">'
        f"<style>{pictures.literal_styles(theme)}</style>{inside}</svg>"
    )


def _height_of_board(board: str) -> int:
    found = _VIEW_BOX.search(board)
    assert found is not None, "a board says how large it is"
    return math.ceil(WIDTH * float(found[2]) / float(found[1]))


def _text_element(classes: str, y: float, size: float, words: str) -> str:
    return f'<text class="{classes}" x="{_LEFT}" y="{number(y)}" font-size="{number(size)}">{escape(words)}</text>'
