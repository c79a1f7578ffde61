"""Joining a circle, by its invitation link or by a mail from a member; leaving it, and less of its mail.

1. Anyone who has the invitation link asks to join with a name and an address. The address gets a mail; they join by
   accepting there, which proves it. Signed-in players have proven theirs and join at once.
2. A member invites an address by mail. The one who reads it accepts, or declines, after which only the link lets them
   in.

Neither reveals whether an address is known or belongs to a member: the answer is the same, and people who are members
already get their links instead. The name is chosen at the last step; an invitation reserves none.

If the founder leaves, the one who has been a member longest follows them. When the last member leaves, the circle is
dissolved: its standing tables stop, and its matches go on.
"""

from datetime import timedelta

from sqlalchemy import update
from sqlmodel import Session, col, select

from pbem.errors import N_, Forbidden, NotFound
from pbem.features.circles import rows
from pbem.features.circles.claims import CircleClaim, MemberClaim
from pbem.features.circles.founding import queue_circle_event_mails
from pbem.features.circles.tables import Circle, CircleMember, OccasionAnswer, StandingTable
from pbem.models.tables import Player, table
from pbem.services.lobby.match_request import Invitee
from pbem.services.lobby.offers import (
    ASKED,
    Offer,
    lock_player_and_moved_matches,
    transaction_with_player_of_address,
    verify_player_and_set_zone,
)
from pbem.services.lobby.offers import INVITED as MANY_INVITED
from pbem.services.log import locks, outbox
from pbem.services.players import bounces, players, quotas
from pbem.services.players.players import check_address, check_language, check_zone, normalise_name
from pbem.services.privacy.retention import sweep_of_old_rows_but_newest
from pbem.services.site import Site, Work
from pbem.services.tokens import unknown_link

FORGOTTEN = timedelta(days=30)
"""How long an invitation without an answer is kept, and that somebody has declined one."""


def _lock_circle_of_link(session: Session, claim: CircleClaim) -> Circle:
    """Returns the circle of an invitation link, locked. Raises Unauthorized, NotFound."""
    circle = rows.lock_circle(session, claim.circle_id)
    if circle.epoch != claim.epoch:
        raise unknown_link()
    return circle


def send_join_link(site: Site, claim: CircleClaim, who: Invitee, language: str, zone: str) -> None:
    """Has a mail sent to the address, by which its owner joins under this name, or another.

    Raises Unauthorized, NotFound, Invalid, TooMany.
    """
    with transaction_with_player_of_address(site, who, language, zone) as (work, player, name):
        circle = _lock_circle_of_link(work, claim)
        _count_against_mail_quota(site, work, f"circle-link:{circle.id}", ASKED)
        row = rows.member_row_of_player(work, circle.id, player.id)
        if row is not None and row.status in (rows.MEMBER, rows.INVITED):
            if row.status == rows.INVITED and row.by_id is None:
                row.name = name
            players.queue_links(site, work, player, news=True)
        else:
            _queue_invitation(site, work, _put_invited_membership(site, work, circle, row, player, name, None))


def invite_address(site: Site, claim: MemberClaim, name: str, address: str, language: str) -> None:
    """Invites the owner of this address for a member; `name` may be empty: they choose their own.

    The mail is in this language if nothing is known of them. Nothing is sent to those who are members, who have not
    answered an invitation yet, or who have declined one: the answer does not tell which, nor does an invitation show in
    the circle, and each counts against the member's quota of the day. An address that the site knows costs the same
    statements as any other. Raises Unauthorized, Gone, Invalid, TooMany.
    """
    name, language = normalise_name(name) if name.strip() else "", check_language(language)
    check_address(address)
    with site.writing() as work:
        player = players.find_or_add(work, address, language, site.now())
        locks.hold_players(work, [rows.membership_of_claim(work, claim).player_id])
        circle, host = rows.lock_member(work, claim)
        _count_against_mail_quota(site, work, f"circle-invite:{host.player_id}", MANY_INVITED)
        row = rows.member_row_of_player(work, circle.id, player.id)
        if row is None or row.status == rows.LEFT:
            _queue_invitation(
                site, work, _put_invited_membership(site, work, circle, row, player, name, host.player_id)
            )
        else:
            outbox.imitate_enqueue(work, site.now())


