"""The portable log: one JSON document that replays anywhere, without a database.

    {"format": "pbem-log/2", "game": "hogen", "options": {}, "seats": 4, "viewer": "all" | seat | null,
     "deal": "…", "commitment": "…", "words": ["…", …], "head": "…", "seed": "…" (once the match is over),
     "events": [entry, …], "table": "…" (if other tables play the same deal),
     "sealed_until": "…" | "deal" (if its secrets are kept after its end)}

An entry of it also has `sealed`, the seals of what not everybody may see, and `salts` for those that its viewer sees.
docs/chance.md specifies all of these. A `pbem-log/1`, which has `seed_sha256` in place of the chain, still replays.

A document from elsewhere is not trusted: its size is limited, it is decoded strictly, and an error names the entry
that does not fit.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from pbem.kit.codec import DuplicateName, check_names, codec_for, encode
from pbem.kit.contract import AnyGame, Options
from pbem.kit.logs import log_errors
from pbem.kit.logs.chain import BY, Salts, Seals, first_head, heads, key_of_luck, key_of_seals
from pbem.kit.logs.entries import (
    LogViewer,
    SealedEntry,
    check_digits,
    check_takebacks,
    decode_entries,
    decode_sealed_entries,
    is_time_for_log,
)
from pbem.kit.logs.log_errors import BadLog, log_error_in_words
from pbem.kit.options import wrong_with
from pbem.kit.replay import (
    AnyEntry,
    TableEvent,
    Undone,
    count_takebacks,
    entries_not_taken_back,
    evolve_all,
    whether_entries_answer_windows,
)

FORMAT, FIRST_FORMAT = "pbem-log/2", "pbem-log/1"
DEAL = "deal"
"""In `sealed_until`: until the last of the tables that play the deal is over. Nobody knows when that is."""
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

_DEAL = re.compile("[0-9a-f]{1,32}")


class RepeatedName(BadLog):
    """A document in which an object contains the same name twice. `name` is that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(log_errors.TWICE, name=name[:64])


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
    table: str | None = None
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
    """Until when the secrets of a finished match are kept, an instant or `DEAL`; None: they are not."""
    table: str | None = None
    """Which of the tables that play this deal it is; None: no other plays it."""


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
        if proof.table is not None:
            out["table"] = proof.table
        entries = [
            SealedEntry(one.n, one.at, one.by, one.key, one.event, dict(sealed), dict(salts))
            for one, sealed, salts in zip(self.entries, proof.sealed, proof.salts, strict=True)
        ]
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
        first = first_head(
            commitment=self.commitment, deal=proof.deal, game=self.game.meta.slug, options=proof.options,
            seats=self.seats, words=proof.words, table=proof.table,
        )  # fmt: skip
        return first, *heads(first, self.entries, proof.sealed)

    def key(self) -> bytes:
        """Returns the key of its luck. Only for a log of format 2 with its seed."""
        assert self.proof is not None
        assert self.seed is not None
        return key_of_luck(self.proof.deal, self.seed, self.proof.words)

    def seal_key(self) -> bytes:
        """Returns the key of its seals. Only for a log of format 2 with its seed."""
        assert self.proof is not None
        return key_of_seals(self.key(), self.proof.table)


def log_to_bytes(log: Log) -> bytes:
    """Returns the document as canonical JSON."""
    return encode(log.document())


def read(data: bytes, find: Callable[[str], AnyGame | None]) -> Log:
    """Returns the log in this document, checked entry by entry and folded once.

    `find` returns the game of a slug, or None. Raises BadLog; RepeatedName before anything else that is wrong.
    """
    try:
        text = data.decode(json.detect_encoding(data))  # Windows programs save UTF-16, and a mark in front
    except UnicodeDecodeError:
        raise BadLog(log_errors.CHARSET) from None
    data = text.encode()
    if len(data) > MAX_BYTES:
        raise BadLog(log_errors.BYTES, most=MAX_BYTES, has=len(data))
    try:
        with suppress(json.JSONDecodeError):  # anything but JSON is refused below, with the reason
            check_names(text)
        doc = _decode_document(data)
    except DuplicateName as error:
        raise RepeatedName(error.name) from None
    except msgspec.MsgspecError as error:
        raise BadLog(log_errors.DOCUMENT, error=log_error_in_words(error, data)) from None
    except UnicodeDecodeError:
        raise BadLog(log_errors.CHARSET) from None
    except RecursionError:
        raise BadLog(log_errors.DEEP) from None
    if len(doc.events) > MAX_ENTRIES:
        raise BadLog(log_errors.ENTRIES, most=MAX_ENTRIES, has=len(doc.events))
    game = find(doc.game)
    if game is None:
        raise BadLog(log_errors.GAME, slug=repr(doc.game[:40]))
    log = _log_of_document(doc, game)
    if not log.entries:
        raise BadLog(log_errors.EMPTY)
    about_table = sum(isinstance(entry.event, TableEvent) for entry in log.entries)
    if about_table > MAX_TABLE_ENTRIES:
        raise BadLog(log_errors.TABLE, most=MAX_TABLE_ENTRIES, has=about_table)
    if isinstance(log.entries[0].event, TableEvent):
        raise BadLog(log_errors.BEGINNING, 1)
    if (has := count_takebacks(log.entries)) > MAX_TAKEBACKS:
        raise BadLog(log_errors.TAKEBACKS, most=MAX_TAKEBACKS, has=has)
    check_takebacks(log.entries, keys=log.proof is not None)
    _check_number_of_decisions(log)
    for entry, state in entries_with_states(log):
        weighed = entry.n % WEIGH_EVERY == 0 or entry.n == len(log.entries)
        if weighed and len(encode(state)) > MAX_STATE:
            raise BadLog(log_errors.STATE, entry.n, most=MAX_STATE)
    if log.proof is None:
        return log
    for entry, sealed, window in zip(
        log.entries, log.proof.sealed, whether_entries_answer_windows(game, log.entries), strict=True
    ):
        # Who answered when has a seal in the answers to questions of a window, and nowhere else.
        if window and BY not in sealed:
            raise BadLog(log_errors.BARE, entry.n, path=repr(BY))
        if BY in sealed and not window:
            raise BadLog(log_errors.SEALED, entry.n, path=repr(BY))
    return log


