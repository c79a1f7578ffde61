"""The field for a lucky word, in the forms by which somebody takes a seat."""

from dataclasses import dataclass

from flask import request

from pbem.errors import Invalid
from pbem.render.problems import sentence
from pbem.services.lobby.match_request import checked_word
from pbem.web.protocol.language import page_language


@dataclass(frozen=True)
class LuckyField:
    """The field: what stands in it, and what is wrong with that, or ""."""

    value: str
    trouble: str


def lucky_field(proposed: str = "") -> LuckyField:
    """Returns the field as typed; in a fresh form with the word that is proposed."""
    typed = request.form.get("word")
    return LuckyField(proposed, "") if typed is None else LuckyField(typed, word_trouble(typed))


def word_trouble(typed: str) -> str:
    """Returns in a sentence why this is no lucky word; "" if it is one, or nothing."""
    try:
        checked_word(typed)
    except Invalid as problem:
        return sentence(problem, page_language())
    return ""


def typed_word() -> str | None:
    """Returns the lucky word of the form as it was typed; None if the form has none."""
    return request.form.get("word")
