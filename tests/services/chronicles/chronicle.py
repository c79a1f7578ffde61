"""Chronicles: what use cases return, refuse and write, in lines that a person reads.

`Chronicle.do` notes what became of one use case: its result or its refusal, every row of the database that has changed,
and whether a worker was woken. So nothing that is written can change unnoticed.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any, TypeVar
from zlib import crc32

import msgspec
from sqlalchemy import Row, Table, select
from sqlmodel import SQLModel

from pbem.errors import Invalid, Problem
from tests.table import House

ZEROS = re.compile(r"\b0{16,}(?=[0-9a-f])")
"""What the ids that a house draws begin with."""
LONGEST = 60
"""Longer words are cut: what they hold has its own tests."""
WIDEST = 110
"""What is longer stands on lines of its own."""


T = TypeVar("T")


class Chronicle:
    """What has happened at a house so far."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.lines: list[str] = []
        self._raw: dict[str, list[Any]] = {}
        self._rows: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {}
        self._woken = len(house.wakes)
        self._changes()

    def part(self, title: str) -> None:
        """Begins a part."""
        self.lines += ["", f"# {title}"]

    def do(self, title: str, use_case: Callable[[], T]) -> T | None:
        """Does something, and notes what became of it; returns its result, or None if it was refused."""
        self.lines += ["", f"## {title}"]
        done = None
        try:
            done = use_case()
        except Problem as refused:
            self.lines += self._refusal(refused)
        else:
            self.lines += [] if done is None else in_words("→", done)
        self.lines += self._changes()
        woken, self._woken = len(self.house.wakes) - self._woken, len(self.house.wakes)
        self.lines += [f"  woken: {woken}"] if woken else []
        return done

    def skip(self) -> None:
        """Passes over what was changed without `do`."""
        self._changes()
        self._woken = len(self.house.wakes)

    def _refusal(self, refused: Problem) -> Iterator[str]:
        at = f" at {', '.join(refused.fields)}" if isinstance(refused, Invalid) and refused.fields else ""
        yield f"  refused: {refused.code}{at}: {refused.message}"
        if refused.facts:
            yield from in_words("facts", dict(refused.facts))

    def _changes(self) -> list[str]:
        """Returns a line for each row that is new, another, or gone since the last call."""
        said: list[str] = []
        with self.house.site.engine.connect() as connection:
            cursor = connection.connection.cursor()  # SQLAlchemy would take most of the time of a chronicle
            for name, table in sorted(SQLModel.metadata.tables.items()):
                cursor.execute(f'SELECT * FROM "{name}"')
                raw = [*cursor.fetchall()]
                if raw == self._raw.get(name, []):
                    continue
                self._raw[name] = raw
                found = [dict(row) for row in connection.execute(select(table)).mappings()]
                for row in found:
                    row.pop("touched", None)  # triggers count: `tests.models.test_touched`
                now = {tuple(row[column.name] for column in table.primary_key): row for row in found}
                said += _compare(table, self._rows.get(name, {}), now)
                self._rows[name] = now
        return said


def _compare(table: Table, before: Mapping[Any, dict[str, Any]], now: Mapping[Any, dict[str, Any]]) -> Iterator[str]:
    keys = {column.name for column in table.primary_key}
    for key in sorted({*before, *now}, key=repr):
        name = " ".join([table.name, *(value_in_a_line(part) for part in key)])
        old, new = before.get(key), now.get(key)
        if new is None:
            yield f"  - {name}"
        elif old is None:
            said = {each: value for each, value in new.items() if each not in keys and value}
            yield f"  + {name}: {_in_a_row(said)}"
        elif old != new:
            changed = [each for each in new if old[each] != new[each]]
            steps = (f"{each} {value_in_a_line(old[each])} → {value_in_a_line(new[each])}" for each in changed)
            yield f"  ~ {name}: {', '.join(steps)}"


def in_words(name: str, value: Any, indent: str = "  ") -> Iterator[str]:
    """Returns what a value holds, in as few lines as are readable: a field that is empty is left out."""
    line = f"{indent}{name}: {value_in_a_line(value)}" if name else f"{indent}{value_in_a_line(value)}"
    inner = _inner(value)
    if len(line) <= WIDEST or inner is None:
        yield line
        return
    yield f"{indent}{name}:" if name else f"{indent}-"
    for each, part in inner:
        yield from in_words(each, part, indent + "  ")


def value_in_a_line(value: Any) -> str:
    """Returns what a value holds in one line."""
    match value:
        case None:
            return "none"
        case str():
            said = ZEROS.sub("…", " ".join(value.split()))
            return said if len(said) <= LONGEST else f"{said[:LONGEST]}… ({crc32(value.encode()):08x})"
        case bytes():
            value = zlib.decompress(value) if value[:2] == b"x\x01" else value  # zlibs do not pack alike
            return f"{len(value)} bytes ({crc32(value):08x})"
        case Enum():
            return value.name
        case datetime():
            at = value if value.tzinfo is None else value.astimezone(UTC)
            return at.strftime("%Y-%m-%d %H:%M:%S") + (f".{at.microsecond:06}" if at.microsecond else "")
        case date() | timedelta():
            return str(value)
        case list() | tuple() | set() | frozenset():
            parts = (
                sorted(map(value_in_a_line, value))
                if isinstance(value, set | frozenset)
                else map(value_in_a_line, value)
            )
            return f"({', '.join(parts)})"
    inner = _inner(value)
    if inner is None:
        return str(value) if type(value).__module__ == "builtins" else type(value).__name__
    kind = "" if isinstance(value, Mapping) else f"{type(value).__name__}: "
    return f"[{kind}{_in_a_row(dict(inner))}]"


def _in_a_row(said: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value_in_a_line(value)}" for name, value in said.items())


def _inner(value: Any) -> Iterable[tuple[str, Any]] | None:
    """Returns the named parts of a value that say something; None: it has no parts."""
    if isinstance(value, Row):
        value = value._asdict()
    if isinstance(value, Mapping):
        return [(str(key), part) for key, part in value.items()]
    if is_dataclass(value):
        return [(one.name, part) for one in fields(value) if _says(part := getattr(value, one.name, None))]
    if isinstance(value, msgspec.Struct):
        return [(name, part) for name in value.__struct_fields__ if _says(part := getattr(value, name))]
    if isinstance(value, list | tuple):
        return [("", part) for part in value]
    return None


def _says(part: Any) -> bool:
    return part is not None and not (isinstance(part, str | tuple | list | dict) and not part)
