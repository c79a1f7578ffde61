"""The renderers of this machine, and drawings for them."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

from pbem.render.raster import resvg_renderer
from pbem.render.raster.encode import Renderer
from tests.render import skia

WIDTH = 780
"""In pixels, of a portrait board: its units are whole pixels, so edges differ little from one renderer to another."""
STYLE = (
    "<style>.r { fill: #ff0000; } .o { fill: none; stroke: #0000ff; } .k { fill: currentColor; } .g { color: #00ff00; }"
    " .bk { stop-color: #000000; } .e { text-anchor: end; } .m { text-anchor: middle; }</style>"
)
FADE = (
    '<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop class="bk" offset="0" stop-opacity="1"/>'
    '<stop class="bk" offset="1" stop-opacity="0"/></linearGradient></defs>'
)
RENDERERS = {
    **({} if skia.MISSING else {"Skia": Renderer("Skia", skia.skia_renderer.Drawing)}),
    "resvg": Renderer("resvg", resvg_renderer.Drawing, "ImportError: libEGL.so.1: cannot open shared object file"),
}


def open_image(data: bytes) -> Image.Image:
    with Image.open(BytesIO(data)) as image:
        return image.convert("RGB")
