"""Which tests are in every run, which are left to the long one, and which are in neither.

A variant that is marked long, of a test that is long for itself, is marked `apart`: it repeats the other variants with
more matches, other games or another language, and `make test-apart` alone runs it. So does what is marked `apart` by
hand: what shows itself in hundreds of matches alone.

A test that asks for `database_url` has two variants. In every run is the one on SQLite, or the one on PostgreSQL if the
test is marked `on_postgresql` or shows a race. The long run goes once over PostgreSQL: it takes the variants on it that
are not in every run, and of a test that is long for itself that one alone. The variant on SQLite of what is long, or on
PostgreSQL every time, is marked `twin`, if it has a counterpart there: no run takes it, but for those of races, which
`make test-races` takes. A race marked `sqlite_too` runs on either database, for SQLite resolves it in another way. What
is marked `on_postgresql` and the races send every statement in which the two may differ: `make statements` checks it.

Of a test marked `sample(n)`, n of the variants that are left are in every run, spread evenly over their order; the rest
is for the long run. `sample(n, first)` begins with the variant of that index, so that of several tests with the same
variants each takes other ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from types import FunctionType

import pytest

PARAMETERS = ("database_url", "blank_database_url")


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Makes no variants of a test that is long for itself where none of them would run."""
    marks: Sequence[pytest.Mark] = vars(obj).get("pytestmark", ()) if isinstance(obj, FunctionType) else ()
    left_out = collector.config.getoption("markexpr") == "not long" and "long" in {mark.name for mark in marks}
    return [] if left_out else None


def leave_to_the_long_run(items: list[pytest.Item]) -> None:
    """Marks as long what is not needed in every run. Call it once races are marked."""
    collected = {item.nodeid for item in items}
    for item in items:
        if _is_twice_long(item):
            item.add_marker(pytest.mark.apart)
        database, marks = _database(item), {mark.name for mark in item.iter_markers()}
        if not database or marks >= {"races", "sqlite_too"}:
            continue
        needs_postgresql = bool(marks & {"on_postgresql", "races", "long"})
        if needs_postgresql == (database == "postgresql"):
            continue
        if needs_postgresql:
            if _on_postgresql(item) not in collected:
                continue
            item.add_marker(pytest.mark.twin)
        item.add_marker(pytest.mark.long)
        if "long" not in marks:
            item.add_marker(pytest.mark.other_database)
    sampled = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("long"):
            sampled[item.nodeid.partition("[")[0]].append(item)
    for variants in sampled.values():
        mark = variants[0].get_closest_marker("sample")
        assert mark is not None
        number, first = (*mark.args, 0)[:2]
        chosen = {(at + first) % len(variants) for at in spread_indices(number, len(variants))}
        for at, item in enumerate(variants):
            if at not in chosen:
                item.add_marker(pytest.mark.long)


def _on_postgresql(item: pytest.Item) -> str:
    """Returns the node id that this variant on SQLite has on PostgreSQL."""
    test, bracket, variant = item.nodeid.partition("[")
    return test + bracket + variant.replace("sqlite", "postgresql", 1)


def spread_indices(number: int, among: int) -> set[int]:
    """Returns this many indices of a list of that length, from its first on and equally far apart.

    >>> sorted(spread_indices(3, 10))
    [0, 3, 6]
    >>> sorted(spread_indices(4, 3))
    [0, 1, 2]
    """
    return {at * among // number for at in range(number)} if number < among else set(range(among))


def _is_twice_long(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    marks = (item.callspec.marks, vars(item.function).get("pytestmark", ()))
    return all("long" in {mark.name for mark in some} for some in marks)


def _database(item: pytest.Item) -> str:
    """Returns which of the two databases this variant of a test is on, or "" if it has no such variants."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return ""
    given = (item.callspec.params.get(name) for name in PARAMETERS)
    return next((one for one in given if one in ("sqlite", "postgresql")), "")
