"""Fills in the players' names and the game's marks in a game's phrases.

Names come from people: a phrase is read once, from left to right, and what was filled in is never read again.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from pbem.kit.contract import Meta, Phrase

_PLACE = re.compile(r"\{([^{}]*)\}|[{}]")
_NOTATION = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


def text(phrase: Phrase, names: Sequence[str]) -> str:
    """Returns the phrase as plain text: names and notation as they are.

    Raises ValueError for a placeholder that is neither a seat at this table nor notation.

    >>> text("{0} takes {F1}.", ["Alice"])
    'Alice takes F1.'
    """
    return _fill(phrase, names, str, str, str)


def html(phrase: Phrase, names: Sequence[str], meta: Meta, *, drawn: bool = True) -> Markup:
    """Returns the phrase as HTML: names bold and escaped, notation bold with its mark beside it.

    `drawn=False` leaves the marks out, for mails. Raises ValueError for a placeholder that is neither a seat
    at this table nor among the game's marks.
    """

    def thing(notation: str) -> str:
        mark = meta.marks.get(notation)
        if mark is None:
            raise ValueError(f"{meta.slug} has no mark for {notation!r}")
        bold = f"<b>{escape(notation)}</b>"
        if not drawn:
            return bold
        return (
            f'{bold}&nbsp;<svg class="mini {mark.colour}" viewBox="0 0 64 64" aria-hidden="true">'
            f'<use href="#{mark.symbol}"/></svg>'
        )

    filled = _fill(phrase, names, escape, lambda name: f"<b>{escape(name)}</b>", thing)
    return Markup(filled)  # noqa: S704  # each part was escaped on its own


def seat_badge(seat: int, name: str) -> Markup:
    """Returns the seat's shape with the initial of the name; screen readers skip it, because the name is beside it."""
    look = seat % 6 + 1
    return Markup(
        '<svg viewBox="0 0 24 24" aria-hidden="true" font-family="Literata">'
        '<use href="#seat-{0}" width="24" height="24" class="c{0}"/>'
        '<text class="om b m" x="12" y="17.28" font-size="14.88">{1}</text></svg>'
    ).format(look, initial(name))


def initial(name: str) -> str:
    """Returns the first letter of the name, in upper case, with its accents; "?" for an empty name.

    >>> initial(" álice"), initial("")
    ('Á', '?')
    """
    bare = unicodedata.normalize("NFC", name).strip()
    letters = [c for c in bare if not unicodedata.combining(c) and unicodedata.category(c)[0] != "C"]
    return letters[0].upper()[0] if letters else "?"


def _fill(
    phrase: Phrase,
    names: Sequence[str],
    words: Callable[[str], str],
    person: Callable[[str], str],
    thing: Callable[[str], str],
) -> str:
    """Returns the phrase, with one function applied to its words and another to the contents of its braces."""
    parts: list[str] = []
    end = 0
    for place in _PLACE.finditer(phrase):
        parts.append(words(phrase[end : place.start()]))
        end = place.end()
        inside = place[1] or ""
        if inside.isascii() and inside.isdigit() and len(inside) < 3 and int(inside) < len(names):
            parts.append(person(names[int(inside)]))
        elif _NOTATION.fullmatch(inside):
            parts.append(thing(inside))
        else:
            raise ValueError(f"{place[0]!r} is no seat of {len(names)} and no notation, in {phrase!r}")
    return "".join([*parts, words(phrase[end:])])
