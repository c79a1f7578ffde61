"""Loading a match and appending to its log: the only place that writes entries, asks and snapshots.

What happens when events are appended, in one transaction under the match's lock:

1. the entries go in under (match_id, n); a second writer without the lock would fail on that key;
2. the match's version moves, guarded by its old value;
3. asks that are no longer pending close, new ones open, each with its deadline;
4. every beginning, stretch of asks and end puts rows into the outbox, under unique keys;
5. now and then a snapshot is put aside, so that a move late in a match costs what an early one does.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Union

import msgspec
import structlog
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from pbem.clock import iso
from pbem.errors import N_, Busy, NotFound
from pbem.games import find_game
from pbem.models.tables import AskRow, EntryRow, Match, SeatRow, Snapshot, table
from pbem.rules.codec import codec_for, encode
from pbem.rules.contract import AnyGame, Ask, Event
from pbem.rules.replay import TABLE_EVENTS, AnyEntry, By, Entry, TableEvent, evolve_all
from pbem.services import days, tally, timing
from pbem.services.queue import RING as RING
from pbem.services.queue import enqueue as enqueue
from pbem.services.queue import insert_once as insert_once
from pbem.services.queue import queued as queued

SNAPSHOT_EVERY = 64
MATCH_ID = re.compile(r"[0-9a-f]{1,32}")
ASK_KEY = re.compile(r"[!-~]{1,64}")

log = structlog.get_logger()


def game_of(match: Match) -> AnyGame:
    """The match's game. Raises NotFound when it is no longer installed here."""
    game = find_game(match.game)
    if game is None:
        raise NotFound(N_("The game “%(game)s” is not installed here."), {"game": match.game})
    return game


def get_match(session: Session, match_id: str) -> Match:
    """The match. Raises NotFound."""
    match = session.get(Match, match_id) if MATCH_ID.fullmatch(match_id) else None
    if match is None:
        raise NotFound(N_("There is no such match."))
    return match


def lock_match(session: Session, match_id: str) -> Match:
    """The match, locked until the transaction ends. Raises NotFound."""
    known = MATCH_ID.fullmatch(match_id)  # a database may refuse what no id can hold, like NUL
    found = session.get(Match, match_id, with_for_update=True, populate_existing=True) if known else None
    if found is None:
        raise NotFound(N_("There is no such match."))
    return found


def seats_of(session: Session, match_id: str) -> list[SeatRow]:
    """The match's seats in seat order."""
    statement = select(SeatRow).where(col(SeatRow.match_id) == match_id).order_by(col(SeatRow.seat))
    return list(session.scalars(statement))


def open_asks(session: Session, match_id: str) -> list[AskRow]:
    """The match's open questions in seat order."""
    statement = select(AskRow).where(col(AskRow.match_id) == match_id, col(AskRow.closed_at).is_(None))
    return list(session.scalars(statement.order_by(col(AskRow.seat))))


@cache
def _event_decoder(game: AnyGame) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(Union[(*game.meta.events, *TABLE_EVENTS)])


_by_decoder = msgspec.json.Decoder(By)


def get_ask(session: Session, match_id: str, key: str, seat: int) -> AskRow | None:
    """The ask with this key, open or closed; None also for what can be no key."""
    if not ASK_KEY.fullmatch(key):
        return None
    return session.get(AskRow, (match_id, key, seat), populate_existing=True)


def load_entries(session: Session, match_id: str, game: AnyGame, after: int = 0) -> list[AnyEntry]:
    """The log's entries with n > after, one query."""
    t = table(EntryRow)
    rows = session.connection().execute(
        select(t.c.n, t.c.at, t.c.by, t.c.key, t.c.event).where(t.c.match_id == match_id, t.c.n > after).order_by(t.c.n)
    )
    event = _event_decoder(game).decode
    return [Entry(n, iso(at), _by_decoder.decode(by), key, event(data)) for n, at, by, key, data in rows]


def load_state(session: Session, match: Match, game: AnyGame) -> Any:
    """The full state at the match's head, from the snapshot and what came after it, or from the whole log."""
    snapshot = session.get(Snapshot, match.id)
    state, after = None, 0
    if snapshot is not None and snapshot.fold == game.meta.fold and snapshot.n <= match.version:
        try:
            state, after = codec_for(game).state(snapshot.state), snapshot.n
        except msgspec.MsgspecError:
            log.warning("snapshot.unreadable", match=match.id)  # a projection: the log itself gives the state
    return evolve_all(game, state, (e.event for e in load_entries(session, match.id, game, after)))


@dataclass(frozen=True)
class Step:
    """What is appended at once: events, who caused them, the ask they answer and the move that answered it."""

    events: Sequence[Event]
    by: By
    ask: AskRow | None = None
    answer: str | None = None
    closed_by: str = "seat"


def append(session: Session, match: Match, game: AnyGame, state: Any, step: Step, now: datetime, hold_s: int) -> Any:
    """Appends the events to the match and brings its projections up to date; gives the new state.

    The match must be locked. Raises Busy when somebody wrote without the lock.
    """
    first = match.version + 1
    _write(session, match, step, now)
    last = match.version
    state = evolve_all(game, state, step.events)
    _project_asks(session, match, game, state, step, now, hold_s)
    if first == 1:
        _project_start(session, match, now, hold_s)
    _project_end(session, match, game, state, now)
    _count(session, match, step, now)
    if last // SNAPSHOT_EVERY > (first - 1) // SNAPSHOT_EVERY:
        session.merge(Snapshot(match_id=match.id, n=last, fold=game.meta.fold, state=encode(state).decode()))
    return state


