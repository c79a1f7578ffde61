"""Whether two texts are one in French and the same in English, as far as their words tell."""

import re
from collections.abc import Iterator, Mapping, Sequence

from pbem.games import text_of
from pbem.kit.texts import LANGS, Lang

_WORD = re.compile(r"[^\W\d_]{2,}")
_SAME_WORDS = 2
"""This many equal words in both languages are a sentence that nobody has translated."""


def words_of(text: str) -> list[str]:
    """Returns the words of a text in small letters, without what stands in braces or is typed as it stands."""
    return _WORD.findall(re.sub(r"\{[^{}]*\}|`[^`]*`", "", text).casefold())


_OWN: Mapping[Lang, frozenset[str]] = {
    "fr": frozenset(
        words_of(
            "au aux avec dans des du elle est et il ils la le les leur mais ne pas pour quand que qui sa se ses son "
            "sont sur un une votre vos vous"
        )
    ),
    "en": frozenset(
        words_of(
            "and are at by for from has have his if in is it its nobody not of out than that the their them "
            "they this to was when where who with you your"
        )
    ),
}
"""Frequent words of one language that are none of the other."""


class Languages:
    """The words of a game that are in the rulebook of one language alone: one of them alone is a sentence, too."""

    def __init__(self, slug: str) -> None:
        books = {lang: text_of(slug, f"RULES.{lang}.md") for lang in LANGS}
        self._only = {*_stems(words_of(books["fr"]))} ^ {*_stems(words_of(books["en"]))}

    def wrong(self, french: str, english: str) -> str:
        """Returns what is wrong with a text in both languages, in a few words; "" if nothing is."""
        if bool(french.strip()) != bool(english.strip()):
            return f"says nothing in {'English' if french.strip() else 'French'}"
        said = {"fr": words_of(french), "en": words_of(english)}
        if said["fr"] == said["en"] and (len(said["en"]) >= _SAME_WORDS or self._only.intersection(_stems(said["en"]))):
            return "says the same in both languages"
        if _is_in_language("en", said["fr"]):
            return "says it in English in French"
        return "says it in French in English" if _is_in_language("fr", said["en"]) else ""


def _stems(words: Sequence[str]) -> Iterator[str]:
    """Yields how the words begin: a rulebook may have them in another form."""
    return (word[:4] for word in words if len(word) > 2)


def _is_in_language(lang: Lang, words: Sequence[str]) -> bool:
    others = frozenset[str]().union(*(_OWN[other] for other in LANGS if other != lang))
    return not _OWN[lang].isdisjoint(words) and others.isdisjoint(words)
