"""What everybody knows after some entries of a log, so that nobody has to fold the log from its beginning.

A running match hides what has faded from its viewers, and where that begins moves on with each of their moves. So a
fold from which a viewer's own is to go on is that of entries *with everything faded*; it can be used as long as all of
them have faded for this viewer. A fold with nothing faded would tell them later what they must have forgotten, and it
takes no faded entries: `evolve` would look for a card in a hand where it is known, and the entry hides which it was.

Folds are kept packed (`pack_folds`): the fold version of the game, the full state, and what each viewer knew, each in
its own JSON, so that a page decodes a single one.
"""

import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import is_not
from typing import Any, NamedTuple

import msgspec

from pbem.kit import replay
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Event, Viewer
from pbem.kit.secrecy import can_fade, is_fading, marks_of, redact, repeats


@cache
def may_fade(game: AnyGame) -> bool:
    """Returns whether anything in the game fades, if perhaps only at tables that have chosen so."""
    return any(can_fade(event) for event in game.meta.events)


class Presence(NamedTuple):
    """The seats whose players are absent, for whom a bot may play, and those whose players have resigned."""

    absent: frozenset[int] = frozenset()
    resigned: frozenset[int] = frozenset()

    def after(self, event: replay.TableEvent) -> "Presence":
        """Returns who is there after this event."""
        match event:
            case replay.Absent(seat):
                return Presence(self.absent | {seat}, self.resigned)
            case replay.Resigned(seat):
                return Presence(self.absent - {seat}, self.resigned | {seat})
            case replay.Returned(seat) | replay.Replaced(seat):
                return Presence(self.absent - {seat}, self.resigned - {seat})
        return self


class Folds(NamedTuple):
    """The full state after some entries that count, and what every viewer knows: spectators first, then the seats."""

    full: Any
    seen: tuple[Any, ...]
    faded: tuple[Any, ...]
    """The same with everything faded; a viewer's own fold in `seen` itself where nothing has faded for them."""
    turns: frozenset[str]
    """The turns that have begun; empty in a game in which nothing fades."""
    there: Presence = Presence()

    def fold_without_fading(self, viewer: Viewer) -> Any:
        """Returns what the viewer knows, with nothing faded."""
        return self.seen[0 if viewer is None else viewer + 1]

    def after(self, game: AnyGame, events: Iterable[Event], key: str | None) -> "Folds":
        """Returns the folds after these events, which answer the question with this key."""
        made, there = list[Event](), self.there
        for event in events:
            if isinstance(event, replay.TableEvent):
                there = there.after(event)
            else:
                made.append(event)
        if not made:
            return self if there is self.there else self._replace(there=there)
        full, seen, evolve = self.full, [*self.seen], game.evolve
        faded = [*self.faded]
        for event in made:
            full, hides, fading = evolve(full, event), marks_of(type(event)), is_fading(event)
            for at, (one, old) in enumerate(zip(seen, faded, strict=True)):
                viewer = at - 1 if at else None
                new = redact(event, viewer) if hides else event
                seen[at] = faded[at] = evolve(one, new)
                if fading or old is not one:
                    faded[at] = evolve(old, redact(event, viewer, False) if fading else new)
        turns = self.turns | {replay.turn_of_key(key)} if key is not None and may_fade(game) else self.turns
        return Folds(full, tuple(seen), tuple(faded), turns, there)


def no_folds(seats: int) -> Folds:
    """Returns the folds of an empty log."""
    nothing = (None,) * (seats + 1)
    return Folds(None, nothing, nothing, frozenset())


def fold_for_all(game: AnyGame, folds: Folds, entries: Iterable[replay.AnyEntry]) -> Folds:
    """Returns the folds after these entries, all of which count."""
    for entry in entries:
        folds = folds.after(game, (entry.event,), entry.key)
    return folds


class Unreadable(Exception):
    """Kept folds are damaged, or not of the shape that their game says. Nothing of them is in the message."""


class _AllFolds(msgspec.Struct, array_like=True, frozen=True):
    """What is packed. The states are JSON: the full one, those of spectators and seats, and these faded, if any are."""

    version: int
    turns: list[str]
    full: bytes
    seen: list[bytes]
    faded: list[bytes]
    there: Presence


_decoder = msgspec.msgpack.Decoder(_AllFolds)


