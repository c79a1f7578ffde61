"""Matches in memory, played by random moves: the basis of the laws and of transcripts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn, TypeVar

import msgspec

from pbem.kit.chance import NAME, Chance, KeyLuck, Luck, MatchLuck
from pbem.kit.choices import draw_random_move
from pbem.kit.contract import AnyGame, Ask, DrawKind, Event, IllegalMove, Move, Viewer
from pbem.kit.logs.chain import commit, hash_word, key_of_luck, word_from_seed
from pbem.kit.replay import AnyEntry, By, Entry, TableEvent
from pbem.kit.secrecy import agrees, redact

T = TypeVar("T")
EPOCH = "2026-01-01T00:00:00Z"
DEAL = "0"
"""The deal id of a match in memory, unless it is given one."""


class LawBroken(AssertionError):
    """A game broke a law; the message says which, where, and how to reproduce it."""


class Sample(msgspec.Struct):
    """What occurred in the matches that were checked."""

    matches: int = 0
    decisions: int = 0
    events: Counter[str] = msgspec.field(default_factory=Counter)
    endings: Counter[str] = msgspec.field(default_factory=Counter)
    refusals: Counter[str] = msgspec.field(default_factory=Counter)
    draws: Counter[str] = msgspec.field(default_factory=Counter)
    """By their kind."""
    moves: Counter[str] = msgspec.field(default_factory=Counter)
    """How often a move of this kind was legal."""

    def add(self, other: "Sample") -> None:
        """Adds the counts of the other sample."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def missing(self, game: AnyGame) -> list[str]:
        """Returns the events, ways to end and kinds of draws that never occurred."""
        missing = [e.__name__ for e in game.meta.events if not self.events[e.__name__]]
        missing += [reason for reason in game.meta.endings if not self.endings[reason]]
        return missing + [kind for kind in game.meta.draws if not self.draws[kind]]


def word_hashes_from_seed(seed: bytes, seats: int) -> tuple[str, ...]:
    """Returns the hashes of the lucky words of a match in which nobody typed one."""
    return tuple(hash_word(word_from_seed(seed, seat)) for seat in range(seats))


def luck_from_seed(seed: bytes, seats: int) -> KeyLuck:
    """Returns the luck of a `Table` with this seed that is given neither deal nor words."""
    return KeyLuck(key_of_luck(DEAL, seed, word_hashes_from_seed(seed, seats)))


