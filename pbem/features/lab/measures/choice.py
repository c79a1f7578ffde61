"""Choice: how many answers there are, how often only one, and how evenly kinds of moves are chosen."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import fsum, log2
from typing import Any

import msgspec

from pbem.features.lab.measures.estimates import Counts, Mean, Share, estimate_mean
from pbem.kit.contract import AnyGame, Ask, Event, Move, Outcome

MOST_COUNTED = 10_000
"""More legal moves than this many count as this many: some games offer millions of divisions."""


class AskTally(Counts):
    """The decisions at one kind of question. `legal`: the legal moves of all of them; `chosen`: by kind of move."""

    decisions: int = 0
    forced: int = 0
    legal: int = 0
    chosen: dict[str, int] = msgspec.field(default_factory=Counter)


class ChoiceTally(Counts):
    """What was chosen from how much."""

    asks: dict[str, AskTally] = msgspec.field(default_factory=lambda: defaultdict(AskTally))
    sizes: dict[int, int] = msgspec.field(default_factory=Counter)
    """Decisions by their number of legal moves, of which the next lower power of two is told."""
    means: list[float] = msgspec.field(default_factory=list)
    """Of each match: how many legal moves a decision had, in the geometric mean, as a power of two."""
    forced: list[int] = msgspec.field(default_factory=list)
    """Of each match: how many decisions in 10,000 had one legal move."""
    rounds: list[int] = msgspec.field(default_factory=list)


class ChoiceListener:
    """Counts the choices of the matches that it is told of."""

    def __init__(self, game: AnyGame, tally: ChoiceTally) -> None:
        self._game, self._tally = game, tally
        self._logs: list[float] = []
        self._forced = 0
        self._rounds: set[int] = set()

    def on_beginning(self, state: Any) -> None:
        """See `Listener`."""
        self._logs, self._forced, self._rounds = [], 0, {self._game.round_of(state)}

    def on_decision(self, before: Any, ask: Ask, move: Move, events: Sequence[Event], after: Any) -> None:
        """See `Listener`."""
        size = min(MOST_COUNTED, len(self._game.legal(before, ask.seat)))
        counted = self._tally.asks[ask.kind]
        counted.decisions += 1
        counted.legal += size
        self._logs.append(log2(size))
        if size == 1:
            counted.forced += 1
            self._forced += 1
        else:
            counted.chosen[type(move).__name__] += 1
        self._tally.sizes[1 << (size.bit_length() - 1)] += 1
        self._rounds.add(self._game.round_of(before))

    def on_end(self, outcome: Outcome) -> None:
        """See `Listener`."""
        decisions = max(1, len(self._logs))
        self._tally.means.append(round(fsum(self._logs) / decisions, 6))
        self._tally.forced.append(self._forced * 10_000 // decisions)
        self._tally.rounds.append(len(self._rounds))


class AskChoice(msgspec.Struct, frozen=True):
    """What is chosen at one kind of question; `entropy` is that of the kinds of moves, of decisions with a choice."""

    kind: str
    decisions: int
    legal: float
    forced: Share
    entropy: float
    chosen: Mapping[str, int]


class Choice(msgspec.Struct, frozen=True):
    """The choices of all matches.

    `legal`: the geometric mean of legal moves a decision, in bits; `forced`: the share of decisions with one.
    `entropy`: bits, of the kinds of moves chosen where there was a choice.
    """

    legal: Mean | None
    forced: Mean | None
    entropy: float
    asks: tuple[AskChoice, ...]
    sizes: Mapping[int, int]


def entropy_in_bits(counts: Mapping[str, int]) -> float:
    """Returns Shannon's entropy of what was counted, in bits.

    >>> entropy_in_bits({"Call": 2, "Pass": 1, "Swap": 1})
    1.5
    """
    total = sum(counts.values())
    if not total:
        return 0.0
    return abs(fsum(-n / total * log2(n / total) for _, n in sorted(counts.items()) if n))


def measure_choice(tally: ChoiceTally) -> Choice:
    """Returns the measure."""
    every = Counter[str]()
    for ask in tally.asks.values():
        every.update(ask.chosen)
    asks = tuple(
        AskChoice(
            name, ask.decisions, round(ask.legal / ask.decisions, 2), Share(ask.forced, ask.decisions),
            round(entropy_in_bits(ask.chosen), 3), dict(sorted(ask.chosen.items())),
        )
        for name, ask in sorted(tally.asks.items())
    )  # fmt: skip
    return Choice(
        estimate_mean(tally.means), estimate_mean([share / 10_000 for share in tally.forced]),
        round(entropy_in_bits(every), 3), asks, dict(sorted(tally.sizes.items())),
    )  # fmt: skip
