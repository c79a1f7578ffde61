"""Random play without the checks of the laws: fast, and only counted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from pbem.rules.chance import SeedChance
from pbem.rules.choices import draw
from pbem.rules.contract import AnyGame, Outcome
from pbem.rules.play import LawBroken
from pbem.rules.replay import evolve_all


class Played(msgspec.Struct, frozen=True):
    """One simulated match. `waits` counts the times it stopped for somebody else than the one who just played."""

    decisions: int
    waits: int
    outcome: Outcome
    events: Mapping[str, int]


class Tally(msgspec.Struct):
    """What occurred in many matches of one game with one number of seats."""

    seats: int
    decisions: list[int] = msgspec.field(default_factory=list)
    waits: list[int] = msgspec.field(default_factory=list)
    endings: Counter[str] = msgspec.field(default_factory=Counter)
    wins: Counter[int] = msgspec.field(default_factory=Counter)
    """Matches won by each seat; a shared victory counts for each of its winners."""
    unwon: int = 0
    events: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def matches(self) -> int:
        """How many matches were counted in."""
        return len(self.decisions)

    def add(self, played: Played) -> None:
        """Counts a match in."""
        self.decisions.append(played.decisions)
        self.waits.append(played.waits)
        self.endings[played.outcome.reason] += 1
        self.wins.update(played.outcome.winners)
        self.unwon += not played.outcome.winners
        self.events.update(played.events)


class Spread(msgspec.Struct, frozen=True):
    """How a number is spread over matches; each is a value that occurred."""

    min: int
    median: int
    p95: int
    max: int


def spread(numbers: Sequence[int]) -> Spread:
    """The smallest, the middle, the one that 95 % do not exceed, and the largest. Raises ValueError without any.

    >>> spread([5, 1, 4, 2])
    Spread(min=1, median=2, p95=5, max=5)
    """
    if not numbers:
        raise ValueError("nothing to spread")
    ordered, last = sorted(numbers), len(numbers) - 1
    return Spread(ordered[0], ordered[last // 2], ordered[-(-95 * len(numbers) // 100) - 1], ordered[last])


def seed_of(seed: bytes, seats: int, number: int) -> bytes:
    """The seed of one match of a simulation: another for every number and every count of seats."""
    return sha256(b"pbem simulate|%b|%d|%d" % (seed, seats, number)).digest()


def play_out(game: AnyGame, seats: int, options: Any, seed: bytes) -> Played:
    """One match of random moves, the very one that `random_decisions` plays from this seed.

    Raises LawBroken when it does not end within the game's bound.
    """
    events = list(game.setup(seats, options, SeedChance(seed, 1, "setup")))
    state = evolve_all(game, None, events)
    asks, waits = game.pending(state), 1
    for decisions in range(game.meta.bound + 1):
        if not asks:
            outcome = game.outcome(state)
            assert outcome is not None, "a match in which nobody is asked has an outcome"
            return Played(decisions, waits, outcome, Counter(type(event).__name__ for event in events))
        position = len(events) + 1
        luck = SeedChance(seed, position, "bot")
        ask = luck.pick(asks)
        move = draw(game.legal(state, ask.seat), game.meta.weights, luck)
        new = game.decide(state, ask.seat, move, SeedChance(seed, position, "decide", ask.seat))
        events += new
        state = evolve_all(game, state, new)
        before, asks = asks, game.pending(state)
        waits += any(opened.seat != ask.seat and opened not in before for opened in asks)
    where = f"{game.meta.slug}, {seats} seats, match seed {seed.hex()}"
    raise LawBroken(f"{where}: the match does not end within {game.meta.bound} decisions")
