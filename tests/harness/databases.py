"""Which database a test runs on in every run.

A test that asks for `database_url` has two variants. In every run is the one on SQLite, or the one on PostgreSQL if the
test is marked `both`, or both if it shows a race; the rest is for the long run. The marked tests send every statement
that all tests send: `make statements` checks it.
"""

from __future__ import annotations

import pytest

PARAMETERS = ("database_url", "blank_database_url")


def leave_to_the_long_run(items: list[pytest.Item]) -> None:
    """Marks the variants that are not needed in every run as long. Call it once races are marked."""
    for item in items:
        if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
            continue
        databases = {item.callspec.params.get(name) for name in PARAMETERS} & {"sqlite", "postgresql"}
        marks = {mark.name for mark in item.iter_markers()}
        wanted = "postgresql" if "both" in marks else "sqlite"
        if databases and "races" not in marks and wanted not in databases:
            item.add_marker(pytest.mark.long)
