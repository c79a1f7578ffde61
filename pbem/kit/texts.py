"""Words that a game says in both languages."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

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

    if TYPE_CHECKING:

        def __getitem__(self, lang: Lang) -> str: ...

    else:
        __getitem__ = object.__getattribute__  # boards and news ask hundreds of times: text["fr"] is text.fr

    def fill(self, **facts: object) -> "Text":
        """Returns the text with these facts in its braces; a fact that is a text is inserted in the same language.

        >>> Text(fr="à {n}, {what}", en="{what} at {n}").fill(n=3, what=Text(fr="fini", en="over"))
        Text(fr='à 3, fini', en='over at 3')
        """

        def in_language(lang: Lang) -> str:
            own = {name: fact[lang] if isinstance(fact, Text) else fact for name, fact in facts.items()}
            return self[lang].format(**own)

        return Text(in_language("fr"), in_language("en"))


class OptionText(msgspec.Struct, frozen=True):
    """The name of an option, its meaning, and the names of its choices.

    `choices` is keyed by the choice in JSON, a string without its quotes: "null", "true", "open". A number needs no
    entry.
    """

    title: Text
    hint: Text
    choices: Mapping[str, Text] = {}
