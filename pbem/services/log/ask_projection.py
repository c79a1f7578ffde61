"""Computes which asks close and open after new events.

Returns SQL statements, which the caller sends in one batch with the entries. The only rows read here are the seats of
the match and the calendars of their players.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import structlog
from sqlalchemy import or_, select
from sqlmodel import Session

from pbem.kit.contract import AnyGame, Ask, Event
from pbem.kit.replay import By, key_in_log, question_of
from pbem.models.prepared import Prepared, get_existing
from pbem.models.tables import AskRow, Match, SeatRow, table
from pbem.services import statements
from pbem.services.calendar import deadlines, player_calendars
from pbem.services.log import windows
from pbem.services.log.outbox import due_mail
from pbem.services.log.vote_count import is_active
from pbem.services.log.windows import Opening
from pbem.services.site import Work

UNTIMED = {"deadline": None, "allowed_s": 0, "acts_at": None, "runs_out": None, "remind_at": None}
"""The time of a question at an untimed table: no mail is due, and no clock runs."""
UNDONE = "undone"
"""How a question was closed whose answer, or what had put it, was taken back."""
Key = tuple[str, int]
"""Key and seat of an ask, the key as the rules know it."""
Rows = dict[Key, str]
"""The key under which the row of an ask is stored, where it may be another one, since something was taken back."""

log = structlog.get_logger()


class Written(NamedTuple):
    """A statement that writes, its values, and whether it is an error if it changes no row."""

    statement: Prepared
    values: dict[str, Any]
    must: bool = False


@dataclass(frozen=True)
class Step:
    """What is appended in one go: the events, who caused them, the ask they answer, and the move that answered it."""

    events: Sequence[Event]
    by: By
    ask: AskRow | None = None
    answer: str | None = None
    closed_by: str = "seat"


def ask_statements(
    work: Work, match: Match, game: AnyGame, before: Sequence[Ask], after: Sequence[Ask], step: Step,
    now: datetime, hold_s: int,
) -> list[Written]:  # fmt: skip
    """Returns the statements that close asks no longer pending and open new ones; usually reads no ask rows for that.

    The rows are read only if the state did not contain the answered ask, because the game was corrected while it was
    open.
    """
    known: Collection[Key] = {(ask.key, ask.seat) for ask in before}
    if step.ask is not None and (question_of(step.ask.key), step.ask.seat) not in known:
        log.warning("asks.rebuilt", match=match.id, key=step.ask.key)
        kept = stored_asks(work, match.id)
        known, after = kept.open, [ask for ask in after if (ask.key, ask.seat) not in kept.closed]
    return statements_between(work, match, game, known, after, step, now, hold_s)


@dataclass(frozen=True)
class Kept:
    """The asks of a match that have a row: the open ones and the closed ones, but for what was taken back."""

    open: frozenset[Key]
    closed: frozenset[Key]


def stored_asks(session: Session, match_id: str) -> Kept:
    """Returns the asks of the match that have a row, but for those that were taken back."""
    t = table(AskRow)
    counts = or_(t.c.closed_by.is_(None), t.c.closed_by != UNDONE)
    rows = session.execute(select(t.c.key, t.c.seat, t.c.closed_at).where(t.c.match_id == match_id, counts)).all()
    is_open = frozenset((question_of(key), seat) for key, seat, closed_at in rows if closed_at is None)
    return Kept(is_open, frozenset((question_of(key), seat) for key, seat, _ in rows) - is_open)


def statements_between(
    work: Work, match: Match, game: AnyGame, known: Collection[Key], after: Sequence[Ask], step: Step,
    now: datetime, hold_s: int,
) -> list[Written]:  # fmt: skip
    """Returns the statements that lead from the known open asks to those that should be open."""
    wanted = {(ask.key, ask.seat) for ask in after}
    rows = _stored_keys(work, match) if match.undone else {}
    sent = [_closing(match, key, seat, rows, step, now) for key, seat in known if (key, seat) not in wanted]
    if any(seat_at(work, match, seat).bot is not None for key, seat in known if (key, seat) in wanted):
        work.wake()  # in a race, a bot that had to wait may answer now
    for kind in sorted({ask.kind for ask in after if (ask.key, ask.seat) in known}):
        if game.meta.asks[kind].window or game.meta.asks[kind].race:
            continue  # orders there wait for nothing
        sent.append(Written(statements.FOLLOW_AGAIN, {"at_match": match.id, "at_kind": kind, "at": now}))
    new, due = [ask for ask in after if (ask.key, ask.seat) not in known], now + timedelta(seconds=hold_s)
    asked_in_window = [ask for ask in new if game.meta.asks[ask.kind].window]
    silent = windows.opening(work, match, game, asked_in_window, now, due)
    for ask in new:
        sent += _opening(work, match, game, ask, step, silent if ask in asked_in_window else None, now, due)
    return sent


def _stored_keys(session: Session, match: Match) -> Rows:
    """Returns the keys of the rows of open asks, as `Rows`."""
    t = table(AskRow)
    open_asks = select(t.c.key, t.c.seat).where(t.c.match_id == match.id, t.c.closed_at.is_(None))
    return {(question_of(key), seat): key for key, seat in session.execute(open_asks)}


def seat_at(session: Session, match: Match, seat: int) -> SeatRow:
    """Returns the row of this seat; queries the database only if the match was not locked together with its seats."""
    return get_existing(session, SeatRow, match.id, seat)


def _closing(match: Match, key: str, seat: int, rows: Rows, step: Step, now: datetime) -> Written:
    closed: dict[str, Any] = {"closed_at": now, "closed_by": "table", "answer": None, "first_n": None, "last_n": None}
    key = rows.get((key, seat), key)
    answered = step.ask is not None and (key, seat) == (step.ask.key, step.ask.seat)
    if answered:
        first, last = match.version + 1, match.version + len(step.events)
        closed |= {"closed_by": step.closed_by, "answer": step.answer, "first_n": first, "last_n": last}
    return Written(
        statements.CLOSE_ASK, {"at_match": match.id, "at_key": key, "at_seat": seat, **closed}, must=answered
    )


def _opening(
    work: Work, match: Match, game: AnyGame, ask: Ask, step: Step, silent: Opening | None, now: datetime, due: datetime
) -> list[Written]:
    """Returns the statements that open an ask.

    An ask that directly follows the same seat's answer in the same turn keeps the deadline of the answered one.
    `silent`: how the silent window opens that the ask belongs to.
    """
    seat, answered, window = seat_at(work, match, ask.seat), step.ask, game.meta.asks[ask.kind].window
    follows = (
        silent is None
        and answered is not None
        and (answered.seat, answered.turn) == (ask.seat, ask.turn)
        and game.meta.asks[answered.kind].window == window
    )
    if silent is not None:
        time = vars(silent.time_of(work, seat, now))
    elif match.untimed and seat.bot is None and not seat.resigned:
        time = {**UNTIMED, "mailed_at": now}
    elif follows and answered is not None:
        time = vars(deadlines.time_of_continuing_ask(answered, seat, step.closed_by, now))
    else:
        days = player_calendars.calendar_of(work, seat)
        time = vars(deadlines.time_of_new_ask(match, seat, window, now, due, days))
    key = key_in_log(ask.key, match.undone)
    row = {
        "match_id": match.id, "key": key, "seat": ask.seat, "turn": ask.turn, "kind": ask.kind,
        "origin": answered.origin if follows and answered else key, "bot": seat.bot, "opened_at": now,
        "opened_n": match.version + len(step.events), **time,
        "vote_since": answered.vote_since if follows and answered else None,
        "floor_at": silent.floor_at if silent is not None else None, "follow_at": now if seat.bot is None else None,
    }  # fmt: skip
    sent: list[Written] = [Written(statements.OPEN_ASK, row)]
    if seat.bot is not None:
        work.wake()
    elif not follows and (time["mailed_at"] is None or (silent is not None and is_active(seat))):
        dedupe = f"turn:{match.id}:{ask.seat}:{key}"
        mail = due_mail(work, dedupe, "turn", now, match_id=match.id, seat=ask.seat, key=key, due=due)
        sent.append(Written(*mail))
    return sent
