"""The portable log: one JSON document that replays anywhere, without a database.

    {"format": "pbem-log/1", "game": "hogen", "options": {}, "seats": 4, "viewer": "all" | seat | null,
     "seed_sha256": "…", "seed": "…" (once the match is over), "events": [entry, …]}

A document from elsewhere is not trusted: its size is limited, it is decoded strictly, and an error names the entry
that does not fit.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Literal

import msgspec

from pbem.kit.codec import DuplicateName, check_names, codec_for, encode
from pbem.kit.contract import AnyGame, Event, Options, Seat
from pbem.kit.logs import log_errors
from pbem.kit.logs.type_errors import in_words
from pbem.kit.notation import seat_letter
from pbem.kit.options import wrong_with
from pbem.kit.replay import KEY, AnyEntry, TableEvent, entry_type, seats_named
from pbem.kit.secrecy import redact, shared_out, withholds
from pbem.kit.texts import Text

FORMAT = "pbem-log/1"
MAX_BYTES = 1_000_000
MAX_ENTRIES = 20_000
MAX_TABLE_ENTRIES = 2_000
"""The most entries about the people at the table: the game's rules do not bound these, and each is a step to show."""
MAX_STATE = 100_000
"""The most bytes of a position's JSON: many times those of any real match, so no forged one takes long to draw."""
WEIGH_EVERY = 20
"""The size of every 20th position, and of the last, is checked. Events are bounded, so none grows much in between."""

# What a log holds around its events: none of it can carry arbitrary text.
_COMMITMENT = re.compile("[0-9a-f]{64}")
_AT = re.compile(r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d))?", re.ASCII)
_VIA = re.compile("[a-z][a-z0-9_-]{0,31}")

LogViewer = Seat | Literal["all"] | None


class BadLog(ValueError):
    """A document that is not a log of a known game. `entry` is the number of the one at fault, None for the header.

    `said` is the reason in both languages.
    """

    def __init__(self, why: Text, entry: int | None = None, **facts: Any) -> None:
        self.said = why.fill(**facts)
        self.why = self.said.en
        self.entry = entry
        super().__init__(f"entry {entry}: {self.why}" if entry is not None else self.why)


