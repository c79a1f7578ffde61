"""Matches in memory, played by random moves: the basis of the laws, simulations and transcripts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from pbem.kit.chance import Chance, KeyLuck, Luck, SeedChance, kind_of_draw
from pbem.kit.choices import draw
from pbem.kit.contract import AnyGame, Ask, Event, IllegalMove, Move, Viewer
from pbem.kit.proof.commitments import key_of_luck
from pbem.kit.proof.lucky_words import hash_word, word_from_seed
from pbem.kit.replay import AnyEntry, By, Entry
from pbem.kit.secrecy import agrees, redact

EPOCH = "2026-01-01T00:00:00Z"


class LawBroken(AssertionError):
    """A game broke a law; the message says which, where, and how to reproduce it."""


class Sample(msgspec.Struct):
    """What occurred in the matches that were checked."""

    matches: int = 0
    decisions: int = 0
    events: Counter[str] = msgspec.field(default_factory=Counter)
    endings: Counter[str] = msgspec.field(default_factory=Counter)
    draws: Counter[str] = msgspec.field(default_factory=Counter)
    refusals: Counter[str] = msgspec.field(default_factory=Counter)

    def add(self, other: "Sample") -> None:
        """Adds the counts of the other sample."""
        self.matches += other.matches
        self.decisions += other.decisions
        self.events += other.events
        self.endings += other.endings
        self.draws += other.draws
        self.refusals += other.refusals

    def missing(self, game: AnyGame) -> list[str]:
        """Returns the events, kinds of draws and ways to end that never occurred."""
        events = [e.__name__ for e in game.meta.events if not self.events[e.__name__]]
        events += [kind for kind in game.meta.draws if not self.draws[kind]]
        return events + [reason for reason in game.meta.endings if not self.endings[reason]]


DEAL = "0"
"""The deal id of matches in memory."""


def words_from(seed: bytes, seats: int) -> tuple[str, ...]:
    """Returns the hashes of the lucky words of a match in memory: nobody types one there."""
    return tuple(hash_word(word_from_seed(seed, seat)) for seat in range(seats))


def luck_from(seed: bytes, words: Sequence[str]) -> KeyLuck:
    """Returns the luck of a match in memory from the hashes of its lucky words."""
    return KeyLuck(key_of_luck(DEAL, seed, words))


class Table:
    """A match in memory: the full log and state, and every viewer's own fold, updated with each event."""

    def __init__(
        self, game: AnyGame, seats: int, options: Any, seed: bytes, words: Sequence[str] | None = None
    ) -> None:
        """Deals. `words` are the hashes of the lucky words; by default those that follow from the seed."""
        self.game, self.seats, self.options, self.seed = game, seats, options, seed
        self.words = words_from(seed, seats) if words is None else tuple(words)
        self.luck = luck_from(seed, self.words)
        self.drawn: set[str] = set()
        """For the law about draws: the names that the rules have used."""
        self.entries: list[AnyEntry] = []
        self.state: Any = None
        self.viewers: tuple[Viewer, ...] = (None, *range(seats))
        self.folds: dict[Viewer, Any] = dict.fromkeys(self.viewers)
        self.keys: dict[str, Ask] = {}
        self.open: set[str] = set()
        self.closed: set[str] = set()
        """For the law about keys: those that are open, and those that have closed."""
        self.fields: dict[tuple[type[Move], str], dict[Any, None]] = {}
        """For the law about refusals: the values of each field in legal moves."""
        self.faded: dict[Viewer, tuple[int, Any]] = {}
        """For the law about fading: how many entries can no longer change for a viewer, and their fold."""
        self._append(game.setup(seats, options, _Watched(self, self.luck.rules(1))), By(table=True), None)

    @property
    def position(self) -> int:
        """The number of the entry that comes next."""
        return len(self.entries) + 1

    def _append(self, events: Sequence[Event], by: By, key: str | None) -> None:
        for event in events:
            self.entries.append(Entry(self.position, EPOCH, by, key, event))
            self.state = self.game.evolve(self.state, event)
            for viewer in self.viewers:
                self.folds[viewer] = self.game.evolve(self.folds[viewer], redact(event, viewer))
                if not agrees(self.state, self.folds[viewer]):
                    raise self.broken(f"the fold of {viewer} contradicts the full one after {event}")

    def play(self, ask: Ask, move: Move, by: By) -> None:
        """Plays a move, which the game must accept."""
        luck = _Watched(self, self.luck.rules(self.position, ask.seat))
        try:
            events = self.game.decide(self.state, ask.seat, move, luck)
        except IllegalMove as refusal:
            raise self.broken(f"legal move {move} of seat {ask.seat} is refused: {refusal.code}") from None
        if not events:
            raise self.broken(f"{move} of seat {ask.seat} has no event")
        self._append(events, by, ask.key)

    def broken(self, what: str) -> LawBroken:
        """Returns the error for a law broken at this position."""
        return LawBroken(
            f"{self.game.meta.slug}, {self.seats} seats, {self.options}, seed {self.seed.hex()}, "
            f"entry {len(self.entries)}: {what}"
        )


class _Watched(Luck):
    """The luck of a table's rules. Raises LawBroken for a name that is used again, or whose kind is not declared."""

    def __init__(self, table: Table, luck: Luck) -> None:
        self._table, self._luck = table, luck

    def named(self, name: str) -> Chance:
        table = self._table
        if name in table.drawn:
            raise table.broken(f"{name!r} is drawn a second time")
        if kind_of_draw(name) not in table.game.meta.draws:
            raise table.broken(f"{name!r} is drawn, a kind that the game does not declare")
        table.drawn.add(name)
        return self._luck.named(name)


def choosing(seed: bytes, position: int) -> Chance:
    """Returns the luck with which random play chooses who moves next, and how: no luck of the match."""
    return SeedChance(seed, position, "bot")


def random_decisions(table: Table) -> Iterator[tuple[Ask, Move]]:
    """Plays the match to its end by random moves; yields each decision just before playing it.

    Raises LawBroken if the match does not end within the game's bound.
    """
    game = table.game
    for _ in range(game.meta.bound):
        asks = game.pending(table.state)
        if not asks:
            return
        luck = choosing(table.seed, table.position)
        ask = luck.pick(asks)
        legal = game.legal(table.state, ask.seat)
        if not legal:
            raise table.broken(f"{ask} has no legal move")
        move = draw(legal, game.meta.weights, luck)
        yield ask, move
        table.play(ask, move, By(seat=ask.seat))
    if game.pending(table.state):
        raise table.broken(f"the match does not end within {game.meta.bound} decisions")
