"""Refused mails: which are retried, which are given up, and which addresses bounce.

    refused because of the address ────────> bounced: nothing more is sent there, and the table sees why a turn waits
    deferred because of the address, a day ──┘
    refused or deferred for another reason: retried, and its age raises the alarm

A deferred mail is given up when it has been tried for as long as its ask has time, provided that other mails leave
meanwhile: if none does, that is an outage. One whose content is refused for good is given up after LIFE_S all the same.

A bouncing address only gets mails that the player requests themselves, up to three times a day, as a test whether it
accepts mail again. If it does, the bounce is cleared, and the mails that it stopped are sent if they still matter. A
bounce noted by the host, or reported by a mail that came back, is cleared only when the link in such a mail is used, or
by the host: the relay accepts every mail to such an address.

A mail that is given up counts as delivered: the clock of its ask starts, with the whole time. So the match goes on.
"""

from datetime import datetime, timedelta
from functools import cache

import structlog
from sqlalchemy import func, true, update
from sqlmodel import Session, col, select

from pbem.errors import N_, TooMany
from pbem.kit.contract import Viewer
from pbem.mail.send import PermanentFailure, Refused
from pbem.models.prepared import find_by_key
from pbem.models.tables import AskRow, OutboxRow, Player, SeatRow, table
from pbem.services.kinds import all_kinds_of_mail
from pbem.services.site import Site, Work
from pbem.services.who import ORGANISER

PROOFS_DAY = 3
DAY = timedelta(days=1)
FIRST_RETRY_S = 30
LAST_RETRY_S = 3600
JITTER = 0.25
"""The fraction by which each wait varies, so that mails that failed together are not retried together."""
LIFE_S = 5 * 86_400
"""The seconds for which a mail without an ask is tried, as is usual for mail servers."""
DIGEST_LIFE_S = 20 * 3600
"""Less than a day, because the next digest replaces one that is still being tried."""
SILENT_S = DIGEST_LIFE_S
"""How long an address must defer mail to count as bouncing. Fast matches give up a mail sooner, which marks nothing."""
SHORTEST_LIFE_S = 3600
"""A server that greylists unknown senders accepts their mail within the hour."""
HOST = "host"
"""The reason of a bounce noted by the host: a relay may accept every mail and report bounces to the host later."""
LATER = "later"
"""The beginning of the reason of a bounce that a mail has reported: the relay had accepted what bounced, so that it
accepts the next one proves nothing, either."""

log = structlog.get_logger()


@cache
def kinds_that_prove_address() -> tuple[str, ...]:
    """Returns the kinds of mails that prove the address they go to, sorted."""
    return tuple(name for name, kind in all_kinds_of_mail().items() if kind.proves_address)


def seconds_until_retry(attempts: int) -> float:
    """Returns the seconds between this failed attempt (counted from 1) and the next one, without the jitter."""
    return float(min(LAST_RETRY_S, FIRST_RETRY_S * 2 ** min(attempts - 1, 10)))


def result_if_given_up(site: Site, row_id: int, refused: Refused | None) -> str | None:
    """Returns the result with which a mail that was refused or not handed over is given up; None if it is retried."""
    address = refused is not None and refused.fault == "address"
    if address and isinstance(refused, PermanentFailure):
        return "refused"
    with site.reading() as session:
        row = session.get_one(OutboxRow, row_id)
        tried = seconds_tried(row)
        if tried < _seconds_to_try(session, row):
            return None
        if _was_other_mail_sent(session, tried, site.now()):
            return "expired" if address else "rejected"
        # If nobody else is written to, the match must not wait for ever, nor for what this very mail holds.
        if tried < (DIGEST_LIFE_S if row.kind == "digest" else LIFE_S):
            return None
        content = isinstance(refused, PermanentFailure) and refused.stage == "data"
        return "expired" if address else "rejected" if content else None


def seconds_tried(row: OutboxRow) -> float:
    """Returns for how many seconds the mail has been tried: the waits between its tries, without the jitter."""
    return sum(map(seconds_until_retry, range(1, row.attempts + 1)))


def _seconds_to_try(session: Session, row: OutboxRow) -> int:
    """Returns for how many seconds the mail is tried: as long as its ask has time."""
    if row.kind == "digest":
        return DIGEST_LIFE_S
    if row.kind != "turn":
        return LIFE_S
    asked = select(func.max(AskRow.allowed_s)).where(
        col(AskRow.match_id) == row.match_id, col(AskRow.seat) == row.seat, col(AskRow.origin) == row.key
    )
    return max(session.exec(asked).one() or 0, SHORTEST_LIFE_S)


def _was_other_mail_sent(session: Session, tried: float, now: datetime) -> bool:
    """True if any mail has left while this one was tried; if none has, that is an outage and costs nobody their time.

    The first try was as long ago as the waits add up to, or a quarter less with all the jitter; a mail that left before
    it proves nothing.
    """
    surely = now - timedelta(seconds=tried * (1 - JITTER))
    left = select(OutboxRow.id).where(col(OutboxRow.result) == "sent", col(OutboxRow.done_at) > surely)
    return session.exec(left.order_by(col(OutboxRow.id).desc()).limit(1)).first() is not None


