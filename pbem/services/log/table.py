"""A locked match, and the only way to append to its log: `undoing` deletes kept folds, `archiving` what is archived.

    lock_table → table.append(step) → commit

Appending events does the following, in one transaction under the match's lock:

1. insert the entries under (match_id, n); a second writer without the lock would fail on that key;
2. advance the match's version, guarded by its old value, and with it the head of the chain over its log;
3. close asks that are no longer pending and open new ones, each with its deadline;
4. put mails into the outbox for the start, for each stretch of asks and for the end, under unique keys;
5. occasionally keep what everybody knows, so that a page or a move late in a match costs no more than an early one;
6. charge the time bank of the seat whose stretch of asks has ended.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import msgspec
import structlog
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm.attributes import set_committed_value

from pbem.clock import iso_format
from pbem.games import find_game
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Event, Outcome
from pbem.kit.endings import outcome_by_table
from pbem.kit.folds import Folds, fold_for_all, no_folds
from pbem.kit.replay import (
    AnyEntry,
    By,
    Entry,
    MatchEnded,
    TableEvent,
    Undone,
    evolve_all,
    key_in_log,
    key_without_takebacks,
)
from pbem.kit.windows import floor_s
from pbem.models.prepared import objects_of_join, objects_of_rows, pipeline
from pbem.models.tables import AskRow, Match, OrderRow, Player, SeatRow, table
from pbem.services import statements
from pbem.services.calendar import calendar, deadlines, heartbeats
from pbem.services.calendar.deadlines import Time
from pbem.services.log import archive, deals, outbox, proofs
from pbem.services.log import folds as kept_folds
from pbem.services.log.consent import is_active_person
from pbem.services.log.locks import busy_error, lock_match, lock_matches
from pbem.services.log.one_batch import OneBatch, Outrun
from pbem.services.log.proofs import Link
from pbem.services.log.store import (
    ASK_KEY,
    UNDONE,
    Key,
    Table,
    decode_entries,
    match_parameter,
    open_and_closed_ask_keys,
    open_asks,
    require_match,
)
from pbem.services.site import Head, Work
from pbem.services.statements import Written

UNTIMED = {"deadline": None, "allowed_s": 0, "acts_at": None, "runs_out": None, "remind_at": None}
"""The time of a question at an untimed table: no mail is due, and no clock runs."""
PEOPLE = 2
"""At a table with fewer people nobody is there who could draw conclusions from the time of an answer."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Step:
    """What is appended in one go: the events, who caused them, the ask they answer, and the move that answered it.

    `drew` and `told` are noted of an answer for who wants to take it back: whether it drew luck, and, if it drew none,
    what it has told, as in `pbem.kit.takeback`. None: not noted.
    """

    events: Sequence[Event]
    by: By
    ask: AskRow | None = None
    answer: str | None = None
    closed_by: str = "seat"
    drew: bool | None = None
    told: int | None = None


