"""Leaving a circle, and less of its mail.

If the founder leaves, whoever has been a member longest follows them. When the last member leaves, the circle is
dissolved: its standing tables stop, and its matches go on.
"""

from collections.abc import Iterable

from sqlalchemy import update
from sqlmodel import Session, col, select

from pbem.errors import CHANGED, N_, Changed, Forbidden, NotFound
from pbem.models.circles import Circle, CircleMember, StandingTable
from pbem.models.tables import Player, table
from pbem.services.circles.founding import queue_news
from pbem.services.circles.rows import (
    INVITED,
    LEFT,
    MEMBER,
    lock_circle,
    lock_founder,
    lock_member,
    member_of,
    members_of,
)
from pbem.services.log import locks
from pbem.services.site import Site
from pbem.services.tokens import MemberClaim
from pbem.services.work import Work


def leave(site: Site, claim: MemberClaim) -> None:
    """Ends the membership. Idempotent. Raises Unauthorized, NotFound, Gone."""
    with site.writing() as work:
        held = _hold_members(work, member_of(work, claim).circle_id)
        circle, row = lock_member(work, claim, MEMBER, LEFT)
        if row.status == MEMBER:
            _end(site, work, circle, row, held)


def remove(site: Site, claim: MemberClaim, member_id: int) -> None:
    """Ends somebody else's membership, for the founder. Idempotent. Raises Unauthorized, Forbidden, Gone, NotFound."""
    with site.writing() as work:
        held = _hold_members(work, member_of(work, claim).circle_id)
        circle, founder = lock_founder(work, claim)
        row = work.get(CircleMember, member_id, populate_existing=True)
        if row is None or row.circle_id != circle.id or row.status not in (MEMBER, LEFT):
            raise NotFound(N_("There is no such member."))
        if row.id == founder.id:
            raise Forbidden(N_("You cannot remove yourself: leave the circle instead."))
        if row.status == MEMBER:
            _end(site, work, circle, row, held)


def _hold_members(session: Session, circle_id: str) -> set[int | None]:
    """Returns the ids of the members, to whom the circle may point as its founder until the transaction ends."""
    return locks.hold_players(session, [row.player_id for row in members_of(session, circle_id)])


def _end(site: Site, work: Work, circle: Circle, row: CircleMember, held: Iterable[int | None]) -> None:
    """Ends the membership; the links to it end, too. Raises Busy if the next founder is not held."""
    row.status, row.epoch, row.at, row.listed = LEFT, row.epoch + 1, site.now(), False
    work.add(row)
    work.flush()
    _stop_tables(site, work, circle, row.player_id)
    _hand_over(site, work, circle, row.player_id, held)


def _stop_tables(site: Site, work: Work, circle: Circle, player_id: int | None) -> None:
    """Hands the standing tables of whoever leaves over to the founder, who may stop them anyway."""
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
    work.add(circle)
    work.flush()


def forget_player(site: Site, work: Work, player_id: int) -> None:
    """Ends all memberships of a player who is being erased, and deletes their names; the player must be locked.

    Raises Busy.
    """
    mine = select(CircleMember).where(col(CircleMember.player_id) == player_id).order_by(col(CircleMember.circle_id))
    rows = list(work.exec(mine))
    held = locks.hold_players(
        work, [other.player_id for row in rows if row.status == MEMBER for other in members_of(work, row.circle_id)]
    )
    for row in rows:
        circle = work.get_one(Circle, row.circle_id)
        if circle.dissolved_at is None:
            circle = lock_circle(work, row.circle_id)
            work.refresh(row)
            if row.status == MEMBER:
                _end(site, work, circle, row, held)
        row.name, row.listed, row.epoch = "", False, row.epoch + 1
        row.status = LEFT if row.status == MEMBER else row.status
        work.add(row)
    work.flush()


def renew_member_links(work: Work, player: Player) -> None:
    """Ends the links to all memberships of a player who has another address now. The player must be locked."""
    t = table(CircleMember)
    work.execute(update(t).where(t.c.player_id == player.id).values(epoch=t.c.epoch + 1))


def set_muted(site: Site, claim: MemberClaim, muted: bool) -> None:
    """Stops the circle's mails to a member, or lets them come again; an invitation is declined instead.

    Raises Unauthorized, NotFound, Gone.
    """
    with site.writing() as work:
        _, row = lock_member(work, claim, MEMBER, INVITED, "declined")
        if row.status == MEMBER:
            row.muted = muted
        elif muted and row.status == INVITED:
            row.status, row.at = "declined", site.now()
        work.add(row)


def set_listed(site: Site, claim: MemberClaim, listed: bool, *, was: bool | None = None) -> None:
    """Sets whether people outside see the member's name on the circle's page while it is open.

    Raises Unauthorized, NotFound, Gone, Changed.
    """
    with site.writing() as work:
        _, row = lock_member(work, claim)
        if was is not None and was != row.listed:
            raise Changed(CHANGED, etag="")
        row.listed = listed
        work.add(row)
