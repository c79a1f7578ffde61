"""Which tests run on PostgreSQL in every run.

A test that asks for `database_url` has two variants. The one on SQLite is in every run. The one on PostgreSQL is, too,
if it is marked `both` or shows a race; otherwise it is for the long run. The marked tests send every statement that
all tests send: `make statements` checks it.
"""

from __future__ import annotations

import pytest

PARAMETERS = ("database_url", "blank_database_url")


def leave_to_the_long_run(items: list[pytest.Item]) -> None:
    """Marks PostgreSQL variants that are not needed in every run as long. Call it once races are marked."""
    for item in items:
        if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
            continue
        on_postgresql = any(item.callspec.params.get(name) == "postgresql" for name in PARAMETERS)
        if on_postgresql and not {"both", "races"} & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.long)
