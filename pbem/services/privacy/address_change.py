"""Changing one's address: the old and the new mailbox are both asked, and both must agree within two days.

1. The player requests the change. Each mailbox gets a mail with its own link; the response never reveals whether
   somebody plays with the new address.
2. The second agreement changes the address, in one transaction: the sessions end, and the links of the player's seats
   are renewed and mailed to the new address only, under the lock of each match.
3. If the new address belongs to somebody else by then, nothing changes; only the new mailbox's page says so.

A guest has no old mailbox, so the new one decides alone: it becomes the guest's address, or, if it is a known player's,
what the guest has moves to that player. The one who reads the mailbox is then signed in, and the guest's session ends.

The old mailbox may stop the change; the new one may also refuse all future mail.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, func, select

from pbem.errors import N_, Gone, Invalid, TooMany
from pbem.models.accounts import AddressChange
from pbem.models.tables import Match, Player, SeatRow, SubstituteRow, table
from pbem.services.access import access_tokens, seat_links
from pbem.services.hooks import all_personal
from pbem.services.log import locks, outbox, store
from pbem.services.log.locks import lock_player
from pbem.services.play import substitutes
from pbem.services.players import bounces
from pbem.services.players.mailboxes import id_of_player_with_mailbox
from pbem.services.players.players import check_address, player_by_address, suppress_address
from pbem.services.privacy import erasure
from pbem.services.site import Site, Work
from pbem.services.tokens import ChangeClaim, PlayerClaim, Side, unknown_link
from pbem.services.who import ORGANISER

LIFE = timedelta(hours=48)
A_DAY = 3
"""How often a player may request a change within a day."""


@dataclass(frozen=True)
class Pending:
    """A change that waits for a mailbox, as its player sees it."""

    address: str
    until: datetime
    old: bool
    new: bool
    """`old` and `new` tell which mailboxes have agreed."""


@dataclass(frozen=True)
class Asked:
    """The change as one of the mailboxes sees it by its link.

    `how` is "open", "waiting" (for the other mailbox), "done" or "gone"; or "taken", which only the new mailbox learns.
    `first` is True for the address that a guest adds.
    `wanted` is the new address; "" for the new mailbox, which knows its own.
    """

    side: Side
    how: str
    wanted: str
    language: str
    until: datetime
    first: bool = False


# --- actions of the player -----------------------------------------------------------------------------------


def request_change(site: Site, player_id: int, address: str) -> Pending:
    """Asks both mailboxes, only the new one for a guest, and returns the change; an earlier pending one is void.

    Raises Invalid, TooMany, Unauthorized.
    """
    given, canonical = check_address(address)
    now = site.now()
    with site.writing() as work:
        player = lock_player(work, player_id, or_guest=True)
        if given == player.address:
            raise Invalid(N_("Your emails already go to this address."), fields=("email",))
        lately = col(AddressChange.player_id) == player_id, col(AddressChange.at) > now - timedelta(days=1)
        if work.exec(select(func.count()).select_from(AddressChange).where(*lately)).one() >= A_DAY:
            often = N_("You have requested several addresses today. Please wait until tomorrow.")
            raise TooMany(often, retry_after=3600)
        _withdraw_pending(work, player_id, now)
        first = player.address is None
        row = AddressChange(
            player_id=player_id, address=given, canonical=canonical, first=first, at=now, until=now + LIFE,
            old_ok_at=now if first else None,
        )  # fmt: skip
        work.put(row)
        for side in ("new",) if first else ("old", "new"):
            dedupe, key = f"readdress:{row.id}:{side}", f"{row.id}.{side}"
            outbox.enqueue(work, dedupe, "readdress", now, player_id=player_id, key=key)
        return Pending(given, row.until, first, False)


def _withdraw_pending(session: Session, player_id: int, now: datetime) -> None:
    t = table(AddressChange)
    waiting = update(t).where(t.c.player_id == player_id, t.c.done_at.is_(None))
    session.execute(waiting.values(done_at=now, result="withdrawn"))


def pending_change(site: Site, player_id: int) -> Pending | None:
    """Returns the player's change that still waits for a mailbox; None if there is none."""
    with site.reading() as session:
        mine = col(AddressChange.player_id) == player_id, col(AddressChange.done_at).is_(None)
        found = session.exec(select(AddressChange).where(*mine, col(AddressChange.until) > site.now())).first()
        if found is None:
            return None
        return Pending(found.address, found.until, found.old_ok_at is not None, found.new_ok_at is not None)