class RepeatedName(BadLog):
    """A document in which an object contains the same name twice. `name` is that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(log_errors.TWICE, name=name[:64])


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    game: str
    options: dict[str, Any]
    seats: int
    viewer: LogViewer
    seed_sha256: str
    events: list[msgspec.Raw]
    seed: str | None = None


class Log(msgspec.Struct, frozen=True):
    """A log of a known game, decoded. `viewer` "all" means that nothing is hidden in it."""

    game: AnyGame
    options: Options
    seats: int
    viewer: int | str | None
    seed_sha256: str
    seed: bytes | None
    entries: tuple[AnyEntry, ...]

    def document(self) -> dict[str, Any]:
        """Returns the log as a JSON value: dicts, lists and scalars."""
        out = {
            "format": FORMAT,
            "game": self.game.meta.slug,
            "options": msgspec.to_builtins(self.options),
            "seats": self.seats,
            "viewer": self.viewer,
            "seed_sha256": self.seed_sha256,
            "events": msgspec.to_builtins(self.entries),
        }
        return out if self.seed is None else {**out, "seed": self.seed.hex()}


def commitment(seed: bytes) -> str:
    """Returns the SHA-256 of the seed. Players get it by mail, so a seed that is replaced later does not match it."""
    return hashlib.sha256(seed).hexdigest()


def write(log: Log) -> bytes:
    """Returns the document as canonical JSON."""
    return encode(log.document())


def read(data: bytes, find: Callable[[str], AnyGame | None]) -> Log:
    """Returns the log in this document, checked entry by entry and folded once.

    `find` returns the game of a slug, or None. Raises BadLog; RepeatedName before anything else that is wrong.
    """
    if len(data) > MAX_BYTES:
        raise BadLog(log_errors.BYTES, most=MAX_BYTES, has=len(data))
    try:
        with suppress(json.JSONDecodeError):  # anything but JSON is refused below, with the reason
            check_names(data)
        doc = msgspec.json.decode(data, type=_Document)
    except DuplicateName as error:
        raise RepeatedName(error.name) from None
    except msgspec.MsgspecError as error:
        raise BadLog(log_errors.DOCUMENT, error=in_words(error, data)) from None
    except UnicodeDecodeError:
        raise BadLog(log_errors.NOT_UTF8) from None
    except RecursionError:
        raise BadLog(log_errors.DEEP) from None
    if doc.format != FORMAT:
        raise BadLog(log_errors.FORMAT, has=repr(doc.format[:40]), reads=repr(FORMAT))
    if len(doc.events) > MAX_ENTRIES:
        raise BadLog(log_errors.ENTRIES, most=MAX_ENTRIES, has=len(doc.events))
    game = find(doc.game)
    if game is None:
        raise BadLog(log_errors.GAME, slug=repr(doc.game[:40]))
    log = _decode(doc, game)
    if not log.entries:
        raise BadLog(log_errors.EMPTY)
    about_table = sum(isinstance(entry.event, TableEvent) for entry in log.entries)
    if about_table > MAX_TABLE_ENTRIES:
        raise BadLog(log_errors.TABLE, most=MAX_TABLE_ENTRIES, has=about_table)
    if isinstance(log.entries[0].event, TableEvent):
        raise BadLog(log_errors.BEGINNING, 1)
    _check_decisions(log)
    for entry, state in states(log):
        weighed = entry.n % WEIGH_EVERY == 0 or entry.n == len(log.entries)
        if weighed and len(encode(state)) > MAX_STATE:
            raise BadLog(log_errors.STATE, entry.n, most=MAX_STATE)
    return log


def _check_decisions(log: Log) -> None:
    """Raises BadLog if the log has more decisions than a match of this game can take."""
    decisions, last = 0, None
    for entry in log.entries:
        if isinstance(entry.event, TableEvent) or entry.key == last:
            continue
        decisions, last = decisions + 1, entry.key
        if decisions > log.game.meta.bound:
            raise BadLog(log_errors.DECISIONS, entry.n, most=log.game.meta.bound)


def _decode(doc: _Document, game: AnyGame) -> Log:
    if doc.seats not in game.meta.seats:
        raise BadLog(log_errors.SEATS, game=game.meta.title, seats=doc.seats)
    if isinstance(doc.viewer, int) and doc.viewer >= doc.seats:
        raise BadLog(log_errors.SEAT, seat=doc.viewer)
    try:
        options = codec_for(game).options(doc.options)
    except msgspec.ValidationError as error:
        raise BadLog(log_errors.HEADER, error=wrong_with(game.meta, doc.options) or in_words(error)) from None
    try:
        seed = None if doc.seed is None else bytes.fromhex(doc.seed)
    except ValueError:
        raise BadLog(log_errors.SEED) from None
    if seed is not None and len(seed) != 32:
        raise BadLog(log_errors.SEED)
    if not _COMMITMENT.fullmatch(doc.seed_sha256):
        raise BadLog(log_errors.COMMITMENT)
    entries = tuple(_entries(doc, game))
    return Log(game, options, doc.seats, doc.viewer, doc.seed_sha256, seed, entries)


def _entries(doc: _Document, game: AnyGame) -> Iterator[AnyEntry]:
    decoder: msgspec.json.Decoder[AnyEntry] = msgspec.json.Decoder(entry_type(game))
    for n, item in enumerate(doc.events, 1):
        try:
            entry = decoder.decode(item)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadLog(log_errors.UNREADABLE, n, error=in_words(error)) from None
        if entry.n != n:
            raise BadLog(log_errors.NUMBER, n, has=entry.n)
        _check(entry, n, doc)
        yield entry


def _check(entry: AnyEntry, n: int, doc: _Document) -> None:
    """Raises BadLog if a log with this many seats, for this viewer, cannot contain the decoded entry."""
    written = {"at": (_AT, entry.at), "key": (KEY, entry.key), "via": (_VIA, entry.by.via)}
    for field, (allowed, text) in written.items():
        if text is not None and not allowed.fullmatch(text):
            raise BadLog(log_errors.ENVELOPE, n, field=field)
    event: Event = entry.event
    for name in shared_out(type(event)):
        if len(getattr(event, name)) != doc.seats:
            raise BadLog(log_errors.SHARED_OUT, n, field=name, seats=doc.seats)
    for seat in (entry.answers_for, *seats_named(event)):
        if seat is not None and seat >= doc.seats:
            raise BadLog(log_errors.SEAT, n, seat=seat)
    if doc.viewer == "all":
        if withholds(event):
            raise BadLog(log_errors.HIDDEN, n)
    elif redact(event, doc.viewer) != event:
        if doc.viewer is None:
            raise BadLog(log_errors.SHOWN_SPECTATOR, n)
        raise BadLog(log_errors.SHOWN, n, seat=seat_letter(doc.viewer))


def states(log: Log) -> Iterator[tuple[AnyEntry, Any]]:
    """Yields each entry with the state after it, as the log's viewer knows it.

    Raises BadLog at the entry that does not fit.
    """
    state = None
    for entry in log.entries:
        if not isinstance(entry.event, TableEvent):
            try:
                state = log.game.evolve(state, entry.event)
                log.game.pending(state)
            except Exception as error:
                # Whatever a forged entry breaks inside a game, the entry is at fault.
                raise BadLog(log_errors.IMPOSSIBLE, entry.n) from error
            if getattr(state, "seats", log.seats) != log.seats:
                raise BadLog(log_errors.OTHER_SEATS, entry.n, seats=log.seats)
        yield entry, state
