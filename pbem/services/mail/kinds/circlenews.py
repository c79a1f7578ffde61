"""The mail that tells a member what has happened to their circle. The row's key names the membership and what it is."""

from typing import Literal

from pbem.mail.kinds.circlenews import CircleNews
from pbem.services.mail.circle_letters import links, membership
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> CircleNews | str:
    """Returns the letter; stale if it is so no more, "muted" if the member wants no mails of the circle."""
    member_id, _, said = (context.row.key or "").partition(".")
    found = membership(context, member_id)
    if found is None or found[1].status != "member":
        return "stale"
    circle, row = found
    what: Literal["opened", "founder"] = "opened" if said == "opened" else "founder"
    still = circle.open if what == "opened" else circle.founder_id == row.player_id
    if row.muted or not still:
        return "muted" if row.muted else "stale"
    return CircleNews(**context.envelope(), circle=circle.name, what=what, listed=row.listed, **links(context, row))
