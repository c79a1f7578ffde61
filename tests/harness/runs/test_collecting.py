"""Processes of one run import the tests in different orders, and hand them out in the same one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.runs import collecting

pytest_plugins = ["pytester"]
ROOT = Path(collecting.__file__).parents[3]
WITHOUT = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:random_order")
NAMES = [f"test_{letter}" for letter in "abcdefgh"]
CONFTEST = """
from tests.harness.runs.collecting import in_order, pytest_make_collect_report

def pytest_configure(config):
    config.workerinput = {"workerid": (config.rootpath / "worker").read_text()}

def pytest_collection_modifyitems(config, items):
    in_order(config, items)
    (items[0].config.rootpath / "handed_out").write_text(" ".join(item.path.stem for item in items))
"""
IMPORTED = """
with (__import__("pathlib").Path(__file__).parent / "imported").open("a") as file:
    file.write(__name__ + " ")

def test_it(): ...
"""


def test_each_test_process_imports_in_its_own_order_but_runs_in_one_order(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(**dict.fromkeys(NAMES, IMPORTED))
    orders = []
    for worker in ("gw0", "gw1"):
        (pytester.path / "worker").write_text(worker)
        (pytester.path / "imported").unlink(missing_ok=True)
        assert pytester.runpytest_inprocess("-q", *WITHOUT).ret == pytest.ExitCode.OK
        assert (pytester.path / "handed_out").read_text().split() == NAMES
        orders.append((pytester.path / "imported").read_text().split())
    assert sorted(orders[0]) == sorted(orders[1]) == NAMES
    assert orders[0] != orders[1]
    assert NAMES not in orders
