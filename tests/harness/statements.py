"""The SQL that reaches PostgreSQL only in the long run and may not: a plugin for pytest, for `make statements`.

It records the statements of each test, and fails if no test of the short run sends one that locks, or that writes by
more than values and keys: by a condition, a formula, or what it does where a row is there already. A statement counts
once, regardless of the length of its lists. What only reads, and a row that is written whole or by its key, goes over
PostgreSQL in the long run.
"""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

PARAMETER = re.compile(r"%\(\w+\)s(::\w+( WITH TIME ZONE)?)?")
_GIVEN = r"[\w.\"]+ ?= ?\?"
BY_ITS_KEY = re.compile(
    r"INSERT INTO \w+ \([^()]+\) (VALUES \(\?(, \?)*\)|SELECT .* FROM \(VALUES \(\?\)\) AS .*)( RETURNING [\w., ]+)?"
    rf"|UPDATE \w+ SET {_GIVEN}(, {_GIVEN})* WHERE {_GIVEN}( AND {_GIVEN})*( RETURNING [\w., ]+)?"
    rf"|DELETE FROM \w+ WHERE {_GIVEN}( AND {_GIVEN})*"
)
LIST = re.compile(r"(\(\?(, \?)*\)(, )?)+")


def shape(statement: str) -> str:
    """Returns the statement without the names and the number of its parameters.

    >>> shape("SELECT 1 WHERE a IN (%(a_1)s, %(a_2)s::INTEGER)")
    'SELECT 1 WHERE a IN (?)'
    """
    return LIST.sub("(?)", PARAMETER.sub("?", statement))


def may_differ(statement: str) -> bool:
    """Returns whether the shape of a statement says that it locks rows, or writes by more than values and keys.

    >>> [may_differ(one) for one in ("SELECT 1", "SELECT 1 FOR UPDATE", "INSERT INTO a (b) VALUES (?) ON CONFLICT")]
    [False, True, True]
    >>> [may_differ(f"UPDATE a SET b=? WHERE a.c = ?{more}") for more in ("", " AND a.d = ?", " AND a.d IS NULL")]
    [False, False, True]
    """
    flat = " ".join(statement.split())
    return "FOR " in flat if flat.startswith("SELECT") else not BY_ITS_KEY.fullmatch(flat)


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
        sent = shape(statement)
        if not may_differ(sent):
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

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fails the run if only the long run sends some statement."""
        if self.long.keys() - self.short:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints the statements that only the long run sends, each with a test that may be marked `both`."""
        missing = sorted(self.long.keys() - self.short)
        for statement in missing:
            terminalreporter.write_line(f"{self.long[statement]}\n    {statement}")
        count = len(self.long.keys() | self.short)
        terminalreporter.write_line(f"{count} statements, {len(missing)} of them in the long run alone")


def pytest_configure(config: pytest.Config) -> None:
    """Starts recording."""
    config.pluginmanager.register(Statements())
