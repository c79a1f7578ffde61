"""Words that a game says in both languages."""

from collections.abc import Mapping
from typing import Literal

import msgspec

Lang = Literal["fr", "en"]
LANGS: tuple[Lang, ...] = ("fr", "en")


class Text(msgspec.Struct, frozen=True):
    """One text in both languages.

    >>> Text(fr="à vous", en="your turn")["en"]
    'your turn'
    """

    fr: str
    en: str

    def __getitem__(self, lang: Lang) -> str:
        return self.fr if lang == "fr" else self.en


class OptionText(msgspec.Struct, frozen=True):
    """What an option is called, what it means, and what its choices are called.

    `choices` goes by the choice as JSON writes it, a word without its quotes: "null", "true", "open". A number
    speaks for itself and needs no entry.
    """

    title: Text
    hint: Text
    choices: Mapping[str, Text] = {}
