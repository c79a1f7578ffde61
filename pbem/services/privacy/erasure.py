"""Erases a player: their address, their names and every link of theirs. The logs, which name seats only, stay.

1. What others have sent and features keep goes where it names the player's address.
2. Match by match, each in its own transaction and under its lock: the player resigns from matches in progress and gives
   up seats in matches that have not begun (those they organise are cancelled). Their seat is renamed to its letter and
   has no player and no lucky word any more; the hash of the word, on which the luck of the match rests, stays. Their
   messages and notes are deleted, and what features keep for the seat. Their links end. Where somebody else has taken
   over the seat on which they began, the subjects of the match's mails lose their name.
3. What they take part in by features ends (`hooks.Personal`).
4. Then everything else stored about them, and their row is emptied. It keeps its id and nothing else: an id that was
   reused would hand the old links, and the cookies of old sessions, to a stranger.

Each step may be repeated: after an interruption, request the erasure again. A keyed hash of the address stays if the
player wants no mail ever again, or if there was one before.

What a guest has moves to a player who has proven the address that the guest named, or who signs in beside them. The
other way round nothing moves: typing an address changes nothing, and never reveals whether somebody plays with it.
"""

from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy import Column, delete, or_, select, update
from sqlmodel import Session, col

from pbem.errors import N_, Busy, Unauthorized
from pbem.mail import mailbox
from pbem.models.accounts import AddressChange
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, SubstituteRow, table
from pbem.services.access import idempotency
from pbem.services.hooks import all_personal
from pbem.services.lobby import matches
from pbem.services.lobby.seating import FREE
from pbem.services.log import locks, store
from pbem.services.log.cancellation import call_off
from pbem.services.log.table import LockedTable, lock_table
from pbem.services.play import orders, presence
from pbem.services.players import first_names
from pbem.services.players.players import check_address, name_of_unnamed_seat, player_by_address, suppress_address
from pbem.services.privacy.fates import columns_with_fates, references_to
from pbem.services.site import Site, Work
from pbem.services.tokens import PlayerClaim, unknown_link
from pbem.services.views import talk
from pbem.services.who import ORGANISER

ROUNDS = 5
"""How often to look for the player's matches: somebody may invite them during the erasure."""
log = structlog.get_logger()


@dataclass(frozen=True)
class Leaving:
    """A player who may be erased, as shown to the host beforehand."""

    number: int
    address: str | None
    """None: a guest."""
    matches: int


def find_player_to_erase(site: Site, *, address: str | None = None, number: int | None = None) -> Leaving | None:
    """Returns the player with this address or this id; None if there is none any more. Raises Invalid."""
    with site.reading() as session:
        player = (
            session.get(Player, number) if address is None else player_by_address(session, check_address(address)[1])
        )
        if player is None or player.address == "":
            return None
        return Leaving(player.id, player.address, len(ids_of_matches_of_player(session, player.id)))


def erase_player(site: Site, player_id: int, *, never: bool = False) -> None:
    """Erases the player; with `never`, nothing is ever sent to their address again.

    Raises Unauthorized if they have been erased before, Busy if something of theirs was in use: then try again.
    """
    with site.writing() as work:
        player = work.get(Player, player_id)
        if player is None or player.address == "":
            raise unknown_link()
        if never and player.canonical is not None:
            suppress_address(site, work, player.canonical, "asked")
        address, canonical = player.address, player.canonical
    if address is not None and canonical is not None:
        for personal in all_personal():
            personal.forget_addresses(site, (address, canonical))
    for _ in range(ROUNDS):
        with site.reading() as session:
            match_ids = ids_of_matches_of_player(session, player_id)
        for match_id in match_ids:
            _leave_match(site, match_id, player_id)
        _forget_first_names(site, player_id)
        for personal in all_personal():
            personal.leave(site, player_id)
        if erase_rest_of_player(site, player_id):
            if address is not None:
                mailbox.delete_mails_to(site.config.data / "mailbox", address)
            log.info("player.erased", player=player_id)
            return
    raise Busy(N_("Somebody else is writing to this just now. Please try again."), retry_after=1)


# --- their matches ---------------------------------------------------------------------------------------------


def ids_of_matches_of_player(session: Session, player_id: int) -> list[str]:
    """Returns the ids of matches where the player sits, is invited or is the organiser, in lock order."""
    sits = select(col(SeatRow.match_id)).where(col(SeatRow.player_id) == player_id)
    organises = select(col(Match.id)).where(col(Match.organiser_id) == player_id)
    return sorted({*session.execute(sits).scalars(), *session.execute(organises).scalars()})


def _leave_match(site: Site, match_id: str, player_id: int) -> None:
    with site.writing() as work:
        locked = lock_table(work, match_id)
        mine = [seat for seat in locked.seats if seat.player_id == player_id]
        idempotency.delete_keys(work, player_id, [(match_id, seat.seat) for seat in mine])
        for seat in mine:
            _stand_up(locked, seat)
        if locked.match.organiser_id == player_id:
            locked.match.organiser_id = None


