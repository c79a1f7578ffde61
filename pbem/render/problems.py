"""Problems as sentences for the reader."""

from collections.abc import Mapping
from typing import Any

from pbem.errors import Problem
from pbem.kit.texts import Lang
from pbem.render.i18n import translator


def sentence(problem: Problem, lang: Lang) -> str:
    """Returns what went wrong and what to do, in the reader's language."""
    facts = {name: _in_language(fact, lang) for name, fact in problem.facts.items()}
    text = translator(lang).gettext(problem.message)
    return text % facts if facts else text


def in_language(message: str, lang: Lang) -> str:
    """Returns a message without facts in the reader's language."""
    return translator(lang).gettext(message)


def _in_language(fact: Any, lang: Lang) -> Any:
    return fact[lang] if isinstance(fact, Mapping) else fact
