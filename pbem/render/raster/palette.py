"""The colours of a picture, fixed by those of its style sheets: no picture is counted to find its own.

A renderer draws in true colours. Each of them falls into one of 65,536 cells (five, six and five bits of red, green and
blue), and a table gives the cell's nearest colour of the palette. The palette holds every colour of the sheets as it
is, the shades of the sky, and between them what lines and letters need at their edges. A surface in a colour of its
own, because something lies on it that can be seen through, is found by looking at one pixel in 144.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from threading import Lock
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from pbem.render.raster.styles import Fade

SIZE = 128
"""Of 256 colours nobody sees more, and a file is a tenth larger."""
WHITE = "#ffffff"
"""What a picture without a ground of its own lies on."""
_STEPS = (0.25, 0.5, 0.75)
LOOK = 12
"""Of this many pixels in a row, and of this many rows, one is looked at to find large surfaces."""
_LARGE = 0.004
_SEEN = 8
"""So far apart, over all three channels, two colours look different."""
_APART = 90
"""Colours that are less apart than this, over all three channels, need nothing between them."""
CELL_PARTS = tuple(
    np.array([round(value * most / 255) << shift for value in range(256)], np.uint16)
    for most, shift in ((31, 11), (63, 5), (31, 0))
)
"""What each value of red, of green and of blue adds to the number of a cell."""
_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, eq=False)
class Palette:
    """Three bytes a colour, and for each cell the number of its colour."""

    colours: bytes
    table: npt.NDArray[np.uint8]


def palette(colours: tuple[str, ...], fades: tuple[tuple[int, Fade], ...]) -> Palette:
    """Returns the palette of pictures with these colours, #rrggbb, and these skies on their grounds.

    Where two colours share a cell, the earlier one has it. Threads that ask for the same palette at once wait for one
    of them to make it.
    """
    with _ONE_AT_A_TIME:
        return _palette(colours, fades)


@lru_cache(16)
def _palette(colours: tuple[str, ...], fades: tuple[tuple[int, Fade], ...]) -> Palette:
    given = [_parts(int(one[1:], 16)) for one in (*colours, WHITE)]
    exact = list(given)
    for ground, fade in fades:
        exact += [_mix(_parts(ground), _parts(fade.colour), opacity) for opacity in fade.opacities()]
    exact = list(dict.fromkeys(exact))[: SIZE - 1]
    between = [
        _mix(one, other, step)
        for one, other in combinations(sorted(set(given)), 2)
        if sum(abs(a - b) for a, b in zip(one, other, strict=True)) >= _APART
        for step in _STEPS
    ]
    chosen, left = list(exact), SIZE - len(exact)
    if between:
        sheet = Image.frombytes("RGB", (len(between), 1), bytes(part for colour in between for part in colour))
        found = sheet.quantize(left, Image.Quantize.MEDIANCUT, kmeans=4, dither=Image.Dither.NONE).getpalette() or []
        chosen += [(found[n], found[n + 1], found[n + 2]) for n in range(0, min(len(found), 3 * left), 3)]
    return Palette(bytes(part for colour in chosen for part in colour), _table(chosen, exact))


@lru_cache(64)
def widen(narrow: Palette, more: tuple[int, ...]) -> Palette:
    """Returns the palette with these colours as well, 0xrrggbb, each of which has its cell; at most 256 in all.

    Cells that are nearer to one of them go over to it, but for those of the colours that were there. That takes a few
    milliseconds; a palette of its own would take several times as long.
    """
    known = np.frombuffer(narrow.colours, np.uint8).reshape(-1, 3).astype(np.float32)
    table, centres = narrow.table.copy(), _centres()
    apart = _apart(centres, known[table])
    apart[[_cell(int(red), int(green), int(blue)) for red, green, blue in known]] = -1
    added = [_parts(one) for one in more[: 256 - len(known)]]
    for number, colour in enumerate(added, len(known)):
        new = _apart(centres, np.array(colour, np.float32))
        nearer = new < apart
        table[nearer], apart[nearer] = number, new[nearer]
    for number, colour in enumerate(added, len(known)):
        table[_cell(*colour)] = number
    return Palette(narrow.colours + bytes(part for colour in added for part in colour), table)


def surfaces(cells: npt.NDArray[np.uint16]) -> list[tuple[int, int]]:
    """Returns where a pixel, x and y, of each large surface is; `cells` are those of all pixels."""
    seen = cells[::LOOK, ::LOOK]
    _, first, counts = np.unique(seen, return_index=True, return_counts=True)
    at = np.unravel_index(first[counts >= seen.size * _LARGE], seen.shape)
    return [(int(x) * LOOK, int(y) * LOOK) for y, x in zip(*at, strict=True)]


def missing(colours: Palette, cells: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
    """Returns the wanted colours, 0xrrggbb, each in its cell, that look different as the palette shows them."""
    found = set()
    for cell, colour in zip(cells, wanted, strict=True):
        number = 3 * int(colours.table[cell])
        shown = colours.colours[number : number + 3]
        if sum([abs(a - b) for a, b in zip(shown, _parts(colour), strict=True)]) > _SEEN:
            found.add(colour)
    return tuple(sorted(found))


RGB: TypeAlias = tuple[int, int, int]


def _parts(colour: int) -> RGB:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


def _mix(under: RGB, over: RGB, opacity: float) -> RGB:
    red, green, blue = (round(a + (b - a) * opacity) for a, b in zip(under, over, strict=True))
    return red, green, blue


def _table(colours: list[RGB], exact: list[RGB]) -> npt.NDArray[np.uint8]:
    known, centres = np.array(colours, np.float32), _centres()
    table = np.empty(1 << 16, np.uint8)
    for first in range(0, 1 << 16, 1 << 11):
        table[first : first + (1 << 11)] = _apart(centres[first : first + (1 << 11), None], known).argmin(1)
    for number, colour in reversed(list(enumerate(exact))):
        table[_cell(*colour)] = number
    return table


def _apart(ones: npt.NDArray[np.float32], others: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Returns how far apart colours are, squared; NumPy adds three planes much faster than along an axis of three."""
    apart = (ones[..., 0] - others[..., 0]) ** 2
    apart += (ones[..., 1] - others[..., 1]) ** 2
    apart += (ones[..., 2] - others[..., 2]) ** 2
    return apart


@cache
def _centres() -> npt.NDArray[np.float32]:
    """Returns the colour in the middle of each cell."""
    cells = np.arange(1 << 16)
    parts = (cells >> 11) * (255 / 31), (cells >> 5 & 63) * (255 / 63), (cells & 31) * (255 / 31)
    return np.stack(parts, -1).astype(np.float32)


def _cell(red: int, green: int, blue: int) -> int:
    return int(CELL_PARTS[0][red] | CELL_PARTS[1][green] | CELL_PARTS[2][blue])
