"""Pixels as PNG: eight bits a pixel, in the colours of a palette."""

import struct
import zlib
from io import BytesIO

import numpy as np
import numpy.typing as npt
import skia
from PIL import Image
from zlib_ng import zlib_ng

from pbem.render.raster.markup import read
from pbem.render.raster.painter import Painter, view_box
from pbem.render.raster.palette import Palette, missing, palette, surfaces, widened

LEVEL = 5
_PALETTE = 3
"""PNG's number for pixels that are numbers of colours."""
_WHITE = 0xFFFFFFFF
_PIXEL = skia.ImageInfo.Make(1, 1, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)


def png(svg: str, width: int, *, clear: bool = False) -> bytes:
    """Returns the document as a PNG of this width; on white, or `clear`: with nothing behind it, in true colours.

    Raises ValueError for anything that is not well formed, or that pictures do not know.
    """
    left, top, wide, high = view_box(svg)
    scale = width / wide
    height = max(1, int(high * scale + 0.001))
    kind = skia.kPremul_AlphaType if clear else skia.kOpaque_AlphaType
    surface = skia.Surface.MakeRaster(skia.ImageInfo.Make(width, height, skia.kN32_ColorType, kind))
    canvas = surface.getCanvas()
    canvas.clear(0 if clear else _WHITE)
    canvas.scale(scale, scale)
    canvas.translate(-left, -top)
    painter = Painter(canvas, read(svg))
    painter.draw()
    if clear:
        return _true_colours(surface, width, height)
    return _indexed(surface, painter, width, height)


def _indexed(surface: skia.Surface, painter: Painter, width: int, height: int) -> bytes:
    cells = np.empty((height, width + 1), np.uint16)  # its first column stays unset: see below
    info = skia.ImageInfo.Make(width, height, skia.kRGB_565_ColorType, skia.kOpaque_AlphaType)
    if not surface.readPixels(skia.Pixmap(info, cells.ravel()[1:], cells.strides[0]), 0, 0):
        raise ValueError(f"no pixels of a picture of {width} x {height}")
    colours = _palette(surface, painter, cells[:, 1:])
    lines = np.take(colours.table, cells, mode="clip")
    lines[:, 0] = 0  # in place of the unset column: each line begins with the number of its filter, none
    head = struct.pack(">IIBBBBB", width, height, 8, _PALETTE, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", colours.colours), (b"IDAT", zlib_ng.compress(lines, LEVEL)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _palette(surface: skia.Surface, painter: Painter, cells: npt.NDArray[np.uint16]) -> Palette:
    """Returns the palette of the picture's style sheets; with the colours of large surfaces that it lacks."""
    known, fades = tuple(painter.colours), tuple(painter.fades)
    fixed, pixel = palette(known, fades), bytearray(4)
    more = set()
    for x, y in surfaces(cells):
        surface.readPixels(skia.Pixmap(_PIXEL, pixel, 4), x, y)
        colour = int.from_bytes(pixel[:3], "little")
        if missing(fixed, int(cells[y, x]), colour):
            more.add(colour)
    return widened(fixed, tuple(sorted(more))) if more else fixed


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(name)))


def _true_colours(surface: skia.Surface, width: int, height: int) -> bytes:
    pixels = bytearray(4 * width * height)
    info = skia.ImageInfo.Make(width, height, skia.kRGBA_8888_ColorType, skia.kUnpremul_AlphaType)
    surface.readPixels(skia.Pixmap(info, pixels, 4 * width), 0, 0)
    with BytesIO() as out:
        Image.frombytes("RGBA", (width, height), bytes(pixels)).save(out, "PNG", optimize=True)
        return out.getvalue()
