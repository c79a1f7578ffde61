"""What the letters of circles have in common: the membership of their reader, and the links for it."""

from typing import Any

from pbem.features.circles import claims
from pbem.features.circles.tables import Circle, CircleMember
from pbem.services.mail.letter_context import LetterContext


def membership(context: LetterContext, member_id: str) -> tuple[Circle, CircleMember] | None:
    """Returns the circle and the reader's membership; None once either is gone, or the row has another reader."""
    row = context.session.get(CircleMember, int(member_id))
    if row is None or row.player_id != context.reader.player.id:
        return None
    circle = context.session.get_one(Circle, row.circle_id)
    return (circle, row) if circle.dissolved_at is None else None


def links(context: LetterContext, row: CircleMember, to: str = "member_url") -> dict[str, Any]:
    """Returns the link to the circle as this member's, under this name, and the one that ends its mails."""
    assert row.id is not None, "it is stored"
    base = context.site.url(f"/circle/member/{context.site.tokens.sign(claims.MemberClaim(row.id, row.epoch))}")
    return {to: base, "unsubscribe_url": f"{base}/mails"}
