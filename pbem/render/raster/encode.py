"""Pixels as PNG, eight bits a pixel, by the renderer of this process: Skia, or resvg where Skia cannot be imported."""

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image
from zlib_ng import zlib_ng

from pbem.render.raster.elements import view_box
from pbem.render.raster.palette import LOOK, add_colours, large_surfaces, missing_colours, picture_palette
from pbem.render.raster.styles import Fade

Cells: TypeAlias = npt.NDArray[np.uint16]
"""The palette's cell of each pixel, line by line, behind a first column that stays unset."""


class Drawing(Protocol):
    """A drawn document.

    `colours` are those that it may use, #rrggbb; `fades` come each with the colour of the ground beneath, 0xRRGGBB.
    """

    colours: tuple[str, ...]
    fades: tuple[tuple[int, Fade], ...]

    def look(self, step: int) -> npt.NDArray[np.uint32]:
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
def find_renderer() -> Renderer:
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
    drawn = (by or find_renderer()).draw(svg, width, height, cells)
    if cells is None:
        with BytesIO() as out:
            Image.frombytes("RGBA", (width, height), drawn.rgba()).save(out, "PNG", optimize=True)
            return out.getvalue()
    colours = picture_palette(drawn.colours, drawn.fades)
    if more := missing_colours(colours, large_surfaces(cells[::LOOK, 1::LOOK], drawn.look(LOOK))):
        colours = add_colours(colours, more)
    lines = np.take(colours.table, cells, mode="clip")
    lines[:, 0] = 0  # in place of the unset column: each line begins with the number of its filter, none
    head = struct.pack(">IIBBBBB", width, height, 8, _PALETTE, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", colours.colours), (b"IDAT", zlib_ng.compress(lines, LEVEL)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(name)))
        for name, data in parts
    )
