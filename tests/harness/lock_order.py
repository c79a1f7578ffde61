"""Records which rows each writing transaction locks, in which order, and breaches of the order in `services.log.locks`.

A statement's locks are read from its text, so no write can be missed: rows selected FOR UPDATE or SHARE
(SQLite, which has no such locks, gets a comment instead), rows updated, deleted or inserted, and the players
to whom a written row refers: PostgreSQL locks these by itself. What a test writes by hand, alone, does not count.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlmodel import Session

from pbem.models.engine import WRITE
from pbem.models.tables import Player, table
from pbem.services.privacy.fates import references_to
from pbem.services.site import Site

TESTS = Path(__file__).parents[1]
GUARDED = str(TESTS / "harness" / "test_lock_order.py")
PLAYERS, MATCHES, REST = 0, 1, 2
RANKS = {"players": PLAYERS, "matches": MATCHES}
POINTING = {(column.table.name, column.name) for column in references_to(table(Player))}
ADDRESS = "by address"
"""A player who was found or added by an address: any row that refers to them later was locked in this way."""
BY_ITSELF = {"claimed_until", "remind_at", "follow_at"}
"""Columns of a question that a sweep sets without its match's lock, in a transaction that locks no player either."""
OF_PLAYER = ("vacations", "address_changes", "personal_tokens")
"""Tables whose rows are written under the lock of their player, or alone."""
OF_MATCH = ("seats", "asks", "votes", "entries", "folds", "snapshots", "notes", "orders", "plans", "archives")
"""Tables whose rows are written under the lock of their match, in any order among each other."""

Place = tuple[str | None, int]
"""Where a statement's value stands among those handed over: its name, if it has one, and the how-manyth it is."""
_SIGN = r"(?:%\((?P<named>\w+)\)s(?:::\w+)?|:(?P<colon>\w+)|\?)"
_SIGNS = re.compile(_SIGN)
_LOCKED = re.compile(r"FOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)")
_FROM = re.compile(r"\bFROM (\w+)")
_WRITES = re.compile(r"\s*(?:WITH changed AS\s*\()?(UPDATE|DELETE FROM|INSERT (?:OR \w+ )?INTO) (\w+)")
_GROUP = re.compile(r"\(((?:[^()]|\([^()]*\))*)\)")
_COLUMNS = re.compile(r"INTO \w+ \(([^)]*)\)")


