"""Problems and warnings as sentences for the reader."""

from collections.abc import Mapping, Sequence

from pbem.errors import N_, Problem
from pbem.games import Why
from pbem.kit.notation import seat_letter
from pbem.kit.texts import Lang
from pbem.render.i18n import join_and, message_catalogue


def problem_sentence(problem: Problem, lang: Lang) -> str:
    """Returns what went wrong and what to do, in the reader's language."""
    facts = {name: (fact[lang] if isinstance(fact, Mapping) else fact) for name, fact in problem.facts.items()}
    text = message_catalogue(lang).gettext(problem.message)
    return text % facts if facts else text


def translate_message(message: str, lang: Lang) -> str:
    """Returns a message without facts in the reader's language."""
    return message_catalogue(lang).gettext(message)


BROKEN: Mapping[Why, str] = {
    "unloadable": N_("Its package cannot be loaded."),
    "incomplete": N_("Its package lacks something that every game needs."),
    "misnamed": N_("Its package calls it by another name."),
    "ambiguous": N_("Another package has a game of the same name."),
    "unfit": N_("Its package is written for another version of pbem."),
}


def why_game_is_broken_in_words(why: Why, lang: Lang) -> str:
    """Returns the reason as a sentence."""
    return message_catalogue(lang).gettext(BROKEN[why])


def lookalikes_warning(names: Sequence[str], seats: Sequence[int], lang: Lang) -> str:
    """Returns the warning that the names of these seats look alike, each with its seat's letter; it may be chance."""
    _ = message_catalogue(lang).gettext
    people = join_and([f"{names[seat]} ({seat_letter(seat)})" for seat in seats], lang)
    return _("These names look alike: %(names)s. Make sure that you know who is who.") % {"names": people}
