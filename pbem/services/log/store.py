"""Loading a match and appending to its log: with `undoing` the only module that writes entries, asks and snapshots;
`archiving` deletes them.

Appending events does the following, in one transaction under the match's lock:

1. insert the entries under (match_id, n); a second writer without the lock would fail on that key;
2. advance the match's version, guarded by its old value, and with it the head of the chain over its log;
3. close asks that are no longer pending and open new ones, each with its deadline;
4. put mails into the outbox for the start, for each stretch of asks and for the end, under unique keys;
5. occasionally write a snapshot, so that a move late in a match costs no more than an early one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, TypeVar, Union

import msgspec
import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session, col, select

from pbem.clock import iso
from pbem.errors import N_, Busy, GameUnavailable, NotFound
from pbem.games import find_game
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Outcome
from pbem.kit.endings import outcome_by_table
from pbem.kit.replay import (
    TABLE_EVENTS,
    AnyEntry,
    By,
    Entry,
    MatchEnded,
    TableEvent,
    effective,
    evolve_all,
    key_in_log,
    question_of,
)
from pbem.models.prepared import objects, pipeline
from pbem.models.tables import AskRow, Match, SeatRow, Snapshot
from pbem.services import statements
from pbem.services.caches import Head
from pbem.services.log import archive, banks, deals, proofs
from pbem.services.log.ask_projection import Step, Written, ask_statements
from pbem.services.log.match_bundle import MatchBundle, send_bundle
from pbem.services.log.outbox import dialect, enqueue
from pbem.services.log.proofs import Link
from pbem.services.site import Reading, Work

SNAPSHOT_EVERY = 64
GAME_RETRY_S = 600
AT_ONCE = 8
"""How many entries one statement writes at most; each number of entries needs a prepared statement of its own."""
MATCH_ID = re.compile(r"[0-9a-f]{1,32}")
ASK_KEY = re.compile(r"[!-~]{1,64}")

log = structlog.get_logger()
T = TypeVar("T")


def game_of(match: Match) -> AnyGame:
    """Returns the match's game. Raises GameUnavailable if it is broken or no longer installed."""
    return game_by_slug(match.game)


def game_by_slug(slug: str) -> AnyGame:
    """Returns the game with this slug. Raises GameUnavailable if it is broken or no longer installed."""
    game = find_game(slug)
    if game is None:
        message = N_(
            "The game “%(game)s” is not available here at the moment. Its matches wait, no time is lost, and they go "
            "on when it is back."
        )
        raise GameUnavailable(message, {"game": slug}, retry_after=GAME_RETRY_S)
    return game


def get_match(session: Session, match_id: str) -> Match:
    """Returns the match. Raises NotFound."""
    found = objects(session, Match, statements.MATCH.ask(session, known_match(match_id)).rows())
    return require_match(found)


def known_match(match_id: str) -> dict[str, str]:
    """Returns the id as a statement's parameter.

    Raises NotFound for text that cannot be an id: a database may reject it, as PostgreSQL rejects NUL.
    """
    if not MATCH_ID.fullmatch(match_id):
        raise NotFound(N_("There is no such match."))
    return {"match": match_id}


def require_match(found: list[Any]) -> Match:
    """Returns the match found by a query. Raises NotFound if there is none."""
    if not found:
        raise NotFound(N_("There is no such match."))
    match: Match = found[0]
    return match


def seats_of(session: Session, match_id: str) -> list[SeatRow]:
    """Returns the match's seats in seat order; a transaction that only reads does not read them again."""
    if isinstance(session, Reading) and session.views is not None and session.people:
        seats = [seat for seat, _ in session.people]
        if seats[0].match_id == match_id:
            return seats
    return objects(session, SeatRow, statements.SEATS.ask(session, {"match": match_id}).rows())


def open_asks(session: Session, match_id: str) -> list[AskRow]:
    """Returns the match's open asks in seat order."""
    return objects(session, AskRow, statements.OPEN_ASKS.ask(session, {"match": match_id}).rows())


def bundle_of(session: Reading, match_id: str) -> MatchBundle:
    """Returns the seats, players, open asks and holidays of the match, in one round trip."""
    with pipeline(session) as connection:
        found = send_bundle(session, connection, match_id)
    return found()


def read_table(session: Reading, match_id: str, also: Callable[[Connection], T]) -> tuple[Match, MatchBundle, T]:
    """Returns the match, its bundle, and the result of `also`, in one round trip. Raises NotFound.

    The answers to statements sent by `also` may be read only after this has returned.
    """
    known = known_match(match_id)
    with pipeline(session) as connection:
        match = statements.MATCH.send(connection, known)
        found, more = send_bundle(session, connection, match_id), also(connection)
    read = require_match(objects(session, Match, match.rows()))
    return read, found(), more


@cache
def _event_decoder(game: AnyGame) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(Union[(*game.meta.events, *TABLE_EVENTS)])


_by_decoder = msgspec.json.Decoder(By)


