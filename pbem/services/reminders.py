"""Reminders: your turn is still open. Swept by beat; the sweep may run twice or in two places.

For every open question to a person, counted from the mail that told of it to its deadline:

1. At half-time, when that is 48 hours or more; and near the end: an eighth of it before the deadline, but 2 hours at
   least and 24 at most. Where these 2 hours are more than half of it, there is no reminder.
2. Only the newest of the two that are due: a service that was away sends one.
3. Not within an hour of the turn mail or of another reminder about this match to this seat; then later.
4. Who has one mail a day is reminded only of what the next one would tell too late.
5. Once each, under a unique key; but who was told that the end is near, and then had his deadline moved, is told so
   again. Whether the question is still open is looked up when the mail is sent.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import and_, or_, select
from sqlmodel import Session, col

from pbem.models.tables import AskRow, Match, OutboxRow, Player, SeatRow
from pbem.services import clocks, digests, store
from pbem.services.site import Site

LONG = timedelta(hours=48)
LEAD_MIN, LEAD_MAX = timedelta(hours=2), timedelta(hours=24)
APART = timedelta(hours=1)


class Stretch(NamedTuple):
    """An open question: of which seat, the first key of its stretch, when its mail left, until when, and whose."""

    match_id: str
    seat: int
    origin: str
    mailed: datetime
    deadline: datetime
    player: Player


def stage(opened: datetime, deadline: datetime, now: datetime) -> str | None:
    """Which reminder is due: "half", "end", or None."""
    whole = deadline - opened
    lead = _lead(whole)
    if now >= deadline:
        return None
    if lead <= whole / 2 and now >= deadline - lead:
        return "end"
    if whole >= LONG and now >= opened + whole / 2:
        return "half"
    return None


def _lead(whole: timedelta) -> timedelta:
    """How long before the deadline the end is near."""
    return min(max(whole / 8, LEAD_MIN), LEAD_MAX)


def tick(site: Site) -> int:
    """What beat wants done: reminds nobody of a deadline that is about to move, or while the web is away."""
    return sweep_reminders(site) if clocks.awake(site) else 0


def sweep_reminders(site: Site) -> int:
    """Queues the reminders that are due; gives how many."""
    now = site.now()
    with site.reading() as session:
        due = [(found, dedupe) for found in _open(session, now) if (dedupe := _due(session, found, now))]
    queued = 0
    for found, dedupe in due:
        if site.stopping():
            break
        with site.writing() as session:
            store.enqueue(session, dedupe, "reminder", now, match_id=found.match_id, seat=found.seat, key=found.origin)
        queued += 1
    return queued


def _open(session: Session, now: datetime) -> list[Stretch]:
    """The open questions to people who have not muted the match."""
    ask = (col(AskRow.match_id), col(AskRow.seat), col(AskRow.origin), col(AskRow.mailed_at), col(AskRow.deadline))
    rows = session.execute(
        select(*ask, Player).where(
            col(AskRow.closed_at).is_(None),
            col(AskRow.bot).is_(None),
            col(AskRow.deadline) > now,
            col(AskRow.mailed_at).is_not(None),
            col(Match.id) == col(AskRow.match_id),
            col(Match.status) == "running",
            col(SeatRow.match_id) == col(AskRow.match_id),
            col(SeatRow.seat) == col(AskRow.seat),
            col(SeatRow.muted).is_(False),
            col(Player.id) == col(SeatRow.player_id),
        )
    )
    return [Stretch(*row) for row in rows]


def _due(session: Session, found: Stretch, now: datetime) -> str | None:
    """The key of the reminder to queue now, if there is one."""
    which = stage(found.mailed, found.deadline, now)
    dedupe = f"reminder:{found.match_id}:{found.seat}:{found.origin}:{which}"
    if which == "end":
        dedupe += f":{found.deadline:%Y%m%d%H%M}"
    if which is None or store.queued(session, dedupe) or _lately(session, found, now):
        return None
    if which == "end" and _told_the_end(session, found):
        return None
    return None if digests.tells(session, found.player, found.deadline, now) else dedupe


def _told_the_end(session: Session, found: Stretch) -> bool:
    """Whether he was reminded since the end has been as near as it is by the deadline that holds now."""
    near = found.deadline - _lead(found.deadline - found.mailed)
    reminded = select(col(OutboxRow.id)).where(
        col(OutboxRow.match_id) == found.match_id,
        col(OutboxRow.seat) == found.seat,
        col(OutboxRow.key) == found.origin,
        col(OutboxRow.kind) == "reminder",
        col(OutboxRow.created_at) >= near,
    )
    return session.execute(reminded.limit(1)).first() is not None


def _lately(session: Session, found: Stretch, now: datetime) -> bool:
    """Whether the seat has heard of this match within the hour, or is about to.

    A day's mail that came when the end was near has said so.
    """
    of_match = (
        col(OutboxRow.match_id) == found.match_id,
        col(OutboxRow.seat) == found.seat,
        col(OutboxRow.kind).in_(("turn", "reminder")),
    )
    of_day = (col(OutboxRow.player_id) == found.player.id, col(OutboxRow.kind) == "digest")
    near_end = found.deadline - _lead(found.deadline - found.mailed)
    for row in session.scalars(select(OutboxRow).where(or_(and_(*of_match), and_(*of_day)))):
        since = min(now - APART, near_end) if row.kind == "digest" else now - APART
        if row.done_at is None and (row.kind != "turn" or row.key == found.origin):
            return True
        if row.result == "sent" and row.done_at is not None and row.done_at > since:
            return True
    return False
