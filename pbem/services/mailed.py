"""The clock starts with the mail: what the closing of an outbox row means for the questions it told of.

Under the match's lock, in the transaction that closes the row:

1. A turn mail that was closed for good (sent, refused, muted, suppressed) starts the clock of its stretch.
2. A turn that is left to the day's mail waits for that one; when it has left, all its questions start.
3. Who has had to wait for the mail has the deadline moved; the match's log says so.
"""

from datetime import datetime

from sqlmodel import Session, col, select

from pbem.models.tables import AskRow, Match, OutboxRow, SeatRow
from pbem.rules.replay import Extended
from pbem.services import days, store, timing

WITHOUT = "digest"
"""The result of a turn mail for which the day's mail stands: the clock goes on waiting."""


def start_clocks(session: Session, row: OutboxRow, result: str, at: datetime) -> None:
    """Starts the clocks that wait for this mail, which left at that moment or never will."""
    if row.kind == "turn" and row.match_id is not None and result != WITHOUT:
        match = store.lock_match(session, row.match_id)
        _start(session, match, [ask for ask in store.open_asks(session, match.id) if _told(ask, row)], at)
    elif row.kind == "digest" and result != "stale":
        for match_id in _held(session, row):
            match = store.lock_match(session, match_id)
            _start(session, match, _left_to_digest(session, row, match_id), at)


def _told(ask: AskRow, row: OutboxRow) -> bool:
    return (ask.seat, ask.origin) == (row.seat, row.key)


def _held(session: Session, row: OutboxRow) -> list[str]:
    """The matches with questions that wait for this day's mail, in an order in which everybody locks them."""
    return sorted({ask.match_id for ask in _left_to_digest(session, row)})


def _left_to_digest(session: Session, row: OutboxRow, match_id: str | None = None) -> list[AskRow]:
    """The open questions of the reader whose turn mails were left to the day's mail, and whose clocks still wait."""
    found = select(AskRow).where(
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
    )
    if match_id is not None:
        found = found.where(col(AskRow.match_id) == match_id)
    return list(session.exec(found.execution_options(populate_existing=True)))


def _start(session: Session, match: Match, asks: list[AskRow], at: datetime) -> None:
    moved = []
    for ask in asks:
        if ask.mailed_at is not None:
            continue
        before = ask.deadline
        calendar = days.calendar_of(session, session.get_one(SeatRow, (match.id, ask.seat)))
        timing.set_time(ask, timing.at_the_mail(ask, at, calendar))
        session.add(ask)
        if ask.deadline != before:
            moved.append(Extended(round((ask.deadline - before).total_seconds()), ask.seat))
    store.record(session, match, moved, at)
