"""The circle and the membership of a claim, locked: what every use case of this room begins with."""

from sqlmodel import Session, col, select

from pbem.errors import N_, Forbidden, Gone, NotFound
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.tables import Circle, CircleMember
from pbem.services.log import locks
from pbem.services.tokens import unknown_link

INVITED, MEMBER, DECLINED, LEFT = "invited", "member", "declined", "left"


def no_circle() -> NotFound:
    """Returns the one error for a circle that does not exist, and for one whose page only members see."""
    return NotFound(N_("There is no such page here, or only members see it: sign in first."))


def lock_circle(session: Session, circle_id: str) -> Circle:
    """Returns the circle, locked until the transaction ends. Raises NotFound."""
    found = select(Circle).where(col(Circle.id) == circle_id).with_for_update(key_share=True)
    circle = session.exec(found.execution_options(populate_existing=True)).first()
    if circle is None or circle.dissolved_at is not None:
        raise no_circle()
    return circle


def member_of(session: Session, claim: MemberClaim, *, refresh: bool = False) -> CircleMember:
    """Returns the membership of the claim. Raises Unauthorized if its epoch is past."""
    row = session.get(CircleMember, claim.member_id, populate_existing=refresh)
    if row is None or row.epoch != claim.epoch or row.player_id is None:
        raise unknown_link()
    return row


def lock_member(session: Session, claim: MemberClaim, *statuses: str) -> tuple[Circle, CircleMember]:
    """Returns the circle, locked, and the membership of the claim, which must have one of these statuses.

    Without any, it must be that of a member. Raises Unauthorized, NotFound, Gone.
    """
    circle = lock_circle(session, member_of(session, claim).circle_id)
    row = member_of(session, claim, refresh=True)
    if row.status not in (statuses or (MEMBER,)):
        raise Gone(N_("You are not a member of this circle."))
    return circle, row


def lock_founder(session: Session, claim: MemberClaim) -> tuple[Circle, CircleMember]:
    """Returns the circle, locked, and its founder's membership. Raises Unauthorized, NotFound, Gone, Forbidden."""
    circle, row = lock_member(session, claim)
    if row.player_id != circle.founder_id:
        raise Forbidden(N_("Only the founder of the circle can do this."))
    return circle, row


def members_of(session: Session, circle_id: str) -> list[CircleMember]:
    """Returns the members, those who have been there longest first."""
    found = select(CircleMember).where(col(CircleMember.circle_id) == circle_id, col(CircleMember.status) == MEMBER)
    found = found.order_by(col(CircleMember.at), col(CircleMember.id)).execution_options(populate_existing=True)
    return list(session.exec(found))


def hold_members(session: Session, *circle_ids: str) -> set[int | None]:
    """Returns the ids of the members' players; rows may point to them until the transaction ends.

    Call it before the circle is locked, and compare afterwards: somebody may have joined meanwhile.
    """
    theirs = (col(CircleMember.circle_id).in_(circle_ids), col(CircleMember.status) == MEMBER)
    found = session.execute(select(CircleMember.player_id).where(*theirs))
    return locks.hold_many(session, found.scalars())


def membership(session: Session, circle_id: str, player_id: int | None) -> CircleMember | None:
    """Returns the player's row in the circle, whatever its status; None if there is none."""
    found = select(CircleMember).where(
        col(CircleMember.circle_id) == circle_id, col(CircleMember.player_id) == player_id
    )
    return session.exec(found.execution_options(populate_existing=True)).first()
