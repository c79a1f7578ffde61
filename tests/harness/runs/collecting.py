"""Lets the processes of one run collect in different orders, and run in the same one.

Where nothing is compiled yet, as in a fresh clone, each would otherwise compile every test: at the same moment as the
others, so that nobody finds what another has compiled. That took an eighth of the processors' time of a whole run.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from random import Random

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Shuffles what is found in a folder, in another way for each process."""
    report = yield
    told = getattr(collector.config, "workerinput", None)
    if told is not None and isinstance(collector, pytest.Directory):
        Random(f"{told['workerid']} {collector.nodeid}").shuffle(report.result)
    return report


def in_order(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sorts the tests by the paths that were asked for, then by their files; those of one file stay in their order."""
    asked = [config.invocation_params.dir / one.partition("::")[0] for one in config.args]

    def place(item: pytest.Item) -> tuple[int, Path]:
        return next((at for at, one in enumerate(asked) if item.path.is_relative_to(one)), len(asked)), item.path

    items.sort(key=place)
