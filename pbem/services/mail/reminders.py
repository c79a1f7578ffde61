"""Reminders: your turn is still open.

Swept by the beat, by shares of the matches; every sweep may run twice or in two places.

The row of every open ask to a person says when to check it (`remind_at`, see `deadlines`): the sweep reads those that
are due, in batches, and advances each by an UPDATE that matches only the row as it was read.

1. Only the latest of the reminders that are due: after an outage just one is sent.
2. Not within an hour of the turn mail or of another reminder about this match to this seat, but later. Nor in the
   player's quiet hours: after an outage the reminder waits until they end, or is skipped.
3. Players with a daily digest are reminded only of what the next one would cover too late.
4. Each reminder is sent once, under a unique key, but a player who was told that the end is near and whose deadline
   then moved is told again. Whether the ask is still open is checked when the mail is sent.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import structlog
from sqlalchemy import Select, and_, bindparam, or_, select, tuple_, update
from sqlmodel import Session, col

from pbem.errors import Busy
from pbem.models.tables import AskRow, Match, OutboxRow, Player, SeatRow, table
from pbem.services.calendar import calendar, deadlines
from pbem.services.calendar.deadlines import Stage
from pbem.services.log import outbox
from pbem.services.mail import digests
from pbem.services.play import timeouts
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site

BATCH = 200
ROUNDS = 100
"""The maximum number of batches in a run."""
SOON = timedelta(minutes=5)
"""When to check an ask again whose player has just been mailed, or is about to be."""

log = structlog.get_logger()


class Open(NamedTuple):
    """An open ask that is due for a check, with its player unless it is a bot's."""

    match_id: str
    key: str
    seat: int
    origin: str
    mailed_at: datetime | None
    runs_out: datetime | None
    deadline: datetime
    remind_at: datetime
    status: str
    muted: bool
    absent: bool
    resigned: bool
    player: Player | None


class Verdict(NamedTuple):
    """When to check the ask again, if ever, and the key of the reminder to queue, if any."""

    found: Open
    again: datetime | None
    dedupe: str | None = None


def beat_and_sweep_reminders_if_web_up(site: Site, shard: Shard = ALL) -> int:
    """Queues the reminders that are due, unless the web is down; returns the number queued. The beat runs this.

    So nobody is reminded of a deadline that is about to move.
    """
    return sweep_reminders(site, shard) if timeouts.beat_and_check_web(site, shard) else 0


def sweep_reminders(site: Site, shard: Shard = ALL) -> int:
    """Queues the reminders that are due; returns the number queued."""
    now, queued = site.now(), 0
    for _ in range(ROUNDS):
        with site.reading() as session:
            verdicts = verdicts_on_reminders(session, asks_due_for_reminder_check(session, now, shard), now)
        queued += queue_reminders(site, [verdict for verdict in verdicts if verdict.dedupe is not None], now)
        noted = _store_next_checks(site, [verdict for verdict in verdicts if verdict.dedupe is None])
        if not noted or len(verdicts) < BATCH or site.stopping():
            break
    return queued


_a = table(AskRow)


@cache
def query_of_asks_due_for_reminder_check(shard: Shard = ALL) -> Select[Any]:
    """Returns the query: `now` → the asks that are due for a check, longest waiting first, sorted in lock order."""
    first = (
        select(
            _a.c.match_id, _a.c.key, _a.c.seat, _a.c.origin, _a.c.mailed_at, _a.c.runs_out, _a.c.deadline,
            _a.c.remind_at,
        )
        .where(_a.c.closed_at.is_(None), _a.c.remind_at <= bindparam("now"), *shard.match_conditions(_a.c.match_id))
        .order_by(_a.c.remind_at)
        .limit(BATCH)
        .subquery()
    )  # fmt: skip
    its_seat = and_(col(SeatRow.match_id) == first.c.match_id, col(SeatRow.seat) == first.c.seat)
    return (
        select(*first.c, col(Match.status), col(SeatRow.muted), col(SeatRow.absent), col(SeatRow.resigned), Player)
        .join(Match, col(Match.id) == first.c.match_id)
        .join(SeatRow, its_seat)
        .outerjoin(Player, and_(col(Player.id) == col(SeatRow.player_id), col(SeatRow.bot).is_(None)))
        .order_by(first.c.match_id, first.c.key, first.c.seat)
    )