def record(session: Session, match: Match, events: Sequence[TableEvent], now: datetime) -> None:
    """Appends facts about the people at the table, which no game sees: the questions stay as they are.

    The match must be locked. Raises Busy when somebody wrote without the lock.
    """
    if events:
        session.flush()  # the match is read again, and must not forget what was changed
        _write(session, match, Step(events, By(table=True)), now)


def _write(session: Session, match: Match, step: Step, now: datetime) -> None:
    """Puts the entries into the log and moves the match's version."""
    first, last = match.version + 1, match.version + len(step.events)
    key = step.ask.key if step.ask else None
    by = encode(step.by).decode()
    rows = [
        {"match_id": match.id, "n": n, "at": now, "by": by, "key": key, "event": encode(event).decode()}
        for n, event in enumerate(step.events, first)
    ]
    try:
        session.connection().execute(insert(table(EntryRow)), rows)
    except IntegrityError as error:
        raise _written_meanwhile() from error
    t = table(Match)
    moved = session.connection().execute(
        update(t).where(t.c.id == match.id, t.c.version == match.version).values(version=last)
    )
    if moved.rowcount != 1:
        raise _written_meanwhile()
    session.refresh(match)


def _count(session: Session, match: Match, step: Step, now: datetime) -> None:
    if step.ask is None:
        return
    way = "clock" if step.by.clock is not None else "bot" if step.by.bot is not None else step.by.via or "unknown"
    tally.note(session, "moves", match.game, way)
    if way == "clock" and step.ask.acts_at is not None:
        tally.note(session, "lag", match.game, seconds=(now - step.ask.acts_at).total_seconds())


def _written_meanwhile() -> Busy:
    return Busy(N_("Somebody else is writing to this just now. Please try again."), retry_after=1)


def _project_asks(
    session: Session, match: Match, game: AnyGame, state: Any, step: Step, now: datetime, hold_s: int
) -> None:
    pending = {(ask.key, ask.seat): ask for ask in game.pending(state)}
    for row in open_asks(session, match.id):
        if (row.key, row.seat) in pending:
            del pending[row.key, row.seat]
            if row.bot is not None:
                session.info[RING] = True  # in a race it may answer now
            continue
        row.closed_at = now
        row.closed_by = "table"
        if step.ask is not None and (row.key, row.seat) == (step.ask.key, step.ask.seat):
            row.closed_by = step.closed_by
            row.answer = step.answer
            row.first_n, row.last_n = match.version - len(step.events) + 1, match.version
        session.add(row)
    if pending:
        seats = seats_of(session, match.id)
        for ask in pending.values():
            _open(session, match, game, ask, seats[ask.seat], step, now, hold_s)
    if step.ask is not None and match.bank_s is not None:
        goes_on = any((ask.seat, ask.turn) == (step.ask.seat, step.ask.turn) for ask in pending.values())
        if not goes_on and not game.meta.asks[step.ask.kind].window:
            seat = session.get_one(SeatRow, (match.id, step.ask.seat))
            timing.charge(match, seat, step.ask, now, days.calendar_of(session, seat))
    session.flush()


def _open(
    session: Session, match: Match, game: AnyGame, ask: Ask, seat: SeatRow, step: Step, now: datetime, hold_s: int
) -> None:
    """Opens a question. One that follows at once on the same seat's answer in the same turn keeps its deadline."""
    window, answered = game.meta.asks[ask.kind].window, step.ask
    follows = (
        answered is not None
        and (answered.seat, answered.turn) == (ask.seat, ask.turn)
        and game.meta.asks[answered.kind].window == window
    )
    due = now + timedelta(seconds=hold_s)
    if follows and answered is not None:
        time = timing.going_on(answered, seat, step.closed_by, now)
    else:
        time = timing.opening(match, seat, window, now, due, days.calendar_of(session, seat))
    row = AskRow(
        match_id=match.id, key=ask.key, seat=ask.seat, turn=ask.turn, kind=ask.kind,
        origin=answered.origin if follows and answered else ask.key, bot=seat.bot, opened_at=now,
        opened_n=match.version, deadline=time.deadline, allowed_s=time.allowed_s, mailed_at=time.mailed_at,
        acts_at=time.acts_at, vote_since=answered.vote_since if follows and answered else None,
    )  # fmt: skip
    session.add(row)
    if seat.bot is not None:
        session.info[RING] = True
    elif not follows and time.mailed_at is None:
        dedupe = f"turn:{match.id}:{ask.seat}:{ask.key}"
        enqueue(session, dedupe, "turn", now, match_id=match.id, seat=ask.seat, key=ask.key, due=due)


def _project_start(session: Session, match: Match, now: datetime, hold_s: int) -> None:
    """Tells those of the beginning who are not asked at once; whoever is asked learns it from the mail that says so."""
    asked = {ask.seat for ask in open_asks(session, match.id)}
    for seat in seats_of(session, match.id):
        if seat.bot is None and seat.seat not in asked:
            due = now + timedelta(seconds=hold_s)
            dedupe = f"started:{match.id}:{seat.seat}"
            enqueue(session, dedupe, "started", now, match_id=match.id, seat=seat.seat, due=due)


def _project_end(session: Session, match: Match, game: AnyGame, state: Any, now: datetime) -> None:
    outcome = game.outcome(state)
    if outcome is None:
        return
    match.status = "over"
    match.ended_at = now
    match.outcome = encode(outcome).decode()
    session.add(match)
    for seat in (s for s in seats_of(session, match.id) if s.bot is None):
        enqueue(session, f"over:{match.id}:{seat.seat}", "over", now, match_id=match.id, seat=seat.seat)
