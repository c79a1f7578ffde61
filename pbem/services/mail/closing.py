"""Closes the rows of mails, and starts the clocks that waited for them.

On PostgreSQL, a mail that has left closes its row in one batch, whose statements change nothing unless all of them do
(`Change`):

1. Hold the player to whom the row will point, and lock the match: see `locks`.
2. Start the clock of the question, if it is still the one that the letter was about, with the same deadline, and the
   match is untouched: at its seat is still the player with the calendar by which the new moments were computed.
3. Close the row, if nobody has, and if no bounce is noted that the mail may have proved wrong.

All other ends are written with everything read again under the lock (`_close_row`): of a mail that has not left, of a
digest, of one whose deadline moves or whose player has holidays, and where the batch has failed, for whatever reason.

What closing a row means for the clocks, under the match's lock, in the transaction that closes it (`start_clocks`):

1. A turn mail that is closed for good starts the clock of its stretch, whether it was sent or never will be (muted,
   suppressed, refused, bounced, given up). Players who cannot be reached have the same time as everybody, and the
   table sees why it waits.
2. A turn that is left to the daily digest waits for the digest; when that has left, all its asks start.
3. If a player had to wait for the mail, the deadline moves and the match's log says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import Connection, bindparam, exists, select, update
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col

from pbem.errors import Busy
from pbem.kit.replay import Extended
from pbem.mail.letters import Letter, OrdersTold
from pbem.models.prepared import Change, Prepared, Unmet, batch, find_by_key, find_many_by_key
from pbem.models.schema.revisions import NEWEST_SCHEMA, may_write_condition
from pbem.models.tables import AskRow, Match, OrderRow, OutboxRow, Player, SeatRow, table
from pbem.services import statements
from pbem.services.calendar import deadlines
from pbem.services.counters import Mark
from pbem.services.hooks import Ahead
from pbem.services.log import locks
from pbem.services.log.table import LockedTable, lock_tables, lock_with_open_asks
from pbem.services.mail.digests import OF_QUESTION
from pbem.services.mail.letter_context import LetterContext
from pbem.services.players import bounces, quotas
from pbem.services.site import Site, Work

WITHOUT = "digest"
"""The result of a turn mail that is replaced by the daily digest: the clock goes on waiting."""

log = structlog.get_logger()

_t, _asks, _matches, _players = (table(model) for model in (OutboxRow, AskRow, Match, Player))
_closed = {
    "answer": bindparam("said"), "done_at": bindparam("done"), "result": bindparam("became"), "claimed_until": None,
    "attempts": _t.c.attempts + 1, "unrendered_since": None, "player_id": bindparam("player"),
}  # fmt: skip
_DONE = Prepared(update(_t).where(_t.c.id == bindparam("row")).values(_closed))
"""`row`, `said`, `done`, `became`, and the `player` to whom it went: closes the row."""
_bounced = exists(select(_players.c.id).where(_players.c.id == bindparam("player"), _players.c.bounced_at.is_not(None)))
_SENT = Change(
    update(_t)
    .where(_t.c.id == bindparam("row"), _t.c.done_at.is_(None), ~_bounced, may_write_condition())
    .values(_closed)
)
_untouched = exists(
    select(_matches.c.id).where(_matches.c.id == bindparam("match"), _matches.c.touched == bindparam("touched"))
)
_START = Change(
    update(_asks)
    .where(
        _asks.c.match_id == bindparam("match"), _asks.c.key == bindparam("key"), _asks.c.seat == bindparam("seat"),
        _asks.c.closed_at.is_(None), _asks.c.mailed_at.is_(None), _asks.c.deadline == bindparam("deadline"),
        _asks.c.runs_out.is_not_distinct_from(bindparam("runs_out")), _untouched, may_write_condition(),
    )
    .values(mailed_at=bindparam("mailed"), acts_at=bindparam("acts"), remind_at=bindparam("remind"))
)  # fmt: skip


@dataclass
class Draft:
    """What is to become of a claimed row; what is not known yet has its default."""

    row: int
    at: datetime
    """The moment as of which it is written, and from which the clock counts."""
    context: LetterContext | None = None
    """None if it has no reader."""
    letter: Letter | None = None
    result: str = "stale"
    to: str | None = None
    """Where the mail went."""
    connection: Connection | None = None
    """One of `Site.one_statement`, on PostgreSQL, if a batch is to close it."""
    answer: str | None = None
    """The code with which the relay refused it."""
    wait_s: float | None = None
    """For how long it waits for an order that may answer its question."""
    ahead: tuple[Ahead, Any] | None = None
    """What goes ahead of it, and what that has prepared."""
    counted: tuple[quotas.Quota, ...] = ()
    clock: dict[str, Any] | None = None
    """What `values_to_start_clock` returns, if there is a letter."""
    fault: Exception | None = None
    """Why it cannot be made."""

    @property
    def reader_id(self) -> int | None:
        """The id of its reader."""
        return self.context.reader.player.id if self.context is not None else None


def close_row(site: Site, draft: Draft) -> None:
    """Closes the row with the draft's result; the mail may have left. Raises Busy."""
    if draft.result != "sent" or draft.connection is None or not _close_sent(site, draft, draft.connection):
        _close_row(site, draft)


