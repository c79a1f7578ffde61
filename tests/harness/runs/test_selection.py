"""Of a test with many variants, a sample is in every run; of one on two databases, one, and of a race the other one."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.harness.runs import selection

pytest_plugins = ["pytester"]
ROOT = Path(selection.__file__).parents[3]

on_both = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"])


@pytest.mark.sample(2)
@pytest.mark.parametrize("n", range(5))
def test_all_but_two_sampled_variants_are_marked_long(request: pytest.FixtureRequest, n: int) -> None:
    assert (request.node.get_closest_marker("long") is None) == (n in (0, 2))


@pytest.mark.sample(2, 4)
@pytest.mark.parametrize("n", range(5))
def test_a_sample_may_begin_with_any_variant(request: pytest.FixtureRequest, n: int) -> None:
    assert (request.node.get_closest_marker("long") is None) == (n in (4, 1))


@pytest.mark.sample(9)
@pytest.mark.parametrize("n", range(3))
def test_a_sample_larger_than_there_are_variants_is_all_of_them(request: pytest.FixtureRequest, n: int) -> None:
    assert request.node.get_closest_marker("long") is None


@pytest.mark.sample(1)
@on_both
@pytest.mark.parametrize("n", range(2))
def test_a_sample_is_drawn_from_the_variants_on_sqlite(
    request: pytest.FixtureRequest, n: int, database_url: str
) -> None:
    in_every_run = request.node.get_closest_marker("long") is None
    assert in_every_run == (n == 0 and database_url == "sqlite")


@pytest.mark.long
@pytest.mark.parametrize("n", [0, pytest.param(1, marks=pytest.mark.long)])
def test_a_long_variant_of_a_long_test_is_not_counted_in_the_sample(request: pytest.FixtureRequest, n: int) -> None:
    assert (request.node.get_closest_marker("apart") is None) == (n == 0)


def marks(item: pytest.Item) -> set[str]:
    """Returns those of the marks of a variant that say when it runs."""
    return {mark.name for mark in item.iter_markers()} & {"long", "other_database", "twin"}


@on_both
def test_an_unmarked_test_is_in_every_run_on_sqlite(request: pytest.FixtureRequest, database_url: str) -> None:
    assert marks(request.node) == (set() if database_url == "sqlite" else {"long", "other_database"})


@pytest.mark.on_postgresql
@on_both
def test_a_test_marked_for_both_databases_is_in_every_run_on_postgresql(
    request: pytest.FixtureRequest, database_url: str
) -> None:
    assert marks(request.node) == (set() if database_url == "postgresql" else {"long", "other_database", "twin"})


@on_both
def test_a_race_is_in_every_run_on_postgresql(request: pytest.FixtureRequest, database_url: str) -> None:
    threading.Thread(target=int).start()
    assert marks(request.node) == (set() if database_url == "postgresql" else {"long", "other_database", "twin"})


@pytest.mark.sqlite_too
@on_both
def test_a_race_marked_for_both_databases_is_in_every_run_on_sqlite_too(
    request: pytest.FixtureRequest, database_url: str
) -> None:
    threading.Thread(target=int).start()
    assert marks(request.node) == set()


OF_EACH_KIND = """
import pytest

on_both = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"])

@pytest.mark.long
@on_both
def test_long(database_url): ...

@pytest.mark.long
@pytest.mark.parametrize("database_url", ["sqlite"])
def test_long_on_sqlite(database_url): ...

@pytest.mark.races
@pytest.mark.long
@on_both
def test_long_race(database_url): ...

@pytest.mark.on_postgresql
@pytest.mark.parametrize("database_url", ["sqlite"])
def test_on_what_there_is(database_url): ...

@on_both
def test_any(database_url): ...
"""
NAMES = ("apart", "long", "on_postgresql", "other_database", "races", "sample", "sqlite_too", "twin")


def test_a_long_test_runs_on_postgresql_or_else_on_sqlite(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    pytester.makeconftest(
        "from tests.harness.runs.selection import leave_to_the_long_run as pytest_collection_modifyitems"
    )
    pytester.makeini("\n".join(["[pytest]", "markers =", *(f"  {name}" for name in NAMES)]))
    pytester.makepyfile(test_some=OF_EACH_KIND)
    items, _ = pytester.inline_genitems()
    found = {item.name.removeprefix("test_"): marks(item) for item in items}
    assert found == {
        "long[sqlite]": {"long", "twin"}, "long[postgresql]": {"long"}, "long_on_sqlite[sqlite]": {"long"},
        "long_race[sqlite]": {"long", "twin"}, "long_race[postgresql]": {"long"}, "on_what_there_is[sqlite]": set(),
        "any[sqlite]": set(), "any[postgresql]": {"long", "other_database"},
    }  # fmt: skip


FOR_ITSELF = """
import pytest

@pytest.mark.long
@pytest.mark.parametrize("n", range(3))
def test_it(n): ...

@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.long)])
def test_one_of_them(n): ...
"""


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("not long", "1/2 tests collected (1 deselected)"),
        ("long", "4/5 tests collected (1 deselected)"),
        ("", "5 tests collected"),
    ],
)
def test_variants_of_a_deselected_long_test_are_not_generated(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, asked: str, said: str
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    pytester.makeconftest("from tests.harness.runs.selection import pytest_pycollect_makeitem")
    pytester.makeini("[pytest]\nmarkers = long")
    pytester.makepyfile(test_some=FOR_ITSELF)
    result = pytester.runpytest_inprocess("-q", "-p", "no:cacheprovider", "--collect-only", "-m", asked)
    result.stdout.fnmatch_lines([f"{said.replace('(', '[(]')}*"])
