"""What is wrong with a text as it stands, whatever it says: values of Python, tags, spaces, and a noun after 1."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.kit.texts import LANGS, Lang

_SPACES = " \u00a0\u202f"
_ONE = r"(?<![\w.,:×-])1 (?:{})\b"
_MANY: Mapping[Lang, str] = {
    "fr": "points|cartes|dés|tours|plis|manches|pièces|pierres|tuiles|bâtons|coups|vies|joueurs|jetons|mains|cubes",
    "en": "points|cards|dice|turns|tricks|rounds|coins|stones|tiles|sticks|moves|lives|players|tokens|hands|cubes",
}
"""Nouns in the plural, as games count them."""
_PYTHON = "Say in words what it is, or say nothing where nothing is known."
_COUNTED = "Say it with `counted`: 1 point, 2 points."


class _Slip(NamedTuple):
    """Something that no text has: in which languages, what is said of it, and what to do."""

    langs: Sequence[Lang]
    found: re.Pattern[str]
    said: str
    todo: str


_SLIPS = (
    _Slip(("fr",), re.compile(r"\b(?:None|True|False)\b"), "says a value of Python", _PYTHON),
    _Slip(
        LANGS,
        re.compile(r"\b[A-Z]\w*\((?:\w+=|\))|<[\w.]+ object|\bfrozenset\(|\(\d+,\)|\[(?:['\"]|\])"),
        "says a value of Python",
        _PYTHON,
    ),
    _Slip(
        LANGS,
        re.compile(r"</?[a-zA-Z][^<>]*>|&#?\w+;|\*\*\w"),
        "has a tag, which is shown as it stands",
        "Write plain text: pages and mails escape it.",
    ),
    _Slip(LANGS, re.compile(r"\b(?:TODO|FIXME)\b|\b[Ll]orem ipsum\b"), "is not finished", "Say what is meant."),
    _Slip(
        LANGS,
        re.compile(rf"[{_SPACES}]{{2}}|^[{_SPACES}]|[{_SPACES}]$|[{_SPACES}][.,](?!\w)|(?<!\.)\.\.(?!\.)"),
        "has a space or a point too many",
        "Take it away; see what stands in braces before it.",
    ),
    _Slip(
        ("fr",),
        re.compile(r"[^\W\d_][?!;]|\w:(?= )|«(?![\u00a0\u202f ])|[^\s\u00a0\u202f]»"),
        "lacks the space of French punctuation",
        "Write a space before : ; ? ! » and after «; `T` makes it unbreakable.",
    ),
    _Slip(
        ("en",),
        re.compile(rf"\w[{_SPACES}][?!;,]"),
        "has a space before its punctuation, as in French",
        "Write it without the space in English.",
    ),
    _Slip(("fr",), re.compile(_ONE.format(_MANY["fr"])), "has one of something in the plural", _COUNTED),
    _Slip(("en",), re.compile(_ONE.format(_MANY["en"])), "has one of something in the plural", _COUNTED),
)
_BREAK = _Slip(
    ("fr",),
    re.compile(" [:;?!»]|« "),
    "can break before its punctuation",
    "Write it with `T`, which makes these spaces unbreakable.",
)


def find_slips(text: str, lang: Lang, *, typeset: bool = False) -> Iterator[tuple[str, str]]:
    """Yields what is wrong with a text in this language, in a few words, and what to do.

    `typeset`: its spaces are as they are to be shown.
    """
    for slip in (*_SLIPS, *([_BREAK] if typeset else [])):
        if lang in slip.langs and slip.found.search(text):
            yield slip.said, slip.todo


def first_repeated_text(texts: Sequence[str]) -> str:
    """Returns the first text that is there twice, whatever its letters' size; "" if none is."""
    seen = set[str]()
    for text in texts:
        if text.casefold().strip() in seen:
            return text
        seen.add(text.casefold().strip())
    return ""
