"""The form on the page of a replay that asks for a GIF of a stretch or a PNG of a step: as proposed, or as sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast, get_args

from pbem.errors import N_, Invalid, Problem
from pbem.render.pictures import Theme
from pbem.render.problems import sentence
from pbem.services.views.replay_pictures import Kind, Pace, Wanted
from pbem.services.views.replays import Replay
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import page_theme

PROPOSED = 20
"""How many steps the form proposes."""
_LONGEST = 20
"""How many letters of what was typed into a number's field are shown again."""


@dataclass(frozen=True)
class PictureForm:
    """The form's values, and why it was refused."""

    first: str
    last: str
    pace: str
    theme: str
    trouble: str | None = None
    """What is wrong, in words; None for a form that was not refused."""
    wrong: str = ""
    """The name of the field that is wrong: first or last; "" if the trouble is about none of them."""


def proposed_form(seen: Replay, at: int) -> PictureForm:
    """Returns the form that proposes the step shown and those after it, or the last ones."""
    last = len(seen.steps)
    first = max(1, min(at, last - PROPOSED + 1))
    return PictureForm(str(first), str(min(last, first + PROPOSED - 1)), "normal", page_theme())


def refused_form(typed: Mapping[str, str], problem: Problem) -> PictureForm:
    """Returns the form as it was sent, with the problem in words."""
    first, last, pace, theme = (typed.get(name, "")[:_LONGEST] for name in ("first", "last", "pace", "theme"))
    # The step of a single picture is in no field that the reader sees.
    wrong = str(problem.extra.get("field", "")) if typed.get("kind") == "gif" else ""
    return PictureForm(first, last, pace, theme, sentence(problem, page_language()), wrong)


def read_form(typed: Mapping[str, str]) -> Wanted:
    """Returns the picture that the form asks for. Raises Invalid."""
    kind, pace, theme = (typed.get(name, "") for name in ("kind", "pace", "theme"))
    if kind == "htm":
        return Wanted("htm")
    if kind not in get_args(Kind) or pace not in get_args(Pace) or theme not in get_args(Theme):
        raise Invalid(N_("This form was sent incomplete. Please send it again."))
    first = _number(typed, "step" if kind == "png" else "first")
    return Wanted(cast(Kind, kind), first, _number(typed, "last"), cast(Pace, pace), cast(Theme, theme))


def _number(typed: Mapping[str, str], field: str) -> int:
    """Returns the step in a field; 0, which is none, for anything else."""
    said = typed.get(field, "").strip()
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 6 else 0
