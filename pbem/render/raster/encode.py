"""Pixels as PNG, eight bits a pixel, by the renderer of this process: Skia, or resvg where Skia cannot be imported.

The colours of a picture are fixed by those of its style sheets: no picture is counted to find its own. A renderer draws
in true colours. Each of them falls into one of 65,536 cells (five, six and five bits of red, green and blue), and a
table gives the cell's nearest colour of the palette. The palette holds every colour of the sheets as it is, the shades
of the sky, and between them what lines and letters need at their edges. A surface in a colour of its own, because
something lies on it that can be seen through, is found by looking at one pixel in 121. Of a fade that is seen through a
colour, each cell is such a surface.
"""

import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from itertools import combinations
from threading import Lock
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image
from zlib_ng import zlib_ng

from pbem.render.raster.elements import view_box
from pbem.render.raster.styles import Fade

Cells: TypeAlias = npt.NDArray[np.uint16]
"""The palette's cell of each pixel, line by line, behind a first column that stays unset."""


class Drawing(Protocol):
    """A drawn document.

    `colours` are those that it may use, #rrggbb; `fades` come each with the colour of the ground beneath, 0xRRGGBB.
    """

    colours: tuple[str, ...]
    fades: tuple[tuple[int, Fade], ...]

    def sample_pixel_colours(self, step: int) -> npt.NDArray[np.uint32]:
        """Returns the colours, 0xrrggbb, of one pixel in `step` of one line in `step`."""

    def rgba(self) -> bytes:
        """Returns the pixels, four bytes each; their colour is not multiplied by their opacity."""


@dataclass(frozen=True)
class Renderer:
    """What draws: its name, and what makes a drawing of a document in this width and height.

    It is drawn on white, into the cells; without any, with nothing behind it. Raises ValueError for anything that is
    not well formed, or that pictures do not know. `without_skia` says why Skia does not draw; "" if it does.
    """

    name: str
    draw: Callable[[str, int, int, Cells | None], Drawing]
    without_skia: str = ""


@cache
def skia_or_resvg_renderer() -> Renderer:
    """Returns the renderer of this process. Raises ImportError if neither can be imported."""
    try:
        from pbem.render.raster import skia_renderer

        return Renderer("Skia", skia_renderer.Drawing)
    except Exception as error:  # noqa: BLE001 - a library of the system is missing, or does not fit: resvg needs none
        without_skia = f"{type(error).__name__}: {' '.join(str(error).split())}"
    try:
        from pbem.render.raster import resvg_renderer
    except Exception as error:
        raise ImportError(f"neither Skia ({without_skia}) nor resvg ({type(error).__name__}: {error})") from error
    return Renderer("resvg", resvg_renderer.Drawing, without_skia)


# --- pixels as PNG -------------------------------------------------------------------------------------------

LEVEL = 2
_PALETTE = 3
"""PNG's number for pixels that are numbers of colours."""


def render_png(svg: str, width: int, *, clear: bool = False, by: Renderer | None = None) -> bytes:
    """Returns the document as a PNG of this width; on white, or `clear`: with nothing behind it, in true colours.

    It is drawn `by` this renderer, or by that of the process.
    Raises ValueError for anything that is not well formed, or that pictures do not know; ImportError without renderer.
    """
    _, _, wide, high = view_box(svg)
    height = max(1, int(high * (width / wide) + 0.001))
    cells = None if clear else np.empty((height, width + 1), np.uint16)
    drawn = (by or skia_or_resvg_renderer()).draw(svg, width, height, cells)
    if cells is None:
        with BytesIO() as out:
            Image.frombytes("RGBA", (width, height), drawn.rgba()).save(out, "PNG", optimize=True)
            return out.getvalue()
    colours = picture_palette(drawn.colours, drawn.fades)
    if more := missing_colours(colours, large_surfaces(cells[::LOOK, 1::LOOK], drawn.sample_pixel_colours(LOOK))):
        colours = add_colours(colours, more)
    lines = np.take(colours.table, cells, mode="clip")
    lines[:, 0] = 0  # in place of the unset column: each line begins with the number of its filter, none
    head = struct.pack(">IIBBBBB", width, height, 8, _PALETTE, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", colours.colours), (b"IDAT", zlib_ng.compress(lines, LEVEL)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(name)))
        for name, data in parts
    )


# --- the palette ---------------------------------------------------------------------------------------------

SIZE = 128
"""Of 256 colours nobody sees more, and a file is a tenth larger."""
WHITE = "#ffffff"
"""What a picture without a ground of its own lies on."""
_STEPS = (0.25, 0.5, 0.75)
LOOK = 11
"""Of this many pixels in a row, and of this many rows, one is looked at to find large surfaces.

It is odd, so all places in the pattern of a fade are looked at, and no shade of it counts for more.
"""
_LARGE = 0.004
_SEEN = 2
"""More apart than this, in a channel, two colours of large surfaces may look different."""
_APART = 90
"""Colours that are less apart than this, over all three channels, need nothing between them."""
CELL_PARTS = tuple(
    np.array([round(value * most / 255) << shift for value in range(256)], np.uint16)
    for most, shift in ((31, 11), (63, 5), (31, 0))
)
"""What each value of red, of green and of blue adds to the number of a cell."""
_ONE_AT_A_TIME = Lock()

RGB: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Palette:
    """Three bytes a colour, and for each cell the number of its colour, and how far that is from its middle, squared.

    The cell of a colour of its own is less than 0 from it: no nearer one takes it.
    """

    colours: bytes
    table: npt.NDArray[np.uint8]
    apart: npt.NDArray[np.float32]


