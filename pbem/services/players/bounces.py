"""Mails that are refused: which come again, which are given up, and to whom nothing is written any more.

    refused for the address ───────────────> bounced: nothing more is sent there, and the table sees why a turn waits
    put off, for the address, for a day ─────┘
    refused or put off for any other reason: comes again, and its age raises the alarm

Either is given up when it has been put off for as long as its question has time, if other mails leave meanwhile: if
none does, that is an outage.

Only what a player asks for himself still goes to an address that bounces, three times a day: a proof that it is taken
again. Then the bounce is forgotten, and what still counts of the mails that it stopped is sent. One that the host has
noted is forgotten when the link in such a mail is used, or when the host says so: the relay takes each mail there.

A mail that is given up counts as told: the clock of its question starts, with the whole time. So a match goes on.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

import structlog
from sqlalchemy import func, true, update
from sqlmodel import Session, col, select

from pbem.errors import N_, TooMany
from pbem.mail.kinds import all_kinds
from pbem.mail.send import PermanentFailure, Refused
from pbem.models.prepared import find
from pbem.models.tables import AskRow, OutboxRow, Player, SeatRow, table
from pbem.services.site import Site
from pbem.services.work import Work

PROOFS = tuple(name for name, kind in all_kinds().items() if kind.proves_address)
PROOFS_DAY = 3
DAY = timedelta(days=1)
FIRST_RETRY_S = 30
LAST_RETRY_S = 3600
JITTER = 0.25
"""By so much of itself each wait is shorter or longer, so that what failed together does not come again together."""
LIFE_S = 5 * 86_400
"""So long a mail without a question is tried, like other mail programs do."""
DIGEST_LIFE_S = 20 * 3600
"""Less than a day: the next digest takes the place of one that is still being tried."""
SILENT_S = DIGEST_LIFE_S
"""Who takes no mail for so long bounces. A quick table gives one up sooner, which is no matter for his other tables."""
SHORTEST_LIFE_S = 3600
"""A server that puts off whom it does not know takes his mail within the hour."""
HOST = "host"
"""Why an address bounces of which the host says so: a relay may take every mail and tell him later."""

log = structlog.get_logger()


# --- what becomes of a mail ------------------------------------------------------------------------------------


def wait_after(attempts: int) -> float:
    """The seconds between the so-manyth attempt in vain and the next one, without the jitter."""
    return float(min(LAST_RETRY_S, FIRST_RETRY_S * 2 ** min(attempts - 1, 10)))


def verdict(site: Site, row_id: int, refused: Refused | None) -> str | None:
    """The result with which a mail is given up that was refused or not handed over; None if it comes again."""
    address = refused is not None and refused.fault == "address"
    if address and isinstance(refused, PermanentFailure):
        return "refused"
    with site.reading() as session:
        row = session.get_one(OutboxRow, row_id)
        tried = tried_s(row)
        if tried < _life(session, row):
            return None
        if _others_left(session, tried, site.now()):
            return "expired" if address else "rejected"
        # Where nobody else is written to, his match is not to wait for ever.
        return "expired" if address and tried >= (DIGEST_LIFE_S if row.kind == "digest" else LIFE_S) else None


def tried_s(row: OutboxRow) -> float:
    """For how many seconds the mail has been tried in vain, without the jitter: the waits between its tries."""
    return sum(map(wait_after, range(1, row.attempts + 1)))


def _life(session: Session, row: OutboxRow) -> int:
    """For how many seconds the mail is tried: as long as its question has time."""
    if row.kind == "digest":
        return DIGEST_LIFE_S
    if row.kind != "turn":
        return LIFE_S
    asked = select(func.max(AskRow.allowed_s)).where(
        col(AskRow.match_id) == row.match_id, col(AskRow.seat) == row.seat, col(AskRow.origin) == row.key
    )
    return max(session.exec(asked).one() or 0, SHORTEST_LIFE_S)


def _others_left(session: Session, tried: float, now: datetime) -> bool:
    """Whether any mail has left while this one was tried: if none has, that is an outage, which costs nobody his time.

    The first try was as long ago as the waits say, or with all the jitter a quarter less; a mail that left before it
    proves nothing.
    """
    surely = now - timedelta(seconds=tried * (1 - JITTER))
    left = select(OutboxRow.id).where(col(OutboxRow.result) == "sent", col(OutboxRow.done_at) > surely)
    return session.exec(left.order_by(col(OutboxRow.id).desc()).limit(1)).first() is not None


def later_mail_left(site: Site, row_id: int) -> bool:
    """Whether a mail that came after this one in the queue has left: then the relay is there, and cuts off at this one.

    One that is left for a fault of ours keeps its place, so whatever left from behind it was tried after it.
    """
    with site.reading() as session:
        row = session.get_one(OutboxRow, row_id)
        behind = (col(OutboxRow.id) > row.id, col(OutboxRow.due_at) >= row.due_at)
        left = select(OutboxRow.id).where(*behind, col(OutboxRow.result) == "sent")
        return session.exec(left.limit(1)).first() is not None


def settle(
    work: Work,
    row: OutboxRow,
    result: str,
    now: datetime,
    *,
    player_id: int | None,
    to: str | None,
    answer: str | None,
) -> None:
    """Notes, as the row is closed, what its result and the relay's answer say of its reader's address.

    A mail `to` an address that is his no more says nothing of the present one; nor does a question about a change of
    address, which may have gone to another.
    """
    if all_kinds()[row.kind].to_any_mailbox or to is None:
        return
    if result == "refused" or (result == "expired" and _silent(work, row, now)):
        if mark(work, player_id, answer or "", now, to):
            log.warning("mail.bounces", row=row.id, player=player_id, answer=answer)
    elif result == "sent" and row.kind in PROOFS and _proves(work, player_id, to):
        clear(work, player_id, now)


def _proves(session: Session, player_id: int | None, to: str) -> bool:
    """Whether it says something of the player's address that the relay took a mail to this one."""
    player = session.get(Player, player_id) if player_id is not None else None
    return player is not None and player.address == to and player.bounced_why != HOST