class LockedTable(Table):
    """A match that this transaction has locked, at the moment `now`. The holder may write all that belongs to it."""

    def __init__(self, work: Work, match: Match, now: datetime | None = None) -> None:
        super().__init__(work, match)
        self.work = work
        self.now = now or work.site.now()
        self.hold = timedelta(seconds=work.site.config.mail_hold_s)
        """How long the mails about what happens are held: meanwhile it can be taken back."""
        self.kept: Any = None
        """Its rows if they are those that this process has kept (`log.kept`)."""
        self.later: tuple[Head, Sequence[Any]] | None = None
        """An earlier head that this process has cached, and the rows of the entries after it."""
        self._head: Head | None = None
        """The head, once it is known: of a cached one, or as this transaction has left it."""
        self.opened: dict[Key, dict[str, Any]] = {}
        """The open asks that it has opened, by their keys in the log: the values of their rows."""

    @property
    def asks(self) -> Sequence[AskRow]:
        """The open asks in seat order, as they are now: statements open and close them."""
        return open_asks(self.work, self.id, refresh=True)

    # --- its log ---------------------------------------------------------------------------------------------

    def append(self, step: Step, also: Sequence[Written] = ()) -> Sequence[Link]:
        """Appends the step and updates all that is derived from it; returns its events as they stand in the chain.

        The statements of `also` are sent with it. Raises Busy if somebody wrote without the lock.
        """
        match, game, events, by, ask = self.match, self.game, step.events, step.by, step.ask
        question = key_without_takebacks(ask.key) if ask is not None else None
        state = self.state
        before = game.pending(state) if match.version else ()
        for event in events:
            state = game.evolve(state, event)
        first, last, after = match.version + 1, match.version + len(events), game.pending(state)
        known: Collection[Key] = {(one.key, one.seat) for one in before}
        asked: Sequence[Ask] = after
        if ask is not None and (question, ask.seat) not in known:
            # The game was corrected while the question was open: what the state says is asked is not what the rows say.
            log.warning("asks.rebuilt", match=self.id, key=ask.key)
            known, closed, step = *open_and_closed_ask_keys(self.work, self.id), replace(step, drew=None, told=None)
            asked = [one for one in after if (one.key, one.seat) not in closed]
        sent = [*also, *self._changes_of_asks(known, asked, step)]
        if self.kept and not after:
            raise Outrun  # what the end writes follows the log
        if last // kept_folds.EVERY > (first - 1) // kept_folds.EVERY:
            folds = self.folds.after(game, events, ask.key if ask is not None else None)
            sent += kept_folds.statements_to_keep(match.id, game, last, folds)
        links = self._write_entries(
            step, state, sent, question, window=ask is not None and game.meta.asks[ask.kind].window
        )
        if ask is not None:
            if match.bank_s is not None and not game.meta.asks[ask.kind].window:
                self._charge_bank(ask, after)
            way = "clock" if by.clock is not None else "bot" if by.bot is not None else by.via or "unknown"
            self.work.count("moves", match.game, way)
            if way == "clock" and ask.acts_at is not None:
                self.work.count("lag", match.game, seconds=(self.now - ask.acts_at).total_seconds())
        if match.undoing is not None:
            match.undoing = None  # a request to take something back ends with the next decision
        if first == 1:
            asked_now = {one.seat for one in after}  # they learn of the start by the mail of their first question
            for seat in self.seats:
                if seat.bot is None and seat.seat not in asked_now:
                    self.queue_mail("started", seat.seat, f"started:{self.id}:{seat.seat}", due=self.now + self.hold)
        if not after:
            self.end_if_final()
        return links

    def record(self, events: Sequence[TableEvent]) -> None:
        """Appends facts about the people at the table, which no game sees: asks and state do not change.

        Raises Busy if somebody wrote without the lock.
        """
        if not events:
            return
        if self.kept:
            raise Outrun
        # It may be uninstalled: there is no state to keep then, but people can still act.
        game = find_game(self.match.game)
        if self._head is None and game is not None:
            self._head = self._find_cached_head(game)
        self._write_entries(Step(events, By(table=True)), self._head and self._head.state)

    @cached_property
    def state(self) -> Any:
        """The full state at the head."""
        self._head = self._head or self._find_cached_head(self.game) or self._read_head()
        return self._head.state

    @cached_property
    def folds(self) -> Folds:
        """What everybody knows at the head."""
        head = self._head or self._read_head()
        return fold_for_all(self.game, head.folds, head.since)

    def _read_head(self) -> Head:
        """Returns the head as the log has it."""
        version = self.match.version
        folds = self.read_folds_at_head() if version else no_folds(len(self.seats))
        return Head(self.id, version, self.game.meta.fold, folds.full, folds)

    def _find_cached_head(self, game: AnyGame) -> Head | None:
        """Returns the head as this process has cached it, perhaps with what was played since; None if it has not."""
        version, fold = self.match.version, game.meta.fold
        if self.later is None:
            return self.session.head(self.id, version, fold)
        head, rows = self.later
        if (head.fold, head.version + len(rows)) != (fold, version):
            return None
        if not rows:
            return head
        later = decode_entries(game, rows)
        if any(isinstance(one.event, Undone) for one in later):
            return None
        state = evolve_all(game, head.state, (one.event for one in later))
        return replace(head, version=version, state=state, since=(*head.since, *later))

    def keep_head(self, state: Any, folds: Folds, since: tuple[AnyEntry, ...] = ()) -> None:
        """Makes this the head, which this process has after the commit. `folds` are from before the entries `since`."""
        vars(self).pop("folds", None)
        self.state = state
        self._head = self.work.made = Head(self.id, self.match.version, self.game.meta.fold, state, folds, since)

    def _write_entries(
        self, step: Step, state: Any, more: Sequence[Written] = (), question: str | None = None, *, window: bool = False
    ) -> Sequence[Link]:
        """Writes the entries into the log, advances the match's version, and sends the statements derived from them.

        `state` is the one that they lead to, `question` the one that they answer, as the rules know it, and `window` is
        True if it is one of a window.
        """
        match, at = self.match, iso_format(self.now)
        key = key_in_log(question, match.undone) if question is not None else None
        entries = [Entry(n, at, step.by, key, event) for n, event in enumerate(step.events, match.version + 1)]
        links = proofs.link_entries(match, entries, window=window)
        last, head = (links[-1].entry.n, links[-1].head) if links else (match.version, match.head)
        common = {"match_id": match.id, "at": self.now, "by": encode(step.by).decode(), "key": key}
        rows = [
            {
                **common, "n": entry.n, "event": encode(entry.event).decode(),
                "sealed": encode(entry.sealed).decode() if entry.sealed else None, "head": after,
            }
            for entry, after in links
        ]  # fmt: skip
        on = {"match": match.id, "from_n": match.version, "to_n": last, "to_head": head}
        batch: object = self.work
        if isinstance(batch, OneBatch):
            batch.send({**on, "touched": match.touched}, rows, more)
        else:
            self._send_rows(on, rows, more)
        for column, written in (("version", last), ("head", head)):
            if self.kept:
                vars(match)[column] = written
            else:
                set_committed_value(match, column, written)  # saves reading back what the statement wrote
        vars(self).pop("_earlier_folds", None)
        if "entries" in vars(self):
            self.entries = [*self.entries, *entries]
        if self._head is not None:
            folds, since = (self.folds, ()) if "folds" in vars(self) else (self._head.folds, self._head.since)
            self.keep_head(state, folds, (*since, *entries))
        return links

    def _send_rows(self, on: dict[str, Any], rows: Sequence[dict[str, Any]], more: Sequence[Written]) -> None:
        """Sends the rows of entries, and the other statements. Raises Busy."""
        try:
            with pipeline(self.work) as connection:
                must = [statements.MOVE_ON.send(connection, on)]
                for row in rows:
                    statements.ENTRY.send(connection, row)
                for one in more:
                    sent = one.statement.send(connection, one.values)
                    if one.must:
                        must.append(sent)
        except IntegrityError as error:
            if "entries" not in str(error.orig):
                raise
            raise busy_error() from error
        for sent in must:
            if sent.cursor.rowcount != 1:
                raise busy_error()

    # --- its mails, its start and its end --------------------------------------------------------------------

    def queue_mail(
        self, kind: str, seat: int, dedupe: str, *, key: str | None = None, due: datetime | None = None
    ) -> None:  # fmt: skip
        """Queues a mail about the match to the player of this seat, unless there is one with this unique key."""
        outbox.enqueue(self.work, dedupe, kind, self.now, match_id=self.id, seat=seat, key=key, due=due)

    def end_if_final(self) -> None:
        """Ends the match if its state is final."""
        outcome = self.game.outcome(self.state)
        if outcome is not None:
            self._end_match(outcome)

    def end_because_of_people(self, end: MatchEnded) -> None:
        """Ends the match because of the people at it, and closes what is still asked."""
        game = find_game(self.match.game)
        outcome = outcome_by_table(game, self.state, end) if game is not None else Outcome(end.reason, end.winners)
        self.record([end])
        self.close_asks()
        self._end_match(outcome)

    def close_asks(self) -> None:
        """Closes what is still asked, because the match has ended."""
        for ask in self.asks:
            ask.closed_at, ask.closed_by = self.now, "table"

    def _end_match(self, outcome: Outcome) -> None:
        match = self.match
        match.status, match.lapses_at = "over", None
        match.ended_at = self.now
        match.outcome = encode(outcome).decode()
        deals.end_table_of_deal(self.work, match)
        for seat in self.seats:
            if seat.bot is None:
                self.queue_mail("over", seat.seat, f"over:{match.id}:{seat.seat}")

    # --- what is asked ---------------------------------------------------------------------------------------

    def set_asks(self, known: Collection[Key], wanted: Sequence[Ask]) -> None:
        """Closes the open asks among those known that are not wanted, and opens those that are wanted and not known."""
        written = self._changes_of_asks(known, wanted, Step((), By(table=True)))
        with pipeline(self.work) as connection:
            for one in written:
                one.statement.send(connection, one.values)

    def _changes_of_asks(self, known: Collection[Key], after: Sequence[Ask], step: Step) -> list[Written]:
        """Returns the statements that lead from the known open asks to those that should be open."""
        match, kinds = self.match, self.game.meta.asks
        wanted = {(ask.key, ask.seat) for ask in after}
        # The key under which the row of an ask is stored may be another one, since something was taken back.
        rows = {(key_without_takebacks(ask.key), ask.seat): ask.key for ask in self.asks} if match.undone else {}
        sent = []
        for key, seat in known:
            if (key, seat) in wanted:
                if self.seats[seat].bot is not None:
                    self.work.wakes = True  # in a race, a bot that had to wait may answer now
                continue
            stored = rows.get((key, seat), key)
            closed: dict[str, Any] = {
                "at_match": match.id, "at_key": stored, "at_seat": seat, "closed_at": self.now,
                "closed_by": "table", "answer": None, "first_n": None, "last_n": None, "drew": None, "told": None,
                "at_epoch": self.seats[seat].epoch,
            }  # fmt: skip
            self.opened.pop((stored, seat), None)
            answered = step.ask is not None and (stored, seat) == (step.ask.key, step.ask.seat)
            if answered:
                closed |= {
                    "closed_by": step.closed_by, "answer": step.answer, "drew": step.drew, "told": step.told,
                    "first_n": match.version + 1, "last_n": match.version + len(step.events),
                }  # fmt: skip
            sent.append(Written(statements.CLOSE_ASK, closed, must=answered))
        for kind in sorted({ask.kind for ask in after if (ask.key, ask.seat) in known}):
            if kinds[kind].window or kinds[kind].race:
                continue  # orders there wait for nothing
            self.work.wakes = True
            sent.append(Written(statements.FOLLOW_AGAIN, {"at_match": match.id, "at_kind": kind, "at": self.now}))
        new = [ask for ask in after if (ask.key, ask.seat) not in known]
        asked_in_window = [ask for ask in new if kinds[ask.kind].window]
        silent = self._opening_of_silent_window(asked_in_window) if asked_in_window and match.silent else None
        for ask in new:
            sent += self._statements_to_open(ask, step, silent if ask in asked_in_window else None)
        return sent

    def _statements_to_open(self, ask: Ask, step: Step, silent: "Opening | None") -> list[Written]:
        """Returns the statements that open an ask.

        An ask that directly follows the same seat's answer in the same turn keeps the deadline of the answered one.
        `silent` says how the silent window that the ask belongs to opens; None if it belongs to none.
        """
        match, now, leave, kinds = self.match, self.now, self.now + self.hold, self.game.meta.asks
        seat, answered, window = self.seats[ask.seat], step.ask, kinds[ask.kind].window
        follows = (
            silent is None
            and answered is not None
            and (answered.seat, answered.turn) == (ask.seat, ask.turn)
            and kinds[answered.kind].window == window
        )
        if silent is not None:
            time = vars(silent.time_of_ask_to_seat(self, seat))
        elif match.untimed and seat.bot is None and not seat.resigned:
            time = {**UNTIMED, "mailed_at": now}
        elif follows and answered is not None:
            time = vars(deadlines.time_of_continuing_ask(answered, seat, step.closed_by, now))
        else:
            days = self.calendar_of(seat)
            time = vars(deadlines.time_of_new_ask(match, seat, window, now, leave, days))
        key = key_in_log(ask.key, match.undone)
        row = {
            "match_id": match.id, "key": key, "seat": ask.seat, "turn": ask.turn, "kind": ask.kind,
            "origin": answered.origin if follows and answered else key, "bot": seat.bot, "opened_at": now,
            "opened_n": match.version + len(step.events), **time,
            "vote_since": answered.vote_since if follows and answered else None,
            "floor_at": silent.floor_at if silent is not None else None,
            "follow_at": now if seat.bot is None else None,
        }  # fmt: skip
        self.opened[key, ask.seat] = row
        sent: list[Written] = [Written(statements.OPEN_ASK, row)]
        if follows and answered is not None and step.closed_by == "seat" and not (seat.absent or seat.resigned):
            sent = [Written(statements.CONTINUE_ASK, {**row, "after": answered.key})]  # its time is not kept
        self.work.wakes = True  # for a bot, a mail, or an order; whether there is one is not looked at here
        if (
            seat.bot is None
            and not follows
            and (time["mailed_at"] is None or (silent is not None and is_active_person(seat)))
        ):
            dedupe = f"turn:{match.id}:{ask.seat}:{key}"
            mail = outbox.values_of_mail(dedupe, "turn", now, due=leave, match_id=match.id, seat=ask.seat, key=key)
            sent.append(Written(statements.MAIL, mail))
        return sent

    def _opening_of_silent_window(self, asks: Sequence[Ask]) -> "Opening | None":
        """Returns how the silent window of these asks opens, which open together; None if there is nothing to hide."""
        match, people = self.match, [seat for seat in self.seats if seat.bot is None and not seat.resigned]
        options = codec_for(self.game).options(msgspec.json.decode(match.options))
        if len(people) < PEOPLE or not self.game.meta.hides_in_windows(options):
            return None
        chance = proofs.luck_of_window_durations(match).window(asks[0].key, asks[0].seat)
        asked = {ask.seat for ask in asks}
        days = [self.calendar_of(one) for one in people if one.seat in asked and not one.absent]
        time = deadlines.common_time_of_silent_window(match.window_s, self.now + self.hold, self.now, days)
        return Opening(self.now + timedelta(seconds=floor_s(chance, match.turn_s, match.window_s)), time)

    # --- time banks ------------------------------------------------------------------------------------------

    def _charge_bank(self, answered: AskRow, after: Sequence[Ask]) -> None:
        """Charges the seat's bank for its thinking time, once its stretch of asks has ended.

        A turn may be interrupted by an ask to another seat. Each stretch of asks is then charged for its own thinking
        time, and only the first adds the turn's increment.
        """
        match = self.match
        if not any((ask.seat, ask.turn) == (answered.seat, answered.turn) for ask in after):
            silences, seat = heartbeats.outages_to_apply(self.work, match, self.now), self.seats[answered.seat]
            increment_s = 0 if self._was_turn_charged_before(answered) else match.increment_s
            deadlines.charge_bank_and_add_increment(
                match, seat, answered, self.now, self.calendar_of(seat), silences, increment_s=increment_s
            )

    def _was_turn_charged_before(self, answered: AskRow) -> bool:
        """True if an earlier stretch of the turn was charged: its last ask was answered and had time allowed."""
        earlier = (
            select(_asks.origin, _asks.kind, _asks.closed_by)
            .where(
                _asks.match_id == answered.match_id, _asks.seat == answered.seat, _asks.turn == answered.turn,
                _asks.origin != answered.origin, _asks.closed_at.is_not(None), _asks.allowed_s > 0,
            )
            .order_by(_asks.opened_n)
        )  # fmt: skip
        rows = self.work.execute(earlier).all()
        last = {origin: closed_by for origin, kind, closed_by in rows if not self.game.meta.asks[kind].window}
        return any(closed_by not in ("table", UNDONE) for closed_by in last.values())


