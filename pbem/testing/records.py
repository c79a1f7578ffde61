"""A random match, decision by decision: what the laws that look at several positions go through."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pbem.kit.contract import AnyGame, Ask, Event, Move
from pbem.kit.play import Table, random_decisions

LIKELY = 20
"""In this many matches everything happens once that is to happen at all; after fewer nothing is said of it."""


class Decision(NamedTuple):
    """A decision of a match: the full state before it, the question, the answer, what followed, and what was drawn.

    Of the setup, which is the first one, state, question and answer are None.
    """

    before: Any
    ask: Ask | None
    move: Move | None
    events: tuple[Event, ...]
    draws: tuple[str, ...]


class Record(NamedTuple):
    """A finished match of random moves."""

    table: Table
    decisions: Sequence[Decision]

    @property
    def game(self) -> AnyGame:
        """What was played."""
        return self.table.game


def play_random_match(game: AnyGame, seats: int, options: Any, seed: bytes) -> Record:
    """Plays a match of random moves to its end. Raises LawBroken, and whatever the game raises."""
    table = Table(game, seats, options, seed)
    begun: list[tuple[Any, Ask | None, Move | None, int, int]] = [(None, None, None, 0, 0)]
    for ask, move in random_decisions(table):
        begun.append((table.state, ask, move, len(table.entries), len(table.drawn)))
    ends = [*((entries, draws) for *_, entries, draws in begun[1:]), (len(table.entries), len(table.drawn))]
    return Record(
        table,
        [
            Decision(
                before, ask, move,
                tuple(entry.event for entry in table.entries[entries : end[0]]), tuple(table.drawn[draws : end[1]]),
            )
            for (before, ask, move, entries, draws), end in zip(begun, ends, strict=True)
        ],
    )  # fmt: skip
