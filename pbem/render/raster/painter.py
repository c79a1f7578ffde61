"""Reads a document and draws it on a canvas."""

import base64
import re
from functools import lru_cache
from html import unescape

import skia

from pbem.render.raster import lettering, shapes, sky
from pbem.render.raster.markup import Document, Symbol, Tag, attributes, defined_as, read, symbol, tags
from pbem.render.raster.shapes import bounds, box, known, matrix, needs_layer, strokes
from pbem.render.raster.sky import Fade
from pbem.render.raster.styles import ROOT, Style, argb, long_colour, sheet, styled

_ROOT = re.compile(r"\s*<svg\b([^>]*)>")
_LITERAL = re.compile(r'"(#[0-9a-fA-F]{6}|#[0-9a-fA-F]{3})"')
_URL = re.compile(r"url\(#([^)]+)\)")
_EMBEDDED = "data:image/svg+xml;base64,"
_ANCHORS = {"start": 0.0, "middle": -0.5, "end": -1.0}
_HOLDERS = frozenset({"svg", "g", "a"})
_PIXEL = skia.ImageInfo.Make(1, 1, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)

SPRITES = 256
"""How many symbols are kept as they look at one size."""
LARGEST = 160 * 160
"""In pixels: a larger symbol is drawn each time. So sprites take at most 26 MB, and a few in practice."""
_MARGIN = 2
"""In pixels: a symbol draws this far beyond its box at most, with the soft edge of a line."""


