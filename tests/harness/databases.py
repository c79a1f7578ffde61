"""Which tests run on PostgreSQL in every run.

A test that asks for `database_url` has two forms. That on SQLite is in every run. That on PostgreSQL is, too, if it
is marked `both` or shows a race; else it is for the long run. Those marked send every statement that
all of them send: `make statements`.
"""

from __future__ import annotations

import pytest

PARAMETERS = ("database_url", "blank_database_url")


def leave_to_the_long_run(items: list[pytest.Item]) -> None:
    """Marks as long what need not run on PostgreSQL each time. Call it once those that show a race are marked."""
    for item in items:
        if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
            continue
        on_postgresql = any(item.callspec.params.get(name) == "postgresql" for name in PARAMETERS)
        if on_postgresql and not {"both", "races"} & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.long)
