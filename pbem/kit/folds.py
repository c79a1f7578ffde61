"""What everybody knows after some entries of a log, so that nobody has to fold the log from its beginning.

A running match hides what has faded from its viewers, and where that begins moves on with each of their moves. So a
fold from which a viewer's own is to go on is that of entries *with everything faded*; it can be used as long as all of
them have faded for this viewer. A fold with nothing faded would tell them later what they must have forgotten, and it
takes no faded entries: `evolve` would look for a card in a hand where it is known, and the entry hides which it was.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

from pbem.kit.contract import AnyGame, Ask, Event, Viewer
from pbem.kit.replay import (
    Absent,
    AnyEntry,
    Replaced,
    Resigned,
    Returned,
    TableEvent,
    Undone,
    effective,
    evolve_all,
    fresh_from,
    redact_entries,
    turn_of,
)
from pbem.kit.secrecy import can_fade, redact, repeats


@cache
def forgets(game: AnyGame) -> bool:
    """Returns whether anything in the game fades."""
    return any(can_fade(event) for event in game.meta.events)


class Presence(NamedTuple):
    """The seats whose players are absent, for whom a bot may play, and those whose players have resigned."""

    absent: frozenset[int] = frozenset()
    resigned: frozenset[int] = frozenset()

    def after(self, event: TableEvent) -> "Presence":
        """Returns who is there after this event."""
        match event:
            case Absent(seat):
                return Presence(self.absent | {seat}, self.resigned)
            case Resigned(seat):
                return Presence(self.absent - {seat}, self.resigned | {seat})
            case Returned(seat) | Replaced(seat):
                return Presence(self.absent - {seat}, self.resigned - {seat})
        return self


class Folds(NamedTuple):
    """The full state after some entries that count, and what every viewer knows: spectators first, then the seats."""

    full: Any
    seen: tuple[Any, ...]
    faded: tuple[Any, ...]
    """The same with everything faded; `seen` itself in a game in which nothing fades."""
    turns: frozenset[str]
    """The turns that have begun; empty in a game in which nothing fades."""
    there: Presence = Presence()

    def of(self, viewer: Viewer) -> Any:
        """Returns what the viewer knows, with nothing faded."""
        return self.seen[0 if viewer is None else viewer + 1]

    def after(self, game: AnyGame, events: Iterable[Event], key: str | None) -> "Folds":
        """Returns the folds after these events, which answer the question with this key."""
        made, there = list[Event](), self.there
        for event in events:
            if isinstance(event, TableEvent):
                there = there.after(event)
            else:
                made.append(event)
        if not made:
            return self if there is self.there else self._replace(there=there)
        full, seen, evolve = self.full, [*self.seen], game.evolve
        fading, faded = forgets(game), [*self.faded]
        for event in made:
            full = evolve(full, event)
            for at, one in enumerate(seen):
                seen[at] = evolve(one, redact(event, at - 1 if at else None))
            for at, one in enumerate(faded if fading else ()):
                faded[at] = evolve(one, redact(event, at - 1 if at else None, False))
        turns = self.turns | {turn_of(key)} if fading and key is not None else self.turns
        known = tuple(seen)
        return Folds(full, known, tuple(faded) if fading else known, turns, there)


def no_folds(seats: int) -> Folds:
    """Returns the folds of an empty log."""
    nothing = (None,) * (seats + 1)
    return Folds(None, nothing, nothing, frozenset())


def fold_for_all(game: AnyGame, folds: Folds, entries: Iterable[AnyEntry]) -> Folds:
    """Returns the folds after these entries, all of which count."""
    for entry in entries:
        folds = folds.after(game, (entry.event,), entry.key)
    return folds


def ends_of_decisions(entries: Sequence[AnyEntry], every: int) -> list[int]:
    """Returns up to two numbers of entries, ascending, near the last multiples of `every`, at which a log can be cut.

    No decision is cut in two, and nothing up to there has been taken back later.
    """
    undone = [(entry.event.to, entry.n) for entry in entries if isinstance(entry.event, Undone)]
    found: list[int] = []
    for n in range(len(entries) // every * every, 0, -every):
        while n and (_is_inside(entries, n) or any(to < n < back for to, back in undone)):
            n -= 1
        if n and n not in found:
            found.append(n)
    return found[1::-1]


def _is_inside(entries: Sequence[AnyEntry], n: int) -> bool:
    return n < len(entries) and entries[n].key is not None and entries[n].key == entries[n - 1].key


class Kept(Protocol):
    """The folds of everybody after entry `n`, of which one is looked at."""

    @property
    def n(self) -> int: ...
    @property
    def turns(self) -> Collection[str]: ...
    @property
    def there(self) -> Presence: ...
    def own(self, viewer: Viewer, *, faded: bool) -> Any:
        """Returns what the viewer knew after entry `n`."""


class Start(NamedTuple):
    """Where a part of a log begins: after entry `n`, with what the viewer knew there, and who was there."""

    n: int = 0
    fold: Any = None
    there: Presence = Presence()


BEGINNING = Start()


class Part(NamedTuple):
    """The end of a log as a viewer sees it: where it starts, its entries, and their fold after these."""

    start: Start
    entries: tuple[AnyEntry, ...]
    fold: Any


def whole(
    game: AnyGame, log: Sequence[AnyEntry], viewer: Viewer, asks: Sequence[Ask], silent: Collection[str], *, fades: bool
) -> Part:  # fmt: skip
    """Returns the whole log as the viewer sees it. `asks` are open now, and `silent` as in `redact_entries`.

    `fades` is False once nothing fades any more. It changes no fold at the head, which is a law for all games.
    """
    fresh = fresh_from(game, log, viewer, asks) if fades else 1
    entries = tuple(redact_entries(log, viewer, fresh, silent))
    return Part(BEGINNING, entries, evolve_all(game, None, (entry.event for entry in effective(entries))))


def since(
    game: AnyGame, kept: Kept, tail: Sequence[AnyEntry], viewer: Viewer, asks: Sequence[Ask],
    silent: Collection[str], *, fades: bool,
) -> Part | None:  # fmt: skip
    """Returns what `whole` would return, from the kept folds and the entries after them; None if these do not suffice.

    The entries are those of the whole log after entry `kept.n`, and the folds are the same.
    """
    counting, fresh = effective(tail), 1
    if fades and forgets(game):
        fresh = fresh_from(game, tail, viewer, asks)
        if not _is_all_fresh(game, kept, counting, fresh, viewer, asks):
            return None
    start = Start(kept.n, kept.own(viewer, faded=fresh > 1), kept.there)
    entries = tuple(redact_entries(tail, viewer, fresh, silent))
    return Part(start, entries, evolve_all(game, start.fold, (entry.event for entry in effective(entries))))


def _is_all_fresh(
    game: AnyGame, kept: Kept, counting: Sequence[AnyEntry], fresh: int, viewer: Viewer, asks: Sequence[Ask]
) -> bool:  # fmt: skip
    """Returns whether all that the viewer still sees of what fades is in the entries that count after the kept folds.

    `fresh` is the first fresh entry as far as these tell: its turn may have begun before them, or lie before them.
    """
    first = next((one.key for one in counting if one.n == fresh), None)
    turn = turn_of(first) if first is not None else asks[0].turn if viewer is None and asks else None
    if turn is None or turn in kept.turns:
        return False
    there = {type(one.event) for one in counting}
    return all(kind in there for kind in game.meta.events if repeats(kind))
