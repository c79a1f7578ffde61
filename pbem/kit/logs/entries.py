"""The entries of a log document: decoded, and refused where no match of the service could have written them.

What can be told from an entry alone is checked here, or from those before it: who may have caused it, what has a seal,
and how far something was taken back. The rest follows from folding the log (`logfile`) and from making its decisions
again (`verdict`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Literal, TypeVar, Union

import msgspec

from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame, Event, Seat
from pbem.kit.logs import chain, log_errors
from pbem.kit.logs.log_errors import BadLog, log_error_in_words
from pbem.kit.notation import seat_letter
from pbem.kit.replay import (
    ENTRY_KEY,
    TABLE_EVENTS,
    AnyEntry,
    By,
    Entry,
    TableEvent,
    Undone,
    entry_type_of_game,
    seats_in_value,
)
from pbem.kit.secrecy import fields_by_seat, redact, withholds

# What a log holds around its events: none of it can carry arbitrary text.
DIGITS = re.compile("[0-9a-f]{64}")
_AT = re.compile(
    r"(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,6})?"
    r"(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_SHORT = {4: 30, 6: 30, 9: 30, 11: 30}


_VIA = re.compile("[a-z][a-z0-9_-]{0,31}")

LogViewer = Seat | Literal["all"] | None
"""The seat whose log it is, None for a spectator's, "all" where nothing is hidden."""

E = TypeVar("E")


def is_time_for_log(text: str) -> bool:
    """Returns whether a log can hold this time, or none: month 13, hour 25, second 60 and year 0 are no times."""
    found = _AT.fullmatch(text)
    if found is None:
        return not text
    year, month, day = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return year > 0 and day <= (28 + leap if month == 2 else _SHORT.get(month, 31))


