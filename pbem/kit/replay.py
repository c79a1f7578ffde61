"""Log entries, the full fold, a viewer's fold, and which entries are still fresh.

    entry {"n": 7, "at": "2026-03-12T12:04:00Z", "by": {"seat": 2, "via": "web"}, "key": "t1.act0", "event": …}

A log holds facts only. Table events share its numbering and never reach the game.
"""

import functools
import re
import typing
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Generic, Literal, TypeVar, Union

import msgspec

from pbem.kit.chance import Luck
from pbem.kit.contract import AnyGame, Ask, Event, PlayerView, Seat, Viewer
from pbem.kit.secrecy import can_fade, redact, repeats


class By(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Who caused an entry: a seat itself, the clock or a bot for a seat, or the table; and by which way.

    `via` of a bot is its name, `version` that of the game's bots at the time.
    """

    seat: Seat | None = None
    clock: Seat | None = None
    bot: Seat | None = None
    table: bool = False
    via: str | None = None
    version: int | None = None

    @property
    def seat_answered_for(self) -> int | None:
        """The seat whose ask this entry answers; None if the table caused it."""
        return next((s for s in (self.seat, self.clock, self.bot) if s is not None), None)


EndReason = Literal["last_seat", "no_people"]


class TableEvent(Event, frozen=True):
    """A fact about the people at the table, not about the game."""


class Absent(TableEvent, frozen=True):
    """The fallback plays for the seat until its owner comes back."""

    seat: Seat


class Returned(TableEvent, frozen=True):
    """The owner of an absent seat is back."""

    seat: Seat


class Replaced(TableEvent, frozen=True):
    """Somebody else has taken the seat over."""

    seat: Seat


class Resigned(TableEvent, frozen=True):
    """The fallback plays for the seat until the end."""

    seat: Seat


class PutToVote(TableEvent, frozen=True):
    """The seat's time is up: the others may let the clock play for it."""

    seat: Seat


class Voted(TableEvent, frozen=True):
    """The voter lets the clock play for the seat that is late."""

    seat: Seat
    voter: Seat


class Extended(TableEvent, frozen=True, omit_defaults=True):
    """The deadlines moved by this many seconds: all, or just the seat's."""

    seconds: int
    seat: Seat | None = None


class Paused(TableEvent, frozen=True):
    """Nobody is at the table: nothing is played until somebody comes back."""


class Resumed(TableEvent, frozen=True):
    """Somebody is at the table again."""


class MatchEnded(TableEvent, frozen=True):
    """The match is over because of the people at it, before the rules end it. Nothing of the game follows.

    last_seat: one seat is left that has not resigned. no_people: no person is left who plays.
    `winners` are the seats that have not resigned.
    """

    reason: EndReason
    winners: tuple[Seat, ...]


class Undone(TableEvent, frozen=True):
    """What the game did after entry `to` was taken back: see `entries_not_taken_back`."""

    to: int


CancelReason = Literal["withdrawn", "lapsed", "host", "abandoned", "season"]


class Cancelled(TableEvent, frozen=True, omit_defaults=True):
    """The match ended early: its host stopped it, nobody came back to it, or the season of its deal ended.

    Older logs do not say why.
    """

    reason: CancelReason | None = None


TABLE_EVENTS: tuple[type[TableEvent], ...] = (
    Absent, Returned, Replaced, Resigned, PutToVote, Voted, Extended, Paused, Resumed, Cancelled, MatchEnded, Undone,
)  # fmt: skip

E = TypeVar("E")


class Entry(msgspec.Struct, Generic[E], frozen=True, forbid_unknown_fields=True):
    """An event in its envelope. `n` counts from 1; `key` is the ask it answers, None for the table's own.

    `by` is `By()`, in JSON `{}`, where the viewer may not know who caused it.
    """

    n: int
    at: str
    by: By
    key: str | None
    event: E

    @property
    def seat_answered_for(self) -> int | None:
        """The seat whose ask this entry answers; None if the table caused it, or if it is hidden."""
        return self.by.seat_answered_for


AnyEntry = Entry[Any]


def entry_type_of_game(game: AnyGame) -> Any:
    """Returns the type of the game's entries, for decoding."""
    kind: Any = Union[(*game.meta.events, *TABLE_EVENTS)]
    return Entry[kind]


@functools.cache
def _fields_with_hints(kind: type[msgspec.Struct]) -> tuple[tuple[str, Any], ...]:
    """Returns all fields of a struct, each with its type hint."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return tuple((name, hints[name]) for name in kind.__struct_fields__)


def seats_in_value(value: msgspec.Struct) -> Iterator[int]:
    """Yields the numbers in all `Seat` fields of the value, in nested structs and tuples, too."""
    for name, hint in _fields_with_hints(type(value)):
        yield from _seats_in(getattr(value, name), hint)


def _seats_in(value: Any, hint: Any) -> Iterator[int]:
    if hasattr(hint, "__metadata__") and not _is_seat_type(hint):
        hint = typing.get_args(hint)[0]
    if isinstance(value, msgspec.Struct):
        yield from seats_in_value(value)
    elif isinstance(value, tuple):
        kinds = typing.get_args(hint)
        for i, item in enumerate(value):
            yield from _seats_in(item, kinds[0] if kinds[1:] == (Ellipsis,) else kinds[i])
    elif isinstance(value, int) and any(_is_seat_type(one) for one in (hint, *typing.get_args(hint))):
        yield value


def _is_seat_type(hint: Any) -> bool:
    """Returns whether the type is `Seat`, with or without what it says of who sees it."""
    return typing.get_args(Seat)[1] in getattr(hint, "__metadata__", ())


def evolve_all(game: AnyGame, state: Any, events: Iterable[Event]) -> Any:
    """Returns the state after these events; skips table events."""
    for event in events:
        if not isinstance(event, TableEvent):
            state = game.evolve(state, event)
    return state


def entries_not_taken_back(entries: Sequence[AnyEntry]) -> Sequence[AnyEntry]:
    """Returns the entries without those of the game that were taken back. All others stay, `Undone` itself, too."""
    if not any(isinstance(entry.event, Undone) for entry in entries):
        return entries
    kept: list[AnyEntry] = []
    for entry in entries:
        if isinstance(entry.event, Undone):
            to = entry.event.to
            kept = [one for one in kept if one.n <= to or isinstance(one.event, TableEvent)]
        kept.append(entry)
    return kept


def owner_of_undone_decision(entries: Sequence[AnyEntry], undone: AnyEntry) -> Seat | None:
    """Returns the seat whose decision was the first that this entry of the log, an `Undone`, took back.

    None if it is hidden who made it.
    """
    before = entries_not_taken_back([one for one in entries if one.n < undone.n])
    gone = (one for one in before if one.n > undone.event.to and one.key is not None)
    return next((one.seat_answered_for for one in gone), None)


def count_takebacks(entries: Iterable[AnyEntry]) -> int:
    """Returns how many times something was taken back in these entries."""
    return sum(isinstance(entry.event, Undone) for entry in entries)


def ending_of(entries: Iterable[AnyEntry]) -> MatchEnded | None:
    """Returns how the people at the table ended the match; None if they did not."""
    return next((entry.event for entry in entries if isinstance(entry.event, MatchEnded)), None)


def does_end_match(event: Event) -> bool:
    """True if nothing is played after this event: the table has ended the match, or it was called off."""
    return isinstance(event, MatchEnded | Cancelled)


def seats_not_resigned(entries: Iterable[AnyEntry], seats: int) -> tuple[Seat, ...]:
    """Returns the seats that have not resigned. A seat that somebody else has taken over since counts again."""
    after = [resigned for _, resigned in resignations(entries)]
    resigned = after[-1] if after else frozenset()
    return tuple(seat for seat in range(seats) if seat not in resigned)


def resignations(entries: Iterable[AnyEntry]) -> Iterator[tuple[int, frozenset[Seat]]]:
    """Yields the number of each entry by which somebody resigns or takes a seat over, and who has resigned after it."""
    resigned: frozenset[int] = frozenset()
    for entry in entries:
        if isinstance(entry.event, Resigned):
            resigned |= {entry.event.seat}
            yield entry.n, resigned
        elif isinstance(entry.event, Replaced):
            resigned -= {entry.event.seat}
            yield entry.n, resigned


def seats_with_people(entries: Sequence[AnyEntry]) -> frozenset[Seat]:
    """Returns the seats at which these entries show a person: who played, voted, came back, or took the seat over."""
    seats = {entry.by.seat for entry in entries if entry.by.seat is not None}
    for entry in entries:
        if isinstance(entry.event, Returned | Replaced):
            seats.add(entry.event.seat)
        elif isinstance(entry.event, Voted):
            seats.add(entry.event.voter)
    return frozenset(seats)


def whether_entries_answer_windows(game: AnyGame, entries: Sequence[AnyEntry]) -> Iterator[bool]:
    """Yields for each entry whether it answers a question of a window; entries redacted for any viewer give the same.

    What the rules raise on a forged log is raised.
    """
    if not game.meta.has_windows:
        yield from (False for _ in entries)
        return
    state: Any = None
    window, last = False, None
    for at, entry in enumerate(entries, 1):
        if isinstance(entry.event, Undone):
            state, last = evolve_all(game, None, (one.event for one in entries_not_taken_back(entries[:at]))), None
        if isinstance(entry.event, TableEvent):
            yield False
            continue
        if entry.key is not None and entry.key != last:
            asked = next((ask for ask in game.pending(state) if ask.key == key_without_takebacks(entry.key)), None)
            window, last = asked is not None and game.meta.asks[asked.kind].window, entry.key
        yield window
        state = game.evolve(state, entry.event)


def fold_for_viewer(game: AnyGame, entries: Sequence[AnyEntry], viewer: Viewer) -> Any:
    """Returns what the viewer knows after these entries, with nothing faded."""
    return evolve_all(game, None, (redact(entry.event, viewer) for entry in entries_not_taken_back(entries)))


def player_view(game: AnyGame, entries: Sequence[AnyEntry], seats: int, seat: int, memory: Luck) -> PlayerView:
    """Returns what the seat knows after these entries, and could remember; `memory` is `MatchLuck.memory` of it."""
    return view_after(
        game, PlayerView(None, seats, (), memory), (entry.event for entry in entries_not_taken_back(entries)), seat
    )


def view_after(game: AnyGame, view: PlayerView, events: Iterable[Event], seat: int) -> PlayerView:
    """Returns what the seat knows when these events have happened, too; they are not redacted yet."""
    new = [redact(event, seat) for event in events if not isinstance(event, TableEvent)]
    return PlayerView(evolve_all(game, view.fold, new), view.seats, (*view.seen, *new), view.memory)


def full_fold(game: AnyGame, entries: Sequence[AnyEntry]) -> Any:
    """Returns the state after these entries, with nothing hidden."""
    return evolve_all(game, None, (e.event for e in entries_not_taken_back(entries)))


def redact_entries(
    entries: Sequence[AnyEntry], viewer: Viewer, fresh_from: int = 1, silent: Collection[str] = frozenset()
) -> list[AnyEntry]:
    """Returns the entries as the viewer may see them.

    If something may have faded, pass all entries up to the head: otherwise the newest ones are not known. `silent` are
    the keys of the questions of silent windows, as long as it is hidden who or what has answered them: a hand or the
    clock.
    """
    newest, seen = numbers_of_newest_repeats(entries) if fresh_from > 1 else frozenset(), list[AnyEntry]()
    for entry in entries:
        event = redact(entry.event, viewer, entry.n >= fresh_from, entry.n in newest)
        seen.append(entry if event is entry.event else msgspec.structs.replace(entry, event=event))
    if not silent:
        return seen
    return [
        msgspec.structs.replace(one, by=By()) if one.key in silent and one.by.seat_answered_for != viewer else one
        for one in seen
    ]


def numbers_of_newest_repeats(entries: Sequence[AnyEntry]) -> frozenset[int]:
    """Returns the number of the newest entry of every event type that repeats what lies open."""
    newest: dict[type[Event], int] = {}
    for entry in entries_not_taken_back(entries):
        kind: type[Event] = type(entry.event)
        if repeats(kind):
            newest[kind] = entry.n
    return frozenset(newest.values())


KEY = re.compile(r"(?=.{1,32}\Z)[a-z][a-z0-9-]{0,15}(?:\.[A-Za-z0-9-]{1,16}){1,3}")
"""The form of an ask's key: `t3.answer`, `r1.grab.B3`. No arbitrary text passes, as in a forged log."""
ENTRY_KEY = re.compile(r"(?=[^~]{1,32}(?:~|\Z))[a-z][a-z0-9-]{0,15}(?:\.[A-Za-z0-9-]{1,16}){1,3}(?:~[1-9]\d{0,3})?")
"""The form of a key in a log: after k take-backs it ends in `~k`, so that a question asked again has another key."""


def key_without_takebacks(key: str) -> str:
    """Returns the key by which the rules know the question: without what take-backs have added.

    >>> key_without_takebacks("t3.answer~2"), key_without_takebacks("t3.answer")
    ('t3.answer', 't3.answer')
    """
    return key.partition("~")[0]


def key_in_log(question: str, back: int) -> str:
    """Returns the key in the log of a question that was put after this many take-backs.

    >>> key_in_log("t3.answer", 0), key_in_log("t3.answer", 2)
    ('t3.answer', 't3.answer~2')
    """
    return f"{question}~{back}" if back else question


def turn_of_key(key: str) -> str:
    """Returns the turn that an ask's key belongs to: everything before its last dot.

    >>> turn_of_key("t3.answer"), turn_of_key("r2.t5.window1")
    ('t3', 'r2.t5')
    """
    return key.rpartition(".")[0]


def first_entry_still_fresh(game: AnyGame, entries: Sequence[AnyEntry], viewer: Viewer, pending: Sequence[Ask]) -> int:
    """Returns the number of the first entry whose fading fields the viewer still sees in a running match.

    That is the first entry of the turn in which the viewer's last question was answered; for a spectator, of the
    current turn. A seat that was never asked sees everything, as does one whose questions all closed unanswered because
    others were faster. For a game without fading fields, 1.
    """
    if not any(can_fade(e) for e in game.meta.events):
        return 1
    after, entries = (entries[-1].n if entries else 0) + 1, entries_not_taken_back(entries)
    if viewer is None:
        return _first_entry_of_turn(entries, pending[0].turn, after) if pending else 1
    last = next((e for e in reversed(entries) if e.key and e.seat_answered_for == viewer), None)
    return 1 if last is None or last.key is None else _first_entry_of_turn(entries, turn_of_key(last.key), last.n)


def _first_entry_of_turn(entries: Sequence[AnyEntry], turn: str, otherwise: int) -> int:
    """Returns the number of the first entry that answers a question of the turn, else `otherwise`."""
    start = f"{turn}."
    return next((e.n for e in entries if e.key and e.key.startswith(start) and turn_of_key(e.key) == turn), otherwise)