def _noted_by_host(session: Session, player_id: int | None) -> bool:
    """Whether the host has said that mail to the player comes back: then that the relay takes one proves nothing."""
    player = find(session, Player, player_id) if player_id is not None else None
    return player is not None and player.bounced_why == HOST


def _silent(session: Session, row: OutboxRow, now: datetime) -> bool:
    """Whether an address that only puts off has done so for long enough to be written to no more at any table."""
    tried = tried_s(row)
    return tried >= LIFE_S or (tried >= SILENT_S and _others_left(session, tried, now))


# --- whose mail bounces ----------------------------------------------------------------------------------------


def mark(session: Session, player_id: int | None, why: str, now: datetime, to: str | None = None) -> bool:
    """Notes that mail to the player's address is refused; since when stays as it is where that is known.

    With `to` only where that is his address still; says whether it was.
    """
    t = table(Player)
    since = {"bounced_at": func.coalesce(t.c.bounced_at, now), "bounced_why": why}
    his = update(t).where(t.c.id == player_id, t.c.address == to if to is not None else true())
    return session.connection().execute(his.values(since)).rowcount == 1


def clear(work: Work, player_id: int | None, now: datetime) -> bool:
    """Forgets that mail to the player bounces, and makes due what was not sent for it; says whether there was
    anything to forget. What has become pointless meanwhile is closed when its turn comes.
    """
    t = table(Player)
    bounced = update(t).where(t.c.id == player_id, t.c.bounced_at.is_not(None))
    if work.connection().execute(bounced.values(bounced_at=None, bounced_why=None)).rowcount != 1:
        return False
    o, s = table(OutboxRow), table(SeatRow)
    lost = update(o).where(
        o.c.player_id == player_id,
        o.c.kind.in_(("turn", "invitation")),
        select(s.c.seat).where(s.c.match_id == o.c.match_id, s.c.seat == o.c.seat, s.c.player_id == player_id).exists(),
        o.c.result.in_(("bounced", "refused", "expired")),
    )
    again = {"done_at": None, "result": None, "claimed_until": None, "attempts": 0, "due_at": now}
    if work.connection().execute(lost.values(again)).rowcount:
        work.ring()
    return True


def clear_host_bounce(work: Work, player_id: int | None, now: datetime) -> None:
    """The player has used a link that only a mail brings: what the host has noted of his address is forgotten."""
    if _noted_by_host(work, player_id):
        clear(work, player_id, now)


def withheld(site: Site, session: Session, row: OutboxRow, player: Player) -> bool:
    """Whether the mail is not sent because mail to the player bounces."""
    return player.bounced_at is not None and (row.kind not in PROOFS or _spent(site, session, player))


def _spent(site: Site, session: Session, player: Player) -> bool:
    """Whether everything has been tried for today."""
    tried = select(func.count()).where(
        col(OutboxRow.player_id) == player.id,
        col(OutboxRow.kind).in_(PROOFS),
        col(OutboxRow.result).in_(("sent", "refused", "expired")),
        col(OutboxRow.done_at) > site.now() - DAY,
    )
    return session.exec(tried).one() >= PROOFS_DAY


def check_proof(site: Site, session: Session, player: Player) -> None:
    """Raises TooMany when a mail that the player asks for now would not be sent."""
    if player.bounced_at is not None and _spent(site, session, player):
        raise TooMany(
            N_("We have tried three times today, and the mail was refused each time. Please try again tomorrow."),
            retry_after=3600,
        )


TOLD_OF = {"over": (), "cancelled": (), "inviting": ("accepted", "invited")}
"""Of whose seats a match of this status tells that mail to them bounces; any other: of those who have sat down."""


def bouncing(people: Iterable[tuple[SeatRow, Player | None]], status: str) -> set[int]:
    """The seats whose people's mail bounces, as far as the table of a match of this status is to know it.

    That an invitation has not arrived is for the organiser alone: see `match_views.seen_by`.
    """
    sit = TOLD_OF.get(status, ("accepted",))
    bounced = (seat for seat, player in people if player is not None and player.bounced_at is not None)
    return {seat.seat for seat in bounced if seat.bot is None and seat.status in sit}