def asks_due_for_reminder_check(session: Session, now: datetime, shard: Shard = ALL) -> list[Open]:
    """Returns the asks that are due for a check now."""
    return [Open(*row) for row in session.execute(query_of_asks_due_for_reminder_check(shard), {"now": now})]


def verdicts_on_reminders(session: Session, asked: Sequence[Open], now: datetime) -> list[Verdict]:
    """Returns what is to be done about each ask."""
    holidays = calendar.holidays_of_players(session, {one.player.id for one in asked if one.player and one.player.id})
    found = [(one, _reminder_stages_and_calendar(one, holidays, now)) for one in asked]
    keys = [_reminder_key(one, stage) for one, (its, _) in found if (stage := deadlines.due_reminder(its, now))]
    known = outbox.keys_in_outbox(session, keys)
    return [_judge_reminder(session, one, its, its_days, known, now) for one, (its, its_days) in found]


def _reminder_stages_and_calendar(
    one: Open, holidays: Mapping[int, tuple[tuple[date, date], ...]], now: datetime
) -> tuple[list[Stage], calendar.Calendar]:
    """Returns the reminders of the ask and its player's calendar; none if it is too late or the player is away.

    Players of absent seats and paused matches get a new time when they come back.
    """
    sleeps = one.status != "running" or one.absent or one.resigned
    if one.player is None or one.mailed_at is None or sleeps or one.deadline <= now:
        return [], calendar.ALWAYS
    its_days = calendar.calendar_with_holidays(one.player, holidays.get(one.player.id, ()))
    return deadlines.reminder_stages(one.mailed_at, one.runs_out or one.deadline, one.deadline, its_days), its_days


def _reminder_key(one: Open, stage: Stage) -> str:
    dedupe = f"reminder:{one.match_id}:{one.seat}:{one.origin}:{stage.name}"
    return f"{dedupe}:{one.deadline:%Y%m%d%H%M}" if stage.name == "end" else dedupe


def _judge_reminder(
    session: Session,
    one: Open,
    found: Sequence[Stage],
    its_days: calendar.Calendar,
    known: set[str],
    now: datetime,
) -> Verdict:
    stage, later = deadlines.due_reminder(found, now), deadlines.time_of_next_reminder(found, now)
    if stage is None or one.player is None or one.muted or (dedupe := _reminder_key(one, stage)) in known:
        return Verdict(one, later)
    awake = calendar.next_waking_time(now, its_days)
    if awake != now:
        return Verdict(one, awake if awake < one.deadline else later)
    told_at = digests.time_of_digest_before_deadline(session, one.player, one.deadline, now)
    if told_at is not None:
        after = told_at + SOON
        return Verdict(one, min(after, later) if later is not None else after)
    if stage.name == "end" and _was_told_end_is_near(session, one, stage):
        return Verdict(one, later)
    if _was_told_lately(session, one, now):
        return Verdict(one, now + SOON)
    return Verdict(one, later, dedupe)


def _was_told_end_is_near(session: Session, one: Open, stage: Stage) -> bool:
    """True if a reminder or a digest has told the player that the end is near, as measured by the present deadline."""
    reminded = and_(
        col(OutboxRow.match_id) == one.match_id,
        col(OutboxRow.seat) == one.seat,
        col(OutboxRow.key) == one.origin,
        col(OutboxRow.kind) == "reminder",
        col(OutboxRow.created_at) >= stage.since,
    )
    of_day = and_(
        *_conditions_of_players_digests(one), col(OutboxRow.result) == "sent", col(OutboxRow.done_at) > stage.since
    )
    return session.execute(select(col(OutboxRow.id)).where(or_(reminded, of_day)).limit(1)).first() is not None


