"""Words in both languages: texts, sentences and lists, as every game says them."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from pbem.kit.contract import Figure, LessonStep, Phrase, Picture, Refusal, Seat, Step, Viewer
from pbem.kit.notation import french, seat_letter
from pbem.kit.texts import Lang, Text

AND = Text(" et ", " and ")
OR = Text(" ou ", " or ")

Noun = tuple[Text, Text]
"""A noun: singular, and plural."""


def T(fr: str, en: str) -> Text:  # noqa: N802  # a word table is read by its words
    """Returns the text in both languages, the French one typeset.

    >>> T("Quelle carte ?", "Which card?").fr
    'Quelle carte\\xa0?'
    """
    return Text(french(fr), en)


def lesson_step(
    fr: str, en: str, touch: str = "", *, then: tuple[tuple[Seat, str], ...] = (), given: tuple[str, ...] = (),
    tap: Text | None = None,
) -> LessonStep:  # fmt: skip
    """Returns a step of a lesson, with its sentence in both languages."""
    return LessonStep(T(fr, en), touch, then, given, tap)


def turn_picture(draw: Figure, fr: str, en: str) -> Picture:
    """Returns a picture of a turn, with its sentence in both languages."""
    return Picture(draw, T(fr, en))


YOU = T("Vous", "You")
YOUR_HAND = T("Votre main", "Your hand")
WON = T("gagne", "wins")
BOT = T("robot", "bot")
# Said to the viewer, and of somebody else, whose name stands for the *.
PLAYS = (T("à vous de jouer", "your turn"), T("à * de jouer", "* to play"))
WINS = (T("vous gagnez", "you win"), T("* gagne", "* wins"))


def refusals(table: Mapping[tuple[str, str], Text]) -> dict[str, Refusal]:
    """Returns a game's refusals by code, from the number of the rule behind each and its code."""
    return {code: Refusal(rule, text) for (rule, code), text in table.items()}


def say(lang: Lang, fr: str, en: str) -> str:
    """Returns the sentence in the wanted language.

    >>> say("en", "à vous", "your turn")
    'your turn'
    """
    return fr if lang == "fr" else en


def typeset(phrase: Phrase, lang: Lang) -> Phrase:
    """Returns the phrase with the spaces that its language requires."""
    return french(phrase) if lang == "fr" else phrase


@lru_cache(4096)
def step(word: str, label: Phrase, lang: Lang) -> Step:
    """Returns one step of a move, its label typeset. Cached: thousands of moves can share the same steps."""
    return Step(word, typeset(label, lang))


def signed(count: int) -> str:
    """Returns the number, with a true minus sign if it is negative.

    >>> signed(4), signed(-2)
    ('4', '−2')
    """
    return f"−{-count}" if count < 0 else str(count)


def put_in(name: object) -> Phrase:
    """Returns the placeholder for the name of a seat, or for a thing by its notation.

    >>> put_in(0), put_in("F1")
    ('{0}', '{F1}')
    """
    return f"{{{name}}}"


def joined(items: Iterable[object], lang: Lang, last: Text = AND) -> str:
    """Returns the items with commas, and "and" (or "or") before the last one.

    >>> joined([2, 3, 4], "en"), joined(map(put_in, ["F1", "M2"]), "fr", OR)
    ('2, 3 and 4', '{F1} ou {M2}')
    """
    texts = [str(item) for item in items]
    return last[lang].join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else "".join(texts)


def seats_joined(seats: Iterable[int], lang: Lang) -> Phrase:
    """Returns the names of these seats, with "and" before the last one.

    >>> seats_joined((0, 2), "fr")
    '{0} et {2}'
    """
    return joined(map(put_in, seats), lang)


def seats_waited_for(seats: Iterable[int]) -> Phrase:
    """Returns the names of the seats that have not answered yet. Their order means nothing.

    >>> seats_waited_for((0, 2))
    '{0} · {2}'
    """
    return " · ".join(map(put_in, seats))


def seat_and_place(seat: int, viewer: Viewer, lang: Lang, more: str = "") -> Phrase:
    """Returns the name and letter of a seat, which begin its line of the board in words; `more` follows the letter.

    >>> seat_and_place(1, 1, "en"), seat_and_place(0, None, "fr", ", hors jeu")
    ('{1} (seat B, you)', '{0} (place A, hors jeu)')
    """
    you = say(lang, ", vous", ", you") if seat == viewer else ""
    return f"{{{seat}}} ({say(lang, 'place', 'seat')} {seat_letter(seat)}{you}{more})"


def seen_from(viewer: Viewer, seats: int) -> list[int]:
    """Returns the seats as a viewer counts them: their own first, then clockwise.

    >>> seen_from(2, 4), seen_from(None, 3)
    ([2, 3, 0, 1], [0, 1, 2])
    """
    first = viewer or 0
    return [*range(first, seats), *range(first)]


def counted(number: int, noun: Noun, lang: Lang) -> str:
    """Returns the number with its noun. Zero is singular in French, plural in English.

    >>> trick = (Text("pli", "trick"), Text("plis", "tricks"))
    >>> counted(0, trick, "fr"), counted(0, trick, "en")
    ('0 pli', '0 tricks')
    """
    single = abs(number) <= 1 if lang == "fr" else abs(number) == 1
    return f"{number} {noun[0 if single else 1][lang]}"
