"""What many matches of a plan were like, counted: tallies of chunks that follow each other are joined to one.

All that is added is whole numbers, so the parts in which it was counted change nothing; what belongs to one match
stands in lists, in the order of the matches' numbers.
"""

from collections import Counter
from collections.abc import Sequence
from math import fsum
from typing import Self

import msgspec

from pbem.features.lab.course import Listener, Played
from pbem.features.lab.measures.choice import ChoiceListener, ChoiceTally
from pbem.features.lab.measures.estimates import Counts, add_counted_values
from pbem.features.lab.measures.parts import PartsListener, PartsTally
from pbem.features.lab.measures.tension import EVERY, TensionListener, TensionTally
from pbem.kit.contract import AnyGame


class Closely(Counts):
    """What the listeners have counted."""

    choice: ChoiceTally = msgspec.field(default_factory=ChoiceTally)
    parts: PartsTally = msgspec.field(default_factory=PartsTally)
    tension: TensionTally = msgspec.field(default_factory=TensionTally)


class Closeness:
    """The listeners of many matches of one plan, and what they have counted."""

    def __init__(self, game: AnyGame, seats: int) -> None:
        self.closely = Closely()
        self._tension = TensionListener(game, seats, self.closely.tension)
        self._others: Sequence[Listener] = (
            ChoiceListener(game, self.closely.choice),
            PartsListener(game, seats, self.closely.parts),
        )

    def listeners_of(self, number: int, seed: bytes) -> Sequence[Listener]:
        """Returns the listeners of the match with this number, whose own seed this is."""
        self._tension.seed, self._tension.looked = seed, number % EVERY == 0
        return (*self._others, self._tension)


class Tally(Counts):
    """The combined results of many matches of one game with one number of seats."""

    seats: int
    decisions: list[int] = msgspec.field(default_factory=list)
    waits: list[int] = msgspec.field(default_factory=list)
    by_order: list[int] = msgspec.field(default_factory=list)
    seconds: list[int] = msgspec.field(default_factory=list)
    """How long each match took where everybody looks once a day."""
    mails: list[int] = msgspec.field(default_factory=list)
    idle: list[int] = msgspec.field(default_factory=list)
    """The longest time between two decisions of a seat in each match, in seconds."""
    winners: list[tuple[int, ...]] = msgspec.field(default_factory=list)
    endings: dict[str, int] = msgspec.field(default_factory=Counter)
    scores: list[tuple[int, ...]] = msgspec.field(default_factory=list)
    winning: list[int] = msgspec.field(default_factory=list)
    """The winner's score in each match that has one; the first winner's if there are several."""
    events: dict[str, int] = msgspec.field(default_factory=Counter)
    barred: dict[str, int] = msgspec.field(default_factory=dict)
    """What each word of `--without` has kept the restricted seats from, in decisions."""
    closely: Closely | None = None

    @property
    def matches(self) -> int:
        """Returns the number of matches counted."""
        return len(self.decisions)

    @property
    def wins_by_seat(self) -> dict[int, int]:
        """Returns the matches won by each seat that won any; a shared victory counts for each of its winners."""
        return Counter(seat for winners in self.winners for seat in winners)

    @property
    def victory_shares_by_seat(self) -> list[float]:
        """Returns the victories of each seat; a shared victory is divided among its winners."""
        counts = sorted(Counter(self.winners).items())
        return [fsum(n / len(won) for won, n in counts if seat in won) for seat in range(self.seats)]

    @property
    def matches_without_winner(self) -> int:
        """Returns the number of matches that nobody won."""
        return self.winners.count(())

    def add(self, played: Played) -> None:
        """Adds a match."""
        outcome = played.outcome
        for name in ("decisions", "waits", "by_order", "seconds", "mails", "idle"):
            getattr(self, name).append(getattr(played, name))
        self.winners.append(tuple(outcome.winners))
        self.endings[outcome.reason] += 1
        add_counted_values(self.events, played.events)
        add_counted_values(self.barred, played.barred)
        if outcome.scores is not None:
            self.scores.append(outcome.scores)
            self.winning += [outcome.scores[seat] for seat in outcome.winners[:1]]

    def join(self, later: Self) -> None:
        """Adds the matches of another tally after its own."""
        super().join(later)
        self.seats = later.seats


class Spread(msgspec.Struct, frozen=True):
    """The distribution of a number over matches; each field is a value that occurred."""

    min: int
    median: int
    p95: int
    max: int


def spread_of_numbers(numbers: Sequence[int]) -> Spread:
    """Returns the minimum, the median, the value that 95 % do not exceed, and the maximum. Raises ValueError if empty.

    >>> spread_of_numbers([5, 1, 4, 2])
    Spread(min=1, median=2, p95=5, max=5)
    """
    if not numbers:
        raise ValueError("nothing to spread")
    ordered, last = sorted(numbers), len(numbers) - 1
    return Spread(ordered[0], ordered[last // 2], ordered[-(-95 * len(numbers) // 100) - 1], ordered[last])