def _was_told_lately(session: Session, one: Open, now: datetime) -> bool:
    """True if the seat was told about this match within the hour, by mail or notification, or is about to be."""
    of_match = (
        col(OutboxRow.match_id) == one.match_id,
        col(OutboxRow.seat) == one.seat,
        or_(col(OutboxRow.kind) == "reminder", col(OutboxRow.kind) == "turn"),
    )
    sent = and_(col(OutboxRow.result).in_(("sent", "opened")), col(OutboxRow.done_at) > now - deadlines.APART)
    # A waiting turn mail about another ask will not be sent, because that ask is closed.
    # Nor will one that cannot be rendered, for an unknown time.
    waits = and_(
        col(OutboxRow.done_at).is_(None),
        col(OutboxRow.unrendered_since).is_(None),
        or_(col(OutboxRow.kind) != "turn", col(OutboxRow.key) == one.origin),
    )
    heard = select(col(OutboxRow.id)).where(
        or_(and_(*of_match), and_(*_conditions_of_players_digests(one))), or_(sent, waits)
    )
    return session.execute(heard.limit(1)).first() is not None


def _conditions_of_players_digests(one: Open) -> tuple[Any, ...]:
    assert one.player is not None, "only people have mails"
    return (col(OutboxRow.player_id) == one.player.id, col(OutboxRow.kind) == "digest")


_read = (
    _a.c.match_id == bindparam("at_match"),
    _a.c.key == bindparam("at_key"),
    _a.c.seat == bindparam("at_seat"),
    _a.c.closed_at.is_(None),
    _a.c.remind_at == bindparam("at_moment"),
    _a.c.deadline == bindparam("at_deadline"),
)
MOVE_ON = update(_a).where(*_read).values(remind_at=bindparam("again", type_=_a.c.remind_at.type))
"""Matches nothing if another worker has checked the ask meanwhile, or if its time has changed."""


def _parameters_of_next_check(verdict: Verdict) -> dict[str, Any]:
    one = verdict.found
    read = {"at_match": one.match_id, "at_key": one.key, "at_seat": one.seat}
    return {**read, "at_moment": one.remind_at, "at_deadline": one.deadline, "again": verdict.again}


def queue_reminders(site: Site, due: Sequence[Verdict], now: datetime) -> int:
    """Queues reminders for asks that no other worker has checked meanwhile; returns the number queued."""
    queued = 0
    for verdict in due:
        if site.stopping():
            break
        one, dedupe = verdict.found, verdict.dedupe
        assert dedupe is not None, "a reminder is due"
        try:
            with site.writing() as work:
                if work.connection().execute(MOVE_ON, _parameters_of_next_check(verdict)).rowcount != 1:
                    continue
                outbox.enqueue(work, dedupe, "reminder", now, match_id=one.match_id, seat=one.seat, key=one.origin)
            queued += 1
        except Busy:
            log.info("reminder.busy", match=one.match_id, key=one.key)  # the next sweep tries again
    return queued


def _store_next_checks(site: Site, later: Sequence[Verdict]) -> bool:
    """Stores when to look again at asks without a reminder now; returns False if some were skipped.

    Asks that another transaction has locked are skipped, because one that locks many must not wait for any.
    """
    if not later:
        return True
    of = tuple_(_a.c.match_id, _a.c.key, _a.c.seat)
    wanted = {(one.found.match_id, one.found.key, one.found.seat): one for one in later}
    unlocked = select(_a.c.match_id, _a.c.key, _a.c.seat).where(of.in_(wanted)).with_for_update(skip_locked=True)
    try:
        with site.writing() as work:
            free = [
                _parameters_of_next_check(wanted[match_id, key, seat]) for match_id, key, seat in work.execute(unlocked)
            ]
            if free:
                work.connection().execute(MOVE_ON, free)
        return len(free) == len(later)
    except Busy:
        log.info("reminder.busy", questions=len(later))  # the next sweep checks them again
        return False
