"""Which tests are in every run, and which are left to the long one.

A test that asks for `database_url` has two variants. In every run is the one on SQLite, or the one on PostgreSQL if the
test is marked `both` or shows a race; the other is for the long run. A race marked `sqlite_too` is in every run on
either. What is marked `both` and the races send every statement that all tests send: `make statements` checks it.

What is left to the long run for its database alone is marked `other_database` as well: `make test-races` takes it in.

Of a test marked `sample(n)`, n of the variants that are left are in every run, spread evenly over their order; the rest
is for the long run. `sample(n, first)` begins with the variant of that index, so that of several tests with the same
variants each takes other ones.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

PARAMETERS = ("database_url", "blank_database_url")


def leave_to_the_long_run(items: list[pytest.Item]) -> None:
    """Marks as long what is not needed in every run. Call it once races are marked."""
    for item in items:
        if _is_on_the_other_database(item) and not item.get_closest_marker("long"):
            item.add_marker(pytest.mark.long)
            item.add_marker(pytest.mark.other_database)
    sampled = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("long"):
            sampled[item.nodeid.partition("[")[0]].append(item)
    for variants in sampled.values():
        mark = variants[0].get_closest_marker("sample")
        assert mark is not None
        number, first = (*mark.args, 0)[:2]
        chosen = {(at + first) % len(variants) for at in spread(number, len(variants))}
        for at, item in enumerate(variants):
            if at not in chosen:
                item.add_marker(pytest.mark.long)


def spread(number: int, among: int) -> set[int]:
    """Returns so many indices of a list of that length, from its first on and equally far apart.

    >>> sorted(spread(3, 10))
    [0, 3, 6]
    >>> sorted(spread(4, 3))
    [0, 1, 2]
    """
    return {at * among // number for at in range(number)} if number < among else set(range(among))


def _is_on_the_other_database(item: pytest.Item) -> bool:
    """Returns whether this variant's database is the one that its test needs in the long run alone."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    databases = {item.callspec.params.get(name) for name in PARAMETERS} & {"sqlite", "postgresql"}
    marks = {mark.name for mark in item.iter_markers()}
    if marks >= {"races", "sqlite_too"}:
        return False
    wanted = "postgresql" if marks & {"both", "races"} else "sqlite"
    return bool(databases) and wanted not in databases
