"""Whether two texts are one in French and the same in English, as far as their words and their numbers tell."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from pbem.games import read_text_file_of_game
from pbem.kit.texts import LANGS, Lang

_WORD = re.compile(r"[^\W\d_]{2,}")
_PLACE = re.compile(r"\{[^{}]*\}")


def words_of(text: str) -> list[str]:
    """Returns the words of a text in small letters, without what stands in braces or is typed as it stands."""
    return _WORD.findall(re.sub(r"\{[^{}]*\}|`[^`]*`", "", text).casefold())


_NAMES: Mapping[Lang, str] = {"fr": "French", "en": "English"}
_OWN: Mapping[Lang, frozenset[str]] = {
    "fr": frozenset(
        words_of(
            "au aux avec dans des du elle est et il ils la le les leur mais ne pas quand que qui sa se ses "
            "sont sur un une votre vos vous"
        )
    ),
    "en": frozenset(
        words_of(
            "and are at by for from has have his in is it its nobody not of out than that the their them "
            "they this to was when where who with you your"
        )
    ),
}
"""Frequent words of one language that are none of the other."""
_OF_GAMES = frozenset(
    words_of(
        "answer ask back bet bid board both buy call captain choose cup dare dice discard doubt draw even fall "
        "field first five four game give gold green guess hand heart hidden high hold keep king knight ladder "
        "last lay leave left less life lose lost low more most move next none odd one owner peek pick play player "
        "prize queen raise red reveal right roll row sea seat sell send shell ship shuffle side skip stake stay "
        "steal stone swap take ten three throw tie tile token trade trick trump turn two wager wait water white "
        "will win winner wish witch wolf word yellow yes acheter annonce annoncer attendre aucun autre bouclier "
        "bouge cacher carreau chacun choisir croire cœur demander dernier deux donner doute douter droite dé eau "
        "échanger égalité enchère gagne gagner gagné garder huit jeter jeu joue jouer joueur lettre levée manche "
        "moins montrer neuf ouvrir perd perdre pioche piocher pli prendre quatre relancer rendre reportée rester "
        "retourner suivant tas tous trèfle triche trois troquer tuile vendre voler voleur"
    )
)
"""Words of games that are of one language alone: one of them, the same in both, is untranslated."""
_OF_OTHERS = frozenset(words_of("das der ein eine ist nicht oder sind und wird el muy una gli nella sono een het niet"))
"""Frequent words of German, Spanish, Italian and Dutch that are neither French nor English."""
_IN_WORDS: Mapping[Lang, Sequence[str]] = {
    "fr": ("aucun", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"),
    "en": ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
}
_THOUSANDS = re.compile(r"(?<=\d)[ \u00a0\u202f,.](?=\d{3}(?!\d))")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?!\w|[.,]\d)")


class Languages:
    """The words of a game that are in the rulebook of one language alone: one of them alone is a sentence, too."""

    def __init__(self, slug: str) -> None:
        french, english = ({*words_of(read_text_file_of_game(slug, f"RULES.{lang}.md"))} for lang in LANGS)
        self._shared = french & english
        self._only = {*_stems(french)} ^ {*_stems(english)}

    def what_is_wrong_with_translation(self, french: str, english: str) -> str:
        """Returns what is wrong with a text in both languages, in a few words; "" if nothing is."""
        if bool(french.strip()) != bool(english.strip()):
            return f"says nothing in {'English' if french.strip() else 'French'}"
        said: Mapping[Lang, Sequence[str]] = {"fr": words_of(french), "en": words_of(english)}
        if said["fr"] == said["en"] and self._should_differ({*said["en"]}):
            return "says the same in both languages"
        for lang in LANGS:
            if not (_OF_OTHERS - self._shared).isdisjoint(said[lang]) and _OWN[lang].isdisjoint(said[lang]):
                return f"says it in another language in {_NAMES[lang]}"
        if _is_in_language("en", said["fr"]):
            return "says it in English in French"
        if _is_in_language("fr", said["en"]):
            return "says it in French in English"
        return ""

    def _should_differ(self, words: Set[str]) -> bool:
        """Returns whether words that are the same in both languages have to be translated.

        One alone may be a name, or a word of both, such as Points, unless it is known to be of one of them.
        """
        known = not _OF_GAMES.isdisjoint({*words, *(word.removesuffix("s") for word in words)})
        return known or not self._only.isdisjoint(_stems(words)) or (len(words) > 1 and not words <= self._shared)


def difference_in_places_or_numbers(french: str, english: str) -> str:
    """Returns how two texts that should say the same differ, as far as it can be seen; "" if they do not."""
    if {*_PLACE.findall(french)} != {*_PLACE.findall(english)}:
        return "names other things in French than in English"
    return "says other numbers in French than in English" if all(numbers_in_one_text_only(french, english)) else ""


def numbers_in_one_text_only(french: str, english: str) -> tuple[list[str], list[str]]:
    """Returns the numbers that stand in one of two texts alone, in digits, while the other has them not in words, too.

    >>> numbers_in_one_text_only("4 cartes de 1 à 20", "four cards of 1 to 30")
    (['20'], ['30'])
    """
    texts: dict[Lang, str] = {"fr": french, "en": english}
    digits = {lang: {*_NUMBER.findall(_THOUSANDS.sub("", _PLACE.sub("", text)))} for lang, text in texts.items()}
    words = {lang: words_of(text) for lang, text in texts.items()}
    said = {lang: {str(n) for n, word in enumerate(_IN_WORDS[lang]) if word in words[lang]} for lang in LANGS}
    return (
        sorted(digits["fr"] - digits["en"] - said["en"], key=int),
        sorted(digits["en"] - digits["fr"] - said["fr"], key=int),
    )


def _stems(words: Iterable[str]) -> Iterator[str]:
    """Yields how the words begin: a rulebook may have them in another form."""
    return (word[:4] for word in words if len(word) > 2)


def _is_in_language(lang: Lang, words: Sequence[str]) -> bool:
    others = frozenset[str]().union(*(_OWN[other] for other in LANGS if other != lang))
    return not _OWN[lang].isdisjoint(words) and others.isdisjoint(words)
