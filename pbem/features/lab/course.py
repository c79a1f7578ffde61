"""A match in progress: what has happened in it, who is asked, who listens, and when simulated people look.

They look once a day, each at an hour of their own, which the seed fixes.

Both ways to play a match stand on it: by hand (`simulations`) and with orders (`ordered`).
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

import msgspec

from pbem.kit.contract import AnyGame, Ask, Event, Move, Outcome, PlayerView
from pbem.kit.play import LawBroken, luck_from_seed
from pbem.kit.replay import evolve_all, view_after

DAY_S = 24 * 3600


class Played(msgspec.Struct, frozen=True):
    """One simulated match.

    `waits` counts how often it waited for a player other than the last one to act, `by_order` the decisions that orders
    made. `seconds` is how long it took where everybody looks once a day. `mails` counts who was asked at those waits,
    `idle` is the longest time, in seconds, between two decisions of a seat, or before its first. `barred` counts
    what each word has kept the restricted seat from.
    """

    decisions: int
    waits: int
    outcome: Outcome
    events: Mapping[str, int]
    by_order: int = 0
    seconds: int = 0
    mails: int = 0
    idle: int = 0
    barred: Mapping[str, int] = {}


class Pace:
    """The hours of one match: the time of day at which each seat looks."""

    def __init__(self, seed: bytes, seats: int) -> None:
        drawn = (sha256(b"pbem pace|%b|look:s%d" % (seed, seat)).digest() for seat in range(seats))
        # A second apart, so that no two seats ever look at once.
        self.looks = tuple(int.from_bytes(one[:8]) % (DAY_S // 60) * 60 + seat for seat, one in enumerate(drawn))

    def next_look_of_seat(self, seat: int, at: int) -> int:
        """Returns the first time from `at` on, in seconds since the beginning, at which the seat looks."""
        return at + (self.looks[seat] - at) % DAY_S


class Listener(Protocol):
    """Is told of each decision of a match. It is one object for many matches."""

    def on_beginning(self, state: Any) -> None:
        """Takes in that a match begins, with the state after its setup."""
        ...

    def on_decision(self, before: Any, ask: Ask, move: Move, events: Sequence[Event], after: Any) -> None:
        """Takes a decision in: the states before and after it, and its events."""
        ...

    def on_end(self, outcome: Outcome) -> None:
        """Takes in how the match has ended."""
        ...


class Course:
    """A match in progress. `seeing` are the seats whose views are kept up to date."""

    def __init__(
        self, game: AnyGame, seats: int, options: Any, seed: bytes, seeing: Collection[int],
        listeners: Sequence[Listener] = (),
    ) -> None:  # fmt: skip
        self.game, self.seats, self._seed, self._listeners = game, seats, seed, listeners
        self.luck, self.pace = luck_from_seed(seed, seats), Pace(seed, seats)
        self.events: list[Any] = []
        self.state: Any = None
        self.views = {seat: PlayerView(None, seats, (), self.luck.memory(seat)) for seat in seeing}
        self.asks: tuple[Ask, ...] = ()
        self.now = 0
        """Seconds since the beginning."""
        self.decisions = self.waits = self.by_order = self.mails = self.idle = 0
        self._acted = [0] * seats
        self._add_events(game.setup(seats, options, self.luck.rules(1)))
        for listener in listeners:
            listener.on_beginning(self.state)

    @property
    def next_entry_number(self) -> int:
        """The number of the entry that comes next."""
        return len(self.events) + 1

    def _add_events(self, events: Sequence[Any]) -> None:
        self.events += events
        self.state = evolve_all(self.game, self.state, events)
        for seat, view in self.views.items():
            self.views[seat] = view_after(self.game, view, events, seat)
        self.asks = self.game.pending(self.state)

    def count_decision(self, seat: int) -> None:
        """Counts a decision that the seat makes now."""
        self.decisions += 1
        if self.decisions > self.game.meta.bound:
            raise self.error_of_match(f"the match does not end within {self.game.meta.bound} decisions")
        self.idle = max(self.idle, self.now - self._acted[seat])
        self._acted[seat] = self.now

    def play(self, ask: Ask, move: Move) -> None:
        """Plays a move that has been counted."""
        before = self.state
        new = self.game.decide(before, ask.seat, move, self.luck.rules(self.next_entry_number, ask.seat))
        self._add_events(new)
        for listener in self._listeners:
            listener.on_decision(before, ask, move, new, self.state)

    def count_wait_and_mails(self, asked: int) -> None:
        """Counts a stop at which this many are asked by mail; none if it is 0."""
        self.waits += bool(asked)
        self.mails += asked

    def error_of_match(self, what: str) -> LawBroken:
        """Returns the error for this match."""
        return LawBroken(f"{self.game.meta.slug}, {self.seats} seats, match seed {self._seed.hex()}: {what}")

    def end_and_sum_up(self) -> Played:
        """Tells the listeners how the match ended, and returns what it took: once nobody is asked any more."""
        outcome = self.game.outcome(self.state)
        assert outcome is not None, "a match in which nobody is asked has an outcome"
        for listener in self._listeners:
            listener.on_end(outcome)
        counted = Counter(type(event).__name__ for event in self.events)
        return Played(
            self.decisions, self.waits, outcome, counted, self.by_order, self.now, self.mails, self.idle
        )  # fmt: skip
