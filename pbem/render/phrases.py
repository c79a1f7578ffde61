"""Fills in the players' names, each in an isolate, and the game's marks in a game's phrases.

Names come from people: a phrase is read once, from left to right, and what was filled in is never read again. A game
writes "de {0}" in French whatever the name is; it becomes "d’Alice" here (`pbem.render.elision`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from pbem.kit.contract import Mark, Meta, Phrase
from pbem.render.elision import elide
from pbem.render.isolates import isolate

_PLACE = re.compile(r"\{([^{}]*)\}|[{}]")
_NOTATION = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_CLOSE = re.compile(r"(?:\u00a0?[.,;:!?…»)\]])*")
"""The punctuation that closes what stands before it."""
_OPEN = re.compile(r"(?:[«“(\[]\u00a0?)*\Z")
"""The punctuation that opens what stands after it, at the end of a text."""


@dataclass(frozen=True)
class Punctuation:
    """What stands right before and after a notation, and must not part from it at the end of a line."""

    opens: str = ""
    closes: str = ""


def text(phrase: Phrase, names: Sequence[str]) -> str:
    """Returns the phrase as plain text: names and notation as they are.

    Raises ValueError for a placeholder that is neither a seat at this table nor notation.

    >>> text("{0} takes {F1}.", ["Alice"])
    'Alice takes F1.'
    """
    return _fill(phrase, names, str, isolate, lambda notation, beside: beside.opens + notation + beside.closes)


def _with_symbol(notation: str, mark: Mark, beside: Punctuation) -> Markup:
    # A browser may break a line before and after a drawing, even at a no-break space; not in a `whole`.
    return Markup(
        '<span class="whole">{}<b>{}</b>&nbsp;'
        '<svg class="mini {}" viewBox="0 0 64 64" aria-hidden="true"><use href="#{}"/></svg>{}</span>'
    ).format(beside.opens, notation, mark.colour, mark.symbol, beside.closes)


def bold(notation: str, mark: Mark, beside: Punctuation) -> Markup:
    """Returns the notation without its mark, for mails."""
    return Markup("{}<b>{}</b>{}").format(beside.opens, notation, beside.closes)


def html(
    phrase: Phrase, names: Sequence[str], meta: Meta, show: Callable[[str, Mark, Punctuation], Markup] = _with_symbol
) -> Markup:
    """Returns the phrase as HTML: names bold and escaped, notation as `show` writes it, with its mark beside it.

    `show` also gets the punctuation beside the notation, so that it can keep all of it on one line.

    Raises ValueError for a placeholder that is neither a seat at this table nor among the game's marks.
    """

    def thing(notation: str, beside: Punctuation) -> str:
        mark = meta.marks.get(notation)
        if mark is None:
            raise ValueError(f"{meta.slug} has no mark for {notation!r}")
        return show(notation, mark, beside)

    filled = _fill(phrase, names, escape, lambda name: isolate(Markup("<b>{}</b>").format(name)), thing)
    return Markup(filled)  # noqa: S704  # each part was escaped on its own


def notations_in(phrase: Phrase) -> Iterator[str]:
    """Yields the notation of each thing that the phrase names.

    >>> list(notations_in("{0} takes {F1} for {M2}."))
    ['F1', 'M2']
    """
    return (inside for inside in _PLACE.findall(phrase) if _NOTATION.fullmatch(inside))


def _fill(
    phrase: Phrase,
    names: Sequence[str],
    words: Callable[[str], str],
    person: Callable[[str], str],
    thing: Callable[[str, Punctuation], str],
) -> str:
    """Returns the phrase, with one function applied to its words and others to the contents of its braces.

    `thing` gets notation and the punctuation beside it.
    """
    parts: list[str] = []
    end = 0
    for place in _PLACE.finditer(phrase):
        before = phrase[end : place.start()]
        end = place.end()
        inside = place[1] or ""
        if inside.isascii() and inside.isdigit() and len(inside) < 3 and int(inside) < len(names):
            name = names[int(inside)]
            parts += words(elide(before, name)), person(name)
        elif _NOTATION.fullmatch(inside):
            opening, closing = _OPEN.search(before), _CLOSE.match(phrase, end)
            assert opening is not None, "it matches the empty text, too"
            assert closing is not None, "it matches the empty text, too"
            beside = Punctuation(opening[0], closing[0])
            parts += words(before[: opening.start()]), thing(inside, beside)
            end = closing.end()
        else:
            raise ValueError(f"{place[0]!r} is no seat of {len(names)} and no notation, in {phrase!r}")
    return "".join([*parts, words(phrase[end:])])