@dataclass(frozen=True)
class KeptFolds:
    """What everybody knew after entry `n`, of which each fold is decoded on its own."""

    n: int
    game: AnyGame
    _all_folds: _AllFolds

    def fold_of(self, viewer: Viewer, *, faded: bool) -> Any:
        """Returns what the viewer knew, with everything faded or nothing. Raises Unreadable."""
        several = self._all_folds.faded if faded and self._all_folds.faded else self._all_folds.seen
        return self._decode(several[0 if viewer is None else viewer + 1])

    @property
    def has_faded(self) -> bool:
        """Whether anything has faded by then; if not, it does not matter where what is fresh begins."""
        return bool(self._all_folds.faded)

    def full_state(self) -> Any:
        """Returns the state, for the rules and for matches in which nothing is secret any more. Raises Unreadable."""
        return self._decode(self._all_folds.full)

    def all_folds(self) -> Folds:
        """Returns all of them, for a writer that goes on from there. Raises Unreadable."""
        kept = self._all_folds
        seen = tuple(map(self._decode, kept.seen))
        faded = tuple(map(self._decode, kept.faded)) or seen
        return Folds(self.full_state(), seen, faded, frozenset(kept.turns), kept.there)

    def _decode(self, state: bytes) -> Any:
        try:
            return codec_for(self.game).state(state)
        except msgspec.MsgspecError:
            raise Unreadable from None


def pack_folds(game: AnyGame, folds: Folds) -> bytes:
    """Returns the folds as they are kept."""
    seen = [encode(one) for one in folds.seen]
    faded = [encode(one) for one in folds.faded] if any(map(is_not, folds.faded, folds.seen)) else []
    every = _AllFolds(game.meta.fold, sorted(folds.turns), encode(folds.full), seen, faded, folds.there)
    return zlib.compress(msgspec.msgpack.encode(every), 1)


def unpack_folds(game: AnyGame, n: int, seats: int, packed: bytes) -> KeptFolds | int:
    """Returns what was packed after entry `n`, or of which fold version it is if that is another. Raises Unreadable."""
    try:
        read = _decoder.decode(zlib.decompress(packed))
    except (zlib.error, msgspec.MsgspecError):
        raise Unreadable from None
    if read.version != game.meta.fold:
        return read.version
    if len(read.seen) != seats + 1 or len(read.faded) not in (0, seats + 1):
        raise Unreadable
    return KeptFolds(n, game, read)


class Start(NamedTuple):
    """Where a part of a log begins: after entry `n`, with what the viewer knew there, and who was there."""

    n: int = 0
    fold: Any = None
    there: Presence = Presence()


BEGINNING = Start()


class Part(NamedTuple):
    """The end of a log as a viewer sees it: where it starts, its entries, and their fold after these."""

    start: Start
    entries: tuple[replay.AnyEntry, ...]
    fold: Any


def view_of_whole_log(
    game: AnyGame, log: Sequence[replay.AnyEntry], viewer: Viewer, asks: Sequence[Ask], silent: Collection[str], *,
    fades: bool,
) -> Part:  # fmt: skip
    """Returns the whole log as the viewer sees it. `asks` are open now, and `silent` as in `redact_entries`.

    `fades` is False once nothing fades any more. It changes no fold at the head, which is a law for all games.
    """
    fresh = replay.first_entry_still_fresh(game, log, viewer, asks) if fades else 1
    entries = tuple(replay.redact_entries(log, viewer, fresh, silent))
    return Part(
        BEGINNING,
        entries,
        replay.evolve_all(game, None, (entry.event for entry in replay.entries_not_taken_back(entries))),
    )


def view_since(
    game: AnyGame, kept: KeptFolds, tail: Sequence[replay.AnyEntry], viewer: Viewer, asks: Sequence[Ask],
    silent: Collection[str], *, fades: bool,
) -> Part | None:  # fmt: skip
    """Returns what `view_of_whole_log` would, from kept folds and the entries after them; None if these do not suffice.

    Raises Unreadable. The entries are those of the whole log after entry `kept.n`, and the folds are the same.
    """
    counting, fresh = replay.entries_not_taken_back(tail), 1
    if fades and may_fade(game):
        fresh = replay.first_entry_still_fresh(game, tail, viewer, asks)
        if kept.has_faded and not _is_all_fresh_in_tail(game, kept, counting, fresh, viewer, asks):
            return None
    start = Start(kept.n, kept.fold_of(viewer, faded=fresh > 1), kept._all_folds.there)
    entries = tuple(replay.redact_entries(tail, viewer, fresh, silent))
    return Part(
        start,
        entries,
        replay.evolve_all(game, start.fold, (entry.event for entry in replay.entries_not_taken_back(entries))),
    )


def _is_all_fresh_in_tail(
    game: AnyGame, kept: KeptFolds, counting: Sequence[replay.AnyEntry], fresh: int, viewer: Viewer, asks: Sequence[Ask]
) -> bool:  # fmt: skip
    """Returns whether all that the viewer still sees of what fades is in the entries that count after the kept folds.

    `fresh` is the first fresh entry as far as these tell: its turn may have begun before them, or lie before them.
    """
    first = next((one.key for one in counting if one.n == fresh), None)
    turn = replay.turn_of_key(first) if first is not None else asks[0].turn if viewer is None and asks else None
    if turn is None or turn in kept._all_folds.turns:
        return False
    there = {type(one.event) for one in counting}
    return all(kind in there for kind in game.meta.events if repeats(kind))