_asks = table(AskRow).c


@dataclass(frozen=True)
class Opening:
    """A silent window that opens: before which moment it does not close, and the time of all who are asked."""

    floor_at: datetime
    time: Time

    def time_of_ask_to_seat(self, table: LockedTable, seat: SeatRow) -> Time:
        """Returns the time of the ask to this seat. Only when its clock acts and when it is reminded is its own."""
        if seat.absent or seat.resigned:
            return replace(self.time, acts_at=table.now)
        if seat.bot is not None:
            return self.time
        days, end = table.calendar_of(seat), self.time.deadline
        return replace(self.time, remind_at=deadlines.time_of_first_reminder(table.now, end, end, days))


# --- locking -------------------------------------------------------------------------------------------------


def table_of(work: Work, match: Match, now: datetime | None = None) -> LockedTable:
    """Returns the table of a match that this transaction has locked or created: the one in use, if there is one.

    Two tables of one match would not see each other's entries. If `now` is given, it holds from then on for all who use
    the table.
    """
    table: LockedTable | None = work.tables.get(match.id)
    if table is None:
        table = work.tables[match.id] = LockedTable(work, match, now)
    elif now is not None:
        table.now = now
    return table


def lock_table(work: Work, match_id: str, now: datetime | None = None) -> LockedTable:
    """Returns the match, locked until the transaction ends. Raises NotFound."""
    return table_of(work, lock_match(work, match_id), now)


