"""Keeps text that people write, in whatever direction it is read, from changing the order of the sentence around it.

Our own texts are read from left to right. A name in Hebrew or Arabic would reverse the numbers and signs beside it, so
it stands in an isolate (U+2068, U+2069), whose contents and surroundings are ordered apart (Unicode's UAX #9). Text
without letters that are read from right to left looks the same with and without, so it gets none: what is invisible
would be copied, and searched for in vain. Wherever a text is put into another, or on a page, `isolate` is called.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import regex
from markupsafe import Markup

FIRST_STRONG, POP = "\u2068", "\u2069"
"""An isolate that is read as its own first letter is, and its end."""
_MARK = "\u200e"
ORDERING = frozenset((FIRST_STRONG, POP, _MARK))
"""All that `isolate` adds; it has no shape."""

_RIGHT_TO_LEFT = regex.compile(r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}\p{Bidi_Class=AN}]")
_CONTROLS = regex.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CHANGES = regex.compile(rf"(?:{_RIGHT_TO_LEFT.pattern}|{_CONTROLS.pattern})")
_ISOLATE = regex.compile(r"\u2068[^\u2066-\u2069\u202a-\u202e\n]*\u2069")
"""As `isolate` makes them; none stands in another."""
_SIGN = r"(?<![\w\u200e])[-+\u2212](?=\p{Nd})"
_SIGNED = regex.compile(_SIGN)
_SIGNED_IN_MARKUP = regex.compile(rf"<[^<>]*>(*SKIP)(*FAIL)|{_SIGN}")
_LINE = regex.compile(r"[^\n]*[^\s]")

Said = TypeVar("Said")


def isolate(text: Said) -> Said:
    """Returns the text so that it can stand in a sentence that is read from left to right; any other value as it is.

    What can be read from right to left, and stands in no isolate yet, is put into one, line by line; a sign in it stays
    in front of its number, and characters that would change the direction of what follows are left out.

    >>> isolate("Alice"), isolate("\u05d0"), isolate(isolate("\u05d0")), isolate("\u202eA"), isolate(3)
    ('Alice', '\u2068\u05d0\u2069', '\u2068\u05d0\u2069', 'A', 3)
    """
    if not isinstance(text, str) or text.isascii() or not _CHANGES.search(_ISOLATE.sub("", text)):
        return text
    plain = str(_CONTROLS.sub("", text))
    if _RIGHT_TO_LEFT.search(plain):
        signed = _SIGNED_IN_MARKUP if isinstance(text, Markup) else _SIGNED
        plain = _LINE.sub(_in_isolate, signed.sub(lambda sign: _MARK + sign[0], plain))
    return type(text)(plain)  # Markup stays Markup: nothing was put in that has to be escaped


def isolate_each(facts: Any) -> Any:
    """Returns facts that are about to be put into a message, each isolated: those of a mapping, or a single one."""
    if isinstance(facts, Mapping):
        return {name: isolate(fact) for name, fact in facts.items()}
    return tuple(map(isolate, facts)) if isinstance(facts, tuple) else isolate(facts)


def _in_isolate(line: regex.Match[str]) -> str:
    said: str = line[0]
    return f"{FIRST_STRONG}{said}{POP}" if _RIGHT_TO_LEFT.search(said) else said
