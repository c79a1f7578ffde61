"""The colours of a picture, fixed by those of its style sheets: no picture is counted to find its own.

Skia draws in true colours. Each of them falls into one of 65,536 cells (five, six and five bits of red, green and
blue), and a table gives the cell's nearest colour of the palette. The palette holds every colour of the sheets as it
is, the shades of the sky, and between them what lines and letters need at their edges. A surface in a colour of its
own, because something lies on it that can be seen through, is found by looking at one pixel in 144.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from pbem.render.raster.sky import Fade

SIZE = 128
"""Of 256 colours nobody sees more, and a file is a tenth larger."""
WHITE = "#ffffff"
"""What a picture without a ground of its own lies on."""
_STEPS = (0.25, 0.5, 0.75)
_LOOK = 12
_LARGE = 0.004
_SEEN = 8
"""So far apart, over all three channels, two colours look different."""
_APART = 90
"""Colours that are less apart than this, over all three channels, need nothing between them."""


@dataclass(frozen=True)
class Palette:
    """Three bytes a colour, and for each cell the number of its colour."""

    colours: bytes
    table: npt.NDArray[np.uint8]


@lru_cache(16)
def palette(colours: tuple[str, ...], fades: tuple[tuple[int, Fade], ...], more: tuple[int, ...] = ()) -> Palette:
    """Returns the palette of pictures with these colours, #rrggbb, these skies on their grounds, and more, 0xrrggbb.

    Where two colours share a cell, the earlier one has it; of those that follow each other, `more` comes first.
    """
    given = [_parts(int(one[1:], 16)) for one in (*colours, WHITE)]
    exact = [*map(_parts, more), *given]
    for ground, fade in fades:
        exact += [_mixed(_parts(ground), _parts(fade.colour), opacity) for opacity in fade.opacities()]
    exact = list(dict.fromkeys(exact))[: SIZE - 1]
    between = [
        _mixed(one, other, step)
        for one, other in combinations(sorted(set(given)), 2)
        if sum(abs(a - b) for a, b in zip(one, other, strict=True)) >= _APART
        for step in _STEPS
    ]
    chosen = exact + _typical(between, SIZE - len(exact))
    return Palette(bytes(part for colour in chosen for part in colour), _table(chosen, exact))


def surfaces(cells: npt.NDArray[np.uint16]) -> list[tuple[int, int]]:
    """Returns where a pixel, x and y, of each large surface is; `cells` are those of all pixels."""
    seen = cells[::_LOOK, ::_LOOK]
    _, first, counts = np.unique(seen, return_index=True, return_counts=True)
    at = np.unravel_index(first[counts >= seen.size * _LARGE], seen.shape)
    return [(int(x) * _LOOK, int(y) * _LOOK) for y, x in zip(*at, strict=True)]


def missing(colours: Palette, cell: int, colour: int) -> bool:
    """True if the palette shows this colour, 0xrrggbb, which is in this cell, as one that looks different."""
    number = 3 * int(colours.table[cell])
    shown = colours.colours[number : number + 3]
    return sum(abs(a - b) for a, b in zip(shown, _parts(colour), strict=True)) > _SEEN


RGB: TypeAlias = tuple[int, int, int]


def _parts(colour: int) -> RGB:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


def _mixed(under: RGB, over: RGB, opacity: float) -> RGB:
    red, green, blue = (round(a + (b - a) * opacity) for a, b in zip(under, over, strict=True))
    return red, green, blue


def _typical(colours: list[RGB], count: int) -> list[RGB]:
    """Returns at most so many colours that stand for these."""
    if not colours:
        return []
    sheet = Image.frombytes("RGB", (len(colours), 1), bytes(part for colour in colours for part in colour))
    found = sheet.quantize(count, Image.Quantize.MEDIANCUT, kmeans=4, dither=Image.Dither.NONE).getpalette() or []
    return [(found[n], found[n + 1], found[n + 2]) for n in range(0, min(len(found), 3 * count), 3)]


def _table(colours: list[RGB], exact: list[RGB]) -> npt.NDArray[np.uint8]:
    known = np.array(colours, np.float32)
    cells = np.arange(1 << 16)
    parts = (cells >> 11) * (255 / 31), (cells >> 5 & 63) * (255 / 63), (cells & 31) * (255 / 31)
    centres = np.stack(parts, -1).astype(np.float32)
    table = np.empty(1 << 16, np.uint8)
    for first in range(0, 1 << 16, 1 << 11):
        apart = centres[first : first + (1 << 11), None] - known
        table[first : first + (1 << 11)] = (apart * apart).sum(-1).argmin(1)
    for number, (red, green, blue) in reversed(list(enumerate(exact))):
        table[round(red * 31 / 255) << 11 | round(green * 63 / 255) << 5 | round(blue * 31 / 255)] = number
    return table