class Painter:
    """Draws one document on a canvas; notes the colours that it may have used."""

    def __init__(self, canvas: skia.Canvas, document: Document, *, symbols_as_sprites: bool = True) -> None:
        self.canvas, self.document, self.as_sprites = canvas, document, symbols_as_sprites
        self.rules = sheet(document.style)
        self.colours = dict.fromkeys([*self.rules.colours, *map(long_colour, _LITERAL.findall(document.drawn))])
        self.fades: dict[tuple[int, Fade], None] = {}
        """Each with the ground that it lies on."""
        self.symbols: dict[str, Symbol] = {}

    def draw(self, style: Style = ROOT) -> None:
        """Draws the document. Raises ValueError if it holds anything that pictures do not know."""
        stack: list[tuple[str, Style, int]] = []
        written = words = ""
        for tag in tags(self.document.drawn):
            inside = stack[-1][0] if stack else ""
            if tag.closing:
                name, own, saved = stack.pop() if stack else ("", style, 0)
                if name != tag.name:
                    raise ValueError(f"</{tag.name}> closes nothing")
                if name == "text":
                    self._text(written, own, unescape(words) if own.visibility == "visible" else "")
                elif words.strip():
                    raise ValueError(f"a picture knows no words inside <{name}>")
                if saved:
                    self.canvas.restoreToCount(saved)
                words = tag.text
                continue
            if words.strip() or (inside and inside not in _HOLDERS):
                raise ValueError(f"a picture knows no <{tag.name}> inside <{inside}>, nor text beside it")
            if tag.name == "svg" and (inside or not self.as_sprites):
                raise ValueError("a picture knows no <svg> inside another element")
            own = styled(stack[-1][1] if stack else style, self.rules, tag.attributes)
            saved, words = self._element(tag, own), tag.text
            if not tag.empty:
                stack.append((tag.name, own, saved))
                written = tag.attributes
            elif saved:
                self.canvas.restoreToCount(saved)
        if stack or words.strip():
            raise ValueError(f"<{stack[-1][0]}> is not closed" if stack else "a picture knows no words behind its end")

    def _element(self, tag: Tag, style: Style) -> int:
        """Draws the element, but for its text; returns the state of the canvas to restore after it, or 0."""
        if style.visibility != "visible" and tag.name not in _HOLDERS:
            _known(tag.name, tag.attributes)
        elif tag.name in shapes.SHAPES:
            self._shape(tag, style)
        elif tag.name == "use":
            self._use(tag.attributes, style)
        elif tag.name == "image":
            self._image(known("image", tag.attributes))
        elif tag.name in _HOLDERS:
            return self._holder(tag, style)
        else:
            _known(tag.name, tag.attributes)
        return 0

    def _holder(self, tag: Tag, style: Style) -> int:
        given = _known(tag.name, tag.attributes)
        if "transform" not in given and "clip-path" not in given and style.opacity == "1":
            return 0
        saved: int = self.canvas.save()
        if "transform" in given:
            self.canvas.concat(matrix(given["transform"]))
        if "clip-path" in given:
            self.canvas.clipRect(_clip(self._referred(given["clip-path"])), True)
        if style.opacity != "1":
            self.canvas.saveLayerAlpha(None, round(255 * float(style.opacity)))
        return saved

    def _referred(self, url: str) -> str:
        """Returns the definition that is meant by url(#...)."""
        found = _URL.fullmatch(url)
        if found is None:
            raise ValueError(f"no reference that a picture knows: {url!r}")
        return defined_as(found[1], self.document.defined)

    # --- elements ---------------------------------------------------------------------------------

    def _shape(self, tag: Tag, style: Style) -> None:
        if style.fill.startswith("url"):
            self._fade(tag, style)
            return
        drawn = strokes(tag.name, tag.attributes, style)
        saved = 0
        if needs_layer(style):
            frame = bounds(drawn[0][1], float(style.stroke_width))
            saved = self.canvas.saveLayerAlpha(frame, round(255 * float(style.opacity)))
        for method, geometry, paint in drawn:
            method(self.canvas, geometry, paint)
        if saved:
            self.canvas.restoreToCount(saved)

    def _text(self, written: str, style: Style, words: str) -> None:
        x, y, share, size, weight, colour = _lettered(written, style)
        line = lettering.line(words, size, weight, colour)
        line.draw(self.canvas, x + line.width * share, y)

    def _use(self, written: str, style: Style) -> None:
        given = _known("use", written)
        name = given["href"].removeprefix("#")
        used = self.symbols.get(name)
        if used is None:
            used = self.symbols[name] = symbol(name, self.document.defined)
        placed = _placed(written, used)
        saved = 0
        if style.opacity != "1":
            saved = self.canvas.saveLayerAlpha(None, round(255 * float(style.opacity)))
        if not (self.as_sprites and self._sprite(used, style, placed)):
            self.canvas.drawPicture(_recorded(used, style, self.document.style), placed, None)
        if saved:
            self.canvas.restoreToCount(saved)

    def _sprite(self, used: Symbol, style: Style, placed: skia.Matrix) -> bool:
        """Draws a small upright symbol as it was drawn before, at the nearest pixel; returns whether it was one."""
        at = self.canvas.getTotalMatrix()
        at.preConcat(placed)
        across, down = at.getScaleX(), at.getScaleY()
        if at.getSkewX() or at.getSkewY() or min(across, down) <= 0:
            return False
        drawn = _sprite(used, style, self.document.style, round(across, 3), round(down, 3))
        if drawn is None:
            return False
        corner = at.mapXY(used.view_box[0], used.view_box[1])
        saved = self.canvas.save()
        self.canvas.resetMatrix()
        self.canvas.drawImage(drawn, round(corner.x()) - _MARGIN, round(corner.y()) - _MARGIN)
        self.canvas.restoreToCount(saved)
        return True

    def _image(self, given: dict[str, str]) -> None:
        """Draws a whole document at its place in this one; it keeps its own colours and symbols."""
        if not given["href"].startswith(_EMBEDDED):
            raise ValueError("a picture knows no image but an SVG document")
        svg = base64.b64decode(given["href"].removeprefix(_EMBEDDED)).decode()
        frame, (left, top, width, height) = box(given), view_box(svg)
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
        inner = Painter(self.canvas, read(svg))
        inner.draw()
        self.canvas.restoreToCount(saved)
        self.colours |= inner.colours
        self.fades |= inner.fades

    def _fade(self, tag: Tag, style: Style) -> None:
        given, at = known(tag.name, tag.attributes), self.canvas.getTotalMatrix()
        plain = style.opacity == style.fill_opacity == "1" and style.stroke == "none" and "rx" not in given
        if tag.name != "rect" or not self.as_sprites or not plain or not at.isScaleTranslate():
            raise ValueError("a picture knows a gradient only in an upright, plain rectangle of the board")
        fade = sky.read(self._referred(style.fill), self.rules)
        frame = at.mapRect(box(given)).round()
        ground = bytearray(4)
        self.canvas.readPixels(skia.Pixmap(_PIXEL, ground, 4), max(frame.left(), 0), max(frame.top(), 0))
        self.fades[int.from_bytes(ground[:3], "little"), fade] = None
        drawn = sky.strip(fade, frame.width(), frame.height())
        saved = self.canvas.save()
        self.canvas.resetMatrix()
        self.canvas.drawImage(drawn, frame.left(), frame.top())
        self.canvas.restoreToCount(saved)


