"""Leaving a circle, and less of its mail.

If the founder leaves, the one who has been a member longest follows them. When the last member leaves, the circle is
dissolved: its standing tables stop, and its matches go on.
"""

from collections.abc import Iterable

from sqlalchemy import update
from sqlmodel import Session, col, select

from pbem.errors import CHANGED, N_, Changed, Forbidden, NotFound
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.founding import queue_news
from pbem.features.circles.rows import (
    DECLINED,
    INVITED,
    LEFT,
    MEMBER,
    hold_members,
    lock_circle,
    lock_founder,
    lock_member,
    member_of,
    members_of,
)
from pbem.features.circles.tables import Circle, CircleMember, StandingTable
from pbem.models.tables import Player, table
from pbem.services.log import locks
from pbem.services.site import Site, Work


def leave(site: Site, claim: MemberClaim) -> None:
    """Ends the membership. Idempotent. Raises Unauthorized, NotFound, Gone."""
    with site.writing() as work:
        held = hold_members(work, member_of(work, claim).circle_id)
        circle, row = lock_member(work, claim, MEMBER, LEFT)
        if row.status == MEMBER:
            _end(site, work, circle, row, held)


def remove(site: Site, claim: MemberClaim, member_id: int) -> None:
    """Ends somebody else's membership, for the founder. Idempotent. Raises Unauthorized, Forbidden, Gone, NotFound."""
    with site.writing() as work:
        held = hold_members(work, member_of(work, claim).circle_id)
        circle, founder = lock_founder(work, claim)
        row = work.get(CircleMember, member_id, populate_existing=True) if member_id < 2**31 else None
        if row is None or row.circle_id != circle.id or row.status not in (MEMBER, LEFT):
            raise NotFound(N_("There is no such member."))
        if row.id == founder.id:
            raise Forbidden(N_("You cannot remove yourself: leave the circle instead."))
        if row.status == MEMBER:
            _end(site, work, circle, row, held)


def _end(site: Site, work: Work, circle: Circle, row: CircleMember, held: Iterable[int | None]) -> None:
    """Ends the membership. Raises Busy if the next founder is not held."""
    row.status, row.at, row.listed = LEFT, site.now(), False
    work.flush()
    _hand_tables_over(work, circle, row.player_id)
    _hand_over(site, work, circle, row.player_id, held)


def _hand_tables_over(work: Work, circle: Circle, player_id: int | None) -> None:
    """Leaves the standing tables of a member who has gone to the founder, who may stop any."""
    t = table(StandingTable)
    theirs = (t.c.circle_id == circle.id, t.c.by_id == player_id)
    work.execute(update(t).where(*theirs).values(by_id=None))


def _hand_over(site: Site, work: Work, circle: Circle, gone: int | None, held: Iterable[int | None]) -> None:
    left = members_of(work, circle.id)
    if not left:
        circle.founder_id, circle.dissolved_at, circle.open = None, site.now(), False
        t = table(StandingTable)
        stopped = update(t).where(t.c.circle_id == circle.id, t.c.stopped_at.is_(None))
        work.execute(stopped.values(stopped_at=site.now()))
    elif circle.founder_id == gone:
        if left[0].player_id not in held:
            raise locks.busy_error()
        circle.founder_id = left[0].player_id
        queue_news(work, left[:1], "founder", f"{int(site.now().timestamp())}", site)


def leave_all(site: Site, player_id: int) -> None:
    """Ends all memberships of a player who is being erased. Raises Busy."""
    with site.writing() as work:
        mine = _memberships(work, player_id)
        held = hold_members(work, *(row.circle_id for row in mine))
        for row in mine:
            circle = lock_circle(work, row.circle_id)
            work.refresh(row)
            if row.status == MEMBER:
                _end(site, work, circle, row, held)


def _memberships(session: Session, player_id: int) -> list[CircleMember]:
    """Returns the player's rows where they are a member, in the order in which circles are locked."""
    mine = (col(CircleMember.player_id) == player_id, col(CircleMember.status) == MEMBER)
    return list(session.exec(select(CircleMember).where(*mine).order_by(col(CircleMember.circle_id))))


def has_left(session: Session, player_id: int) -> bool:
    """True if the player is a member of no circle."""
    return not _memberships(session, player_id)


def forget_names(work: Work, player_id: int) -> None:
    """Deletes the names of a player who is erased, and the links to their memberships, which have ended."""
    t = table(CircleMember)
    gone = update(t).where(t.c.player_id == player_id)
    work.execute(gone.values(name="", status=LEFT, listed=False, epoch=t.c.epoch + 1))


def renew_member_links(work: Work, player: Player) -> None:
    """Ends the links to all memberships of a player who has another address now. The player must be locked."""
    t = table(CircleMember)
    work.execute(update(t).where(t.c.player_id == player.id).values(epoch=t.c.epoch + 1))


def set_muted(site: Site, claim: MemberClaim, muted: bool) -> None:
    """Stops the circle's mails to a member, or lets them come again; an invitation is declined instead.

    Raises Unauthorized, NotFound, Gone.
    """
    with site.writing() as work:
        _, row = lock_member(work, claim, MEMBER, INVITED, DECLINED)
        if row.status == MEMBER:
            row.muted = muted
        elif muted and row.status == INVITED:
            row.status, row.at = DECLINED, site.now()


def set_listed(site: Site, claim: MemberClaim, listed: bool, *, was: bool | None = None) -> None:
    """Sets whether people outside see the member's name on the circle's page while it is open.

    Raises Unauthorized, NotFound, Gone, Changed.
    """
    with site.writing() as work:
        _, row = lock_member(work, claim)
        if was is not None and was != row.listed:
            raise Changed(CHANGED, etag="")
        row.listed = listed