def _count_against_mail_quota(site: Site, work: Work, name: str, refusal: str) -> None:
    quotas.count_action(site, work, quotas.Quota(name, site.config.mails_per_address_day), refusal)


def _put_invited_membership(
    site: Site, work: Work, circle: Circle, row: CircleMember | None, player: Player, name: str, by_id: int | None
) -> CircleMember:
    """Returns the player's row, invited now; older links to it end."""
    if row is None:
        row = CircleMember(circle_id=circle.id, player_id=player.id, name=name, status=rows.INVITED, at=site.now())
    else:
        row.name, row.status, row.epoch, row.at = name, rows.INVITED, row.epoch + 1, site.now()
    row.by_id = by_id
    return work.put(row)


def _queue_invitation(site: Site, work: Work, row: CircleMember) -> None:
    dedupe = f"circle:{row.id}:{row.epoch}"
    outbox.enqueue(work, dedupe, "circle", site.now(), player_id=row.player_id, key=f"{row.id}.{row.epoch}")


def join_signed_in(site: Site, claim: CircleClaim, player_id: int, name: str) -> str:
    """Makes a signed-in player a member of the link's circle; returns its id. Idempotent: a member keeps their name.

    Raises Unauthorized, NotFound, Invalid, TooMany, and Forbidden for a guest.
    """
    name = normalise_name(name)
    with site.writing() as work:
        locks.lock_player(work, player_id)
        circle = _lock_circle_of_link(work, claim)
        row = rows.member_row_of_player(work, circle.id, player_id)
        if row is None or row.status != rows.MEMBER:
            row = row or CircleMember(
                circle_id=circle.id, player_id=player_id, name=name, status=rows.INVITED, at=site.now()
            )
            _make_member(site, work, circle, row, name)
        return circle.id


OFFER = Offer(send_join_link, join_signed_in)


def accept_invitation(site: Site, claim: MemberClaim, language: str, zone: str, name: str) -> str:
    """Accepts the invitation of this membership, under this name; returns the circle's id. Idempotent.

    It proves the address: the claim was mailed there. Raises Unauthorized, NotFound, Gone, Invalid, TooMany.
    """
    language, zone, name = check_language(language), check_zone(zone), normalise_name(name)
    with site.writing() as work:
        player, moved = lock_player_and_moved_matches(work, rows.membership_of_claim(work, claim).player_id, zone)
        circle, row = rows.lock_member(work, claim, rows.INVITED, rows.MEMBER)
        if row.status == rows.INVITED:
            verify_player_and_set_zone(site, work, player, moved, language, zone)
            bounces.clear_bounce_noted_after_sending(work, player.id, site.now())
            _make_member(site, work, circle, row, name)
        return circle.id


def _make_member(site: Site, work: Work, circle: Circle, row: CircleMember, name: str) -> None:
    """Makes the row that of a member. Raises Invalid, TooMany."""
    rows.check_room_and_name(work, circle.id, name, row.id)
    row.name, row.status, row.at = name, rows.MEMBER, site.now()
    row.muted = row.listed = False
    work.put(row)


_said = table(OccasionAnswer)
forget_old = sweep_of_old_rows_but_newest(
    CircleMember,
    lambda c, now: [
        c.status.in_((rows.INVITED, rows.DECLINED)), c.at <= now - FORGOTTEN,
        ~select(_said.c.member_id).where(_said.c.member_id == c.id).exists(),
    ],
)  # fmt: skip
"""Deletes invitations that were declined, or have had no answer, for a month; not those of former members, with what
they once said about standing tables."""


def decline_invitation(site: Site, claim: MemberClaim) -> None:
    """Declines the invitation of this membership. Idempotent. Raises Unauthorized, NotFound, Gone."""
    with site.writing() as work:
        _, row = rows.lock_member(work, claim, rows.INVITED, rows.DECLINED)
        if row.status == rows.INVITED:
            row.status, row.at = rows.DECLINED, site.now()


# --- leaving --------------------------------------------------------------------------------------------------


def leave_circle(site: Site, claim: MemberClaim) -> None:
    """Ends the membership. Idempotent. Raises Unauthorized, NotFound, Gone."""
    with site.writing() as work:
        held = rows.lock_players_of_members(work, rows.membership_of_claim(work, claim).circle_id)
        circle, row = rows.lock_member(work, claim, rows.MEMBER, rows.LEFT)
        if row.status == rows.MEMBER:
            _end_membership(site, work, circle, row, held)


