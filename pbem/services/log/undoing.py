"""Takes back what was played after an entry: what that means for the log, and for everything derived from it.

Nothing is deleted from the log: `Undone` is appended. In the same transaction

1. kept folds past the entry are deleted, and the state before it becomes the current one;
2. questions that are no longer put are closed, those that are put again get a row of their own, and the rows of what
   was taken back say so: their links, repeated answers and unsent mails are stale from then on;
3. time banks are what they were.

A question that stays open over it all keeps its row, its mail and its deadline.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import and_, delete, or_, update
from sqlmodel import Session, col, select

from pbem.kit.contract import Ask
from pbem.kit.folds import fold_for_all, no_folds
from pbem.kit.replay import TableEvent, Undone, entries_not_taken_back, key_in_log, key_without_takebacks
from pbem.models.tables import AskRow, FoldRow, Match, Snapshot, table
from pbem.services import statements
from pbem.services.calendar import deadlines
from pbem.services.calendar.deadlines import Time
from pbem.services.log.store import UNDONE
from pbem.services.log.table import UNTIMED, LockedTable

_asks = table(AskRow)


def undo_entries_after(table: LockedTable, to: int, seat: int) -> list[AskRow]:
    """Takes back what was played after entry `to`, for this seat, which is at the table and gets no mail about it.

    Returns the rows of the questions that were taken back, open ones and answered ones. Raises Busy if somebody wrote
    without the lock.
    """
    match, game, work = table.match, table.game, table.work
    counting = [
        one for one in entries_not_taken_back(table.entries) if one.n <= to or isinstance(one.event, TableEvent)
    ]
    folds = fold_for_all(game, no_folds(len(table.seats)), counting)
    gone = _asks_after(work, match, to)
    asked = game.pending(folds.full)
    _refill_banks(table, gone)
    match.undone, match.undoing = match.undone + 1, None
    table.record([Undone(to)])
    for model in (FoldRow, Snapshot):
        work.exec(delete(model).where(col(model.match_id) == match.id, col(model.n) > to))
    table.keep_head(folds.full, folds)
    _close_and_reopen_asks(table, asked, seat)
    # The closed rows of what was taken back, also those of questions that have been put again.
    t = _asks
    again = [and_(t.c.seat == ask.seat, t.c.key.in_(_possible_keys_of_ask(match, ask))) for ask in asked]
    past = or_(t.c.opened_n > to, t.c.first_n > to, *again)
    closed = (t.c.match_id == match.id, t.c.closed_at.is_not(None), past)
    work.connection().execute(update(t).where(*closed).values(closed_by=UNDONE))
    return gone


def _asks_after(session: Session, match: Match, to: int) -> list[AskRow]:
    """Returns the questions that were put or answered after this entry and that still count, in order."""
    past = (
        select(AskRow)
        .where(col(AskRow.match_id) == match.id, or_(col(AskRow.opened_n) > to, col(AskRow.first_n) > to))
        .where(or_(col(AskRow.closed_by).is_(None), col(AskRow.closed_by) != UNDONE))
        .order_by(col(AskRow.opened_n), col(AskRow.seat))
    )
    return list(session.exec(past.execution_options(populate_existing=True)))


def _refill_banks(table: LockedTable, gone: Sequence[AskRow]) -> None:
    """Gives each seat what its bank held when the first of its answers that are taken back was asked for.

    That is the time that was allowed for the question. A bank that held less than the least that is ever allowed gets
    that least, which its next turn would have had anyway.
    """
    if table.match.bank_s is None:
        return
    refilled = set[int]()
    for ask in gone:
        window = table.game.meta.asks[ask.kind].window
        seat = table.seats[ask.seat]
        if ask.first_n is None or window or ask.seat in refilled or seat.bank_s is None or not ask.allowed_s:
            continue
        refilled.add(ask.seat)
        seat.bank_s = ask.allowed_s


def _close_and_reopen_asks(table: LockedTable, asked: Sequence[Ask], seat: int) -> None:
    """Closes the open questions that are not put at this point, and puts those that are and have no open row."""
    open_rows = {(key_without_takebacks(row.key), row.seat): row for row in table.asks}
    wanted = {(ask.key, ask.seat) for ask in asked}
    for key, row in open_rows.items():
        if key not in wanted:
            row.closed_at, row.closed_by = table.now, UNDONE
    table.work.flush()
    again = [ask for ask in asked if (ask.key, ask.seat) not in open_rows]
    own = [ask for ask in again if ask.seat == seat and not table.game.meta.asks[ask.kind].window]
    for ask in own:
        statements.OPEN_ASK.flush_and_send(table.work, _row_of_reopened_ask(table, ask))
    table.set_asks((), [ask for ask in again if ask not in own])


def _row_of_reopened_ask(table: LockedTable, ask: Ask) -> dict[str, Any]:
    """Returns the row of the question to the seat that took its answer back: it has the time that it had left."""
    match, now = table.match, table.now
    latest = (
        select(AskRow)
        .where(col(AskRow.match_id) == match.id, col(AskRow.seat) == ask.seat)
        .where(col(AskRow.key).in_(_possible_keys_of_ask(match, ask)))
        .order_by(col(AskRow.opened_n).desc())
    )
    answered = table.work.exec(latest.limit(1)).one()
    key = key_in_log(ask.key, match.undone)
    time: dict[str, Any] = {**UNTIMED, "mailed_at": now}
    if not match.untimed:
        time = asdict(_time_left(table, answered))
    return {
        "match_id": match.id, "key": key, "seat": ask.seat, "turn": ask.turn, "kind": ask.kind, "origin": key,
        "bot": None, "opened_at": now, "opened_n": match.version, **time, "vote_since": None, "floor_at": None,
        "follow_at": None,  # a player who takes a move back wants to answer by hand
    }  # fmt: skip


def _possible_keys_of_ask(match: Match, ask: Ask) -> list[str]:
    """Returns all keys under which the question may have a row."""
    return [key_in_log(ask.key, back) for back in range(match.undone + 1)]


def _time_left(table: LockedTable, answered: AskRow) -> Time:
    """Returns the time that was left of this question when it was answered; all of it if its clock did not run yet."""
    days = table.calendar_of(table.seats[answered.seat])
    if answered.mailed_at is None or answered.acts_at is None or answered.closed_at is None:
        return deadlines.time_if_clock_starts_at(answered.allowed_s, table.now, days)
    return deadlines.time_after_outage(deadlines.time_in_row_of_ask(answered), answered.closed_at, table.now, days)
