"""A player goes: his address, his names and all that acts for him are forgotten. The logs, which name seats, stay.

1. Match by match, each in a transaction of its own and under its lock: he resigns from what is played, gives up what
   has not begun (what he organises is called off), and his seat is called by its letter and belongs to nobody. What
   he has said and noted goes, his links end.
2. Then the rest of what is kept for him, and his row is emptied. It keeps its number and nothing else: a number that
   was given out again would hand the old links, and the cookies of old sessions, to a stranger.

Each step may be done twice: whoever is interrupted asks again. A keyed hash of the address stays where he wants no
mail for ever, and where one was there before.
"""

from dataclasses import dataclass

import structlog
from sqlalchemy import Column, Table, delete, or_, select, update
from sqlmodel import Session, SQLModel, col

from pbem.errors import N_, Busy
from pbem.kit.notation import seat_letter
from pbem.mail import mailbox
from pbem.models.tables import ORGANISER, Match, OutboxRow, Player, SeatRow, SubstituteRow, table
from pbem.services.access import idempotency
from pbem.services.lobby import matches
from pbem.services.lobby.seating import FREE
from pbem.services.log import locks, store
from pbem.services.log.cancellation import call_off
from pbem.services.play import presence, substitutes
from pbem.services.players.players import by_address, checked_address, suppress
from pbem.services.site import Site
from pbem.services.tokens import unknown_link
from pbem.services.views import talk
from pbem.services.webhooks import registry
from pbem.services.work import Work

ROUNDS = 5
"""So often his matches are looked for: somebody may invite him while he goes."""
MATCHES, EMPTIED, FORGOTTEN, DELETED = "with the matches", "emptied", "forgotten", "deleted"
FATES = {
    "seats.player_id": MATCHES,
    "matches.organiser_id": MATCHES,
    "substitutes.player_id": EMPTIED,  # who sat where before stays known by number; nothing of it names him
    "substitutes.former_id": EMPTIED,
    "outbox.player_id": FORGOTTEN,
    "imported_logs.player_id": FORGOTTEN,
    "vacations.player_id": DELETED,
    "address_changes.player_id": DELETED,
    "personal_tokens.player_id": DELETED,
    "webhooks.player_id": DELETED,
}
"""What becomes of every column that points to a player when he goes."""

log = structlog.get_logger()


def called(seat: int) -> str:
    """What a seat is called whose player has gone, in any language.

    >>> called(1)
    '(B)'
    """
    return f"({seat_letter(seat)})"


@dataclass(frozen=True)
class Leaving:
    """Somebody who may be erased, as the host is shown him before he does it."""

    number: int
    address: str
    matches: int


def find(site: Site, *, address: str | None = None, number: int | None = None) -> Leaving | None:
    """The player with this address, or this number; None where there is none, or none any more. Raises Invalid."""
    with site.reading() as session:
        if address is not None:
            player = by_address(session, checked_address(address)[1])
        else:
            player = session.get(Player, number)
        if player is None or player.id is None or not player.address:
            return None
        return Leaving(player.id, player.address, len(_of(session, player.id)))


def erase(site: Site, player_id: int, *, never: bool = False) -> None:
    """Forgets the player; with `never` nothing is ever sent to his address again, whoever types it.

    Raises Unauthorized where he has gone already, Busy when something of his was in use: then it may be asked again.
    """
    address = _begin(site, player_id, never)
    for _ in range(ROUNDS):
        found = _matches(site, player_id)
        for match_id in found:
            _leave(site, match_id, player_id)
        if forget_rest(site, player_id):
            if site.config.local_mailbox:
                mailbox.forget(site.config.data / "mailbox", address)
            log.info("player.erased", player=player_id)
            return
    raise Busy(N_("Somebody else is writing to this just now. Please try again."), retry_after=1)


def _begin(site: Site, player_id: int, never: bool) -> str:
    """The address of who goes; from now on nothing is sent there if he wants that."""
    with site.writing() as work:
        player = work.get(Player, player_id)
        if player is None or not player.address:
            raise unknown_link()
        if never:
            suppress(site, work, player.canonical, "asked")
        return player.address


# --- his matches -----------------------------------------------------------------------------------------------


def _matches(site: Site, player_id: int) -> list[str]:
    """Where he sits, is invited or is the organiser, in the order in which everybody locks them."""
    with site.reading() as session:
        return _of(session, player_id)


