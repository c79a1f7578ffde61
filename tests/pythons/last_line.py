"""A plugin of pytest that writes the result of a run to a file."""

from __future__ import annotations

from pathlib import Path

import pytest

KINDS = ("failed", "error", "passed", "skipped")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--last-line", type=Path, help="the file for the result of the run")


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    counts = ((kind, len(terminalreporter.stats.get(kind, ()))) for kind in KINDS)
    config.getoption("--last-line").write_text(", ".join(f"{count} {kind}" for kind, count in counts if count))