def withdraw_change(site: Site, player_id: int) -> None:
    """Withdraws the player's pending change. Idempotent."""
    with site.writing() as work:
        _withdraw_pending(work, player_id, site.now())


# --- actions of the mailboxes --------------------------------------------------------------------------------


def read_change(site: Site, claim: ChangeClaim) -> Asked:
    """Returns the change of a mailbox's link. Raises Unauthorized."""
    side = claim.side
    with site.reading() as session:
        change = session.get(AddressChange, claim.change_id)
        if change is None:
            raise unknown_link()
        language = session.get_one(Player, change.player_id).language
        wanted = change.address if side == "old" else ""
        return Asked(side, _state_of_change(change, side, site.now()), wanted, language, change.until, change.first)


def _state_of_change(change: AddressChange, side: Side, now: datetime) -> str:
    if change.result == "done" or (change.result == "taken" and side == "new"):
        return change.result
    if change.done_at is not None or change.until <= now:
        return "gone"
    said = change.old_ok_at if side == "old" else change.new_ok_at
    return "open" if said is None else "waiting"


def agree_to_change(site: Site, claim: ChangeClaim) -> str:
    """Records the mailbox's agreement; the change then waits for the other mailbox, or is made. Idempotent.

    Returns "waiting", "done", "taken" or "gone"; of a change that cannot be made the old mailbox learns only "gone".
    Raises Unauthorized, and Gone if the change was not open any more.
    """
    now, side = site.now(), claim.side
    with site.writing() as work:
        player, change = _lock_player_and_change(work, claim)
        how = _state_of_change(change, side, now)
        if how in ("gone", "taken"):
            raise Gone(why_change_is_closed(how))
        if how == "open":
            _record_agreement_and_apply(site, work, player, change, side)
        return _state_of_change(change, side, now)


def confirm_first_address(site: Site, claim: ChangeClaim) -> PlayerClaim:
    """Records the mailbox's agreement to be the first address of a guest; returns who is signed in from now on.

    Raises Unauthorized, and Gone if this has been answered before: the link signs in once.
    """
    with site.writing() as work:
        guest, change = _lock_player_and_change(work, claim)
        if not change.first or _state_of_change(change, claim.side, site.now()) != "open":
            raise Gone(why_change_is_closed("gone"))
        _record_agreement_and_apply(site, work, guest, change, claim.side)
        player = work.get_one(Player, change.player_id)
        return PlayerClaim(player.id, player.epoch)


def why_change_is_closed(how: str) -> str:
    """Returns why a change that is "gone" or "taken" is not open any more."""
    if how == "taken":
        return N_("This address already belongs to a player, so it cannot become yours. Two accounts cannot be merged.")
    return N_("This change of address is no longer pending. You can request it again.")


def _lock_player_and_change(session: Session, claim: ChangeClaim) -> tuple[Player, AddressChange]:
    """Returns the player of the change, locked, and the change as it is then. Raises Unauthorized."""
    change = session.get(AddressChange, claim.change_id)
    if change is None:
        raise unknown_link()
    player = lock_player(session, change.player_id, or_guest=True)
    session.refresh(change)
    return player, change


def _record_agreement_and_apply(site: Site, work: Work, player: Player, change: AddressChange, side: Side) -> None:
    now = site.now()
    if side == "old":
        change.old_ok_at = now
    else:
        change.new_ok_at = now
    work.flush()
    if change.first and (known := player_by_address(work, change.canonical)) is not None:
        _merge_guest(work, player, change, known, now)
    elif change.old_ok_at is not None and change.new_ok_at is not None:
        change.result = "done" if _give_new_address(work, player, change, now) else "taken"
        change.done_at = now
        work.add(change)
        if change.result == "done":
            _end_links_of_seats_and_offers(work, player, now)
            # They may have been created by somebody with access to the old mailbox.
            access_tokens.revoke_all_tokens(work, change.player_id, now)
            outbox.enqueue(work, f"readdressed:{change.id}", "readdressed", now, player_id=player.id)


