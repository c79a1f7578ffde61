"""CI fails for a test that is skipped and not listed; many tests that pass leave few dots."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.harness.runs import reporting

pytest_plugins = ["pytester"]
ROOT = Path(reporting.__file__).parents[3]

SOME = """
import pytest

@pytest.mark.parametrize("n", range(201))
def test_it(n): ...

@pytest.mark.skip(reason="not here")
def test_elsewhere(): ...

@pytest.mark.xfail
def test_in_vain(): assert False
"""


@pytest.fixture
def some(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with some tests, and the plugin."""
    monkeypatch.syspath_prepend(ROOT)
    pytester.makeconftest("from tests.harness.runs.reporting import pytest_configure")
    pytester.makepyfile(test_some=SOME)
    return pytester


def test_a_skip_that_is_not_listed_fails_ci(some: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = some.path / "skips.toml"
    listed.write_text("")
    monkeypatch.setattr(reporting, "LIST", listed)
    monkeypatch.setenv("CI", "1")
    some.makepyfile(test_other='import pytest\npytest.importorskip("a_module_of_no_name")')
    result = some.runpytest_inprocess("-q", "-p", "no:cacheprovider")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["SKIPPED BUT NOT LISTED in skips.toml: test_some.py::test_elsewhere"])
    result.stdout.fnmatch_lines(["SKIPPED BUT NOT LISTED in skips.toml: test_other.py"])
    listed.write_text('"test_some.py::test_elsewhere" = "not here"\n"test_other.py" = "not here"\n')
    assert some.runpytest_inprocess("-q", "-p", "no:cacheprovider").ret == pytest.ExitCode.OK
    listed.write_text("")
    monkeypatch.delenv("CI")
    assert some.runpytest_inprocess("-q", "-p", "no:cacheprovider").ret == pytest.ExitCode.OK


@pytest.mark.long
def test_one_passing_test_in_a_hundred_prints_a_dot(some: pytest.Pytester) -> None:
    said = some.runpytest("-q", "-p", "no:cacheprovider", "--numprocesses", "2").stdout.str()
    (letters,) = [line for line in said.splitlines() if line.endswith("[100%]")]
    assert letters.count(".") == 2
    assert "201 passed, 1 skipped, 1 xfailed" in said


def test_every_test_listed_as_skippable_exists() -> None:
    for test in tomllib.loads(reporting.LIST.read_text(encoding="utf-8")):
        path, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test
