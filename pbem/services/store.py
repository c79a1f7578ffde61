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
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session

from pbem.clock import iso
from pbem.errors import N_, Busy, NotFound
from pbem.games import find_game
from pbem.models.tables import AskRow, Match, SeatRow, Snapshot
from pbem.rules.codec import codec_for, encode
from pbem.rules.contract import AnyGame, Ask, Event
from pbem.rules.replay import TABLE_EVENTS, AnyEntry, By, Entry, TableEvent, evolve_all
from pbem.services import days, pulse, statements, tally, timing
from pbem.services.heads import MADE, MINE, Head, Heads
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
    return game_called(match.game)


def game_called(slug: str) -> AnyGame:
    """The game of this slug. Raises NotFound when it is no longer installed here."""
    game = find_game(slug)
    if game is None:
        raise NotFound(N_("The game “%(game)s” is not installed here."), {"game": slug})
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
    return list(session.scalars(statements.SEATS, {"match": match_id}))


def open_asks(session: Session, match_id: str) -> list[AskRow]:
    """The match's open questions in seat order."""
    return list(session.scalars(statements.OPEN_ASKS, {"match": match_id}))


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
    rows = session.connection().execute(statements.LOG, {"match": match_id, "after": after})
    event = _event_decoder(game).decode
    return [Entry(n, iso(at), _by_decoder.decode(by), key, event(data)) for n, at, by, key, data in rows]


def load_state(session: Session, match: Match, game: AnyGame) -> Any:
    """The full state at the match's head, as this process left it, or from the snapshot and what came after it."""
    kept: Heads | None = session.info.get(MINE)
    head = kept.find(match.id, match.version, game.meta.fold) if kept is not None else None
    if head is not None:
        return head.state
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
    before = game.pending(state) if state is not None else ()
    state = evolve_all(game, state, step.events)
    _project_asks(session, match, game, before, game.pending(state), step, now, hold_s)
    if first == 1:
        _project_start(session, match, now, hold_s)
    _project_end(session, match, game, state, now)
    _count(session, match, step, now)
    if last // SNAPSHOT_EVERY > (first - 1) // SNAPSHOT_EVERY:
        session.merge(Snapshot(match_id=match.id, n=last, fold=game.meta.fold, state=encode(state).decode()))
    session.info[MADE] = Head(match.id, last, game.meta.fold, state)
    return state


def record(session: Session, match: Match, events: Sequence[TableEvent], now: datetime) -> None:
    """Appends facts about the people at the table, which no game sees: the questions stay as they are.

    The match must be locked. Raises Busy when somebody wrote without the lock.
    """
    if events:
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
        session.connection().execute(statements.WRITE_ENTRIES, rows if len(rows) > 1 else rows[0])
    except IntegrityError as error:
        raise _written_meanwhile() from error
    moved = session.connection().execute(statements.MOVE_ON, {"match": match.id, "from_n": match.version, "to_n": last})
    if moved.rowcount != 1:
        raise _written_meanwhile()
    set_committed_value(match, "version", last)  # what the statement has just written, without reading it again


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
    session: Session, match: Match, game: AnyGame, before: Sequence[Ask], after: Sequence[Ask], step: Step,
    now: datetime, hold_s: int,
) -> None:  # fmt: skip
    """Closes what is no longer asked and opens what was not: the rows need not be read for that."""
    known, wanted = ({(ask.key, ask.seat): ask for ask in asks} for asks in (before, after))
    for key, seat in known.keys() - wanted.keys():
        _close(session, match, key, seat, step, now)
    seats = seats_of(session, match.id) if after else []
    if any(seats[seat].bot is not None for _, seat in known.keys() & wanted.keys()):
        session.info[RING] = True  # in a race it may answer now
    fresh = [ask for ask in after if (ask.key, ask.seat) not in known]
    for ask in fresh:
        _open(session, match, game, ask, seats[ask.seat], step, now, hold_s)
    if step.ask is not None and match.bank_s is not None:
        goes_on = any((ask.seat, ask.turn) == (step.ask.seat, step.ask.turn) for ask in fresh)
        if not goes_on and not game.meta.asks[step.ask.kind].window:
            seat_row = session.get_one(SeatRow, (match.id, step.ask.seat))
            silences = pulse.unknown_to(session, match, now)
            timing.charge(match, seat_row, step.ask, now, days.calendar_of(session, seat_row), silences)


def _close(session: Session, match: Match, key: str, seat: int, step: Step, now: datetime) -> None:
    closed: dict[str, Any] = {"closed_at": now, "closed_by": "table", "answer": None, "first_n": None, "last_n": None}
    if step.ask is not None and (key, seat) == (step.ask.key, step.ask.seat):
        first = match.version - len(step.events) + 1
        closed |= {"closed_by": step.closed_by, "answer": step.answer, "first_n": first, "last_n": match.version}
    session.connection().execute(statements.CLOSE_ASK, {"at_match": match.id, "at_key": key, "at_seat": seat, **closed})


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
        acts_at=time.acts_at, runs_out=time.runs_out, vote_since=answered.vote_since if follows and answered else None,
    )  # fmt: skip
    session.connection().execute(statements.OPEN_ASK, row.model_dump())
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
