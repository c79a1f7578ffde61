"""A test's name says its rule and can still be read at a glance; a module is named by its subject."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
LONGEST = 70
NAME = re.compile(r"^[ \t]*(?:async )?def (test_\w*)", re.MULTILINE)


def long_names(source: str) -> list[str]:
    """The names of tests that are longer than that, and those that another test of the module has."""
    tests = NAME.findall(source)
    return [name for at, name in enumerate(tests) if len(name) > LONGEST or name in tests[:at]]


def test_no_name_of_a_test_is_longer_than_seventy_letters_or_used_twice() -> None:
    paths = sorted(TESTS.rglob("test_*.py"))
    found = {path.name: wrong for path in paths if (wrong := long_names(path.read_text(encoding="utf-8")))}
    assert found == {}
    assert len(paths) > 400


def test_no_module_of_tests_is_named_by_a_letter() -> None:
    assert [path for path in TESTS.rglob("*.py") if len(path.stem) == 1] == []


def test_a_long_name_and_one_used_twice_are_found() -> None:
    longest = "test_" + "x" * 65
    assert long_names(f"def {longest}(): ...\ndef {longest}y(): ...") == [longest + "y"]
    assert long_names("def test_a(): ...\ndef test_b(): ...\ndef test_a(): ...") == ["test_a"]
