"""The form in which the log and the asks of a finished match are archived, and how archives are read.

A match has all of its rows or an archive, never both. A reader that finds no rows looks here, in the same transaction;
so nobody need know beforehand which of both a match has.

    {"at": [1773317040, 0, 95, …],               seconds, each after the former one
     "by": [{"table": true}, {"seat": 2}, …], "key": […], "event": […],
     "sealed": [null, ["event.card"], …],        the paths of the seals
     "heads": null,
     "asks": {"key": […], …}}

is compressed by xz. Nothing of the log is lost. The seals and the heads of its chain, two thirds of its bytes when
compressed, follow from the seed and from what is here; they are made again when they are read. `pack_archive` reads
what it has packed, and compares: where one of them cannot be made again, all are kept as they are.

This reads JSON alone and asks no game, so a game that has changed, or is gone, changes no archive.
"""

import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import msgspec
from sqlmodel import Session

from pbem.clock import iso_format
from pbem.kit.codec import encode
from pbem.kit.logs import chain
from pbem.kit.logs.chain import AT, BY, ENVELOPE, Seals
from pbem.models.results import ArchiveRow
from pbem.models.tables import AskRow, table
from pbem.services import statements

FORM = 1
"""The form that is written. Every one that was ever written is read for ever."""
_FILTERS = ({"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 20, "pb": 0},)
"""`pb` 0 is for text; a window of a megabyte holds any log, where the preset's takes eight to write a few kilobytes."""

UNSEALED: Seals = {}


class Stored(NamedTuple):
    """An entry as its row holds it: `by` and `event` are canonical JSON."""

    n: int
    at: datetime
    by: str
    key: str | None
    event: str
    sealed: Seals
    head: str


class Question(NamedTuple):
    """What is kept of a closed ask: what pages and programs still learn of it."""

    key: str
    seat: int
    turn: str
    kind: str
    origin: str
    opened_n: int
    closed_by: str | None
    answer: str | None
    first_n: int | None
    last_n: int | None
    sealed: str | None
    sealed_by: str | None


class _Columns(msgspec.Struct, frozen=True):
    at: list[int]
    by: list[msgspec.Raw]
    key: list[str | None]
    event: list[msgspec.Raw]
    sealed: list[list[str] | dict[str, str] | None]
    heads: list[str] | None
    asks: dict[str, list[Any]]


_decode = msgspec.json.Decoder(_Columns).decode


class Line(NamedTuple):
    """An entry as the log is read: number, time, and the JSON of who caused it and of what happened."""

    n: int
    at: datetime
    by: str
    key: str | None
    event: str


@dataclass(frozen=True)
class Unpacked:
    """The log and the asks of an archived match."""

    _columns: _Columns

    @cached_property
    def lines(self) -> list[Line]:
        """The entries, in order."""
        kept = self._columns
        times = (datetime.fromtimestamp(second, UTC) for second in accumulate(kept.at))
        rows = zip(times, kept.by, kept.key, kept.event, strict=True)
        return [
            Line(n, at, _text_of_raw_json(by), key, _text_of_raw_json(event))
            for n, (at, by, key, event) in enumerate(rows, 1)
        ]

    @cached_property
    def questions(self) -> list[Question]:
        """The asks, in the order in which they were opened."""
        kept = self._columns.asks
        rows = [Question(*row) for row in zip(*(kept[name] for name in Question._fields), strict=True)]
        return [
            row._replace(
                origin=row.origin or row.key,
                first_n=None if row.first_n is None else row.opened_n + row.first_n,
                last_n=None if row.first_n is None or row.last_n is None else row.opened_n + row.first_n + row.last_n,
            )
            for row in rows
        ]

    def chain(self, key: bytes, first: str) -> Iterator[tuple[int, Seals, str]]:
        """Yields each entry's number, its seals, and the head of the chain after it.

        `key` is that of the match's seals, `first` the head before all entries.
        """
        kept, head = self._columns, first
        for at, (line, paths) in enumerate(zip(self.lines, kept.sealed, strict=True)):
            sealed = paths if isinstance(paths, dict) else _seals_of_line(key, line, paths or ())
            head = kept.heads[at] if kept.heads is not None else _next_head(head, line, sealed)
            yield line.n, sealed, head


def unpack_archive(form: int, packed: bytes) -> Unpacked:
    """Returns what is in an archive of this form."""
    assert form == FORM, "there is one form so far"
    return Unpacked(_decode(lzma.decompress(packed)))


def pack_archive(entries: Sequence[Stored], asks: Iterable[Question], key: bytes, first: str) -> bytes:
    """Returns the archive of a match, which gives its entries and asks as they are, but for parts of a second.

    `key` is that of the match's seals, `first` the head before all entries. Raises ValueError if there is no such one.
    """
    asked = sorted(asks, key=lambda ask: (ask.opened_n, ask.seat, ask.key))
    wanted = [one._replace(at=one.at.replace(microsecond=0)) for one in entries]
    for whole in (False, True):
        packed = _compress_archive(entries, asked, whole=whole)
        kept = unpack_archive(FORM, packed)
        try:
            proven = [*kept.chain(key, first)]
        except (KeyError, IndexError, TypeError, ValueError):
            continue  # a path names nothing in its entry
        if kept.questions == asked and wanted == [
            Stored(*line, sealed, head) for line, (_, sealed, head) in zip(kept.lines, proven, strict=True)
        ]:
            return packed
    raise ValueError("the archive is not what the rows say")


def _compress_archive(entries: Sequence[Stored], asks: Sequence[Question], *, whole: bool) -> bytes:
    """Returns the archive; with `whole`, seals and heads are kept as they are."""
    asked = [  # numbers of entries are counted from where the ask was opened
        one._replace(
            origin="" if one.origin == one.key else one.origin,
            first_n=None if one.first_n is None else one.first_n - one.opened_n,
            last_n=None if one.first_n is None or one.last_n is None else one.last_n - one.first_n,
        )
        for one in asks
    ]
    seconds = [int(one.at.timestamp()) for one in entries]
    columns = {
        "at": [after - before for before, after in pairwise([0, *seconds])],
        "by": [msgspec.Raw(one.by.encode()) for one in entries],
        "key": [one.key for one in entries],
        "event": [msgspec.Raw(one.event.encode()) for one in entries],
        "sealed": [(dict(one.sealed) if whole else [*one.sealed]) if one.sealed else None for one in entries],
        "heads": [one.head for one in entries] if whole else None,
        "asks": {name: [row[at] for row in asked] for at, name in enumerate(Question._fields)},
    }
    return lzma.compress(encode(columns), check=lzma.CHECK_CRC32, filters=_FILTERS)


# --- seals and heads, from JSON ---------------------------------------------------------------------------------


def _seals_of_line(key: bytes, line: Line, paths: Iterable[str]) -> Seals:
    if not paths:
        return UNSEALED
    event = msgspec.json.decode(line.event)
    return {
        path: chain.seal_of_value(chain.salt_of_value(key, line.n, path), _value_at_path(line, event, path))
        for path in paths
    }


def _value_at_path(line: Line, event: Mapping[str, Any], path: str) -> Any:
    """Returns the value at the path. Raises KeyError, IndexError, TypeError or ValueError if there is none."""
    if path in ENVELOPE:
        return iso_format(line.at) if path == AT else msgspec.Raw(line.by.encode())
    _, name, *place = path.split(".")
    return event[name][int(place[0])] if place else event[name]


def _next_head(head: str, line: Line, sealed: Seals) -> str:
    """Returns the head after the entry; that of `chain.next_head`, from JSON."""
    event: Any = msgspec.Raw(line.event.encode())
    if any(path not in ENVELOPE for path in sealed):
        event = msgspec.json.decode(line.event)
        for path in sealed:
            if path not in ENVELOPE:
                _, name, *place = path.split(".")
                if place:
                    event[name][int(place[0])] = _placeholder_of_hidden_value(event[name][int(place[0])])
                else:
                    event[name] = _placeholder_of_hidden_value(event.get(name))
    shown = {
        "at": None if AT in sealed else iso_format(line.at),
        "by": None if BY in sealed else msgspec.Raw(line.by.encode()),
        "event": event, "key": line.key, "n": line.n, "sealed": sealed,
    }  # fmt: skip
    return chain.head_after_shown_entry(head, shown)


def _placeholder_of_hidden_value(value: Any) -> Any:
    """Returns what stands in place of a hidden JSON value, as `secrecy.hide` has it."""
    return [*map(_placeholder_of_hidden_value, value)] if isinstance(value, list) else None


def _text_of_raw_json(raw: msgspec.Raw) -> str:
    return bytes(raw).decode()


# --- reading it ----------------------------------------------------------------------------------------------

_archives = table(ArchiveRow)


def find_archive(session: Session, match_id: str) -> Unpacked | None:
    """Returns the archive of the match; None if it has none."""
    found = statements.ARCHIVE.flush_and_send(session, {"match": match_id}).rows()
    return unpack_archive(*found[0]) if found else None


def asks_in_archive(session: Session, match_id: str) -> list[AskRow]:
    """Returns the asks of an archived match in the order in which they were opened; none if it has no archive.

    They belong to no session and have no deadlines. Their times are those of the entries that opened and closed them.
    """
    archived = find_archive(session, match_id)
    if archived is None:
        return []
    times = {line.n: line.at for line in archived.lines}
    rows = []
    for one in archived.questions:
        closed = times[one.first_n] if one.first_n is not None else archived.lines[-1].at
        rows.append(AskRow(match_id=match_id, **one._asdict(), opened_at=times[one.opened_n], closed_at=closed))
    return rows


def ask_in_archive(session: Session, match_id: str, key: str, seat: int) -> AskRow | None:
    """Returns the ask with this key of an archived match, or None."""
    return next((ask for ask in asks_in_archive(session, match_id) if (ask.key, ask.seat) == (key, seat)), None)