def _of(session: Session, player_id: int) -> list[str]:
    sits = select(col(SeatRow.match_id)).where(col(SeatRow.player_id) == player_id)
    organises = select(col(Match.id)).where(col(Match.organiser_id) == player_id)
    return sorted({*session.execute(sits).scalars(), *session.execute(organises).scalars()})


def _leave(site: Site, match_id: str, player_id: int) -> None:
    with site.writing() as work:
        match = locks.lock_match(work, match_id)
        mine = [seat for seat in store.seats_of(work, match_id) if seat.player_id == player_id]
        idempotency.forget(work, player_id, [(match_id, seat.seat) for seat in mine])
        for seat in mine:
            _stand_up(site, work, match, seat)
        if match.organiser_id == player_id:
            match.organiser_id = None
            work.add(match)


def _stand_up(site: Site, work: Work, match: Match, seat: SeatRow) -> None:
    """Whatever his seat is waiting for is waited for no longer; it has no owner from now on."""
    now, taken = site.now(), seat.status == "accepted"
    seat.epoch += 1
    work.add(seat)
    if match.status in ("running", "paused") and taken:
        presence.give_up(work, match, seat, now)
    elif match.status in ("unconfirmed", "inviting"):
        if seat.seat == ORGANISER:
            call_off(work, match, "withdrawn", now)
        elif seat.status != "declined":
            matches.leave(site, work, match, seat)
    talk.clear(work, seat)
    seat.name, seat.player_id = called(seat.seat), None
    work.add(seat)
    work.flush()


# --- the rest --------------------------------------------------------------------------------------------------


def forget_rest(site: Site, player_id: int) -> bool:
    """Forgets what is left of him; False where a match of his has turned up meanwhile, and nothing is forgotten yet."""
    with site.writing() as work:
        locks.lock_rows_of(work, [player_id])
        player = work.get_one(Player, player_id)
        if _of(work, player_id):
            return False
        _close_mails(site, work, player_id)
        _void_wishes(work, player_id)
        registry.remove_all(work, player_id)  # each locked first: news is perhaps being written down for one
        idempotency.forget(work, player_id)
        for column in pointing_to(table(Player)):
            _apply(work, column, player_id)
        empty_row(player)
        work.add(player)
    return True


def _close_mails(site: Site, session: Session, player_id: int) -> None:
    """What is still to be sent to him alone is not: who a mail about a seat is for is looked up when it is sent."""
    t = table(OutboxRow)
    mine = (t.c.player_id == player_id, t.c.done_at.is_(None), or_(t.c.match_id.is_(None), t.c.kind == "substitute"))
    session.execute(update(t).where(*mine).values(done_at=site.now(), result="stale", claimed_until=None))


def _void_wishes(session: Session, player_id: int) -> None:
    """The seats that he has asked for are not his to take any more, and the names that he gave go."""
    t = table(SubstituteRow)
    session.execute(update(t).where(t.c.player_id == player_id).values(name=FREE))
    substitutes.void_wishes(session, player_id)


def pointing_to(target: Table) -> list[Column[object]]:
    """All columns of the database that point to the table's rows."""
    keys = (key for known in SQLModel.metadata.sorted_tables for key in known.foreign_keys)
    return [key.parent for key in keys if key.column.table is target]


def _apply(session: Session, column: Column[object], player_id: int) -> None:
    fate, owner = FATES[f"{column.table.name}.{column.name}"], column.table
    if fate == FORGOTTEN:
        session.execute(update(owner).where(column == player_id).values({column.name: None}))
    if fate == DELETED:
        for child in pointing_to(owner):
            (key,) = owner.primary_key.columns
            session.execute(delete(child.table).where(child.in_(select(key).where(column == player_id))))
        session.execute(delete(owner).where(column == player_id))


def empty_row(player: Player) -> None:
    """Leaves the number of the row; the sessions and links that name it are worth nothing."""
    player.address, player.canonical = "", f"-{player.id}"
    player.language, player.zone, player.verified_at = "fr", "Europe/Paris", None
    player.digest_hour, player.weekends_off, player.quiet_from, player.quiet_to = None, False, None, None
    player.bounced_at, player.bounced_why = None, None
    player.epoch += 1
