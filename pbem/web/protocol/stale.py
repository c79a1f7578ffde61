"""A form that was opened before somebody saved another one: the page that shows both, and saves whichever is wanted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Response, g, request

from pbem.errors import Changed
from pbem.services.versions import compare
from pbem.web.protocol.language import _
from pbem.web.protocol.page import page


@dataclass(frozen=True)
class Field:
    """A value of a form, as it is stored and as it was entered.

    `says` puts it into words. A text is entered in the field `name`, of this many `lines`; None: it was chosen.
    """

    title: str
    stored: Any
    entered: Any
    says: Callable[[Any], str] = str
    name: str | None = None
    lines: int = 1
    longest: int = 0


def seen_version() -> str | None:
    """Returns the version that came with the form; None if it was opened before forms had one."""
    return request.form.get("version")


def yes_or_no(value: bool) -> str:
    """Returns whether a box is ticked, in words."""
    return _("yes") if value else _("no")


def ask_again(problem: Changed, fields: Sequence[Field], back: str) -> Response:
    """Renders what is stored beside what was entered, with the button that saves the latter all the same.

    `fields` are all values of the form, in the order of its version; those that would change are shown. What was
    entered is kept in the page. `back` is the address of the page with the stored values.
    """
    merged = compare(seen_version(), [one.stored for one in fields], [one.entered for one in fields])
    differ = [one for one, value in zip(fields, merged.values, strict=True) if value != one.stored]
    g.refusal = problem.code
    own = {"csrf_token", "version", *(one.name for one in differ)}
    return page(
        "stale.html", status=409, fields=differ, version=merged.version, back=back, action=request.path,
        guarded="csrf_token" in request.form,
        others=[(name, value) for name, value in request.form.items(multi=True) if name not in own],
    )  # fmt: skip