def _merge_guest(work: Work, guest: Player, change: AddressChange, known: Player, now: datetime) -> None:
    """Moves what the guest has to the player whose mailbox has agreed; reading it has proven their address, too."""
    known = lock_player(work, known.id)
    change.player_id, change.done_at, change.result = known.id, now, "done"
    known.verified_at = known.verified_at or now
    work.add_all([change, known])
    work.flush()
    erasure.merge_guest_rows(work, guest, known, now)
    bounces.clear_bounce_noted_after_sending(work, known.id, now)


def _sits_beside(session: Session, player: Player, canonical: str) -> bool:
    """True if somebody with the mailbox of the new address, however it is written, plays at a table of the player's."""
    live = ("unconfirmed", "inviting", "running", "paused")
    mine = select(SeatRow.match_id).join(Match, col(Match.id) == col(SeatRow.match_id))
    mine = mine.where(SeatRow.player_id == player.id, SeatRow.status == "accepted", col(Match.status).in_(live))
    beside = select(SeatRow.player_id).where(
        col(SeatRow.match_id).in_(mine), col(SeatRow.player_id) != player.id, SeatRow.status == "accepted"
    )
    return id_of_player_with_mailbox(session, canonical, session.exec(beside).all()) is not None


def _give_new_address(session: Session, player: Player, change: AddressChange, now: datetime) -> bool:
    """Gives the player the new address and ends their sessions; returns False if somebody else has the address.

    Also False if the address is another spelling of the mailbox of somebody whom they play with.
    """
    other = player_by_address(session, change.canonical)
    if (other is not None and other.id != player.id) or _sits_beside(session, player, change.canonical):
        return False
    try:
        with session.begin_nested():
            player.address, player.canonical = change.address, change.canonical
            player.verified_at, player.visited_at = player.verified_at or now, None
            player.bounced_at, player.bounced_why = None, None
            player.epoch += 1
            session.flush()
    except IntegrityError:  # somebody else got it between the two statements
        return False
    return True


def _end_links_of_seats_and_offers(work: Work, player: Player, now: datetime) -> None:
    """Ends all links of the player's seats and offers; open confirmations are mailed again, to the new address.

    Their matches are locked here, which waits for anybody who is taking such a seat.
    """
    own_seats = col(SeatRow.player_id) == player.id, col(SeatRow.status).in_(("accepted", "invited"))
    offered = col(SubstituteRow.player_id) == player.id, col(SubstituteRow.epoch).is_(None)
    sits = work.exec(select(SeatRow.match_id).where(*own_seats)).all()
    may_sit = work.exec(select(SubstituteRow.match_id).where(*offered)).all()
    for match_id, match in locks.lock_matches(work, [*sits, *may_sit]).items():
        for seat in store.seats_of(work, match_id):
            if seat.player_id == player.id and seat.status in ("accepted", "invited"):
                seat.epoch += 1
                if match.status == "unconfirmed" and seat.seat == ORGANISER:  # not in the mail with their links
                    dedupe = f"confirm:{match_id}:{seat.epoch}"
                    outbox.enqueue(work, dedupe, "confirm", now, match_id=match_id, seat=seat.seat)
            if seat.status != "accepted":
                seat_links.merge_claims_of_player(work, seat, player.id, now)
    substitutes.void_offers_to_player(work, player.id)
    for personal in all_personal():
        personal.change_address(work, player)
    work.flush()


def refuse_change(site: Site, claim: ChangeClaim, *, never: bool = False) -> None:
    """Records the mailbox's refusal. With `never`, from the new one, nothing is ever sent to its address again.

    Idempotent. Raises Unauthorized.
    """
    with site.writing() as work:
        _, change = _lock_player_and_change(work, claim)
        if never and claim.side == "new":
            suppress_address(site, work, change.canonical, "asked")
        if change.done_at is None:
            change.done_at, change.result = site.now(), "withdrawn"