class Table:
    """A match in memory: the full log and state, and every viewer's own fold, updated with each event.

    Its luck is that of a `pbem-log/2` with this deal id, seed, and hashes of the lucky words in seat order; without
    words, each seat has the one that follows from the seed.
    """

    def __init__(
        self, game: AnyGame, seats: int, options: Any, seed: bytes, *, deal: str = DEAL,
        words: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        self.game, self.seats, self.options, self.seed, self.deal = game, seats, options, seed, deal
        self.words = word_hashes_from_seed(seed, seats) if words is None else tuple(words)
        self.commitment = commit(deal, seed, self.words[0])
        self.key = key_of_luck(deal, seed, self.words)
        self.luck: MatchLuck = KeyLuck(self.key)
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
        self.drawn: list[str] = []
        """The names of what the rules have drawn, in order."""
        self._append_events(game.setup(seats, options, NamedOnce(self, None, self.drawn)), By(table=True), None)

    @property
    def next_entry_number(self) -> int:
        """The number of the entry that comes next."""
        return len(self.entries) + 1

    def _append_events(self, events: Sequence[Event], by: By, key: str | None) -> None:
        for event in events:
            self.entries.append(Entry(self.next_entry_number, EPOCH, by, key, event))
            self.state = self.game.evolve(self.state, event)
            for viewer in self.viewers:
                self.folds[viewer] = self.game.evolve(self.folds[viewer], redact(event, viewer))
                if not agrees(self.state, self.folds[viewer]):
                    raise self.broken(f"the fold of {viewer} contradicts the full one after {event}")

    def play(self, ask: Ask, move: Move, by: By) -> None:
        """Plays a move, which the game must accept."""
        try:
            events = self.game.decide(self.state, ask.seat, move, NamedOnce(self, ask.seat, self.drawn))
        except IllegalMove as refusal:
            raise self.broken(f"legal move {move} of seat {ask.seat} is refused: {refusal.code}") from None
        if not events:
            raise self.broken(f"{move} of seat {ask.seat} has no event")
        self._append_events(events, by, ask.key)

    def tell(self, event: TableEvent) -> None:
        """Appends something about the people at the table, which the game never learns."""
        self.entries.append(Entry(self.next_entry_number, EPOCH, By(table=True), None, event))

    def broken(self, what: str) -> LawBroken:
        """Returns the error for a law broken at this position."""
        return LawBroken(
            f"{self.game.meta.slug}, {self.seats} seats, {self.options}, seed {self.seed.hex()}, "
            f"entry {len(self.entries)}: {what}"
        )


class NamedOnce(Luck):
    """The luck of the rules at a table, which checks that each draw has a name that the match has not used yet.

    `drawn` holds the names that are used, and those of the new draws after that.
    """

    def __init__(self, table: Table, seat: int | None, drawn: list[str]) -> None:
        self._table, self._luck, self._drawn = table, table.luck.rules(table.next_entry_number, seat), drawn

    def named(self, name: str) -> Chance:
        table, meta = self._table, self._table.game.meta
        if not NAME.fullmatch(name):
            raise table.broken(f"{name!r} is no name of a draw")
        kind, *more = name.split(":")
        if kind not in meta.draws:
            raise table.broken(f"the kind of the draw {name!r} is not declared")
        if name in self._drawn:
            raise table.broken(f"two draws have the name {name!r}")
        seats = [int(part[1:]) for part in more if re.fullmatch(r"s\d+", part)]
        if any(seat >= table.seats for seat in seats) or (meta.draws[kind].worth and len(seats) != 1):
            raise table.broken(f"the draw {name!r} does not name the seat that it is for")
        self._drawn.append(name)
        return _DrawnOnce(table, name, meta.draws[kind], self._luck.named(name))

    def __getattr__(self, what: str) -> NoReturn:
        raise self._table.broken(f"the rules draw by {what!r} without a name")


class _DrawnOnce(Chance):
    """The stream of one name, which checks that one thing is drawn from it, whose result has a worth if any has."""

    def __init__(self, table: Table, name: str, kind: DrawKind, chance: Chance) -> None:
        self._table, self._name, self._kind, self._chance, self._left = table, name, kind, chance, 1

    def below(self, n: int) -> int:
        self._check_draw(n)
        return self._chance.below(n)

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        self._check_draw(None)
        shuffled = self._chance.shuffled(items)
        if self._kind.deal is not None:
            deal = self._kind.deal(self._table.seats)
            if len(deal.worth) != len(shuffled) or deal.each * self._table.seats > len(shuffled):
                raise self._table.broken(
                    f"{self._name!r} shuffles {len(shuffled)} things, but its deal gives {deal.each} to each seat and "
                    f"has a worth for {len(deal.worth)}"
                )
        return shuffled

    def _check_draw(self, n: int | None) -> None:
        if not self._left:
            raise self._table.broken(f"two things are drawn under the name {self._name!r}")
        self._left -= 1
        if self._kind.worth and len(self._kind.worth) != n:
            raise self._table.broken(f"not every result of {self._name!r} has a worth")


def first_to_answer(asks: Sequence[Ask], luck: MatchLuck, position: int) -> Ask:
    """Returns which of these questions, open at the same time, is answered first, by lot."""
    if len(asks) == 1:
        return asks[0]
    return luck.bot(position, "+".join(ask.key for ask in asks), asks[0].seat).pick(asks)


def random_decisions(table: Table) -> Iterator[tuple[Ask, Move]]:
    """Plays the match to its end by random moves; yields each decision just before playing it.

    Raises LawBroken if the match does not end within the game's bound.
    """
    game = table.game
    for _ in range(game.meta.bound):
        asks = game.pending(table.state)
        if not asks:
            return
        ask = first_to_answer(asks, table.luck, table.next_entry_number)
        legal = game.legal(table.state, ask.seat)
        if not legal:
            raise table.broken(f"{ask} has no legal move")
        move = draw_random_move(legal, game.meta.weights, table.luck.bot(table.next_entry_number, ask.key, ask.seat))
        yield ask, move
        table.play(ask, move, By(seat=ask.seat))
    if game.pending(table.state):
        raise table.broken(f"the match does not end within {game.meta.bound} decisions")