def get_ask(session: Session, match_id: str, key: str, seat: int) -> AskRow | None:
    """Returns the ask with this key, open or closed; None if there is none or the key is malformed."""
    if not ASK_KEY.fullmatch(key):
        return None
    asked = statements.ASK.ask(session, {"match": match_id, "key": key, "seat": seat})
    found = objects(session, AskRow, asked.rows(), refresh=True)
    return found[0] if found else archive.ask_of(session, match_id, key, seat)


def asks_of_seat(session: Session, match_id: str, seat: int) -> list[AskRow]:
    """Returns all asks of the seat, open and closed, in the order in which they were opened."""
    asked = select(AskRow).where(col(AskRow.match_id) == match_id, col(AskRow.seat) == seat)
    rows = session.exec(asked.order_by(col(AskRow.opened_n), col(AskRow.key))).all()
    return [*rows] or [ask for ask in archive.asks_of(session, match_id) if ask.seat == seat]


def load_log(session: Reading, match_id: str, game: AnyGame) -> Sequence[AnyEntry]:
    """Returns the log's entries; a transaction that only reads reads them once."""
    if session.views is None:
        return load_entries(session, match_id, game)
    if match_id not in session.logs:
        session.logs[match_id] = load_entries(session, match_id, game)
    return session.logs[match_id]


def load_entries(session: Session, match_id: str, game: AnyGame, after: int = 0) -> list[AnyEntry]:
    """Returns the log's entries with n > after, in one query, or in two if the match is archived."""
    rows: Sequence[Any] = statements.LOG.ask(session, {"match": match_id, "after": after}).rows()
    if not rows and (archived := archive.find(session, match_id)) is not None:
        rows = archived.lines[after:]
    event = _event_decoder(game).decode
    return [Entry(n, iso(at), _by_decoder.decode(by), key, event(data)) for n, at, by, key, data in rows]


def load_logs(session: Session, games: Mapping[str, AnyGame]) -> dict[str, list[AnyEntry]]:
    """Returns the logs of these matches, match id -> game, in a query for rows and one for archives."""
    logs: dict[str, list[AnyEntry]] = {match_id: [] for match_id in games}
    decoders = {match_id: _event_decoder(game).decode for match_id, game in games.items()}
    rows = session.execute(statements.LOGS, {"matches": [*games]}) if games else ()
    for match_id, n, at, by, key, data in rows:
        logs[match_id].append(Entry(n, iso(at), _by_decoder.decode(by), key, decoders[match_id](data)))
    archived = archive.find_many(session, [match_id for match_id, log in logs.items() if not log])
    for match_id, one in archived.items():
        for n, at, by, key, data in one.lines:
            logs[match_id].append(Entry(n, iso(at), _by_decoder.decode(by), key, decoders[match_id](data)))
    return logs


def load_state(session: Reading, match: Match, game: AnyGame) -> Any:
    """Returns the full state at the match's head, from this process's cache or from the snapshot and later entries."""
    if (head := session.head(match.id, match.version, game.meta.fold)) is not None:
        return head.state
    snapshot = session.get(Snapshot, match.id)
    state, after = None, 0
    if snapshot is not None and snapshot.fold == game.meta.fold and snapshot.n <= match.version:
        try:
            state, after = codec_for(game).state(snapshot.state), snapshot.n
        except msgspec.MsgspecError:
            log.warning("snapshot.unreadable", match=match.id)  # only a projection: the state is folded from the log
    tail = load_entries(session, match.id, game, after)  # a take-back to before the snapshot has deleted it
    return evolve_all(game, state, (e.event for e in (effective(tail) if match.undone else tail)))


class Appended(NamedTuple):
    """The state after the new entries, and these as they stand in the chain."""

    state: Any
    links: Sequence[Link]


def append(work: Work, match: Match, game: AnyGame, state: Any, step: Step, now: datetime, hold_s: int) -> Appended:
    """Appends the events to the match and updates its projections.

    The match must be locked. Raises Busy if somebody wrote without the lock.
    """
    first, last = match.version + 1, match.version + len(step.events)
    before = game.pending(state) if state is not None else ()
    state = evolve_all(game, state, step.events)
    sent = ask_statements(work, match, game, before, game.pending(state), step, now, hold_s)
    if last // SNAPSHOT_EVERY > (first - 1) // SNAPSHOT_EVERY:
        kept = {"match_id": match.id, "n": last, "fold": game.meta.fold, "state": encode(state).decode()}
        sent.append(Written(statements.snapshot(dialect(work)), kept))
    window = step.ask is not None and game.meta.asks[step.ask.kind].window
    links = _write(work, match, step, now, sent, window=window)
    banks.charge(work, match, game, game.pending(state), step, now)
    match.undoing = None  # a request to take something back ends with the next decision
    if first == 1:
        _project_start(work, match, now, hold_s)
    project_end(work, match, game, state, now)
    _count(work, match, step, now)
    work.keep_head(Head(match.id, last, game.meta.fold, state))
    return Appended(state, links)


