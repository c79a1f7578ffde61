"""The portable log: one JSON document that replays anywhere, without a database.

    {"format": "pbem-log/2", "game": "hogen", "options": {}, "seats": 4, "viewer": "all" | seat | null,
     "deal": "…", "commitment": "…", "words": ["…", …], "head": "…", "seed": "…" (once the match is over),
     "events": [entry, …], "sealed_until": "…" (if its secrets are kept after its end)}

An entry of it also has `sealed`, the seals of what not everybody may see, and `salts` for those that its viewer sees.
docs/chance.md specifies all of these. A `pbem-log/1`, which has `seed_sha256` in place of the chain, still replays.

A document from elsewhere is not trusted: its size is limited, it is decoded strictly, and an error names the entry
that does not fit.
"""

import functools
import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, Literal, TypeVar

import msgspec

from pbem.kit.codec import DuplicateName, check_names, codec_for, encode
from pbem.kit.contract import AnyGame, Event, Options, Seat
from pbem.kit.logs import log_errors
from pbem.kit.logs.type_errors import in_words
from pbem.kit.notation import seat_letter
from pbem.kit.options import wrong_with
from pbem.kit.proof import chain
from pbem.kit.proof.chain import Salts, Seals
from pbem.kit.proof.commitments import key_of_luck
from pbem.kit.replay import (
    ENTRY_KEY,
    TABLE_EVENTS,
    AnyEntry,
    By,
    Entry,
    TableEvent,
    Undone,
    effective,
    entry_type,
    evolve_all,
    seats_named,
    takebacks,
)
from pbem.kit.secrecy import redact, shared_out, withholds
from pbem.kit.texts import Text

FORMAT, FIRST_FORMAT = "pbem-log/2", "pbem-log/1"
MAX_BYTES = 1_000_000
MAX_ENTRIES = 20_000
MAX_TABLE_ENTRIES = 2_000
"""The most entries about the people at the table: the game's rules do not bound these, and each is a step to show."""
MAX_TAKEBACKS = 200
"""The most take-backs: each folds the log again."""
MAX_STATE = 100_000
"""The most bytes of a position's JSON: many times those of any real match, so no forged one takes long to draw."""
WEIGH_EVERY = 20
"""The size of every 20th position, and of the last, is checked. Events are bounded, so none grows much in between."""

# What a log holds around its events: none of it can carry arbitrary text.
_DIGITS = re.compile("[0-9a-f]{64}")
_DEAL = re.compile("[0-9a-f]{1,32}")
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


E = TypeVar("E")


