"""What a member of a circle should know: its page was opened, or they are its founder now.

The row's key names the membership and what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pbem.features.circles.own_links import links, membership
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, Letter
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class CircleNews(Letter):
    """The circle's page is `opened`, with or without the reader's name, or the reader is its `founder` now."""

    list_name = "circle"

    circle: Name
    what: Literal["opened", "founder"]
    listed: bool
    member_url: str
    unsubscribe_url: str

    @property
    def one_click_url(self) -> str:
        """The URL that stops the circle's mails."""
        return self.unsubscribe_url


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


KIND = Kind(CircleNews, build)
