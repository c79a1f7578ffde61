"""The chain of hashes over a match's log, the same for every viewer.

Each entry changes the head of the chain. What not everybody may see stands in it as a seal, a hash of the value and a
salt, so that all viewers come to the same head from what each of them knows. Salts follow from the key of the match's
luck, and where tables share that, also from the table: they stay secret with the value, and everybody can compute them
once the seed is known.

    {"at": "…", "by": {"seat": 2}, "event": {"type": "AllyChosen", "seat": 2, "card": null}, "key": "t3.ally", "n": 7,
     "sealed": {"event.card": "9f2c…"}}

Which values have a seal follows from the secrecy marks of the event's fields, never from who may see them by now. In
the answers to questions of a window, `by` and `at` have one, too.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from pbem.kit.codec import encode
from pbem.kit.contract import Event
from pbem.kit.replay import AnyEntry, By
from pbem.kit.secrecy import hide, marks_of

Seals = Mapping[str, str]
"""Path -> seal, in 64 hexadecimal digits."""
Salts = Mapping[str, str]
"""Path -> salt, in 64 hexadecimal digits."""

AT, BY, EVENT = "at", "by", "event"
ENVELOPE = (AT, BY)
"""What has a seal in the envelope of an answer to a question of a window."""


def first_head(
    *, commitment: str, deal: str, game: str, options: Mapping[str, Any], seats: int, words: Sequence[str],
    table: str | None = None,
) -> str:  # fmt: skip
    """Returns the head before the first entry: it binds what the header of the log says.

    `options` is the JSON object as the match was set up with it. `table` is None unless other tables share the deal.
    """
    header = {
        "commitment": commitment, "deal": deal, "game": game, "options": options, "seats": seats, "words": words,
    }  # fmt: skip
    if table is not None:
        header["table"] = table
    return hashlib.sha256(b"pbem/2|chain|" + encode(header)).hexdigest()


def next_head(head: str, entry: AnyEntry, sealed: Seals) -> str:
    """Returns the head after this entry, which may be redacted for any viewer."""
    at = None if AT in sealed else entry.at
    by = None if BY in sealed else entry.by
    shown = {
        "at": at, "by": by, "event": _hidden(entry.event, sealed), "key": entry.key, "n": entry.n, "sealed": sealed,
    }  # fmt: skip
    return head_after(head, shown)


def head_after(head: str, shown: Mapping[str, Any]) -> str:
    """Returns the head after an entry of which everybody sees this JSON object, with its seals."""
    return hashlib.sha256(f"pbem/2|entry|{head}|".encode() + encode(shown)).hexdigest()


def _hidden(event: Event, sealed: Iterable[str]) -> Event:
    """Returns the event with the values at these paths hidden: None, and in a tuple None for each element."""
    changes: dict[str, Any] = {}
    for path in sealed:
        if path not in ENVELOPE:
            name, place = _field_and_place(path)
            value = changes[name] if name in changes else getattr(event, name)
            changes[name] = hide(value) if place is None else _hidden_element(value, place)
    return msgspec.structs.replace(event, **changes) if changes else event


def _hidden_element(value: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    return (*value[:place], hide(value[place]), *value[place + 1 :])


def heads(first: str, entries: Iterable[AnyEntry], sealed: Iterable[Seals]) -> Iterator[str]:
    """Yields the head after each entry. `first` is the head before them."""
    for entry, seals in zip(entries, sealed, strict=True):
        first = next_head(first, entry, seals)
        yield first


def seal_entry(key: bytes, entry: AnyEntry, *, window: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the seals of an entry in which nothing is hidden, and their salts. `key` is that of the table's seals.

    `window`: it answers a question of a window.
    """
    salts = {path: salt(key, entry.n, path) for path in sealed_paths(entry.event, window=window)}
    return {path: seal(one, _found_at(entry, path)) for path, one in salts.items()}, salts


def sealed_paths(event: Event, *, window: bool) -> Iterator[str]:
    """Yields the paths of the values that have a seal. `window`: the entry answers a question of a window."""
    if window:
        yield from ENVELOPE
    for name, each in secret_fields(event).items():
        if each:
            yield from (f"{EVENT}.{name}.{i}" for i in range(len(getattr(event, name))))
        else:
            yield f"{EVENT}.{name}"


def secret_fields(event: Event) -> dict[str, bool]:
    """Returns the fields of the event that not everybody may see, and whether each seat has its own element of it."""
    held = {
        name: [mark for mark in marks if not (mark.unless and getattr(event, mark.unless))]
        for name, marks in marks_of(type(event)).items()
    }
    return {name: any(mark.kind == "each" for mark in marks) for name, marks in held.items() if marks}


def salt(key: bytes, n: int, path: str) -> str:
    """Returns the salt of the value at this path in entry `n`. `key` is that of the table's seals."""
    keyed = _keyed(key).copy()
    keyed.update(b"pbem/2|salt|%d|%b" % (n, path.encode()))
    return keyed.hexdigest()


@lru_cache(maxsize=64)
def _keyed(key: bytes) -> hmac.HMAC:
    """Returns an HMAC under this key, to be copied: that takes less time than to begin a new one for each salt."""
    return hmac.new(key, digestmod="sha256")


def seal(salt: str, value: Any) -> str:
    """Returns the seal of a JSON value."""
    return hashlib.sha256(f"pbem/2|seal|{salt}|".encode() + encode(value)).hexdigest()


def shown_paths(entry: AnyEntry, sealed: Iterable[str]) -> Iterator[str]:
    """Yields those of the sealed paths whose values the entry, as its viewer sees it, shows."""
    return (path for path in sealed if not _is_hidden(_found_at(entry, path)))


def salts_for(key: bytes, entry: AnyEntry, sealed: Seals) -> dict[str, str]:
    """Returns the salts of those sealed values that the entry, as its viewer sees it, shows."""
    return {path: salt(key, entry.n, path) for path in shown_paths(entry, sealed)}


def value_at(entry: AnyEntry, path: str) -> Any:
    """Returns the value at this path of the entry, as JSON has it: dicts, tuples and scalars. Raises if it has none."""
    return msgspec.to_builtins(_found_at(entry, path), builtin_types=(tuple,))


def broken_seal(entry: AnyEntry, sealed: Seals, salts: Salts) -> str | None:
    """Returns the first path whose value, as the entry shows it, does not fit its seal and salt; None if all fit.

    A value that is shown needs a salt: without one it is bound to nothing. Neither does a salt without a seal fit.
    """
    for path in sealed:
        if path not in salts and not _is_hidden(_found_at(entry, path)):
            return path
    for path, one in salts.items():
        if path not in sealed or sealed[path] != seal(one, _found_at(entry, path)):
            return path
    return None


def _found_at(entry: AnyEntry, path: str) -> Any:
    """Returns the value at this path of the entry.

    Raises KeyError, IndexError, TypeError or ValueError if there is none.
    """
    if path in ENVELOPE:
        return getattr(entry, path)
    name, place = _field_and_place(path)
    if name not in entry.event.__struct_fields__:
        raise KeyError(name)
    value = getattr(entry.event, name)
    return value if place is None else value[place]


@lru_cache(maxsize=1024)
def _field_and_place(path: str) -> tuple[str, int | None]:
    """Returns the field of the event that a path names, and the place in it if it names one. Raises ValueError."""
    _, name, *place = path.split(".")
    return name, int(place[0]) if place else None


def _is_hidden(value: Any) -> bool:
    """True if the value is hidden; an empty tuple is not, for its length is public."""
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_hidden, value))
    return value is None or value == By()
