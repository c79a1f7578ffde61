"""What the letters of circles have in common: the circle, the reader's membership, and the links for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pbem.features.circles import claims
from pbem.features.circles.tables import Circle, CircleMember
from pbem.mail.harmless import Name
from pbem.mail.letters import Letter
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class CircleLetter(Letter):
    """A mail of a circle to somebody who is in it, or is asked to be. `circle_url` opens their own page of it."""

    list_name: ClassVar[str | None] = "circle"

    circle: Name
    circle_url: str

    @property
    def unsubscribe_url(self) -> str:
        """The URL of the page that stops the circle's mails."""
        return f"{self.circle_url}/mails"

    @property
    def one_click_url(self) -> str:
        """The URL that stops the circle's mails."""
        return self.unsubscribe_url


def membership(context: LetterContext, member_id: str, status: str = "member") -> tuple[Circle, CircleMember] | None:
    """Returns the circle and the reader's membership of this status; None once it is gone, or has another reader."""
    row = context.session.get(CircleMember, int(member_id))
    if row is None or row.player_id != context.reader.player.id or row.status != status:
        return None
    circle = context.session.get_one(Circle, row.circle_id)
    return (circle, row) if circle.dissolved_at is None else None


def about(context: LetterContext, circle: Circle, row: CircleMember) -> dict[str, Any]:
    """Returns the fields of every letter of a circle."""
    assert row.id is not None, "it is stored"
    token = context.site.tokens.sign(claims.MemberClaim(row.id, row.epoch))
    return {**context.envelope(), "circle": circle.name, "circle_url": context.site.url(f"/circle/member/{token}")}