def record(work: Work, match: Match, events: Sequence[TableEvent], now: datetime) -> None:
    """Appends facts about the people at the table, which no game sees: asks and state do not change.

    The match must be locked. Raises Busy if somebody wrote without the lock.
    """
    if not events:
        return
    game = find_game(match.game)  # may be uninstalled: there is no state to keep then, but people can still act
    head = work.head(match.id, match.version, game.meta.fold) if game is not None else None
    _write(work, match, Step(events, By(table=True)), now)
    if head is not None:
        work.keep_head(replace(head, version=match.version))


def _write(
    session: Session, match: Match, step: Step, now: datetime, more: Sequence[Written] = (), *, window: bool = False
) -> Sequence[Link]:
    """Writes the entries into the log, advances the match's version, and sends the statements derived from them.

    Returns the entries as they stand in the chain. `window`: they answer a question of a window.
    """
    key = key_in_log(question_of(step.ask.key), match.undone) if step.ask else None
    by = encode(step.by).decode()
    at, first = iso(now), match.version + 1
    links = proofs.link(
        match, (Entry(n, at, step.by, key, event) for n, event in enumerate(step.events, first)), window=window
    )
    last, head = (links[-1].entry.n, links[-1].head) if links else (match.version, match.head)
    common = {"match": match.id, "at": now, "by": by, "key": key}
    try:
        with pipeline(session) as connection:
            for some in range(0, len(links), AT_ONCE):
                these = links[some : some + AT_ONCE]
                statements.write_entries(len(these)).send(connection, common | _columns(these))
            on = {"match": match.id, "from_n": match.version, "to_n": last, "to_head": head}
            moved = statements.MOVE_ON.send(connection, on)
            sent = [(one.must, one.statement.send(connection, one.values)) for one in more]
    except IntegrityError as error:
        if "entries" not in str(error.orig):
            raise
        raise _written_meanwhile() from error
    if moved.count != 1 or any(must and done.count != 1 for must, done in sent):
        raise _written_meanwhile()
    for column, written in (("version", last), ("head", head)):
        set_committed_value(match, column, written)  # saves reading back what the statement wrote
    return links


def _columns(links: Sequence[Link]) -> dict[str, Any]:
    """Returns the parameters of `statements.write_entries` that differ from entry to entry."""
    out: dict[str, Any] = {}
    for i, (entry, sealed, _, head) in enumerate(links):
        out[f"n{i}"], out[f"event{i}"] = entry.n, encode(entry.event).decode()
        out[f"sealed{i}"], out[f"head{i}"] = encode(sealed).decode() if sealed else None, head
    return out


def _count(work: Work, match: Match, step: Step, now: datetime) -> None:
    if step.ask is None:
        return
    way = "clock" if step.by.clock is not None else "bot" if step.by.bot is not None else step.by.via or "unknown"
    work.count("moves", match.game, way)
    if way == "clock" and step.ask.acts_at is not None:
        work.count("lag", match.game, seconds=(now - step.ask.acts_at).total_seconds())


def _written_meanwhile() -> Busy:
    return Busy(N_("Somebody else is writing to this just now. Please try again."), retry_after=1)


def _project_start(work: Work, match: Match, now: datetime, hold_s: int) -> None:
    """Queues the start mail to those who are not asked yet; the others learn it from the mail with their first ask."""
    asked = {ask.seat for ask in open_asks(work, match.id)}
    for seat in seats_of(work, match.id):
        if seat.bot is None and seat.seat not in asked:
            due = now + timedelta(seconds=hold_s)
            dedupe = f"started:{match.id}:{seat.seat}"
            enqueue(work, dedupe, "started", now, match_id=match.id, seat=seat.seat, due=due)


def project_end(work: Work, match: Match, game: AnyGame, state: Any, now: datetime) -> None:
    """Ends the match if its state is final. The match must be locked."""
    outcome = game.outcome(state)
    if outcome is not None:
        _end(work, match, outcome, now)


def end_by_table(work: Work, match: Match, end: MatchEnded, now: datetime) -> None:
    """Ends the match because of the people at it, and closes what is still asked. The match must be locked."""
    game = find_game(match.game)
    if game is None:  # nobody knows the scores then
        outcome = Outcome(end.reason, end.winners)
    else:
        outcome = outcome_by_table(game, load_state(work, match, game), end)
    record(work, match, [end], now)
    for ask in open_asks(work, match.id):
        ask.closed_at, ask.closed_by = now, "table"
    _end(work, match, outcome, now)


def _end(work: Work, match: Match, outcome: Outcome, now: datetime) -> None:
    match.status, match.lapses_at = "over", None
    match.ended_at = now
    match.outcome = encode(outcome).decode()
    deals.end_table(work, match)
    for seat in (s for s in seats_of(work, match.id) if s.bot is None):
        enqueue(work, f"over:{match.id}:{seat.seat}", "over", now, match_id=match.id, seat=seat.seat)