def _decode_document(data: bytes) -> _Document:
    """Returns the document in its format. Raises BadLog if there is no such format, msgspec.MsgspecError."""
    said = msgspec.json.decode(data, type=_Format).format
    if said == FIRST_FORMAT:
        return msgspec.json.decode(data, type=_First)
    if said == FORMAT:
        return msgspec.json.decode(data, type=_Second)
    raise BadLog(log_errors.FORMAT, has=repr(said[:40]), reads=f"{FORMAT!r}, {FIRST_FORMAT!r}")


def _check_number_of_decisions(log: Log) -> None:
    """Raises BadLog if the log has more decisions than a match of this game can take."""
    decisions, last = 0, None
    for entry in entries_not_taken_back(log.entries):
        if isinstance(entry.event, TableEvent) or entry.key == last:
            continue
        decisions, last = decisions + 1, entry.key
        if decisions > log.game.meta.bound:
            raise BadLog(log_errors.DECISIONS, entry.n, most=log.game.meta.bound)


def _log_of_document(doc: _Document, game: AnyGame) -> Log:
    if doc.seats not in game.meta.seats:
        raise BadLog(log_errors.SEATS, game=game.meta.title, seats=doc.seats)
    if isinstance(doc.viewer, int) and doc.viewer >= doc.seats:
        raise BadLog(log_errors.SEAT, seat=doc.viewer)
    try:
        options = codec_for(game).options(doc.options)
    except msgspec.ValidationError as error:
        raise BadLog(log_errors.HEADER, error=wrong_with(game.meta, doc.options) or log_error_in_words(error)) from None
    try:
        seed = None if doc.seed is None else bytes.fromhex(doc.seed)
    except ValueError:
        raise BadLog(log_errors.SEED) from None
    if seed is not None and len(seed) != 32:
        raise BadLog(log_errors.SEED)
    if isinstance(doc, _First):
        check_digits("seed_sha256", doc.seed_sha256)
        first = tuple(decode_entries(doc.events, game, doc.seats, doc.viewer))
        return Log(game, options, doc.seats, doc.viewer, doc.seed_sha256, seed, first)
    entries = tuple(decode_sealed_entries(doc.events, game, doc.seats, doc.viewer))
    bare = tuple(entry.bare() for entry in entries)
    return Log(game, options, doc.seats, doc.viewer, doc.commitment, seed, bare, _proof(doc, entries))


def _proof(doc: _Second, entries: Sequence[SealedEntry[Any]]) -> Proof:
    for field, digits in (("commitment", doc.commitment), ("head", doc.head), *(("words", one) for one in doc.words)):
        check_digits(field, digits)
    if len(doc.words) != doc.seats:
        raise BadLog(log_errors.WORDS, seats=doc.seats, has=len(doc.words))
    if not _DEAL.fullmatch(doc.deal):
        raise BadLog(log_errors.HEADER_FIELD, field="deal")
    if doc.table is not None and not _DEAL.fullmatch(doc.table):
        raise BadLog(log_errors.HEADER_FIELD, field="table")
    if doc.sealed_until not in (None, DEAL) and not (doc.sealed_until and is_time_for_log(doc.sealed_until)):
        raise BadLog(log_errors.HEADER_FIELD, field="sealed_until")
    if doc.seed is not None:
        _check_nothing_hidden_beside_seed(doc.seed, doc, entries)
    return Proof(
        doc.deal, tuple(doc.words), doc.options, tuple(entry.sealed for entry in entries),
        tuple(entry.salts for entry in entries), doc.head, doc.sealed_until, doc.table,
    )  # fmt: skip


def _check_nothing_hidden_beside_seed(seed: str, doc: _Second, entries: Sequence[SealedEntry[Any]]) -> None:
    """Raises BadLog if a document with this seed hides something, or holds what follows from the seed."""
    check_digits("seed", seed)
    if doc.viewer != "all" or doc.sealed_until is not None:
        raise BadLog(log_errors.SEED_HERE)
    for entry in entries:
        if entry.salts:
            raise BadLog(log_errors.NO_SALTS, entry.n)


def entries_with_states(log: Log) -> Iterator[tuple[AnyEntry, Any]]:
    """Yields each entry with the state after it, as the log's viewer knows it.

    Raises BadLog at the entry that does not fit.
    """
    state = None
    for at, entry in enumerate(log.entries, 1):
        if isinstance(entry.event, Undone):
            state = evolve_all(log.game, None, (one.event for one in entries_not_taken_back(log.entries[:at])))
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