def lock_tables(work: Work, match_ids: Iterable[str], now: datetime | None = None) -> dict[str, LockedTable]:
    """Returns the matches by id, all locked until the transaction ends. Raises NotFound."""
    return {match_id: table_of(work, match, now) for match_id, match in lock_matches(work, match_ids).items()}


def lock_with_open_asks(work: Work, match_id: str, now: datetime) -> tuple[LockedTable, Sequence[AskRow]]:
    """Returns the locked match and its open asks in seat order, in one round trip. Raises NotFound."""
    known = match_parameter(match_id)
    with pipeline(work) as connection:
        match, asks = statements.LOCK.send(connection, known), statements.OPEN_ASKS.send(connection, known)
    table = table_of(work, require_match(objects_of_rows(work, Match, match.rows(), refresh=True)), now)
    return table, objects_of_rows(work, AskRow, asks.rows(), refresh=True)


def lock_with_ask(work: Work, match_id: str, key: str, seat: int) -> tuple[LockedTable, AskRow | None]:
    """Returns the locked match and the seat's ask with this key; all that a move needs is read in one round trip.

    Of its log, that is what others have written since this process has cached its state.
    Raises NotFound.
    """
    known = match_parameter(match_id)
    head = work.heads.find(match_id)
    asked = {**known, "key": key if ASK_KEY.fullmatch(key) else "", "seat": seat}
    with pipeline(work) as connection:
        match, around = statements.LOCK.send(connection, known), statements.ASKED.send(connection, asked)
        holidays = statements.HOLIDAYS.send(connection, known)
        later = statements.LOG.send(connection, {**known, "after": head.version}) if head is not None else None
    table = table_of(work, require_match(objects_of_rows(work, Match, match.rows(), refresh=True)))
    if head is not None and later is not None:
        table.later = head, later.rows()
    found = objects_of_join(work, (SeatRow, Player, AskRow, OrderRow), around.rows(), refresh=True)
    table.keep_people(found, calendar.group_holidays_by_number(holidays.rows()))
    if table.match.archived_at is not None:
        return table, archive.ask_in_archive(work, match_id, key, seat)
    for row, _, ask, orders in found:
        if row.seat == seat:
            table.orders[seat] = orders
            return table, ask
    return table, None
