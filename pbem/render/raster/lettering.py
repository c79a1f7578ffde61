"""A line of text, in a font that has its letters.

Literata comes first, then the fonts of the system, in which emoji have their colours. A letter that no font has is
written in Latin letters, so a name is never a row of boxes. Skia's paragraphs shape and order the letters (ligatures of
Arabic, marks, text from right to left).
"""

import math
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock

import skia

from pbem.render.phrases import ORDERING
from pbem.render.raster.fonts import font_files, transcribe_letter_to_ascii

_FAMILIES = {"Literata": 0, "Literata more": 2}
_WEIGHTS = (400, 700)
_ENDLESS = 100_000.0
"""A line is never broken."""
_BLANKS = re.compile(r"[ \t\r\n]+")
_COMPLAINT = b"Fontconfig "
"""So every line begins that fontconfig writes to standard error."""
_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, eq=False)
class Line:
    """A line of text: `laid` is painted from its left end, with its baseline that far below."""

    laid: skia.textlayout.Paragraph
    width: float
    baseline: float


@contextmanager
def _silence_font_warnings() -> Iterator[None]:
    """Keeps standard error free of what Skia's fontconfig says of files that are newer than it; nothing else is lost.

    It reads them once in a process, for some milliseconds, whichever configuration is set, and has no switch for that.
    What other threads write meanwhile comes later. Not for two threads at once: one would restore the other's file.
    """
    with tempfile.TemporaryFile() as said:
        kept = os.dup(2)
        try:
            os.dup2(said.fileno(), 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            said.seek(0)
            os.write(2, b"".join(line for line in said if not line.startswith(_COMPLAINT)))


class _Fonts:
    """The fonts of this process."""

    def __init__(self) -> None:
        with _silence_font_warnings():
            _system_fonts()
        self.letters = skia.Unicodes.ICU.Make()
        self.provider = skia.textlayout.TypefaceFontProvider()
        self.collection = skia.textlayout.FontCollection()
        self.collection.setDefaultFontManager(self.provider)
        faces = [skia.Typeface.MakeFromFile(path) for path in font_files()]
        for family, first in _FAMILIES.items():
            for face in faces[first : first + len(_WEIGHTS)]:
                self.provider.registerTypeface(face, family)
        self.own = {family: faces[first] for family, first in _FAMILIES.items()}
        self.system: dict[str, str] = {}
        """The families of system fonts that are in use, by the names under which they are registered."""

    def register_system_font_with_letter(self, letter: str, weight: int) -> str | None:
        """Returns the name under which a font of the system that has this letter is registered; None without one."""
        style = skia.FontStyle(weight, skia.FontStyle.kNormal_Width, skia.FontStyle.kUpright_Slant)
        face = _system_fonts().matchFamilyStyleCharacter("", style, ["und"], ord(letter))
        if face is None or not face.unicharToGlyph(ord(letter)):
            return None
        name = f"{face.getFamilyName()} {face.fontStyle().weight()}"
        if name not in self.system:
            self.provider.registerTypeface(face, name)
            self.system[name] = face.getFamilyName()
        return name


def _fonts_once() -> _Fonts:
    with _ONE_AT_A_TIME:
        return _make_fonts()


@cache
def _make_fonts() -> _Fonts:
    return _Fonts()


@cache
def _system_fonts() -> skia.FontMgr:
    return skia.FontMgr.RefDefault()


@lru_cache(1024)
def typeset_line(words: str, size: float, weight: int, colour: int) -> Line:
    """Returns the words as a line of this size, weight and colour (0xaarrggbb); runs of blanks are one."""
    fonts = _fonts_once()
    said = _BLANKS.sub(" ", words).strip(" ")
    families = ["Literata"]
    if not said.isascii():
        said, others = _displayable_words_and_families(said, weight)
        families += others
    style = skia.textlayout.TextStyle()
    style.setFontFamilies(families)
    style.setFontSize(size)
    style.setFontStyle(skia.FontStyle(weight, skia.FontStyle.kNormal_Width, skia.FontStyle.kUpright_Slant))
    style.setColor(colour)
    whole = skia.textlayout.ParagraphStyle()
    whole.setTextStyle(style)
    builder = skia.textlayout.ParagraphBuilder.make(whole, fonts.collection, fonts.letters)
    builder.addText(said)
    laid = builder.Build()
    laid.layout(_ENDLESS)
    # Skia's paragraphs put their letters on whole units.
    return Line(laid, laid.LongestLine, math.floor(laid.AlphabeticBaseline + 0.5))


def _displayable_words_and_families(words: str, weight: int) -> tuple[str, list[str]]:
    """Returns the words with Latin letters in place of those without a font, and the families beside Literata."""
    written, families = [], dict[str, None]()
    for letter in words:
        if letter.isascii() or letter in ORDERING:
            written.append(letter)
        elif has_font_with_letter(letter, weight):
            written.append(letter)
            families[_family_with_letter(letter, weight) or ""] = None
        else:
            written.append(transcribe_letter_to_ascii(letter))
    return "".join(written), [family for family in families if family != "Literata"]


def has_font_with_letter(letter: str, weight: int = 400) -> bool:
    """True if a font of ours or of the system has this letter."""
    return _family_with_letter(letter, weight) is not None


@lru_cache(4096)
def _family_with_letter(letter: str, weight: int) -> str | None:
    """Returns the family that has this letter; None without one."""
    for family, face in _fonts_once().own.items():
        if face.unicharToGlyph(ord(letter)):
            return family
    return _fonts_once().register_system_font_with_letter(letter, weight)