class SealedEntry(Entry[E], Generic[E], frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entry as a document of format 2 holds it: with its seals, and the salts of those that its viewer can open."""

    sealed: dict[str, str] = msgspec.field(default_factory=dict)
    salts: dict[str, str] = msgspec.field(default_factory=dict)

    def bare(self) -> AnyEntry:
        """Returns the entry alone."""
        return Entry(self.n, self.at, self.by, self.key, self.event)


def check_digits(field: str, text: str, entry: int | None = None) -> None:
    """Raises BadLog unless the text is 64 hexadecimal digits in small letters."""
    if not DIGITS.fullmatch(text):
        raise BadLog(log_errors.DIGITS, entry, field=field)


def decode_entries(items: Sequence[msgspec.Raw], game: AnyGame, seats: int, viewer: LogViewer) -> Iterator[AnyEntry]:
    """Yields the entries of a document of format 1. Raises BadLog."""
    for entry, _ in _decode(items, entry_type_of_game(game)):
        _check_entry(entry, seats, viewer)
        if entry.by == By():
            raise BadLog(log_errors.ENVELOPE, entry.n, field="by")
        yield entry


def decode_sealed_entries(
    items: Sequence[msgspec.Raw], game: AnyGame, seats: int, viewer: LogViewer
) -> Iterator[SealedEntry[Any]]:
    """Yields the entries of a document of format 2. Raises BadLog."""
    kind: Any = Union[(*game.meta.events, *TABLE_EVENTS)]
    for entry, item in _decode(items, SealedEntry[kind]):
        if msgspec.json.decode(item) != msgspec.json.decode(encode(entry)):
            raise BadLog(log_errors.OTHERWISE, entry.n)
        _check_entry(entry, seats, viewer)
        _check_envelope(entry, viewer)
        _check_seals(entry)
        yield entry


def _decode(items: Sequence[msgspec.Raw], kind: Any) -> Iterator[tuple[Any, msgspec.Raw]]:
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)
    for n, item in enumerate(items, 1):
        try:
            entry = decoder.decode(item)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadLog(log_errors.UNREADABLE, n, error=log_error_in_words(error)) from None
        if entry.n != n:
            raise BadLog(log_errors.NUMBER, n, has=entry.n)
        yield entry, item


def _check_entry(entry: AnyEntry, seats: int, viewer: LogViewer) -> None:
    """Raises BadLog if a log with this many seats, for this viewer, cannot contain the decoded entry."""
    written: tuple[tuple[str, str | None, Callable[[str], object]], ...] = (
        ("at", entry.at, is_time_for_log), ("key", entry.key, ENTRY_KEY.fullmatch),
        ("via", entry.by.via, _VIA.fullmatch),
    )  # fmt: skip
    for field, text, allows in written:
        if text is not None and not allows(text):
            raise BadLog(log_errors.ENVELOPE, entry.n, field=field)
    event: Event = entry.event
    for name in fields_by_seat(type(event)):
        if len(getattr(event, name)) != seats:
            raise BadLog(log_errors.SHARED_OUT, entry.n, field=name, seats=seats)
    for seat in (entry.seat_answered_for, *seats_in_value(event)):
        if seat is not None and seat >= seats:
            raise BadLog(log_errors.SEAT, entry.n, seat=seat)
    if viewer == "all":
        if withholds(event):
            raise BadLog(log_errors.HIDDEN, entry.n)
    elif redact(event, viewer) != event:
        if viewer is None:
            raise BadLog(log_errors.SHOWN_SPECTATOR, entry.n)
        raise BadLog(log_errors.SHOWN, entry.n, seat=seat_letter(viewer))


def _check_envelope(entry: SealedEntry[Any], viewer: LogViewer) -> None:
    """Raises BadLog if `by` is of none of its forms, or if it and the key do not go together."""
    by, hidden = entry.by, entry.by == By()
    causes = [one for one in (by.seat, by.clock, by.bot, by.table or None) if one is not None]
    fits = hidden if not causes else len(causes) == 1
    fits = fits and (by.via is None or by.seat is not None or by.bot is not None)
    fits = fits and (by.version is None or by.bot is not None)
    if not fits or (hidden and (viewer == "all" or chain.BY not in entry.sealed)):
        raise BadLog(log_errors.ENVELOPE, entry.n, field="by")
    if by.table == (entry.key is not None) or (isinstance(entry.event, TableEvent) and not by.table):
        raise BadLog(log_errors.ENVELOPE, entry.n, field="key")


def _check_seals(entry: SealedEntry[Any]) -> None:
    """Raises BadLog if what has a seal in the event is not just what has one, or for a salt without a seal.

    Something public under a seal could be shown to each viewer differently.
    """
    must = {*chain.paths_with_seal(entry.event, window=any(path in entry.sealed for path in chain.ENVELOPE))}
    if path := min(entry.sealed.keys() - must, default=""):
        raise BadLog(log_errors.SEALED, entry.n, path=repr(path[:40]))
    if path := min(must - entry.sealed.keys(), default=""):
        raise BadLog(log_errors.BARE, entry.n, path=repr(path))
    for path, digits in (*entry.sealed.items(), *entry.salts.items()):
        check_digits(path, digits, entry.n)
    if loose := entry.salts.keys() - entry.sealed.keys():
        raise BadLog(log_errors.UNSEALED, entry.n, path=min(loose))


def check_takebacks(entries: Sequence[AnyEntry], *, keys: bool) -> None:
    """Raises BadLog if something was taken back that no match takes back.

    A match goes back to before a decision that still counts, never into one or into its setup. `keys`: after k
    take-backs each key ends in `~k`, as since format 2.
    """
    kept: list[AnyEntry] = []
    back = 0
    for entry in entries:
        if isinstance(entry.event, Undone):
            to = entry.event.to
            at = next((place for place, one in enumerate(kept) if one.n > to), len(kept))
            gone = not 0 < to < entry.n or not (isinstance(entries[to - 1].event, TableEvent) or kept[at - 1].n == to)
            if gone or at in (0, len(kept)) or kept[at - 1].key == kept[at].key:
                raise BadLog(log_errors.BACK, entry.n, to=to)
            del kept[at:]
            back += 1
        elif not isinstance(entry.event, TableEvent):
            setup = all(one.key is None for one in kept)
            suffix = (entry.key or "").partition("~")[2]
            if keys and (suffix != (str(back) if back and entry.key else "") or (entry.key is None and not setup)):
                raise BadLog(log_errors.ENVELOPE, entry.n, field="key")
            kept.append(entry)
