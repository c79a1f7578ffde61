"""A plugin for pytest: records which test executes which line of pbem, or runs the tests that do, quickest first.

`RECORD` names the folder for what is recorded: coverage's data with a context for each test, and the seconds of those
that passed. `SELECT` names a file with the tests to run, one a line, in their order.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest
from coverage import Coverage

RECORD, SELECT = "MUTANTS_RECORD", "MUTANTS_SELECT"


class Recording:
    """Records one process of pytest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seconds = defaultdict[str, float](float)
        self._failed = set[str]()
        self._coverage = Coverage(
            data_file=folder / f"lines.{os.getpid()}", config_file=False, source=["pbem"], omit=["*/games/*"],
            messages=False,
        )  # fmt: skip
        self._coverage.start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Gives the lines to the test that runs."""
        self._coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self._coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Adds up the seconds; a test that fails or is skipped here cannot tell a mutant."""
        self._seconds[report.nodeid] += report.duration
        if report.outcome != "passed":
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Writes what was recorded."""
        self._coverage.stop()
        self._coverage.save()
        seconds = {test: round(took, 4) for test, took in self._seconds.items() if test not in self._failed}
        (self._folder / f"seconds.{os.getpid()}.json").write_text(json.dumps(seconds))


class Selection:
    """Leaves only these tests, in this order."""

    def __init__(self, tests: list[str]) -> None:
        self._order = {test: at for at, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Takes away the others."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )


def pytest_configure(config: pytest.Config) -> None:
    """Starts what the environment asks for; the controller of pytest-xdist runs no tests."""
    runs_tests = getattr(config.option, "dist", "no") == "no" or hasattr(config, "workerinput")
    if (folder := os.environ.get(RECORD)) and runs_tests:
        config.pluginmanager.register(Recording(Path(folder)))
    if file := os.environ.get(SELECT):
        config.pluginmanager.register(Selection(Path(file).read_text().splitlines()))
