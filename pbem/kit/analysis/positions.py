"""A finished match as the decisions that were made in it, each with the position before it."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from pbem.kit.chance import KeyLuck
from pbem.kit.codec import encode
from pbem.kit.contract import Ask, Move, PlayerView, ask_of
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.repetition import Decision, Draw, Repetition
from pbem.kit.replay import AnyEntry, TableEvent, effective, evolve_all, question_of, see


class Played(msgspec.Struct, frozen=True):
    """A decision: the question, the answer, and what the seat knew when it was asked.

    `first` is the number of its first entry. `move` is None if the rules of today do not lead to its entries.
    `by_clock`: nobody chose it.
    """

    ask: Ask
    first: int
    move: Move | None
    view: PlayerView
    by_clock: bool


class Position(msgspec.Struct, frozen=True):
    """A position that the match stood in, after entry `entry`, and the decision made there; None after the last."""

    entry: int
    state: Any
    played: Played | None


class Course(msgspec.Struct, frozen=True):
    """A match with nothing hidden: its positions in order, what was drawn on the way, and luck for thinking about it.

    What was taken back is in none of them. `luck` follows from the facts of the match alone: an equal match gives equal
    luck, which has nothing to do with its own.
    """

    log: Log
    positions: tuple[Position, ...]
    draws: tuple[Draw, ...]
    luck: KeyLuck


def course_of(log: Log) -> Course:
    """Returns the course of a match that is over. Only for a full log with its seed."""
    luck = luck_for(log)
    decisions = [*Repetition(log, bots=False).decisions()]
    draws = tuple(draw for decision in decisions for draw in decision.draws)
    return Course(log, tuple(_positions(log, luck, decisions)), draws, luck)


def luck_for(log: Log) -> KeyLuck:
    """Returns luck that follows from the facts of the match, so that thinking about it again gives the same."""
    events = [entry.event for entry in effective(log.entries) if not isinstance(entry.event, TableEvent)]
    return KeyLuck(sha256(encode([log.game.meta.slug, log.seats, log.options, events])).digest())


def _positions(log: Log, luck: KeyLuck, decisions: Sequence[Decision]) -> Iterator[Position]:
    game, kept = log.game, {entry.n for entry in effective(log.entries)}
    state, entry = None, 0
    eyes = _Eyes(log, luck)
    for decision in decisions:
        group = [one for one in decision.entries if one.n in kept]
        if not group:
            continue
        if state is not None:
            eyes.ask(game.pending(state))
            yield Position(entry, state, _played(log, state, eyes, group, decision.move))
        state, entry = evolve_all(game, state, (one.event for one in group)), group[-1].n
        eyes.see(group)
    assert state is not None, "a log begins with what the rules have set up"
    yield Position(entry, state, None)


def _played(log: Log, state: Any, eyes: "_Eyes", group: Sequence[AnyEntry], move: Move | None) -> Played | None:
    """Returns the decision of these entries; None if an old log answers a question that is not put any more."""
    first = group[0]
    ask = None if first.answers_for is None else ask_of(log.game, state, first.answers_for)
    if ask is None or first.key is None or question_of(first.key) != ask.key:
        return None
    return Played(ask, first.n, move, eyes.of(ask), first.by.clock is not None)


class _Eyes:
    """What each seat knows as the match goes on.

    Whoever answers in a silent window has not seen the answers of the others, although the log holds them one after
    the other: they knew what they knew when the window opened.
    """

    def __init__(self, log: Log, luck: KeyLuck) -> None:
        self._game, self._silent = log.game, log.game.meta.hides_in_windows(log.options)
        self._views = [PlayerView(None, log.seats, (), luck.memory(seat)) for seat in range(log.seats)]
        self._at_opening: dict[str, PlayerView] = {}

    def ask(self, asks: Sequence[Ask]) -> None:
        """Notes what the seats know when these questions of windows are put; those put before do not change."""
        silent = [ask for ask in asks if self._silent and self._game.meta.asks[ask.kind].window]
        self._at_opening = {
            _name(ask): self._at_opening.get(_name(ask), self._views[ask.seat]) for ask in silent
        }  # fmt: skip

    def of(self, ask: Ask) -> PlayerView:
        """Returns what the seat knew when it answered this question."""
        return self._at_opening.get(_name(ask), self._views[ask.seat])

    def see(self, entries: Sequence[AnyEntry]) -> None:
        """Goes on to after these entries."""
        events = [entry.event for entry in entries]
        self._views = [see(self._game, view, events, seat) for seat, view in enumerate(self._views)]


def _name(ask: Ask) -> str:
    return f"{ask.key}:s{ask.seat}"
