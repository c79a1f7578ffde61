"""Makes every decision of a finished match again, with the luck of its seed.

A log holds facts and no moves, so a decision is repeated by trying the legal moves until one gives its entries. What it
drew on the way is recorded: these are the match's draws.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice, takewhile
from typing import Any, Literal, TypeVar

import msgspec

from pbem.kit.bots import bots_of, extra_bots, is_thinking_bot, version_of
from pbem.kit.chance import Chance, KeyLuck, Luck, MatchLuck, Purpose, SeedLuck
from pbem.kit.contract import Ask, Event, IllegalMove, Move, PlayerView, ask_of
from pbem.kit.logs.logfile import Log
from pbem.kit.replay import (
    AnyEntry,
    By,
    TableEvent,
    Undone,
    entries_not_taken_back,
    evolve_all,
    key_without_takebacks,
    turn_of_key,
    view_after,
)

T = TypeVar("T")
Kind = Literal["below", "shuffle"]
Result = int | tuple[int, ...]
Record = Callable[[str, Purpose, Kind, int, Result], None]
"""Notes what was drawn: the name of its stream, what for, and `kind`, `n` and `result` of `Draw`."""


class Draw(msgspec.Struct, frozen=True):
    """Something that was drawn for the decision whose first entry is `entry`.

    `result` is the number drawn from 0 to n-1 (`below`), or the order into which n things came (`shuffle`). `name` is
    that of its stream, `takebacks` the number of take-backs before it.
    """

    entry: int
    name: str
    purpose: Purpose
    takebacks: int
    kind: Kind
    n: int
    result: Result


class Decision(msgspec.Struct, frozen=True):
    """A decision made again: its entries, whether they came out the same, and its draws if so.

    `move`: the answer that led to the entries, if one did. `bot`: whether its bot chose the same again; None if it was
    no bot's, or one that is not here in that version.
    `broken`: the name of the error that the rules raised instead, as they may on a forged log.
    """

    entries: Sequence[AnyEntry]
    holds: bool
    draws: tuple[Draw, ...] = ()
    bot: bool | None = None
    broken: str | None = None
    move: Move | None = None


def draws_of_rules_and_clock(log: Log) -> list[Draw]:
    """Returns all that was drawn for the rules and the clock, in order. Only for a full log of format 2 with its seed.

    What bots drew is not there: anyone who checks the draws need not have the bots.
    """
    return [draw for decision in Repetition(log, bots=False).decisions() for draw in decision.draws]


def _key_and_decider(entry: AnyEntry) -> tuple[str | None, By]:
    return entry.key, entry.by


class Repetition:
    """A log as far as it has been repeated. Only for a full log with its seed.

    `bots`: choices of bots are made again, too; `thoughts`: also of those that think, which may take a second each.
    """

    def __init__(self, log: Log, *, bots: bool = True, thoughts: bool = False) -> None:
        self._log, self._bots, self._thoughts = log, bots, thoughts
        self.state: Any = None
        """The full state, as the log itself gives it: one decision that fails does not make later ones fail."""
        self._own: dict[int, tuple[int, PlayerView]] = {}
        """What seats knew for which the clock or a bot has played, and up to which entry."""
        self.reopened: list[int] = []
        """The numbers of entries that took something back although the match had ended."""
        self._takebacks = 0
        """How many take-backs count in the names of draws: none where other tables play the same deal."""
        self._shared = log.proof is not None and log.proof.table is not None
        self._key = log.key() if log.proof is not None else None

    def decisions(self) -> Iterator[Decision]:
        """Yields every decision of the log, made again."""
        group: list[AnyEntry] = []
        for entry in self._log.entries:
            of_game, taken_back = not isinstance(entry.event, TableEvent), isinstance(entry.event, Undone)
            if group and (taken_back or (of_game and _key_and_decider(entry) != _key_and_decider(group[0]))):
                yield self._repeat_decision(group)
                group = []
            if of_game:
                group.append(entry)
            elif taken_back:
                self._take_back(entry.n)
        if group:
            yield self._repeat_decision(group)

    def _take_back(self, n: int) -> None:
        """Goes back to the state in which entry `n`, an `Undone`, leaves the match."""
        with suppress(Exception):  # a forged log on which the rules break: its decisions are findings
            if self._log.game.outcome(self.state) is not None:
                self.reopened.append(n)
        before = entries_not_taken_back(self._log.entries[:n])
        self.state = evolve_all(self._log.game, None, (entry.event for entry in before))
        self._own.clear()
        self._takebacks += not self._shared

    def _repeat_decision(self, group: Sequence[AnyEntry]) -> Decision:
        """Returns the decision of these entries, made again, and goes on to the state after it."""
        try:
            decision = self._repeat_decision_or_raise(group)
        except Exception as error:  # noqa: BLE001 - a log can be forged so that the rules break on it: that is a finding
            decision = Decision(group, holds=False, broken=type(error).__name__)
        self.state = evolve_all(self._log.game, self.state, (entry.event for entry in group))
        return decision

    def _repeat_decision_or_raise(self, group: Sequence[AnyEntry]) -> Decision:
        game, first, luck, draws = self._log.game, group[0], self._luck(), list[Draw]()

        def record(name: str, purpose: Purpose, kind: Kind, n: int, result: Result) -> None:
            draws.append(Draw(first.n, name, purpose, self._takebacks, kind, n, result))

        if self.state is None:
            recorded = _RecordedLuck(luck.rules(first.n), record)
            holds = [*game.setup(self._log.seats, self._log.options, recorded)] == [entry.event for entry in group]
            return Decision(group, holds, tuple(draws))
        seat = first.seat_answered_for
        ask = None if seat is None else ask_of(game, self.state, seat)
        if seat is None or ask is None or first.key is None or ask.key != key_without_takebacks(first.key):
            return Decision(group, holds=False)
        if first.by.clock is not None:
            clock = luck.fallback(first.n, ask.key, seat)
            chance = _RecordedChance(clock, record, f"{ask.key}:s{seat}", "fallback")
            moves: Iterable[Any] = (game.fallback(self._view(seat, first.n).fold, seat, chance),)
        else:
            moves = game.legal(self.state, seat)
        chosen = len(draws)
        for move in moves:
            del draws[chosen:]
            recorded = _RecordedLuck(luck.rules(first.n, seat), record)
            if self._decide(seat, move, recorded) == [entry.event for entry in group]:
                bot = self._does_bot_choose_move(group, ask, move)
                return Decision(group, True, tuple(draws), bot, move=move)
        return Decision(group, holds=False)

    def _luck(self) -> MatchLuck:
        if self._key is not None:
            return KeyLuck(self._key, self._takebacks)
        assert self._log.seed is not None
        return SeedLuck(self._log.seed)

    def _decide(self, seat: int, move: Any, luck: Luck) -> list[Event] | None:
        try:
            return [*self._log.game.decide(self.state, seat, move, luck)]
        except IllegalMove:
            return None

    def _does_bot_choose_move(self, group: Sequence[AnyEntry], ask: Ask, move: Any) -> bool | None:
        """Returns whether the bot chooses this move, or another that makes the same events."""
        game, first = self._log.game, group[0]
        by = first.by
        choose = bots_of(game).get(by.via or "")
        long = is_thinking_bot(by.via or "") or by.via in extra_bots(game)
        if not self._bots or choose is None or (long and not self._thoughts):
            return None
        if by.bot is None or by.version != version_of(game, by.via or ""):
            return None
        luck = self._luck()
        for view in self._views_bot_may_have_had(first, ask):
            try:
                choice = choose(view, ask.seat, luck.bot(first.n, ask.key, ask.seat))
            except Exception:  # noqa: BLE001 - a forged log on which the bot breaks: it has not chosen this
                return False
            events = None if choice == move else self._decide(ask.seat, choice, luck.rules(first.n, ask.seat))
            if choice == move or events == [one.event for one in group]:
                return True
        return False

    def _views_bot_may_have_had(self, first: AnyEntry, ask: Ask) -> Iterator[PlayerView]:
        """Yields what the bot may have known when it chose.

        In a silent window that is what it knew when that opened, before any answer became an entry; in all others what
        it knew just before its own entry.
        """
        if self._log.game.meta.asks[ask.kind].window:
            before = reversed(self._log.entries[: first.n - 1])
            others = sum(
                1 for _ in takewhile(lambda one: one.key is not None and turn_of_key(one.key) == ask.turn, before)
            )
            views = (self._view(ask.seat, at) for at in range(first.n - others, first.n))
            opened = (view for view in views if ask in self._log.game.pending(view.fold))
            yield from islice(opened, 1)
        yield self._view(ask.seat, first.n)

    def _view(self, seat: int, before: int) -> PlayerView:
        """Returns what the seat knew. Continues the last fold: in a long log every move may be the clock's.

        Only a bot that answers twice while one window is open makes it start over, since it looks back to the opening.
        """
        begun = 0, PlayerView(None, self._log.seats, (), self._luck().memory(seat))
        at, view = self._own.get(seat, begun)
        if before <= at:
            at, view = begun
        entries = self._log.entries[at : before - 1]
        if at == 0:
            entries = tuple(entries_not_taken_back(entries))
        view = view_after(self._log.game, view, (one.event for one in entries), seat)
        self._own[seat] = before - 1, view
        return view


class _RecordedLuck(Luck):
    def __init__(self, luck: Luck, record: Record) -> None:
        self._luck, self._record = luck, record

    def named(self, name: str) -> Chance:
        return _RecordedChance(self._luck.named(name), self._record, name, "decide")


class _RecordedChance(Chance):
    def __init__(self, chance: Chance, record: Record, name: str, purpose: Purpose) -> None:
        self._chance, self._record, self._name, self._purpose = chance, record, name, purpose

    def below(self, n: int) -> int:
        result = self._chance.below(n)
        self._record(self._name, self._purpose, "below", n, result)
        return result

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        given = tuple(items)
        order = self._chance.shuffled(range(len(given)))
        self._record(self._name, self._purpose, "shuffle", len(given), order)
        return tuple(given[at] for at in order)
