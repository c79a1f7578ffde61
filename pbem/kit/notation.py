"""What the games' notations share: forgiving reading of what people type on a phone."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import TypeVar

from pbem.kit.contract import Move, Unreadable
from pbem.kit.texts import Text

M = TypeVar("M", bound=Move)

LONGEST = 200
"""Longer than any move, with whatever a player writes around it."""

_SEPARATORS = re.compile(r"[\s,;=>→]+")


def understand(text: str, read: Callable[[str], M | None], hint: Text) -> M:
    """Returns the move that `read` finds in the text. Raises Unreadable with the hint if it finds none."""
    move = read(text) if len(text) <= LONGEST else None
    if move is None:
        raise Unreadable(text[:LONGEST], hint)
    return move


def plain_text(text: str) -> str:
    """Returns the text in lower case, without accents, with straight quotes and single spaces.

    >>> plain_text("  Déclare   B = F1 ")
    'declare b = f1'
    """
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'"))
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(bare.casefold().split())


def words(text: str) -> list[str]:
    """Returns the words of a typed move: plain text, split at spaces, commas, semicolons, equal signs and arrows.

    >>> words("Donne F4, prends T1"), words("b=f1 → c=b1")
    (['donne', 'f4', 'prends', 't1'], ['b', 'f1', 'c', 'b1'])
    """
    return [w for w in _SEPARATORS.split(plain_text(text)) if w]


def spelled(vocabulary: Mapping[str, str]) -> dict[str, str]:
    """Returns a dictionary from every spelling to its meaning: ``{"call": "call appelle"}`` yields two entries.

    Raises ValueError if one spelling has two meanings.

    >>> spelled({"call": "call appelle"})
    {'call': 'call', 'appelle': 'call'}
    """
    out: dict[str, str] = {}
    for meaning, spellings in vocabulary.items():
        for spelling in plain_text(spellings).split():
            if out.setdefault(spelling, meaning) != meaning:
                raise ValueError(f"{spelling!r} means both {out[spelling]!r} and {meaning!r}")
    return out


@cache
def seat_letter(seat: int) -> str:
    """Returns the letter of a seat in notation: A for seat 0.

    >>> seat_letter(2)
    'C'
    """
    return chr(ord("A") + seat)


_BEFORE = re.compile(" (?=[:;?!»])")
_AFTER = re.compile("(?<=«) ")


@lru_cache(4096)
def french(text: str) -> str:
    """Returns the French text with non-breaking spaces before : ; ? ! » and after «.

    >>> french("Qui répond ? Bob : « moi »") == "Qui répond\\u00a0? Bob\\u00a0: «\\u00a0moi\\u00a0»"
    True
    """
    return _AFTER.sub("\u00a0", _BEFORE.sub("\u00a0", text))
