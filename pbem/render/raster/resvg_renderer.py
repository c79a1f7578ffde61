"""Draws documents with resvg: several times slower than Skia, but it needs no library of the system.

resvg leaves out what it does not know, so the whole document is read before it draws. A letter that no font has would
be a box; whether it is one is seen by drawing it. The fonts of the system are read only for letters that ours lack.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from html import escape, unescape
from io import BytesIO

import numpy as np
import numpy.typing as npt
import resvg_py
from PIL import Image

from pbem.render.phrases import ORDERING
from pbem.render.raster import elements, styles
from pbem.render.raster.elements import HOLDERS, Document, Symbol, parse_known_attributes, view_box
from pbem.render.raster.encode import CELL_PARTS, WHITE, Cells
from pbem.render.raster.fonts import font_files, transcribe_letter_to_ascii
from pbem.render.raster.styles import ROOT, Fade, Style, argb_colour, read_style_sheet

_TEXT = re.compile(r"(<text\b[^>]*>)([^<]*)(?=</text>)")
_EMBEDDED = re.compile(r'href="(data:image/[^"]*)"')
_FAMILY = "Literata"
_BOX = "\U0010fffd"
"""A letter that no font has."""
_CELL = 40
"""The side of the square, in pixels, in which a letter is drawn to see whether a font has it."""


class Drawing:
    """A document as resvg's pixels; see `encode.Drawing`."""

    def __init__(self, svg: str, width: int, height: int, cells: Cells | None) -> None:
        content = _Content()
        content.read(svg)
        without = {
            letter: transcribe_letter_to_ascii(letter)
            for letter in content.letters - ORDERING
            if not has_font_with_letter(letter)
        }
        system = any(not _has_glyph_unlike_box(letter, system=False) for letter in content.letters - without.keys())
        self.colours, self.fades = tuple(content.colours), tuple(content.fades)
        self._pixels = _render_pixels(
            _prepare_document_for_resvg(svg, without), width, height, clear=cells is None, system=system
        )
        if cells is not None:
            red, green, blue = (np.take(part, self._pixels[..., n]) for n, part in enumerate(CELL_PARTS))
            cells[:, 1:] = red | green | blue

    def sample_pixel_colours(self, step: int) -> npt.NDArray[np.uint32]:
        """Returns the colours of some pixels, 0xrrggbb."""
        red, green, blue = (self._pixels[::step, ::step, n].astype(np.uint32) for n in range(3))
        return np.asarray(red << 16 | green << 8 | blue, np.uint32)

    def rgba(self) -> bytes:
        """Returns the pixels, four bytes each."""
        return self._pixels.tobytes()


def _render_pixels(svg: str, width: int, height: int, *, clear: bool, system: bool) -> npt.NDArray[np.uint8]:
    """Returns the pixels of a document; `system`: with the fonts of the system, too."""
    try:
        data = resvg_py.svg_to_bytes(
            svg_string=svg, width=width, background=None if clear else "#ffffff",
            skip_system_fonts=not system, font_files=[*font_files()], font_family=_FAMILY,
        )  # fmt: skip
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ != "PanicException":
            raise
        # What Rust calls a panic is no Exception, and would end the process that draws.
        raise RuntimeError("resvg has failed") from error
    with Image.open(BytesIO(data)) as image:
        pixels = np.asarray(image.convert("RGBA"))[:height]  # resvg rounds up
    if pixels.shape[:2] != (height, width):
        raise ValueError(f"a picture of {pixels.shape[1]} x {pixels.shape[0]} in place of {width} x {height}")
    return pixels


# --- what is in a document ------------------------------------------------------------------------


