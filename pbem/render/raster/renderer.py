"""Which renderer draws in this process: Skia, or resvg where Skia cannot be imported."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pbem.render.raster.sky import Fade


class Drawing(Protocol):
    """A document as pixels, of its width and height.

    `colours` are those that it may use, #rrggbb; `fades` have each the ground that it lies on.
    """

    colours: tuple[str, ...]
    fades: tuple[tuple[int, Fade], ...]

    def read_cells(self, cells: npt.NDArray[np.uint16]) -> None:
        """Puts the palette's cell of each pixel behind the first column, which stays unset."""

    def colour_at(self, x: int, y: int) -> int:
        """Returns the colour of this pixel, 0xrrggbb."""

    def rgba(self) -> bytes:
        """Returns the pixels, four bytes each; their colour is not multiplied by their opacity."""


@dataclass(frozen=True)
class Renderer:
    """What draws: its name, and what makes a drawing of a document in this width and height.

    `clear` means with nothing behind it, else on white. Raises ValueError for anything that is not well formed, or that
    pictures do not know. `without_skia` says why Skia does not draw; "" if it does.
    """

    name: str
    draw: Callable[[str, int, int, bool], Drawing]
    without_skia: str = ""


@cache
def renderer() -> Renderer:
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