def picture_palette(colours: tuple[str, ...], fades: tuple[tuple[int, Fade], ...]) -> Palette:
    """Returns the palette of pictures with these colours, #rrggbb, and these skies on their grounds.

    Where two colours share a cell, the earlier one has it. Threads that ask for the same palette at once wait for one
    of them to make it.
    """
    with _ONE_AT_A_TIME:
        return _build_palette(colours, fades)


@lru_cache(16)
def _build_palette(colours: tuple[str, ...], fades: tuple[tuple[int, Fade], ...]) -> Palette:
    given = [_split_rgb(int(one[1:], 16)) for one in (*colours, WHITE)]
    exact = list(given)
    for ground, fade in fades:
        exact += fade_shades(ground, fade)
    exact = list(dict.fromkeys(exact))[: SIZE - 1]
    between = [
        _mix_colours(one, other, step)
        for one, other in combinations(sorted(set(given)), 2)
        if sum(abs(a - b) for a, b in zip(one, other, strict=True)) >= _APART
        for step in _STEPS
    ]
    chosen, left = list(exact), SIZE - len(exact)
    if between:
        sheet = Image.frombytes("RGB", (len(between), 1), bytes(part for colour in between for part in colour))
        found = sheet.quantize(left, Image.Quantize.MEDIANCUT, kmeans=4, dither=Image.Dither.NONE).getpalette() or []
        chosen += [(found[n], found[n + 1], found[n + 2]) for n in range(0, min(len(found), 3 * left), 3)]
    table, apart = np.zeros(1 << 16, np.uint8), np.full(1 << 16, np.inf, np.float32)
    _assign_cells_to_nearer_colours(table, apart, chosen, 0)
    for number, colour in reversed(list(enumerate(exact))):
        table[_cell_of_colour(*colour)] = number
    apart[[_cell_of_colour(*colour) for colour in chosen]] = -1
    return Palette(bytes(part for colour in chosen for part in colour), table, apart)


@lru_cache(64)
def add_colours(narrow: Palette, more: tuple[int, ...]) -> Palette:
    """Returns the palette with these colours as well, 0xrrggbb, each of which has its cell; at most 256 in all.

    Cells that are nearer to one of them go over to it, but for those of the colours that were there. That takes a few
    milliseconds; a palette of its own would take several times as long.
    """
    first, table, apart = len(narrow.colours) // 3, narrow.table.copy(), narrow.apart.copy()
    added = [_split_rgb(one) for one in more[: 256 - first]]
    _assign_cells_to_nearer_colours(table, apart, added, first)
    for number, colour in enumerate(added, first):
        table[_cell_of_colour(*colour)] = number
    return Palette(narrow.colours + bytes(part for colour in added for part in colour), table, apart)


def large_surfaces(cells: npt.NDArray[np.uint16], colours: npt.NDArray[np.uint32]) -> list[tuple[int, int]]:
    """Returns the cell of each large surface, and its colour, 0xrrggbb: of several in the cell the one in the middle.

    Both arguments are those of the pixels that are looked at, one in `LOOK` of one line in `LOOK`.
    """
    seen = np.sort(cells.astype(np.uint64) << 24 | colours, axis=None)
    _, first, counts = np.unique(seen >> 24, return_index=True, return_counts=True)
    middles = seen[(first + counts // 2)[counts >= seen.size * _LARGE]]
    return [divmod(int(one), 1 << 24) for one in middles]


def fade_shades(ground: int, fade: Fade) -> list[RGB]:
    """Returns the shades of a fading colour on this ground, 0xrrggbb, from above."""
    return [_mix_colours(_split_rgb(ground), _split_rgb(fade.colour), opacity) for opacity in fade.opacities()]


def missing_colours(colours: Palette, wanted: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Returns the wanted colours, 0xrrggbb, each in its cell, that look different as the palette shows them."""
    found = []
    for cell, colour in wanted:
        number = 3 * int(colours.table[cell])
        shown = colours.colours[number : number + 3]
        if max(abs(a - b) for a, b in zip(shown, _split_rgb(colour), strict=True)) > _SEEN:
            found.append(colour)
    return tuple(found)


def _split_rgb(colour: int) -> RGB:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


def _mix_colours(under: RGB, over: RGB, opacity: float) -> RGB:
    red, green, blue = (round(a + (b - a) * opacity) for a, b in zip(under, over, strict=True))
    return red, green, blue


def _assign_cells_to_nearer_colours(
    table: npt.NDArray[np.uint8], apart: npt.NDArray[np.float32], colours: list[RGB], first: int
) -> None:
    """Gives each cell the colour that is nearer to its middle than its own, if one is; they are numbered from `first`.

    The distances are sums of one for each value of red, of green and of blue, so hardly anything is squared.
    """
    for number, colour in enumerate(colours, first):
        red, green, blue = ((line - part) ** 2 for line, part in zip(_MIDDLES, colour, strict=True))
        new = (red[:, None, None] + green[:, None] + blue).ravel()
        np.putmask(table, new < apart, number)
        np.minimum(apart, new, out=apart)


_MIDDLES = tuple(np.arange(many, dtype=np.float32) * np.float32(255 / (many - 1)) for many in (32, 64, 32))
"""The value in the middle of each of the steps of red, of green and of blue."""


def _cell_of_colour(red: int, green: int, blue: int) -> int:
    return int(CELL_PARTS[0][red] | CELL_PARTS[1][green] | CELL_PARTS[2][blue])