def was_any_later_mail_sent(site: Site, row_id: int) -> bool:
    """True if a mail queued after this one has left: then the relay is up, and breaks off only at this mail.

    A mail deferred for a fault on our side keeps its place, so any mail that left from behind it was tried after it.
    """
    with site.reading() as session:
        row = session.get_one(OutboxRow, row_id)
        behind = (col(OutboxRow.id) > row.id, col(OutboxRow.due_at) >= row.due_at)
        left = select(OutboxRow.id).where(*behind, col(OutboxRow.result) == "sent")
        return session.exec(left.limit(1)).first() is not None


def record_result_of_mail(
    work: Work,
    row: OutboxRow,
    result: str,
    now: datetime,
    *,
    player_id: int | None,
    to: str | None,
    answer: str | None,
) -> None:
    """Records, as the row is closed, what its result and the relay's answer say about its reader's address.

    A mail `to` a former address says nothing about the present one; nor does a mail about a change of address, which
    may have gone to another.
    """
    if to is None or all_kinds_of_mail()[row.kind].to_any_mailbox:
        return
    if result == "sent" and row.kind in kinds_that_prove_address():
        player = find_by_key(work, Player, player_id) if player_id is not None else None
        if (
            player is not None
            and player.address == to
            and player.bounced_at is not None
            and not _was_bounce_noted_after_sending(player)
        ):
            clear_bounce_and_requeue_mails(work, player_id, now)
        return
    silent = False
    if result == "expired":  # an address that only defers must do so for long enough to count at every table
        tried = seconds_tried(row)
        silent = tried >= LIFE_S or (tried >= SILENT_S and _was_other_mail_sent(work, tried, now))
    if (result == "refused" or silent) and mark_bouncing(work, player_id, answer or "", now, to):
        log.warning("mail.bounces", row=row.id, player=player_id, answer=answer)


def _was_bounce_noted_after_sending(player: Player) -> bool:
    """True if that mail to the player bounces was noted later: then acceptance by the relay proves nothing."""
    return player.bounced_why == HOST or (player.bounced_why or "").startswith(LATER)


def reason_of_report(status: str | None) -> str:
    """Returns the reason of a bounce that a mail has reported, with this status code.

    >>> reason_of_report("5.1.1"), reason_of_report(None)
    ('later 5.1.1', 'later')
    """
    return f"{LATER} {status or ''}"[:20].strip()


def mark_bouncing(session: Session, player_id: int | None, why: str, now: datetime, to: str | None = None) -> bool:
    """Records that mail to the player's address bounces; an earlier start of the bounce is kept.

    With `to`, only if that is still their address. Returns True if the bounce was recorded.
    """
    t = table(Player)
    since = {"bounced_at": func.coalesce(t.c.bounced_at, now), "bounced_why": why}
    change = update(t).where(t.c.id == player_id, t.c.address == to if to is not None else true())
    return session.connection().execute(change.values(since)).rowcount == 1


def clear_bounce_and_requeue_mails(work: Work, player_id: int | None, now: datetime) -> bool:
    """Clears the player's bounce and queues the mails again that it stopped; returns True if there was a bounce.

    Mails that have become pointless meanwhile are closed when their turn comes.
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
        work.wakes = True
    return True


def clear_bounce_noted_after_sending(work: Work, player_id: int | None, now: datetime) -> None:
    """Clears a bounce that was noted later, because the player has used a link that only a mail contains."""
    player = find_by_key(work, Player, player_id) if player_id is not None else None
    if player is not None and _was_bounce_noted_after_sending(player):
        clear_bounce_and_requeue_mails(work, player_id, now)


def is_mail_withheld(site: Site, session: Session, row: OutboxRow, player: Player) -> bool:
    """True if the mail is not sent because mail to the player bounces."""
    return player.bounced_at is not None and (
        row.kind not in kinds_that_prove_address() or _is_bounce_quota_spent_today(site, session, player)
    )


def _is_bounce_quota_spent_today(site: Site, session: Session, player: Player) -> bool:
    """True if today's attempts to reach a bouncing address are used up."""
    tried = select(func.count()).where(
        col(OutboxRow.player_id) == player.id,
        col(OutboxRow.kind).in_(kinds_that_prove_address()),
        col(OutboxRow.result).in_(("sent", "refused", "expired")),
        col(OutboxRow.done_at) > site.now() - DAY,
    )
    return session.exec(tried).one() >= PROOFS_DAY


def check_mail_not_withheld(site: Site, session: Session, player: Player) -> None:
    """Raises TooMany if a mail that the player requests now would not be sent."""
    if player.bounced_at is not None and _is_bounce_quota_spent_today(site, session, player):
        raise TooMany(
            N_("We have tried three times today, and the email was refused each time. Please try again tomorrow."),
            retry_after=3600,
        )


TOLD_OF = {"over": (), "cancelled": (), "inviting": ("accepted", "invited")}
"""The seat statuses for which bounces are shown, by the status of the match; for any other match, accepted seats."""


def is_bounce_shown(seat: SeatRow, player: Player | None, status: str, viewer: Viewer) -> bool:
    """True if mail to the player of the seat bounces, and this is shown to the viewer of a match of this status.

    A bouncing invitation is for the organiser only: anybody can enter an address for one, and must not learn whether it
    is known here.
    """
    if player is None or player.bounced_at is None or seat.bot is not None:
        return False
    sitting = seat.status == "accepted" or viewer == ORGANISER
    return sitting and seat.status in TOLD_OF.get(status, ("accepted",))