class SealedEntry(Entry[E], Generic[E], frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An entry as a document of format 2 holds it: with its seals, and the salts of those that its viewer can open."""

    sealed: dict[str, str] = msgspec.field(default_factory=dict)
    salts: dict[str, str] = msgspec.field(default_factory=dict)


def _sealed_entry_type(game: AnyGame) -> Any:
    kind: Any = functools.reduce(operator.or_, (*game.meta.events, *TABLE_EVENTS))
    return SealedEntry[kind]


def with_seals(entry: AnyEntry, sealed: Seals, salts: Salts) -> SealedEntry[Any]:
    """Returns the entry as a document of format 2 holds it."""
    return SealedEntry(entry.n, entry.at, entry.by, entry.key, entry.event, dict(sealed), dict(salts))


class _First(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document of format 1."""

    format: str
    game: str
    options: dict[str, Any]
    seats: int
    viewer: LogViewer
    seed_sha256: str
    events: list[msgspec.Raw]
    seed: str | None = None


class _Second(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document of format 2."""

    format: str
    game: str
    options: dict[str, Any]
    seats: int
    viewer: LogViewer
    deal: str
    commitment: str
    words: list[str]
    head: str
    events: list[msgspec.Raw]
    seed: str | None = None
    sealed_until: str | None = None


_Document = _First | _Second


class _Format(msgspec.Struct, frozen=True):
    format: str


class Proof(msgspec.Struct, frozen=True):
    """What a log of format 2 holds to check its luck and its chain; see docs/chance.md.

    `options` is the JSON object as the match was set up with it. `sealed` and `salts` have one mapping an entry.
    """

    deal: str
    words: tuple[str, ...]
    options: Mapping[str, Any]
    sealed: tuple[Seals, ...]
    salts: tuple[Salts, ...]
    head: str
    sealed_until: str | None = None
    """Until when the secrets of a finished match are kept; None: they are not."""


class Log(msgspec.Struct, frozen=True):
    """A log of a known game, decoded. `viewer` "all" means that nothing is hidden in it.

    `commitment` is the SHA-256 of the seed in format 1, which has no `proof`.
    """

    game: AnyGame
    options: Options
    seats: int
    viewer: int | str | None
    commitment: str
    seed: bytes | None
    entries: tuple[AnyEntry, ...]
    proof: Proof | None = None

    def document(self) -> dict[str, Any]:
        """Returns the log as a JSON value: dicts, lists and scalars."""
        out = {"game": self.game.meta.slug, "seats": self.seats, "viewer": self.viewer}
        if self.seed is not None:
            out["seed"] = self.seed.hex()
        proof = self.proof
        if proof is None:
            return out | {
                "format": FIRST_FORMAT,
                "options": msgspec.to_builtins(self.options),
                "seed_sha256": self.commitment,
                "events": msgspec.to_builtins(self.entries),
            }
        if proof.sealed_until is not None:
            out["sealed_until"] = proof.sealed_until
        entries = map(with_seals, self.entries, proof.sealed, proof.salts)
        return out | {
            "format": FORMAT,
            "options": dict(proof.options),
            "deal": proof.deal,
            "commitment": self.commitment,
            "words": list(proof.words),
            "head": proof.head,
            "events": msgspec.to_builtins([*entries]),
        }

    def heads(self) -> tuple[str, ...]:
        """Returns the heads of its chain: before the first entry, and after each. () in format 1."""
        proof = self.proof
        if proof is None:
            return ()
        first = chain.first_head(
            commitment=self.commitment, deal=proof.deal, game=self.game.meta.slug, options=proof.options,
            seats=self.seats, words=proof.words,
        )  # fmt: skip
        return first, *chain.heads(first, self.entries, proof.sealed)

    def key(self) -> bytes:
        """Returns the key of its luck and its seals. Only for a log of format 2 with its seed."""
        assert self.proof is not None
        assert self.seed is not None
        return key_of_luck(self.proof.deal, self.seed, self.proof.words)


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
        doc = _document(data)
    except DuplicateName as error:
        raise RepeatedName(error.name) from None
    except msgspec.MsgspecError as error:
        raise BadLog(log_errors.DOCUMENT, error=in_words(error, data)) from None
    except UnicodeDecodeError:
        raise BadLog(log_errors.NOT_UTF8) from None
    except RecursionError:
        raise BadLog(log_errors.DEEP) from None
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
    if (has := takebacks(log.entries)) > MAX_TAKEBACKS:
        raise BadLog(log_errors.TAKEBACKS, most=MAX_TAKEBACKS, has=has)
    _check_decisions(log)
    for entry, state in states(log):
        weighed = entry.n % WEIGH_EVERY == 0 or entry.n == len(log.entries)
        if weighed and len(encode(state)) > MAX_STATE:
            raise BadLog(log_errors.STATE, entry.n, most=MAX_STATE)
    return log


def _document(data: bytes) -> _Document:
    """Returns the document in its format. Raises BadLog if there is no such format, msgspec.MsgspecError."""
    said = msgspec.json.decode(data, type=_Format).format
    if said == FIRST_FORMAT:
        return msgspec.json.decode(data, type=_First)
    if said == FORMAT:
        return msgspec.json.decode(data, type=_Second)
    raise BadLog(log_errors.FORMAT, has=repr(said[:40]), reads=f"{FORMAT!r}, {FIRST_FORMAT!r}")


def _check_decisions(log: Log) -> None:
    """Raises BadLog if the log has more decisions than a match of this game can take."""
    decisions, last = 0, None
    for entry in effective(log.entries):
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
    entries = tuple(_entries(doc, game))
    if isinstance(doc, _First):
        _check_digits("seed_sha256", doc.seed_sha256)
        return Log(game, options, doc.seats, doc.viewer, doc.seed_sha256, seed, entries)
    return Log(
        game, options, doc.seats, doc.viewer, doc.commitment, seed, tuple(map(_bare, entries)), _proof(doc, entries)
    )


def _bare(entry: SealedEntry[Any]) -> AnyEntry:
    return Entry(entry.n, entry.at, entry.by, entry.key, entry.event)


def _proof(doc: _Second, entries: Sequence[SealedEntry[Any]]) -> Proof:
    for field, digits in (("commitment", doc.commitment), ("head", doc.head), *(("words", one) for one in doc.words)):
        _check_digits(field, digits)
    if len(doc.words) != doc.seats:
        raise BadLog(log_errors.WORDS, seats=doc.seats, has=len(doc.words))
    if not _DEAL.fullmatch(doc.deal):
        raise BadLog(log_errors.HEADER_FIELD, field="deal")
    if doc.sealed_until is not None and not (doc.sealed_until and _AT.fullmatch(doc.sealed_until)):
        raise BadLog(log_errors.HEADER_FIELD, field="sealed_until")
    return Proof(
        doc.deal, tuple(doc.words), doc.options, tuple(entry.sealed for entry in entries),
        tuple(entry.salts for entry in entries), doc.head, doc.sealed_until,
    )  # fmt: skip


def _check_digits(field: str, text: str, entry: int | None = None) -> None:
    if not _DIGITS.fullmatch(text):
        raise BadLog(log_errors.DIGITS, entry, field=field)


def _entries(doc: _Document, game: AnyGame) -> Iterator[Any]:
    kind = entry_type(game) if isinstance(doc, _First) else _sealed_entry_type(game)
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)
    for n, item in enumerate(doc.events, 1):
        try:
            entry = decoder.decode(item)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadLog(log_errors.UNREADABLE, n, error=in_words(error)) from None
        if entry.n != n:
            raise BadLog(log_errors.NUMBER, n, has=entry.n)
        _check(entry, n, doc)
        if isinstance(entry, SealedEntry):
            _check_seals(entry)
        yield entry


def _check_seals(entry: SealedEntry[Any]) -> None:
    """Raises BadLog for a seal or a salt of something that the entry does not have."""
    for path, digits in (*entry.sealed.items(), *entry.salts.items()):
        if not chain.is_path(entry, path):
            raise BadLog(log_errors.SEALED, entry.n, path=repr(path[:40]))
        _check_digits(path, digits, entry.n)
    if loose := entry.salts.keys() - entry.sealed.keys():
        raise BadLog(log_errors.UNSEALED, entry.n, path=min(loose))


def _check(entry: AnyEntry, n: int, doc: _Document) -> None:
    """Raises BadLog if a log with this many seats, for this viewer, cannot contain the decoded entry."""
    written = {"at": (_AT, entry.at), "key": (ENTRY_KEY, entry.key), "via": (_VIA, entry.by.via)}
    for field, (allowed, text) in written.items():
        if text is not None and not allowed.fullmatch(text):
            raise BadLog(log_errors.ENVELOPE, n, field=field)
    if entry.by == By() and (doc.viewer == "all" or chain.BY not in getattr(entry, "sealed", ())):
        raise BadLog(log_errors.ENVELOPE, n, field="by")
    event: Event = entry.event
    if isinstance(event, Undone) and not 0 < event.to < n:
        raise BadLog(log_errors.BACK, n, to=event.to)
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
    for at, entry in enumerate(log.entries, 1):
        if isinstance(entry.event, Undone):
            state = evolve_all(log.game, None, (one.event for one in effective(log.entries[:at])))
        elif not isinstance(entry.event, TableEvent):
            try:
                state = log.game.evolve(state, entry.event)
                log.game.pending(state)
            except Exception as error:
                # Whatever a forged entry breaks inside a game, the entry is at fault.
                raise BadLog(log_errors.IMPOSSIBLE, entry.n) from error
            if getattr(state, "seats", log.seats) != log.seats:
                raise BadLog(log_errors.OTHER_SEATS, entry.n, seats=log.seats)
        yield entry, state