class _Content:
    """What a document, and those in it, hold: colours, fades with the ground each lies on, letters beyond ASCII."""

    def __init__(self) -> None:
        self.colours: dict[str, None] = {}
        self.fades: dict[tuple[int, Fade], None] = {}
        self.letters: set[str] = set()
        self._symbols: set[Symbol] = set()

    def read(self, svg: str) -> None:
        """Reads the document. Raises ValueError if it holds anything that pictures do not know."""
        view_box(svg)
        document = elements.document_with_definitions_apart(svg)
        self.colours |= dict.fromkeys(elements.colours_of(document, read_style_sheet(document.style)))
        self._collect_from_elements(document, ROOT)

    def _collect_from_elements(self, document: Document, style: Style, *, symbol: bool = False) -> None:
        ground, turned = int(WHITE[1:], 16), list[bool]()
        for step, tag, own, words in elements.walk_elements(
            document, read_style_sheet(document.style), style, symbol=symbol
        ):
            if step == "end":
                turned.pop()
                continue
            given = parse_known_attributes(tag.name, tag.attributes)
            _require_known_geometry(given, document)
            if tag.name in HOLDERS:
                turned.append("rotate" in given.get("transform", ""))
            elif own.visibility != "visible":
                continue
            elif step == "text":
                elements.text_attributes(tag.attributes, own)
                self.letters.update(letter for letter in words if not letter.isascii())
                _rgb_number_or_none(own.fill, own)
            elif tag.name == "use":
                self._collect_from_symbol(
                    elements.find_symbol(given["href"].removeprefix("#"), document.defined), document.style, own
                )
            elif tag.name == "image":
                self.read(elements.svg_document_in_href(given["href"]))
            elif own.fill.startswith("url"):
                if symbol or any(turned):
                    raise ValueError("a picture knows a gradient only in an upright, plain rectangle of the board")
                elements.fading_rectangle_attributes(tag, own)
                definition = elements.definition_at_url(own.fill, document)
                self.fades[ground, styles.read_fade(definition, read_style_sheet(document.style))] = None
            else:
                _rgb_number_or_none(own.stroke, own)
                ground = ground if (ink := _rgb_number_or_none(own.fill, own)) is None else ink

    def _collect_from_symbol(self, used: Symbol, style_sheet: str, style: Style) -> None:
        if used not in self._symbols:
            self._symbols.add(used)
            self._collect_from_elements(Document(used.inside, style_sheet, dict(used.uses)), style, symbol=True)


def _require_known_geometry(given: Mapping[str, str], document: Document) -> None:
    """Raises ValueError for a transform, a clip or a path that pictures do not know."""
    if "transform" in given:
        elements.parse_transforms(given["transform"])
    if "clip-path" in given:
        elements.clip_rectangle_attributes(elements.definition_at_url(given["clip-path"], document))
    if "d" in given:
        elements.parse_path_commands(given["d"])


def _rgb_number_or_none(said: str, style: Style) -> int | None:
    """Returns the colour, 0xrrggbb; None for none. Raises ValueError for one that is not written in digits."""
    return None if said == "none" else argb_colour(said, 1, style.color) & 0xFFFFFF


# --- letters --------------------------------------------------------------------------------------


def has_font_with_letter(letter: str) -> bool:
    """True if a font of ours or of the system has this letter."""
    return letter.isascii() or _has_glyph_unlike_box(letter, system=False) or _has_glyph_unlike_box(letter, system=True)


@lru_cache(8192)
def _has_glyph_unlike_box(letter: str, *, system: bool) -> bool:
    """True if the letter looks different from a box."""
    svg = "".join(
        f'<text x="4" y="{_CELL * (n + 0.75)}" font-size="{_CELL / 2}">{escape(one)}</text>'
        for n, one in enumerate((letter, _BOX))
    )
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_CELL} {2 * _CELL}">{svg}</svg>'
    drawn = _render_pixels(svg, _CELL, 2 * _CELL, clear=False, system=system)
    return not np.array_equal(drawn[:_CELL], drawn[_CELL:])


# --- what resvg takes -----------------------------------------------------------------------------


def _prepare_document_for_resvg(svg: str, without: Mapping[str, str]) -> str:
    """Returns the document with Latin letters in place of those without a font.

    It names the font, which documents in it would not get from the one around them, and has a text, without which resvg
    reads no fonts for those in it.
    """

    def transcribe_text(found: re.Match[str]) -> str:
        words = "".join(without.get(letter, letter) for letter in unescape(found[2]))
        return found[1] + escape(words, quote=False)

    def enter_element(found: re.Match[str]) -> str:
        inner = _prepare_document_for_resvg(elements.svg_document_in_href(found[1]), without)
        return f'href="data:image/svg+xml;base64,{b64encode(inner.encode()).decode()}"'

    head, rest = (_TEXT.sub(transcribe_text, svg) if without else svg).split(">", 1)
    if "font-family=" not in head:
        head += f' font-family="{_FAMILY}"'
    return _EMBEDDED.sub(enter_element, f"{head}><text/>{rest}")