def values_to_start_clock(context: LetterContext, at: datetime) -> dict[str, Any] | None:
    """Returns the values of the statement that starts the clock when a letter written as of then has left.

    Without any, no clock waits for it. None: closing its row takes more than a batch.
    """
    row, player = context.row, context.reader.player
    if row.kind == "digest" or row.player_id not in (None, player.id):
        return None
    if row.kind != "turn":
        return {}
    table = context.table
    asked = [ask for ask in table.asks if (ask.seat, ask.origin) == (row.seat, row.key)]
    if len(asked) != 1 or row.seat in table.holidays:
        return None
    (ask,) = asked
    if ask.mailed_at is not None:
        return {}
    time = deadlines.time_after_mail(ask, at, table.calendar_of(table.seats[ask.seat]))
    if time.deadline != ask.deadline or ask.bot is not None:
        return None  # the match's log says that it has moved
    return {
        "match": ask.match_id, "key": ask.key, "seat": ask.seat, "deadline": ask.deadline, "runs_out": ask.runs_out,
        "mailed": time.mailed_at, "acts": time.acts_at, "remind": time.remind_at,
        "touched": table.match.touched, "schema": NEWEST_SCHEMA,
    }  # fmt: skip


def _close_sent(site: Site, draft: Draft, connection: Connection) -> bool:
    """Closes the row of a mail that has left in one batch; returns False, with nothing changed, if it cannot."""
    if draft.context is None or draft.clock is None:
        return False
    row = draft.context.row
    done = {
        "row": draft.row, "said": None, "done": site.now(), "became": "sent", "player": draft.reader_id,
        "schema": NEWEST_SCHEMA,
    }  # fmt: skip
    try:
        with batch(connection):
            statements.HOLD.send(connection, {"player": draft.reader_id})
            if draft.clock:
                statements.LOCK.send(connection, {"match": row.match_id})
                _START.send(connection, draft.clock)
            _SENT.send(connection, done)
    except (Unmet, DBAPIError):
        return False
    site.counters.add([Mark("mail", (row.kind, "sent"))])
    return True


def _close_row(site: Site, draft: Draft) -> None:
    """Closes the row. Retries if the database is busy: the mail may have left and would otherwise be sent again."""

    def close(work: Work) -> None:
        # The session forgets the player, whom `settle` looks up, unless somebody keeps them.
        row, _kept = find_many_by_key(work, (OutboxRow, draft.row), (Player, draft.reader_id))
        whose, result = row.player_id or draft.reader_id, draft.result
        # Locks the player before the match: see `locks`.
        bounces.record_result_of_mail(work, row, result, site.now(), player_id=whose, to=draft.to, answer=draft.answer)
        locks.hold_players(work, [whose])
        start_clocks(work, row, result, draft.at)
        done = {"row": draft.row, "said": draft.answer, "done": site.now(), "became": result, "player": whose}
        _DONE.flush_and_send(work, done)
        work.count("mail", row.kind, result)

    site.persist(close)


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
        *OF_QUESTION,
        col(OutboxRow.result) == WITHOUT,
        col(OutboxRow.done_at) <= at,
    )
    if match_id is not None:
        query = query.where(col(AskRow.match_id) == match_id)
    return [*session.scalars(query.execution_options(populate_existing=True))]


def _start_clocks_of(table: LockedTable, asks: list[AskRow]) -> None:
    """Starts the clocks of those of the asks whose clocks wait; logs those whose deadline has moved."""
    moved = []
    for ask in asks:
        if ask.mailed_at is None:
            days = table.calendar_of(table.seats[ask.seat])
            before, time = deadlines.time_in_row_of_ask(ask), deadlines.time_after_mail(ask, table.now, days)
            deadlines.store_time_in_ask(ask, time)
            if seconds := round((time.deadline - before.deadline).total_seconds()):
                moved.append(Extended(seconds, ask.seat))
    table.record(moved)


def note_order_news_told(site: Site, told: Sequence[OrdersTold]) -> None:
    """Notes that a mail that has left has told these news of orders: no other mail tells them again.

    In transactions of their own, because each needs the lock of its match. After a crash, or if a match is busy for
    long, the next mail tells them once more.
    """
    for match_id, seat, upto in told:
        try:
            with site.writing() as work:
                locks.lock_match(work, match_id)
                row = find_by_key(work, OrderRow, match_id, seat)
                if row is not None and row.mailed < upto:
                    row.mailed = upto
        except Busy:
            log.info("mail.orders_untold", match=match_id, seat=seat)
