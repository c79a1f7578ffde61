"""What a fork answers about a mutant, in a small tree of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.mutants.forking import Forks, can_run, outer_functions

CODE = """
from functools import cache

LIMIT = 3

@cache
def fits(number: int) -> bool:
    return number <= LIMIT

class Box:
    def put(self, number: int) -> int:
        return number if fits(number) else 0
"""
TESTS = """
import os
from code_of_it import Box

FORKED = os.getpid() != os.getppid() and "MUTANTS_FORKS" in os.environ

def test_what_fits_is_put():
    assert Box().put(2) == 2

def test_that_no_fork_passes():
    assert not FORKED

def test_what_does_not_fit_is_not():
    assert Box().put(4) == 0
"""
FITS, DOES_NOT, UNSOUND = (
    f"tests/test_it.py::{name}"
    for name in ("test_what_fits_is_put", "test_what_does_not_fit_is_not", "test_that_no_fork_passes")
)


@pytest.mark.long
def test_a_mutant_counts_as_killed_only_by_tests_that_pass_on_the_original(tmp_path: Path) -> None:
    (tmp_path / "code_of_it.py").write_text(CODE)
    (tmp_path / "tests" / "mutants").mkdir(parents=True)
    (tmp_path / "tests" / "test_it.py").write_text(TESTS)
    shutil.copy(Path(__file__).with_name("forking.py"), tmp_path / "tests" / "mutants")
    file, forks = tmp_path / "code_of_it.py", Forks(tmp_path, ["tests/test_it.py"])
    answers = [
        forks.try_(file, CODE.replace(*change), (FITS, UNSOUND, DOES_NOT), 60)
        for change in (("<=", ">"), ("<=", "!="), ("else 0", "else 1"), ("<=", "<"), ("LIMIT = 3", "LIMIT = 5"))
    ]
    forks.close()
    assert [one.get("failed", "cannot") for one in answers] == [FITS, DOES_NOT, DOES_NOT, "", "cannot"]


def test_functions_lists_outer_functions_but_no_nested_ones() -> None:
    code = "def one():\n    def inner(): ...\nclass Two:\n    def two(self): return lambda: 3\nthree = lambda: 3"
    assert [one.co_qualname for one in outer_functions(compile(code, "", "exec"))] == ["one", "Two.two", "<lambda>"]


def test_tests_that_start_servers_or_processes_are_not_forked() -> None:
    ids = ("tests/run/test_run.py::test_a", "tests/kit/test_a.py::test_a", "tests/test_a.py::test_a[postgresql]")
    assert [can_run(one) for one in ids] == [False, True, False]
