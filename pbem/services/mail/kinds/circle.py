"""The mail that invites somebody to a circle. The row's key names the membership and its epoch."""

from sqlmodel import col, func, select

from pbem.mail.kinds.circle import CircleInvitation
from pbem.models.circles import CircleMember
from pbem.services.mail.circle_letters import links, membership
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> CircleInvitation | str:
    """Returns the letter; stale once it is answered, or replaced by another invitation."""
    member_id, _, epoch = (context.row.key or "").partition(".")
    found = membership(context, member_id)
    if found is None or found[1].status != "invited" or found[1].epoch != int(epoch):
        return "stale"
    circle, row = found
    members = (col(CircleMember.circle_id) == circle.id, col(CircleMember.status) == "member")
    size = context.session.exec(select(func.count()).select_from(CircleMember).where(*members)).one()
    host = context.session.exec(
        select(CircleMember.name).where(*members, col(CircleMember.player_id) == row.by_id)
    ).first()  # None, too, if they have left since
    return CircleInvitation(**context.envelope(), circle=circle.name, host=host, size=size, **links(context, row))
