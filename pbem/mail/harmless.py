"""Makes text that players typed harmless in mails, and bounds it; the type of a letter's field says how."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from html import escape
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pbem import names

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Part = TypeVar("Part", bound="DataclassInstance")


LONGEST = 2_000
"""The most bytes that a text which somebody typed takes in HTML: a message at the table has room, and many of them have
in a mail, whatever they hold. An ampersand takes five."""
LONGEST_NAME = 300
"""The same for a name."""


def cut(text: str, most: int) -> str:
    """Returns the text, or as much of it as takes at most this many bytes in HTML, with "…" at its end.

    >>> cut("a & b", 100), cut("&" * 20_000, 18), cut("étés", 5)
    ('a & b', '&&&…', 'é…')
    """
    if len(text) * 6 <= most or (len(text) <= most and len(_encode_html(text)) <= most):
        return text
    room, kept = most - len("…".encode()), 0
    while kept < len(text) and (room := room - len(_encode_html(text[kept]))) >= 0:
        kept += 1
    return text[:kept].rstrip() + "…"


def _encode_html(text: str) -> bytes:
    return escape(text).encode("utf-8", "surrogatepass")


def one_line(name: str) -> str:
    """Returns the name without line ends, control characters, direction marks or lone surrogates."""
    if name.isascii() and name.isprintable():
        return " ".join(name.split())
    spaced = "".join(" " if c.isspace() else c for c in name)
    return " ".join("".join(c for c in spaced if not names.is_control(c)).split())


def visible_name(name: str, most: int = LONGEST) -> str:
    """Returns the name on one line; "?" for an invisible one, which older versions may have stored."""
    line = cut(one_line(name), min(most, LONGEST_NAME))
    return "?" if not line or (not line.isascii() and names.is_blank(line)) else line


def unlink(text: str, most: int = LONGEST) -> str:
    """Returns what somebody said, on one line, so that no mail program turns an address in it into a link.

    Mail programs do so by themselves, in text as in HTML; a zero-width space in the address prevents it. What takes
    more than `most` bytes in HTML is cut.
    """
    kept = _ADDRESS.sub(lambda found: f"{found[0]}\u200b", one_line(text)[: most + 1])
    return cut(kept, most)


_ADDRESS = re.compile(r"://|@|(?<=\w)\.(?=[^\W\d])")

Name = Annotated[str, visible_name]
"""The name of a player."""
Typed = Annotated[str, unlink]
"""Any other text that a player typed."""


def make_harmless(part: Part, most: int = LONGEST) -> Part:
    """Returns the same letter, or part of one, with every `Name` on one line and every `Typed` without links.

    Each is cut to as many bytes of HTML as `most`.
    """
    return replace(
        part, **{field: clean(getattr(part, field), most) for field, clean in _cleaners_of_fields(type(part))}
    )


@cache
def _cleaners_of_fields(kind: type) -> tuple[tuple[str, Callable[[Any, int], Any]], ...]:
    """Returns the fields that hold what players typed, each with the function that makes it harmless."""
    hints = get_type_hints(kind, include_extras=True)
    found = ((field.name, _cleaner_for_type(hints[field.name])) for field in fields(kind))
    return tuple((name, clean) for name, clean in found if clean is not None)


def _cleaner_for_type(hint: Any) -> Callable[[Any, int], Any] | None:
    if get_origin(hint) is Annotated:
        clean: Callable[[Any, int], Any] = hint.__metadata__[0]
        return clean
    if get_origin(hint) in (tuple, Union, UnionType):
        one = _cleaner_for_type(get_args(hint)[0])
        return partial(_clean_each, one) if one is not None else None
    return make_harmless if isinstance(hint, type) and is_dataclass(hint) and _cleaners_of_fields(hint) else None


def _clean_each(clean: Callable[[Any, int], Any], value: Any, most: int) -> Any:
    """Makes several values harmless one by one, or one that may be None."""
    if isinstance(value, tuple):
        return tuple(clean(one, most) for one in value)
    return None if value is None else clean(value, most)
