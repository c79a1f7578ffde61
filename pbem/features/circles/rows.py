"""The circle and the membership of a claim, locked: what every use case of this feature begins with.

Also the checks of names, and who belongs to a circle, for what else is its members' alone: conditions of SQL.
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, exists
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem.errors import N_, Forbidden, Gone, Invalid, NotFound
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.tables import Circle, CircleMember
from pbem.models.tables import table
from pbem.names import positions_of_lookalikes
from pbem.services.log import locks
from pbem.services.players.players import normalise_name
from pbem.services.tokens import unknown_link

INVITED, MEMBER, DECLINED, LEFT = "invited", "member", "declined", "left"


def no_circle_error() -> NotFound:
    """Returns the one error for a circle that does not exist, and for one whose page only members see."""
    return NotFound(N_("There is no such page here, or only members see it: sign in first."))


def lock_circle(session: Session, circle_id: str) -> Circle:
    """Returns the circle, locked until the transaction ends. Raises NotFound."""
    found = select(Circle).where(col(Circle.id) == circle_id).with_for_update(key_share=True)
    circle = session.exec(found.execution_options(populate_existing=True)).first()
    if circle is None or circle.dissolved_at is not None:
        raise no_circle_error()
    return circle


def membership_of_claim(session: Session, claim: MemberClaim, *, refresh: bool = False) -> CircleMember:
    """Returns the membership of the claim. Raises Unauthorized if its epoch is past."""
    row = session.get(CircleMember, claim.member_id, populate_existing=refresh)
    if row is None or row.epoch != claim.epoch or row.player_id is None:
        raise unknown_link()
    return row


def lock_member(session: Session, claim: MemberClaim, *statuses: str) -> tuple[Circle, CircleMember]:
    """Returns the circle, locked, and the membership of the claim, which must have one of these statuses.

    Without any, it must be that of a member. Raises Unauthorized, NotFound, Gone.
    """
    circle = lock_circle(session, membership_of_claim(session, claim).circle_id)
    row = membership_of_claim(session, claim, refresh=True)
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


def lock_players_of_members(session: Session, *circle_ids: str) -> set[int | None]:
    """Returns the ids of the members' players; rows may point to them until the transaction ends.

    Call it before the circle is locked, and compare afterwards: somebody may have joined meanwhile.
    """
    theirs = (col(CircleMember.circle_id).in_(circle_ids), col(CircleMember.status) == MEMBER)
    found = session.execute(select(CircleMember.player_id).where(*theirs))
    return locks.hold_players_by_one_statement(session, found.scalars())


def check_players_locked(members: Iterable[CircleMember], held: set[int | None]) -> None:
    """Raises Busy if somebody has joined the circle just before it was locked, whose player is not held."""
    if not {row.player_id for row in members} <= held:
        raise locks.busy_error()


def member_row_of_player(session: Session, circle_id: str, player_id: int | None) -> CircleMember | None:
    """Returns the player's row in the circle, whatever its status; None if there is none."""
    found = select(CircleMember).where(
        col(CircleMember.circle_id) == circle_id, col(CircleMember.player_id) == player_id
    )
    return session.exec(found.execution_options(populate_existing=True)).first()


# --- names ----------------------------------------------------------------------------------------------------

TITLE_LENGTH = 40
MEMBERS_MOST = 200
"""How many members a circle may have."""


def check_circle_name(title: str) -> str:
    """Returns the circle's name, normalised. Raises Invalid for what would not do as a player's name, but longer."""
    if not title.strip():
        raise Invalid(N_("A circle needs a name."), fields=("title",))
    return normalise_name(title, TITLE_LENGTH)


def check_room_and_name(session: Session, circle_id: str, name: str, member_id: int | None) -> None:
    """Checks that the circle has room for somebody of this name: nobody else is called so there, or nearly so.

    The circle must be locked. Raises Invalid.
    """
    names = [other.name for other in members_of(session, circle_id) if other.id != member_id]
    if len(names) >= MEMBERS_MOST:
        raise Invalid(N_("This circle has as many members as it may have."))
    if any(len(names) in group for group in positions_of_lookalikes([*names, name])):
        message = N_("Somebody in this circle is called “%(name)s”, or nearly so. Please choose another name.")
        raise Invalid(message, {"name": name})


# --- who belongs to it ----------------------------------------------------------------------------------------

_c = table(CircleMember)


def member_condition(player_id: Any, circle_id: Any) -> ColumnElement[bool]:
    """Returns the condition that the player is a member of the circle."""
    return exists(
        select(_c.c.id).where(_c.c.circle_id == circle_id, _c.c.player_id == player_id, _c.c.status == MEMBER)
    )


def query_of_members_player_ids(circle_id: str) -> SelectOfScalar[Any]:
    """Returns the query for the ids of the members' players."""
    return select(_c.c.player_id).where(_c.c.circle_id == circle_id, _c.c.status == MEMBER, _c.c.player_id.is_not(None))
