"""The fonts that come with the program, and Latin letters for those that no font has."""

import unicodedata
from contextlib import ExitStack
from functools import cache
from importlib.resources import as_file, files

import regex
from anyascii import anyascii

FILES = ("Literata-400.ttf", "Literata-700.ttf", "Literata-more-400.ttf", "Literata-more-700.ttf")
"""The letters of French and English, then Greek, Cyrillic and the rest of Latin; each regular and bold."""
_UNPACKED = ExitStack()
_IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")


@cache
def font_files() -> tuple[str, ...]:
    """Returns the font files; unpacked for the life of the process if the package is an archive.

    Raises FileNotFoundError if one is missing: the renderer by itself would draw without text.
    """
    found = [_UNPACKED.enter_context(as_file(files("pbem") / "render" / "fonts" / name)) for name in FILES]
    for path in found:
        path.stat()
    return tuple(map(str, found))


def transcribe_letter_to_ascii(letter: str) -> str:
    """Returns the letter in letters of ASCII; a question mark for one that nobody has transcribed.

    Nothing stands for one without a shape, which joins letters or chooses how another one looks.

    >>> transcribe_letter_to_ascii("\u0416"), transcribe_letter_to_ascii("\ue000"), transcribe_letter_to_ascii("\ufe0f")
    ('Zh', '?', '')
    """
    if _IGNORABLE.match(letter):
        return ""
    return anyascii(letter) or ("" if unicodedata.combining(letter) else "?")
