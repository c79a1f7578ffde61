"""Starts clocks when mails leave: what closing an outbox row means for the asks in that mail.

Under the match's lock, in the transaction that closes the row:

1. A turn mail that is closed for good starts the clock of its stretch, whether it was sent or never will be (muted,
   suppressed, refused, bounced, given up). Players who cannot be reached have the same time as everybody, and the
   table sees why it waits.
2. A turn that is left to the daily digest waits for the digest; when that has left, all its asks start.
3. If a player had to wait for the mail, the deadline moves and the match's log says so.
"""

from datetime import datetime

from sqlmodel import Session, col, select

from pbem.kit.replay import Extended
from pbem.models.tables import AskRow, OutboxRow, SeatRow
from pbem.services.calendar import deadlines
from pbem.services.log.table import LockedTable, lock_tables, lock_with_open_asks
from pbem.services.site import Work

WITHOUT = "digest"
"""The result of a turn mail that is replaced by the daily digest: the clock goes on waiting."""


def start_clocks(work: Work, row: OutboxRow, result: str, at: datetime) -> None:
    """Starts the clocks that were waiting for this mail, which left at this moment or never will."""
    if row.kind == "turn" and row.match_id is not None and result != WITHOUT:
        table, asks = lock_with_open_asks(work, row.match_id, at)
        _start_clocks_of(table, [ask for ask in asks if (ask.seat, ask.origin) == (row.seat, row.key)])
    elif row.kind == "digest" and row.player_id is not None and result != "stale":
        waiting = {ask.match_id for ask in _asks_left_to_digest(work, row, at)}
        for match_id, table in lock_tables(work, waiting, at).items():
            _start_clocks_of(table, _asks_left_to_digest(work, row, at, match_id))


def _asks_left_to_digest(session: Session, row: OutboxRow, at: datetime, match_id: str | None = None) -> list[AskRow]:
    """Returns the reader's open asks whose turn mails were left to the digest and whose clocks still wait.

    Only asks left to it by the moment at which it was written count: the digest does not mention later ones.
    """
    query = select(AskRow).where(
        col(AskRow.closed_at).is_(None),
        col(AskRow.mailed_at).is_(None),
        col(SeatRow.match_id) == col(AskRow.match_id),
        col(SeatRow.seat) == col(AskRow.seat),
        col(SeatRow.player_id) == row.player_id,
        col(OutboxRow.match_id) == col(AskRow.match_id),
        col(OutboxRow.seat) == col(AskRow.seat),
        col(OutboxRow.key) == col(AskRow.origin),
        col(OutboxRow.kind) == "turn",
        col(OutboxRow.result) == WITHOUT,
        col(OutboxRow.done_at) <= at,
    )
    if match_id is not None:
        query = query.where(col(AskRow.match_id) == match_id)
    return list(session.exec(query.execution_options(populate_existing=True)))


def _start_clocks_of(table: LockedTable, asks: list[AskRow]) -> None:
    """Starts the clocks of those of the asks whose clocks wait; logs those whose deadline has moved."""
    moved = []
    for ask in asks:
        if ask.mailed_at is None:
            days = table.calendar_of(table.seats[ask.seat])
            before, time = deadlines.time_of(ask), deadlines.time_after_mail(ask, table.now, days)
            deadlines.set_time(ask, time)
            if seconds := round((time.deadline - before.deadline).total_seconds()):
                moved.append(Extended(seconds, ask.seat))
    table.record(moved)