@dataclass
class Held:
    """The locks of a transaction so far."""

    players: set[Any] = field(default_factory=set)
    matches: set[Any] = field(default_factory=set)
    made: set[Any] = field(default_factory=set)
    """Matches that it has made itself: nobody else can wait for these."""
    rank: int = PLAYERS
    said: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class LockOrder:
    """Records breaches of the lock order in all transactions."""

    def __init__(self) -> None:
        self._wrong: list[str] = []
        self._opened = threading.local()

    def wrong(self) -> list[str]:
        """Returns the breaches of the order since the last call, in words."""
        found, self._wrong = self._wrong, []
        return found

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Listens to all databases until the end of the block."""
        events: dict[str, Callable[..., Any]] = {
            "begin": self._begin,
            "before_cursor_execute": self._note_statement,
            "commit": self._end,
            "rollback": self._end,
        }
        opening: Any = Site.writing

        def writing(site: Site) -> AbstractContextManager[Session]:
            self._opened.by = sys._getframe(1).f_code.co_filename
            found: AbstractContextManager[Session] = opening(site)
            return found

        Site.writing = writing  # type: ignore[method-assign, assignment]
        for name, listener in events.items():
            event.listen(Engine, name, listener)
        try:
            yield
        finally:
            Site.writing = opening  # type: ignore[method-assign]
            for name, listener in events.items():
                event.remove(Engine, name, listener)

    def _begin(self, connection: Connection) -> None:
        by_hand = _of_tests(getattr(self._opened, "by", ""))
        counts = connection.get_execution_options().get(WRITE) and not by_hand
        connection.info["lock_order"] = Held() if counts else None

    def _end(self, connection: Connection) -> None:
        if not connection.invalidated and (held := connection.info.pop("lock_order", None)) is not None:
            self._wrong += held.wrong

    def _note_statement(
        self, connection: Connection, cursor: Any, sql: str, given: Any, context: Any, many: bool
    ) -> None:
        if "alembic_version" in sql or "pg_advisory_xact_lock" in sql:  # a migration: nothing else runs meanwhile
            connection.info["lock_order"] = None
        if (held := connection.info.get("lock_order")) is None:
            return
        several = isinstance(given, list) and bool(given) and isinstance(given[0], tuple | dict)
        for one in given if many or several else [given]:
            for name, key in rows_locked_by(sql, one):
                if (why := _take(held, name, key, sql)) is not None:
                    held.wrong.append(f"{why}: {name} {key} after {held.said}, by {' '.join(sql.split())[:200]}")


@lru_cache
def _of_tests(path: str) -> bool:
    """True if the file is a test of something else than this record."""
    return Path(path).is_relative_to(TESTS) and path != GUARDED


def _take(held: Held, name: str, key: Any, sql: str) -> str | None:
    """Records that the row is locked; returns what is wrong with that, if anything."""
    rank, why = RANKS.get(name, REST), None
    known = held.players if rank == PLAYERS else held.matches
    if rank == MATCHES and sql.lstrip().startswith("INSERT"):
        held.made.add(key)
        return None
    if rank == REST:
        by_itself = name == "asks" and set(re.findall(r"(\w+)=", sql.partition(" WHERE ")[0])) <= BY_ITSELF
        alone = by_itself and not held.players
        if name in OF_MATCH and not alone and not held.matches and not held.made:
            why = "written without the lock of its match"
    elif _has(held, rank, key):
        return None
    elif held.rank > rank:
        why = "locked too late"
    elif rank == MATCHES and key is not None and any(other is not None and other > key for other in held.matches):
        why = "locked after one that sorts behind it"
    if rank != REST:
        known.add(key)
        held.said.append(f"{name} {key}")
    elif held.rank < REST and name not in OF_PLAYER:
        held.said.append(name)
    if name not in OF_PLAYER:
        held.rank = max(held.rank, rank)
    return why


def _has(held: Held, rank: int, key: Any) -> bool:
    """True if the transaction holds the row already, so that it waits for nobody."""
    if rank == MATCHES:
        return key is not None and key in held.matches | held.made
    return key is not None and (key in held.players or ADDRESS in held.players)


def rows_locked_by(sql: str, given: Any) -> Iterator[tuple[str, Any]]:
    """Returns the tables whose rows the statement locks, each with the id if a single row is named, else None.

    >>> [*rows_locked_by("UPDATE seats SET player_id=? WHERE seats.match_id = ? AND seats.seat = ?", (7, "ab", 0))]
    [('players', 7), ('seats', None)]
    """
    for name, place, always in _locking(sql):
        key = _value(place, given) if isinstance(place, tuple) else place
        if always or key is not None:
            yield name, key


@lru_cache(maxsize=2000)
def _locking(sql: str) -> tuple[tuple[str, Place | str | None, bool], ...]:
    """Returns the tables whose rows the statement locks, with where it names the id, and whether a null id locks.

    The same few hundred statements are sent thousands of times, so their text is parsed only once.
    """
    if "SKIP LOCKED" in sql and sql.startswith("UPDATE players"):  # never waits, so it is part of no circle
        return ()
    if "WHERE 1!=1" in sql:  # an empty list of ids, as SQLAlchemy writes it
        return ()
    written = _WRITES.match(sql)
    if written is None:
        if sql.lstrip().startswith("SELECT") and _LOCKED.search(sql) and (found := _FROM.search(sql)):
            return tuple((found[1], place, True) for place in _ids(found[1], sql))
        return ()
    name = written[2]
    locked = [("players", place, False) for column, place in _set(sql) if (name, column) in POINTING]
    if name == "matches" and written[1].startswith("INSERT"):
        return (*locked, (name, dict(_set(sql)).get("id"), True))
    if name == "players" and written[1].startswith("INSERT"):
        return (*locked, (name, ADDRESS, True))
    return (*locked, *((name, place, True) for place in _ids(name, sql)))


def _ids(name: str, sql: str) -> Sequence[Place | str | None]:
    """Returns where the statement names the ids of the rows that it is about; None if it does not."""
    if name == "players" and re.search(rf"\bplayers\.canonical = {_SIGN}", sql):
        return [ADDRESS]
    if one := re.search(rf"\b{name}\.id = {_SIGN}", sql):
        return [_place(sql, one.end(), one)]
    if several := re.search(rf"\b{name}\.id IN \((?!SELECT\b)([^()]|%\(\w+\)s)*\)", sql):
        return [_place(sql, sign.end(), sign) for sign in _SIGNS.finditer(sql, several.start(), several.end())]
    return [None]


def _set(sql: str) -> Iterable[tuple[str, Place]]:
    """Returns the columns that the statement writes, each with the place of its parameter."""
    if (columns := _COLUMNS.search(sql)) and sql.lstrip().startswith("INSERT"):
        names = [name.strip() for name in columns[1].split(",")]
        place = max(columns.end(), sql.find("VALUES", columns.end()))
        for group in _GROUP.finditer(sql, place):
            values = group[1].split(",")
            for name, value in zip(names, values, strict=False):  # a row number may follow
                if sign := _SIGNS.fullmatch(value.strip()):
                    end = group.start(1) + len(",".join(values[: names.index(name) + 1]))
                    yield name, _place(sql, end, sign)
        return
    changed = sql.partition(" WHERE ")[0]
    for sign in re.finditer(rf"\b(?P<column>\w+)={_SIGN}", changed):
        yield sign["column"], _place(sql, sign.end(), sign)


def _place(sql: str, end: int, sign: re.Match[str]) -> Place:
    """Returns the place of the parameter whose placeholder ends there."""
    return sign["named"] or sign["colon"], sql.count("?", 0, end) - 1


def _value(place: Place, given: Any) -> Any:
    """Returns the parameter at a place."""
    name, number = place
    if name is not None and isinstance(given, Mapping):
        return given.get(name)
    return given[number] if isinstance(given, Sequence) else None