def remove_member(site: Site, claim: MemberClaim, member_id: int) -> None:
    """Ends somebody else's membership, for the founder. Idempotent. Raises Unauthorized, Forbidden, Gone, NotFound."""
    with site.writing() as work:
        held = rows.lock_players_of_members(work, rows.membership_of_claim(work, claim).circle_id)
        circle, founder = rows.lock_founder(work, claim)
        row = work.get(CircleMember, member_id, populate_existing=True) if member_id < 2**31 else None
        if row is None or row.circle_id != circle.id or row.status not in (rows.MEMBER, rows.LEFT):
            raise NotFound(N_("There is no such member."))
        if row.id == founder.id:
            raise Forbidden(N_("You cannot remove yourself: leave the circle instead."))
        if row.status == rows.MEMBER:
            _end_membership(site, work, circle, row, held)


def _end_membership(site: Site, work: Work, circle: Circle, row: CircleMember, held: set[int | None]) -> None:
    """Ends the membership. Raises Busy if the next founder is not held."""
    row.status, row.at, row.listed = rows.LEFT, site.now(), False
    work.flush()
    t = table(StandingTable)
    tables = update(t).where(t.c.circle_id == circle.id)
    work.execute(tables.where(t.c.by_id == row.player_id).values(by_id=None))  # the founder may stop any
    left = rows.members_of(work, circle.id)
    if not left:
        circle.founder_id, circle.dissolved_at, circle.open = None, site.now(), False
        work.execute(tables.where(t.c.stopped_at.is_(None)).values(stopped_at=site.now()))
    elif circle.founder_id == row.player_id:
        rows.check_players_locked(left[:1], held)
        circle.founder_id = left[0].player_id
        queue_circle_event_mails(work, left[:1], "founder", f"{int(site.now().timestamp())}", site)


def leave_all_circles(site: Site, player_id: int) -> None:
    """Ends all memberships of a player who is being erased. Raises Busy."""
    with site.writing() as work:
        mine = memberships_of_player(work, player_id)
        held = rows.lock_players_of_members(work, *(row.circle_id for row in mine))
        for row in mine:
            circle = rows.lock_circle(work, row.circle_id)
            work.refresh(row)
            if row.status == rows.MEMBER:
                _end_membership(site, work, circle, row, held)


def memberships_of_player(session: Session, player_id: int) -> list[CircleMember]:
    """Returns the player's rows where they are a member, in the order in which circles are locked."""
    mine = (col(CircleMember.player_id) == player_id, col(CircleMember.status) == rows.MEMBER)
    return list(session.exec(select(CircleMember).where(*mine).order_by(col(CircleMember.circle_id))))


def delete_names_and_end_links(work: Work, player_id: int) -> None:
    """Deletes the names of a player who is erased, and the links to their memberships, which have ended."""
    t = table(CircleMember)
    gone = update(t).where(t.c.player_id == player_id)
    work.execute(gone.values(name="", status=rows.LEFT, listed=False, epoch=t.c.epoch + 1))


def end_member_links(work: Work, player: Player) -> None:
    """Ends the links to all memberships of a player who has another address now. The player must be locked."""
    t = table(CircleMember)
    work.execute(update(t).where(t.c.player_id == player.id).values(epoch=t.c.epoch + 1))


# --- less mail, and less to see -------------------------------------------------------------------------------


def set_member_muted_or_listed(
    site: Site, claim: MemberClaim, *, muted: bool | None = None, listed: bool | None = None
) -> None:
    """Sets whether the member gets no mail of the circle, and whether people outside see their name on its open page.

    None changes nothing. Somebody who is only invited declines by `muted`, and cannot be `listed`. Raises Unauthorized,
    NotFound, Gone.
    """
    with site.writing() as work:
        _, row = rows.lock_member(work, claim, rows.MEMBER, *((rows.INVITED, rows.DECLINED) if listed is None else ()))
        if row.status == rows.MEMBER:
            row.muted = row.muted if muted is None else muted
            row.listed = row.listed if listed is None else listed
        elif muted and row.status == rows.INVITED:
            row.status, row.at = rows.DECLINED, site.now()
