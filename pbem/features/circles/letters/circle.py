"""An invitation to a circle, or the mail by which somebody who asked to join proves their address.

The row's key names the membership and its epoch.
"""

from dataclasses import dataclass

from sqlmodel import col, func, select

from pbem.features.circles.circle_letters import CircleLetter, circle_and_membership, fields_of_circle_letter
from pbem.features.circles.tables import CircleMember
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class CircleInvitation(CircleLetter):
    """Invites the reader to a circle of this many members.

    `host` is the member who invites; None if somebody asked with the circle's link, giving the reader's address.
    """

    list_name = None

    host: Name | None
    size: int

    @property
    def one_click_url(self) -> str:
        """The URL that stops all mails to an address that nobody has proven; otherwise it declines."""
        return self.unsubscribe or self.unsubscribe_url


def build(context: LetterContext) -> CircleInvitation | str:
    """Returns the letter; stale once it is answered, or replaced by another invitation."""
    member_id, _, epoch = (context.row.key or "").partition(".")
    found = circle_and_membership(context, member_id, "invited")
    if found is None or found[1].epoch != int(epoch):
        return "stale"
    circle, row = found
    members = (col(CircleMember.circle_id) == circle.id, col(CircleMember.status) == "member")
    size = context.session.exec(select(func.count()).select_from(CircleMember).where(*members)).one()
    host = context.session.exec(
        select(CircleMember.name).where(*members, col(CircleMember.player_id) == row.by_id)
    ).first()  # None, too, if they have left since
    return CircleInvitation(**fields_of_circle_letter(context, circle, row), host=host, size=size)


KIND = Kind(CircleInvitation, build, capped=True, on_request=True)
