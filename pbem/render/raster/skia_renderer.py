"""Draws documents with Skia: the fast way, where the system has the libraries of OpenGL, which Skia is linked to."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import skia

from pbem.render.raster import elements, lettering, styles
from pbem.render.raster.elements import Document, Symbol, Tag
from pbem.render.raster.encode import Cells, fade_shades
from pbem.render.raster.shapes import bounds_with_outline, fill_and_outline_strokes, transform_matrix
from pbem.render.raster.styles import ROOT, Fade, Style, argb_colour, parse_attributes, read_style_sheet

_WHITE = 0xFFFFFFFF
_PIXEL = skia.ImageInfo.Make(1, 1, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)


class Drawing:
    """A document as Skia's pixels; see `encode.Drawing`.

    They are true colours, which only then become cells, Skia's colours of 16 bits: those would be mixed with an error.
    """

    def __init__(self, svg: str, width: int, height: int, cells: Cells | None) -> None:
        left, top, wide, high = elements.view_box(svg)
        self.width, self.height = width, height
        kind = skia.kPremul_AlphaType if cells is None else skia.kOpaque_AlphaType
        info = skia.ImageInfo.Make(width, height, skia.kBGRA_8888_ColorType, kind)
        self._pixels = np.empty((height, width), "<u4")  # kept here: the surface does not keep what it draws in
        self._surface = skia.Surface.MakeRasterDirect(info, self._pixels)
        canvas = self._surface.getCanvas()
        canvas.clear(0 if cells is None else _WHITE)
        canvas.scale(width / wide, width / wide)
        canvas.translate(-left, -top)
        painter = Painter(canvas, elements.document_with_definitions_apart(svg), (wide, high))
        painter.draw()
        self.colours, self.fades = tuple(painter.colours), tuple(painter.fades)
        if cells is not None:
            info = skia.ImageInfo.Make(width, height, skia.kRGB_565_ColorType, skia.kOpaque_AlphaType)
            if not self._surface.readPixels(skia.Pixmap(info, cells.ravel()[1:], cells.strides[0]), 0, 0):
                raise ValueError(f"no pixels of a picture of {width} x {height}")

    def sample_pixel_colours(self, step: int) -> npt.NDArray[np.uint32]:
        """Returns the colours of some pixels, 0xrrggbb."""
        return self._pixels[::step, ::step] & np.uint32(0xFFFFFF)

    def rgba(self) -> bytes:
        """Returns the pixels, four bytes each."""
        pixels = bytearray(4 * self.width * self.height)
        info = skia.ImageInfo.Make(self.width, self.height, skia.kRGBA_8888_ColorType, skia.kUnpremul_AlphaType)
        self._surface.readPixels(skia.Pixmap(info, pixels, 4 * self.width), 0, 0)
        return bytes(pixels)


# --- reading and drawing -------------------------------------------------------------------------------------

_ANCHORS = {"start": 0.0, "middle": -0.5, "end": -1.0}

SPRITES = 512
"""How many symbols are kept as they look at one size."""
LARGEST = 160 * 160
"""In pixels: a larger symbol is drawn each time. So sprites take at most 26 MB, and a few in practice."""
_PATTERN = ((0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5))
"""The order in which the pixels of a square of four by four take the next shade (Bayer's matrix)."""
_SIDE = len(_PATTERN)
_MARGIN = 2
"""In pixels: a symbol draws this far beyond its box at most, with the soft edge of a line."""


class Painter:
    """Draws one document on a canvas; notes the colours that it may have used."""

    def __init__(
        self, canvas: skia.Canvas, document: Document, size: tuple[float, float], *, symbols_as_sprites: bool = True
    ) -> None:
        self.canvas, self.document, self.size, self.as_sprites = canvas, document, size, symbols_as_sprites
        self.rules = read_style_sheet(document.style)
        self.colours = dict.fromkeys(elements.colours_of(document, self.rules))
        self.fades: dict[tuple[int, Fade], None] = {}
        """Each with the ground that it lies on."""
        self.symbols: dict[str, Symbol] = {}

    def draw(self, style: Style = ROOT) -> None:
        """Draws the document. Raises ValueError if it holds anything that pictures do not know."""
        stack: list[int] = []
        for step, tag, own, words in elements.walk_elements(
            self.document, self.rules, style, symbol=not self.as_sprites
        ):
            if step == "text":
                self._draw_text(tag.attributes, own, words)
            elif step == "end":
                if saved := stack.pop():
                    self.canvas.restoreToCount(saved)
            elif tag.name in elements.HOLDERS:
                stack.append(self._enter_group(tag, own))
            elif own.visibility == "visible" and tag.name in elements.SHAPES:
                self._draw_shape(tag, own)
            elif own.visibility == "visible" and tag.name == "use":
                self._draw_use(tag.attributes, own)
            elif own.visibility == "visible" and tag.name == "image":
                self._draw_image(elements.parse_known_attributes("image", tag.attributes))
            else:
                elements.parse_known_attributes(tag.name, tag.attributes)

    def _enter_group(self, tag: Tag, style: Style) -> int:
        """Returns the state of the canvas to restore after the elements in this one, or 0."""
        given = elements.parse_known_attributes(tag.name, tag.attributes)
        if "transform" not in given and "clip-path" not in given and style.opacity == "1":
            return 0
        saved: int = self.canvas.save()
        if "transform" in given:
            self.canvas.concat(transform_matrix(given["transform"]))
        if "clip-path" in given:
            clip = elements.clip_rectangle_attributes(elements.definition_at_url(given["clip-path"], self.document))
            self.canvas.clipRect(skia.Rect.MakeXYWH(*elements.element_box(clip)), True)
        if style.opacity != "1":
            self.canvas.saveLayerAlpha(None, round(255 * float(style.opacity)))
        return saved

    # --- elements ---------------------------------------------------------------------------------

    def _draw_shape(self, tag: Tag, style: Style) -> None:
        if style.fill.startswith("url"):
            self._draw_fade(tag, style)
            return
        drawn = fill_and_outline_strokes(tag.name, tag.attributes, style)
        saved = 0
        if style.needs_layer:
            frame = bounds_with_outline(drawn[0][1], float(style.stroke_width))
            saved = self.canvas.saveLayerAlpha(frame, round(255 * float(style.opacity)))
        for method, geometry, paint in drawn:
            method(self.canvas, geometry, paint)
        if saved:
            self.canvas.restoreToCount(saved)

    def _draw_text(self, written: str, style: Style, words: str) -> None:
        x, y, share, size, weight, colour = _place_size_and_colour_of_text(written, style)
        line = lettering.typeset_line(words, size, weight, colour)
        line.laid.paint(self.canvas, x + line.width * share, y - line.baseline)

    def _draw_use(self, written: str, style: Style) -> None:
        given = elements.parse_known_attributes("use", written)
        name = given["href"].removeprefix("#")
        used = self.symbols.get(name)
        if used is None:
            used = self.symbols[name] = elements.find_symbol(name, self.document.defined)
        placed = _symbol_matrix(written, used, *self.size)
        saved = 0
        if style.opacity != "1":
            saved = self.canvas.saveLayerAlpha(None, round(255 * float(style.opacity)))
        if not (self.as_sprites and self._draw_as_sprite_if_small(used, style, placed)):
            self.canvas.drawPicture(_record_symbol(used, style, self.document.style), placed, None)
        if saved:
            self.canvas.restoreToCount(saved)

    def _draw_as_sprite_if_small(self, used: Symbol, style: Style, placed: skia.Matrix) -> bool:
        """Draws a small upright symbol as it was drawn before, at the nearest pixel; returns whether it was one."""
        at = self.canvas.getTotalMatrix()
        at.preConcat(placed)
        across, down = at.getScaleX(), at.getScaleY()
        if at.getSkewX() or at.getSkewY() or min(across, down) <= 0:
            return False
        drawn = _draw_sprite(used, style, self.document.style, round(across, 3), round(down, 3))
        if drawn is None:
            return False
        corner = at.mapXY(used.view_box[0], used.view_box[1])
        saved = self.canvas.save()
        self.canvas.resetMatrix()
        self.canvas.drawImage(drawn, round(corner.x()) - _MARGIN, round(corner.y()) - _MARGIN)
        self.canvas.restoreToCount(saved)
        return True

    def _draw_image(self, given: Mapping[str, str]) -> None:
        """Draws a whole document at its place in this one; it keeps its own colours and symbols."""
        svg = elements.svg_document_in_href(given["href"])
        frame, (left, top, width, height) = skia.Rect.MakeXYWH(*elements.element_box(given)), elements.view_box(svg)
        down, _, kind = given.get("preserveAspectRatio", "xMidYMid meet").partition(" ")
        scale = (max if kind == "slice" else min)(frame.width() / width, frame.height() / height)
        share = {"xMidYMid": 0.5, "xMidYMin": 0.0}[down]
        saved = self.canvas.save()
        self.canvas.clipRect(frame, True)
        self.canvas.translate(
            frame.left() + (frame.width() - width * scale) / 2, frame.top() + (frame.height() - height * scale) * share
        )
        self.canvas.scale(scale, scale)
        self.canvas.translate(-left, -top)
        inner = Painter(self.canvas, elements.document_with_definitions_apart(svg), (width, height))
        inner.draw()
        self.canvas.restoreToCount(saved)
        self.colours |= inner.colours
        self.fades |= inner.fades

    def _draw_fade(self, tag: Tag, style: Style) -> None:
        given, at = elements.fading_rectangle_attributes(tag, style), self.canvas.getTotalMatrix()
        if not self.as_sprites or not at.isScaleTranslate():
            raise ValueError("a picture knows a gradient only in an upright, plain rectangle of the board")
        fade = styles.read_fade(elements.definition_at_url(style.fill, self.document), self.rules)
        frame = at.mapRect(skia.Rect.MakeXYWH(*elements.element_box(given))).round()
        seen, pixel = self.canvas.getDeviceClipBounds(), bytearray(4)
        # One pixel from the edge, which may be a mixture with what is behind the ground.
        left, top = max(frame.left(), seen.left()) + 1, max(frame.top(), seen.top()) + 1
        self.canvas.readPixels(skia.Pixmap(_PIXEL, pixel, 4), left, top)
        ground = int.from_bytes(pixel[:3], "little")
        self.fades[ground, fade] = None
        drawn = _fade_strip(fade, ground if pixel[3] == 255 else None, frame.width(), frame.height())
        saved = self.canvas.save()
        self.canvas.resetMatrix()
        self.canvas.drawImage(drawn, frame.left(), frame.top())
        self.canvas.restoreToCount(saved)


@lru_cache(1024)
def _place_size_and_colour_of_text(written: str, style: Style) -> tuple[float, float, float, float, int, int]:
    """Returns where a line of text stands, the share of its width to go from there, its size, weight and colour."""
    given = elements.text_attributes(written, style)
    colour = argb_colour(style.fill, float(style.fill_opacity) * float(style.opacity), style.color)
    x, y = float(given.get("x", 0)), float(given.get("y", 0))
    return x, y, _ANCHORS[style.text_anchor], float(style.font_size), int(style.font_weight), colour


@lru_cache(4096)
def _symbol_matrix(written: str, used: Symbol, across: float, down: float) -> skia.Matrix:
    """Returns where a symbol's own coordinates are; without a size it is as large as what it is in."""
    given = parse_attributes(written)
    left, top, width, height = used.view_box
    wide, high = float(given.get("width", across)), float(given.get("height", down))
    scale = min(wide / width, high / height)
    placed = skia.Matrix()
    if "transform" in given:
        placed.preConcat(transform_matrix(given["transform"]))
    placed.preTranslate(
        float(given.get("x", 0)) + (wide - width * scale) / 2, float(given.get("y", 0)) + (high - height * scale) / 2
    )
    placed.preScale(scale, scale)
    placed.preTranslate(-left, -top)
    return placed


@lru_cache(1024)
def _record_symbol(used: Symbol, style: Style, sheet_text: str) -> skia.Picture:
    """Returns the symbol in this style, to be drawn at any size."""
    left, top, width, height = used.view_box
    recorder = skia.PictureRecorder()
    frame = skia.Rect.MakeXYWH(left - width / 4, top - height / 4, width * 1.5, height * 1.5)
    canvas = recorder.beginRecording(frame)
    document = Document(used.inside, sheet_text, dict(used.uses))
    Painter(canvas, document, (width, height), symbols_as_sprites=False).draw(style)
    return recorder.finishRecordingAsPicture()


@lru_cache(SPRITES)
def _draw_sprite(used: Symbol, style: Style, sheet_text: str, across: float, down: float) -> skia.Image | None:
    """Returns the symbol at this scale, with a margin around it; None if it is large."""
    left, top, width, height = used.view_box
    wide, high = (int(side) + 2 * _MARGIN + 1 for side in (width * across, height * down))
    if wide * high > LARGEST:
        return None
    surface = skia.Surface.MakeRaster(skia.ImageInfo.MakeN32Premul(wide, high))
    with surface as canvas:
        canvas.translate(_MARGIN, _MARGIN)
        canvas.scale(across, down)
        canvas.translate(-left, -top)
        canvas.drawPicture(_record_symbol(used, style, sheet_text))
    return surface.makeImageSnapshot()


@lru_cache(8)
def _fade_strip(fade: Fade, ground: int | None, width: int, height: int) -> skia.Image:
    """Returns the colour on its ground as a picture of this size; None: on nothing, so it can be seen through.

    On its ground it has the shades of the palette, which Skia would round otherwise.
    """
    if ground is None:
        alphas = [round(255 * opacity) for opacity in fade.opacities()]
        parts = (fade.colour & 255, fade.colour >> 8 & 255, fade.colour >> 16)
        inks = [bytes((*(round(part * alpha / 255) for part in parts), alpha)) for alpha in alphas]
    else:
        inks = [bytes((blue, green, red, 255)) for red, green, blue in fade_shades(ground, fade)]
    pixels = bytearray()
    for y in range(height):
        shade, part = divmod((y + 0.5) / height * (styles.SHADES - 1), 1)
        line = [inks[int(shade) + (part * _SIDE * _SIDE > place + 0.5)] for place in _PATTERN[y % _SIDE]]
        pixels += (b"".join(line) * (width // _SIDE + 1))[: 4 * width]
    info = skia.ImageInfo.Make(width, height, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)
    surface = skia.Surface.MakeRaster(info)
    surface.writePixels(skia.Pixmap(info, pixels, 4 * width), 0, 0)
    return surface.makeImageSnapshot()
