"""The SQL that reaches PostgreSQL only in the long run and may not: a plugin for pytest, for `make statements`.

It records the statements that pbem sends in each test, and fails if no test of the short run sends one that locks, or
that writes by more than values and the primary key: by a condition, a formula, or what it does where a row is there
already. A statement counts once, regardless of the length of its lists. What only reads, and a row that is written
whole or by its key, goes over PostgreSQL in the long run.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

import pbem
from pbem.models.tables import Match

PARAMETER = re.compile(r"%\(\w+\)s(::\w+( WITH TIME ZONE)?)?")
REPEATED = re.compile(r"( OR [^()]* IN \(\?\))\1+")
LIST = re.compile(r"\((NULL|\?(, (\?|\d+))*)\)(, \(\?(, (\?|\d+))*\))*( AND \(1 != 1\))?")
GIVEN = re.compile(r'(?:(\w+)\.)?"?(\w+)"? ?= ?\?')
_VALUES = r"SELECT [\w., ]+ FROM \(VALUES \(\?\)\) AS \w+\([\w, ]+\)( ORDER BY \w+)?"
_BACK = r"( RETURNING [\w., ]+)?"
INSERT = re.compile(rf"INSERT INTO \w+ \([^()]+\) (VALUES \(\?\)|{_VALUES}){_BACK}")
CHANGE = re.compile(
    rf"(?:UPDATE|DELETE FROM) (?P<table>\w+)(?: SET {GIVEN.pattern}(?:, {GIVEN.pattern})*)? WHERE (?P<key>.*?){_BACK}"
)
LOCKS = re.compile(r"\bFOR (NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b|_lock\(", re.IGNORECASE)
READS = ("SELECT", "EXPLAIN", "SET LOCAL")
"""What begins so writes nothing, and locks only where it says so."""
LIBRARIES = re.compile(r"/site-packages/|/contextlib\.py$")
PBEM = f"{Path(pbem.__file__).parent}/"


def shape_of_statement(statement: str) -> str:
    """Returns the statement in one line, without the names and the number of its parameters.

    >>> shape_of_statement("SELECT 1 WHERE a IN (%(a_1)s, %(a_2)s::INTEGER)")
    'SELECT 1 WHERE a IN (?)'
    >>> shape_of_statement("SELECT 1 WHERE a IN (NULL) AND (1 != 1)")
    'SELECT 1 WHERE a IN (?)'
    >>> shape_of_statement("SELECT 1 WHERE a OR b IN (%(b_1)s) OR b IN (%(b_2)s)")
    'SELECT 1 WHERE a OR b IN (?)'
    """
    return REPEATED.sub(r"\1", LIST.sub("(?)", PARAMETER.sub("?", " ".join(statement.split()))))


def may_differ(shape: str) -> bool:
    """Returns whether a statement locks rows, or writes by more than values and the primary key.

    >>> [may_differ(one) for one in ("SELECT 1", "SELECT 1 FOR UPDATE", "INSERT INTO a (b) VALUES (?) ON CONFLICT")]
    [False, True, True]
    >>> moved = "UPDATE matches SET head=? WHERE matches.id = ?"
    >>> may_differ(moved), may_differ(f"{moved} AND matches.version = ?"), may_differ("SELECT pg_advisory_lock(?)")
    (False, True, True)
    """
    if shape.startswith(READS):
        return LOCKS.search(shape) is not None
    if INSERT.fullmatch(shape):
        return False
    changed = CHANGE.fullmatch(shape)
    return changed is None or not _is_key(changed["table"], changed["key"])


def _is_key(name: str, condition: str) -> bool:
    """Returns whether the condition says what the primary key of the table is, and nothing else."""
    known = Match.metadata.tables.get(name)
    parts = [GIVEN.fullmatch(part) for part in condition.split(" AND ")]
    asked = {part[2] for part in parts if part}
    return known is not None and all(parts) and asked == {column.name for column in known.primary_key}


def is_sent_by_pbem() -> bool:
    """Returns whether the statement that is being sent comes from pbem itself, not from a test."""
    files = (frame.f_code.co_filename for frame, _ in traceback.walk_stack(None))
    sender = next((file for file in files if file != __file__ and not LIBRARIES.search(file)), "")
    return sender.startswith(PBEM)


class Statements:
    """The statements that the short run and the long run send to PostgreSQL."""

    def __init__(self) -> None:
        self.short: set[str] = set()
        self.long: dict[str, str] = {}
        """Each statement with the first test of the long run that sends it."""
        event.listen(Engine, "before_cursor_execute", self._note)
        self._now: pytest.Item | None = None

    def _note(self, connection: object, cursor: object, statement: str, *_: object) -> None:
        if self._now is None or getattr(connection, "dialect").name != "postgresql":  # noqa: B009  # any connection
            return
        sent = shape_of_statement(statement)
        if not may_differ(sent) or not is_sent_by_pbem():
            return
        if self._now.get_closest_marker("long") is None:
            self.short.add(sent)
        else:
            self.long.setdefault(sent, self._now.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Records which test is running."""
        self._now = item
        try:
            return (yield)
        finally:
            self._now = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Adds what another process has recorded."""
        self.short.update(node.workeroutput["short"])
        self.long = node.workeroutput["long"] | self.long

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hands what was recorded to the first process; there, fails the run if only the long run sends something."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output.update(short=sorted(self.short), long=self.long)
        elif self.long.keys() - self.short:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints the statements that only the long run sends, each with a test that may be marked `on_postgresql`."""
        missing = sorted(self.long.keys() - self.short)
        for statement in missing:
            terminalreporter.write_line(f"{self.long[statement]}\n    {statement}")
        count = len(self.long.keys() | self.short)
        terminalreporter.write_line(f"{count} statements, {len(missing)} of them in the long run alone")


def pytest_configure(config: pytest.Config) -> None:
    """Starts recording."""
    config.pluginmanager.register(Statements())
