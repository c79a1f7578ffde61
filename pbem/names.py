"""Tells whether a name is visible at all, and which names in a match look alike.

No list of characters is kept here. Whether a character is visible follows from its Unicode properties: the general
category from `unicodedata`, which `pbem.mail` uses as well, and Default_Ignorable_Code_Point, Variation_Selector, Emoji
and Script from the `regex` package, because `unicodedata` lacks them. Which characters look alike follows from
Unicode's table of confusables (UTS #39), which the `confusable_homoglyphs` package contains.
"""

import json
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import regex
from confusable_homoglyphs.utils import path

ENCODED = "=?"
"""How an encoded word begins, by which a mail's header holds other letters (RFC 2047): =?utf-8?q?...?="""
_SHAPES = regex.compile(r"(?<=[\p{Emoji}\p{Script=Han}\p{Script=Mongolian}])\p{Variation_Selector}")
"""A variation selector where it chooses among shapes: a colourful heart, the form in which a family writes 辻."""
_IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}|\p{Block=Specials}")
_BLANK = regex.compile(r"\b(?:BLANK(?! SYMBOL)|(?<!GAP |LINE )FILLER|NULL NOTEHEAD)\b")
"""Found in the names of characters with an empty glyph. No property tells these, but their names never change."""


@lru_cache(4096)
def is_control(letter: str) -> bool:
    """True for what prints no character: controls, format characters, surrogates, private use, line ends."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def has_invisible_character(name: str) -> bool:
    """True if the name holds a character that shows nothing, other than a space."""
    without = _SHAPES.sub("", name)
    return bool(_IGNORABLE.search(without)) or any(
        is_control(letter) or _BLANK.search(unicodedata.name(letter, "")) for letter in without
    )


@lru_cache(4096)
def is_blank(name: str) -> bool:
    """True if the name shows nothing, or only marks without a letter to stand on."""
    return all(has_invisible_character(letter) or unicodedata.category(letter)[0] in "MZ" for letter in name)


# --- names that look alike -------------------------------------------------------------------------------------


def _letter_of_entry(described: dict[str, Any]) -> Any:
    """Returns the character that is described as {"c": character, "n": name}; any other object as it is."""
    letter = described.get("c")
    return letter if isinstance(letter, str) else described


@cache
def _confusable_letters() -> dict[str, str]:
    """Returns the letter, or letters, for which each confusable character stands in the table.

    The package lists every pair both ways: a prototype with all characters that look like it, and any other character
    with its prototype only. Its own import would keep 8 MB of descriptions, so the table is read here, when somebody
    first chooses a name, and without them.
    """
    with open(path("confusables.json"), encoding="utf-8") as file:
        pairs: dict[str, list[str]] = json.load(file, object_hook=_letter_of_entry)
    table = {_IGNORABLE.sub("", letter): [_IGNORABLE.sub("", one) for one in like] for letter, like in pairs.items()}
    found = {}
    for letter, (first, *more) in table.items():
        mutual = len(first) == 1 and len(table.get(first, ())) == 1
        if len(letter) == 1 and not more and not (mutual and letter < first):
            found[letter] = first
    return found


def skeleton_of_name(name: str) -> str:
    """Returns the name's skeleton by UTS #39, section 4. Names with the same skeleton look alike; do not display it.

    >>> skeleton_of_name("Аlice") == skeleton_of_name("AIice")  # the first begins with a Cyrillic letter
    True
    """
    letters: str = _IGNORABLE.sub("", unicodedata.normalize("NFD", name))
    for _ in range(2):  # some prototypes of the table hold letters that have prototypes themselves
        letters = unicodedata.normalize("NFD", "".join(_confusable_letters().get(letter, letter) for letter in letters))
    return letters


def skeleton_of_punctuation(name: str) -> str:
    """Returns the name's punctuation and symbols, each replaced by the one that it looks or works like.

    Letters are left out. A sign that looks like several, as % looks like o, / and o, stands for itself.

    >>> skeleton_of_punctuation("A／B∕C＠D: ノ 5%")
    '//@:%'
    """
    found = (sign for sign in unicodedata.normalize("NFKC", name) if unicodedata.category(sign)[0] in "PS")
    return "".join(
        like if len(like) == 1 else sign for sign, like in ((sign, skeleton_of_name(sign)) for sign in found)
    )


@lru_cache(32_768)
def looks_of_name(name: str) -> frozenset[str]:
    """Returns what the name looks like, as written and in small letters; neither case nor blanks make a difference.

    Names that have one of these in common look alike.
    The table lacks letters that are only wider or bolder forms of others; normalization finds those.

    >>> bool(looks_of_name("mem O") & looks_of_name("Mem0"))
    True
    """
    name = "".join(name.split())
    written = (name, unicodedata.normalize("NFKC", name))
    return frozenset(skeleton_of_name(form).casefold() for one in written for form in (one, one.casefold()))


def look_alike(name: str, other: str) -> bool:
    """True if the two names look alike."""
    return bool(looks_of_name(name) & looks_of_name(other))


def positions_of_lookalikes(names: Sequence[str]) -> list[tuple[int, ...]]:
    """Returns the positions of names that look alike, in groups of two or more, in order.

    >>> positions_of_lookalikes(["Alice", "Bob", "Аlice", "B0b"])
    [(0, 2), (1, 3)]
    """
    seen = [looks_of_name(name) for name in names]
    groups: list[list[int]] = []
    for place, look in enumerate(seen):
        group = next((group for group in groups if look & seen[group[0]]), None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    return [tuple(group) for group in groups if len(group) > 1]