def view_box(svg: str) -> tuple[float, float, float, float]:
    """Returns the view box of the document. Raises ValueError if it is no document, or does not say it."""
    root = _ROOT.match(svg)
    given = attributes(root[1]) if root else {}
    if "viewBox" not in given:
        raise ValueError(f"no SVG with a view box: {svg[:80]!r}")
    left, top, width, height = shapes.numbers(given["viewBox"])
    return left, top, width, height


@lru_cache(2048)
def _known(tag: str, written: str) -> dict[str, str]:
    return known(tag, written)


@lru_cache(1024)
def _lettered(written: str, style: Style) -> tuple[float, float, float, float, int, int]:
    """Returns where a line of text stands, the share of its width to go from there, its size, weight and colour."""
    given = known("text", written)
    if style.stroke != "none":
        raise ValueError("a picture knows no outline of words")
    colour = argb(style.fill, float(style.fill_opacity) * float(style.opacity), style.color)
    x, y = float(given.get("x", 0)), float(given.get("y", 0))
    return x, y, _ANCHORS[style.text_anchor], float(style.font_size), int(style.font_weight), colour


@lru_cache(64)
def _clip(definition: str) -> skia.Rect:
    """Returns the rectangle of a clip. Raises ValueError for any other shape."""
    found = re.fullmatch(r"<clipPath\b[^>]*><rect\b([^>]*)/></clipPath>", definition)
    if found is None:
        raise ValueError(f"no clip that a picture knows: {definition!r}")
    return box(known("rect", found[1]))


@lru_cache(4096)
def _placed(written: str, used: Symbol) -> skia.Matrix:
    """Returns where a symbol's own coordinates are; without a size it is as large as its box."""
    given = attributes(written)
    left, top, width, height = used.view_box
    wide, high = float(given.get("width", width)), float(given.get("height", height))
    scale = min(wide / width, high / height)
    placed = skia.Matrix()
    if "transform" in given:
        placed.preConcat(matrix(given["transform"]))
    placed.preTranslate(
        float(given.get("x", 0)) + (wide - width * scale) / 2, float(given.get("y", 0)) + (high - height * scale) / 2
    )
    placed.preScale(scale, scale)
    placed.preTranslate(-left, -top)
    return placed


@lru_cache(1024)
def _recorded(used: Symbol, style: Style, sheet_text: str) -> skia.Picture:
    """Returns the symbol in this style, to be drawn at any size."""
    left, top, width, height = used.view_box
    recorder = skia.PictureRecorder()
    frame = skia.Rect.MakeXYWH(left - width / 4, top - height / 4, width * 1.5, height * 1.5)
    canvas = recorder.beginRecording(frame)
    document = Document(used.inside, sheet_text, dict(used.uses))
    Painter(canvas, document, symbols_as_sprites=False).draw(style)
    return recorder.finishRecordingAsPicture()


@lru_cache(SPRITES)
def _sprite(used: Symbol, style: Style, sheet_text: str, across: float, down: float) -> skia.Image | None:
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
        canvas.drawPicture(_recorded(used, style, sheet_text))
    return surface.makeImageSnapshot()
