"""What a member of a circle should know: its page was opened, or they are its founder now.

The row's key names the membership and what it is.
"""

from dataclasses import dataclass
from typing import Literal

from pbem.features.circles.circle_letters import CircleLetter, circle_and_membership, fields_of_circle_letter
from pbem.mail.letters import Kind
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class CircleNews(CircleLetter):
    """The circle's page is `opened`, with or without the reader's name, or the reader is its `founder` now."""

    what: Literal["opened", "founder"]
    listed: bool


def build(context: LetterContext) -> CircleNews | str:
    """Returns the letter; stale if it is so no more, "muted" if the member wants no mails of the circle."""
    member_id, _, said = (context.row.key or "").partition(".")
    found = circle_and_membership(context, member_id)
    if found is None:
        return "stale"
    circle, row = found
    what: Literal["opened", "founder"] = "opened" if said == "opened" else "founder"
    still = circle.open if what == "opened" else circle.founder_id == row.player_id
    if row.muted or not still:
        return "muted" if row.muted else "stale"
    return CircleNews(**fields_of_circle_letter(context, circle, row), what=what, listed=row.listed)


KIND = Kind(CircleNews, build)
