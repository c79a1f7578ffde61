"""How a match ended, in a sentence."""

from collections.abc import Sequence

from pbem.kit.texts import Lang
from pbem.render.i18n import join_and, translator


def verdict(reason: str, winners: Sequence[str], lang: Lang) -> str:
    """Returns who has won and why, or just why nobody has; `reason` is how the match ended, in words."""
    _ = translator(lang).gettext
    if not winners:
        return _("%(reason)s.") % {"reason": sentence_case(reason)}
    if len(winners) == 1:
        return _("%(name)s wins: %(reason)s.") % {"name": winners[0], "reason": reason}
    return _("%(names)s win: %(reason)s.") % {"names": join_and(winners, lang), "reason": reason}


def sentence_case(words: str) -> str:
    """Returns the words as they begin a sentence.

    >>> sentence_case("all cards are played")
    'All cards are played'
    """
    return words[:1].upper() + words[1:]
