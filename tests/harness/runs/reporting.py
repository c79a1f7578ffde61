"""What the terminal shows of a run in several processes, and which tests may be skipped where CI runs.

`skips.toml` beside this lists the tests that CI cannot run, each with its reason. There, any other test that is skipped
fails the run: it would be taken for one that has passed. `CI=1 make test-long` is as strict.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("skips.toml")
EACH = 100
"""This many tests that pass have one dot."""


def find_unlisted(skipped: Iterable[str], listed: Iterable[str]) -> list[str]:
    """Returns the tests that were skipped and are not listed; variants of a test count as it.

    >>> find_unlisted(["tests/test_a.py::test_b[1]", "tests/test_a.py::test_c"], ["tests/test_a.py::test_b"])
    ['tests/test_a.py::test_c']
    """
    return sorted({test.partition("[")[0] for test in skipped} - set(listed))


class FewDots:
    """Shows every failure and every skip as it happens, and of what passes one test in a hundred."""

    def __init__(self) -> None:
        self._passed = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Leaves out the letter of a test that has passed, but for every hundredth."""
        if not report.passed or report.when != "call":
            return None
        self._passed += 1
        return "passed", "" if self._passed % EACH else ".", "PASSED"


class NoOtherSkips:
    """Fails a run in which a test was skipped that is not listed."""

    def __init__(self) -> None:
        self._skipped: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes what is skipped; a test that fails as expected is none of that."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self._skipped.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Notes the files that skip themselves."""
        if report.skipped:
            self._skipped.append(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fails the run."""
        if self._others() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Says which they are."""
        for test in self._others():
            terminalreporter.write_line(f"SKIPPED BUT NOT LISTED in {LIST.name}: {test}", red=True)

    def _others(self) -> list[str]:
        return find_unlisted(self._skipped, tomllib.loads(LIST.read_text(encoding="utf-8")))


def pytest_configure(config: pytest.Config) -> None:
    """Registers what the run asks for; a process of pytest-xdist that runs tests reports nothing itself."""
    if hasattr(config, "workerinput"):
        return
    if config.getoption("numprocesses", None):
        config.pluginmanager.register(FewDots())
    if os.environ.get("CI"):
        config.pluginmanager.register(NoOtherSkips())
