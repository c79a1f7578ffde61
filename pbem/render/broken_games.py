"""Why a game is broken, in words: for players, who can do nothing about it, so without a word about files or code."""

from collections.abc import Mapping

from pbem.errors import N_
from pbem.games import Why
from pbem.kit.texts import Lang
from pbem.render.i18n import translator

WORDS: Mapping[Why, str] = {
    "unloadable": N_("Its package cannot be loaded."),
    "incomplete": N_("Its package lacks something that every game needs."),
    "misnamed": N_("Its package calls it by another name."),
    "ambiguous": N_("Another package has a game of the same name."),
    "unfit": N_("Its package is written for another version of pbem."),
}


def why_broken(why: Why, lang: Lang) -> str:
    """Returns the reason as a sentence."""
    return translator(lang).gettext(WORDS[why])
