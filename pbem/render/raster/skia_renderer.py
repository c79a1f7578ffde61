"""Draws documents with Skia: the fast way, where the system has the libraries of OpenGL, which Skia is linked to."""

import numpy as np
import numpy.typing as npt
import skia

from pbem.render.raster.elements import view_box
from pbem.render.raster.markup import read
from pbem.render.raster.painter import Painter

_WHITE = 0xFFFFFFFF
_PIXEL = skia.ImageInfo.Make(1, 1, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)


class Drawing:
    """A document as Skia's pixels; see `renderer.Drawing`."""

    def __init__(self, svg: str, width: int, height: int, clear: bool) -> None:
        left, top, wide, high = view_box(svg)
        self.width, self.height = width, height
        kind = skia.kPremul_AlphaType if clear else skia.kOpaque_AlphaType
        self._surface = skia.Surface.MakeRaster(skia.ImageInfo.Make(width, height, skia.kN32_ColorType, kind))
        canvas = self._surface.getCanvas()
        canvas.clear(0 if clear else _WHITE)
        canvas.scale(width / wide, width / wide)
        canvas.translate(-left, -top)
        painter = Painter(canvas, read(svg), (wide, high))
        painter.draw()
        self.colours, self.fades = tuple(painter.colours), tuple(painter.fades)

    def read_cells(self, cells: npt.NDArray[np.uint16]) -> None:
        """Puts the cell of each pixel behind the first column."""
        info = skia.ImageInfo.Make(self.width, self.height, skia.kRGB_565_ColorType, skia.kOpaque_AlphaType)
        if not self._surface.readPixels(skia.Pixmap(info, cells.ravel()[1:], cells.strides[0]), 0, 0):
            raise ValueError(f"no pixels of a picture of {self.width} x {self.height}")

    def colour_at(self, x: int, y: int) -> int:
        """Returns the colour of this pixel, 0xrrggbb."""
        pixel = bytearray(4)
        self._surface.readPixels(skia.Pixmap(_PIXEL, pixel, 4), x, y)
        return int.from_bytes(pixel[:3], "little")

    def rgba(self) -> bytes:
        """Returns the pixels, four bytes each."""
        pixels = bytearray(4 * self.width * self.height)
        info = skia.ImageInfo.Make(self.width, self.height, skia.kRGBA_8888_ColorType, skia.kUnpremul_AlphaType)
        self._surface.readPixels(skia.Pixmap(info, pixels, 4 * self.width), 0, 0)
        return bytes(pixels)
