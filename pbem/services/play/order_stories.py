"""What orders have done, in sentences for their owner: told once in a mail, and on the page until it has been read."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbem.kit.contract import Phrase
from pbem.kit.orders.typed import name_of
from pbem.kit.texts import Lang
from pbem.kit.words import say, typeset
from pbem.services.play.ordering import Told
from pbem.services.views.match_views import View


@dataclass(frozen=True)
class Stories:
    """What orders have answered, and what they have left to their owner, and why: a phrase for each question."""

    answered: tuple[Phrase, ...]
    left: tuple[Phrase, ...]


def tell(view: View, news: Sequence[Told], lang: Lang) -> Stories:
    """Returns the news in sentences; `view` is that of the orders' owner."""
    return Stories(
        tuple(_answer(view, one, lang) for one in news if one.why is None),
        tuple(_left(view, one, lang) for one in news if one.why is not None),
    )


def _answer(view: View, one: Told, lang: Lang) -> Phrase:
    """Returns the lines of the story that tell the answer; if it has none, the question with the answer's name."""
    first, last = one.first_n, one.last_n
    if first is not None and last is not None:
        lines = [line.text for line in view.story(lang, first - 1) if first <= line.n <= last]
        if lines:
            return " ".join(lines)
    assert one.move is not None, "it was answered"
    return typeset(f"{_title(view, one, lang)}{name_of(one.move, view.game, lang)}.", lang)


def _left(view: View, one: Told, lang: Lang) -> Phrase:
    assert one.why is not None, "it was left"
    return typeset(_title(view, one, lang) + one.why[lang], lang)


def _title(view: View, one: Told, lang: Lang) -> str:
    title = view.game.meta.asks[one.kind].title[lang].removesuffix("?").rstrip()
    return title + say(lang, " : ", ": ")
