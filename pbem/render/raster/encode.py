"""Pixels as PNG: eight bits a pixel, in the colours of a palette."""

import struct
import zlib
from io import BytesIO

import numpy as np
import numpy.typing as npt
from PIL import Image
from zlib_ng import zlib_ng

from pbem.render.raster.elements import view_box
from pbem.render.raster.palette import Palette, missing, palette, surfaces, widened
from pbem.render.raster.renderer import Drawing, Renderer, renderer

LEVEL = 5
_PALETTE = 3
"""PNG's number for pixels that are numbers of colours."""


def png(svg: str, width: int, *, clear: bool = False, by: Renderer | None = None) -> bytes:
    """Returns the document as a PNG of this width; on white, or `clear`: with nothing behind it, in true colours.

    It is drawn `by` this renderer, or by that of the process.
    Raises ValueError for anything that is not well formed, or that pictures do not know; ImportError without renderer.
    """
    _, _, wide, high = view_box(svg)
    height = max(1, int(high * (width / wide) + 0.001))
    drawn = (by or renderer()).draw(svg, width, height, clear)
    return _true_colours(drawn, width, height) if clear else _indexed(drawn, width, height)


def _indexed(drawn: Drawing, width: int, height: int) -> bytes:
    cells = np.empty((height, width + 1), np.uint16)  # its first column stays unset: see below
    drawn.read_cells(cells)
    colours = _palette(drawn, cells[:, 1:])
    lines = np.take(colours.table, cells, mode="clip")
    lines[:, 0] = 0  # in place of the unset column: each line begins with the number of its filter, none
    head = struct.pack(">IIBBBBB", width, height, 8, _PALETTE, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", colours.colours), (b"IDAT", zlib_ng.compress(lines, LEVEL)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _palette(drawn: Drawing, cells: npt.NDArray[np.uint16]) -> Palette:
    """Returns the palette of the picture's style sheets; with the colours of large surfaces that it lacks."""
    fixed = palette(drawn.colours, drawn.fades)
    more = set()
    for x, y in surfaces(cells):
        colour = drawn.colour_at(x, y)
        if missing(fixed, int(cells[y, x]), colour):
            more.add(colour)
    return widened(fixed, tuple(sorted(more))) if more else fixed


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(name)))


def _true_colours(drawn: Drawing, width: int, height: int) -> bytes:
    with BytesIO() as out:
        Image.frombytes("RGBA", (width, height), drawn.rgba()).save(out, "PNG", optimize=True)
        return out.getvalue()