def _stand_up(locked: LockedTable, seat: SeatRow) -> None:
    """Releases the seat: resigns, declines or cancels as the match requires; the seat has no player from now on."""
    work, match = locked.work, locked.match
    seat.epoch += 1
    if match.status in ("running", "paused") and seat.status == "accepted":
        presence.resign_seat(locked, seat)
    elif match.status in ("unconfirmed", "inviting"):
        if seat.seat == ORGANISER:
            call_off(locked, "withdrawn")
        elif seat.status != "declined":
            matches.decline_seat(locked, seat)
    talk.delete_talk_of_seat(work, seat)
    orders.end_orders(locked, seat.seat)
    for personal in all_personal():
        personal.forget_seat(work, seat)
    seat.name, seat.player_id, seat.word = name_of_unnamed_seat(seat.seat), None, None
    work.put(seat)


def _forget_first_names(site: Site, player_id: int) -> None:
    """Deletes the player's name from the subjects of matches in which they began and somebody else has their seat."""
    with site.reading() as session:
        left = first_names.seats_taken_over_from(session, player_id)
    for one in left:
        if one.began:
            with site.writing() as work:
                match = locks.lock_match(work, one.match_id)
                match.first_names = first_names.names_after_erasure(match.first_names, one.seat)


# --- the rest --------------------------------------------------------------------------------------------------


def erase_rest_of_player(site: Site, player_id: int) -> bool:
    """Erases what is left; returns False, with nothing erased yet, if more matches, or more of a feature, turned up."""
    with site.writing() as work:
        locks.lock_players_for_erasure(work, [player_id])
        player = work.get_one(Player, player_id)
        if ids_of_matches_of_player(work, player_id) or any(
            one.takes_part_in(work, player_id) for one in all_personal()
        ):
            return False
        # The reader of other mails about a seat is looked up when they are sent.
        t = table(OutboxRow)
        only_for_them = or_(t.c.match_id.is_(None), t.c.kind.in_(NEWCOMERS))
        unsent = update(t).where(t.c.player_id == player_id, t.c.done_at.is_(None), only_for_them)
        work.execute(unsent.values(done_at=site.now(), result="stale", claimed_until=None))
        offers = table(SubstituteRow)
        work.execute(update(offers).where(offers.c.player_id == player_id).values(name=FREE, void=True))
        for personal in all_personal():
            personal.forget_player(work, player_id)
        idempotency.delete_keys(work, player_id)
        for column, fate in columns_with_fates():
            _apply_fate(work, column, fate.erased, player_id)
        clear_player_row(player)
    return True


NEWCOMERS = ("substitute", "displaced")
"""The kinds of mails about a seat that are for somebody who does not sit there."""


def _apply_fate(session: Session, column: Column[object], fate: str, player_id: int) -> None:
    owner = column.table
    if fate == "forgotten":
        session.execute(update(owner).where(column == player_id).values({column.name: None}))
    if fate == "deleted":
        for child in references_to(owner):
            (key,) = owner.primary_key.columns
            session.execute(delete(child.table).where(child.in_(select(key).where(column == player_id))))
        session.execute(delete(owner).where(column == player_id))


def clear_player_row(player: Player) -> None:
    """Empties the row except for its id and its age, and invalidates the sessions and links that name it."""
    number, epoch = player.id, player.epoch + 1
    empty = Player(id=number, address="", canonical=f"-{number}", epoch=epoch, created_at=player.created_at)
    player.sqlmodel_update(empty.model_dump())


# --- guests who become players -------------------------------------------------------------------------------


def move_guest_to_player(site: Site, claim: PlayerClaim, player: PlayerClaim) -> None:
    """Moves everything of the guest whose session this is to the player who signs in on their browser.

    Does nothing if the guest has ended, or is that player by now. Raises Unauthorized if the player has been erased.
    """
    with site.writing() as work:
        try:
            guest = locks.lock_player(work, claim.player_id, or_guest=True)
        except Unauthorized:
            return
        if guest.address is None and guest.epoch == claim.epoch:
            merge_guest_rows(work, guest, locks.lock_player(work, player.player_id), site.now())


def merge_guest_rows(work: Work, guest: Player, known: Player, now: datetime) -> None:
    """Moves everything of the guest to the known player, and empties the guest's row.

    The guest's session, the tokens of their seats, and their request for an address end. Both players must be locked;
    the guest's matches are locked here.
    """
    locks.lock_players_for_erasure(work, [guest.id])
    for match in locks.lock_matches(work, ids_of_matches_of_player(work, guest.id)).values():
        match.organiser_id = known.id if match.organiser_id == guest.id else match.organiser_id
        for seat in store.seats_of(work, match.id):
            if seat.player_id == guest.id:
                seat.player_id, seat.epoch = known.id, seat.epoch + 1
    work.flush()
    # Left open, its mailbox could later take over the known player.
    asks = table(AddressChange)
    ended = update(asks).where(asks.c.player_id == guest.id, asks.c.done_at.is_(None))
    work.execute(ended.values(done_at=now, result="withdrawn"))
    for column, fate in columns_with_fates():
        if fate.merged == "moved":
            moved = update(column.table).where(column == guest.id)
            work.execute(moved.values({column.name: known.id}))
    clear_player_row(guest)
