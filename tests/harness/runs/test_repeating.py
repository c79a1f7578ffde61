"""Every test that shows a race is found and repeated; no test waits for a fixed time."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = Path(__file__).parents[2]
ROOT = TESTS.parent
CONFTEST = """
from tests.harness.runs.repeating import pytest_addoption, pytest_generate_tests
from tests.harness.runs.repeating import mark_races as pytest_collection_modifyitems
def pytest_configure(config): config.addinivalue_line("markers", "races: repeated")
"""
SOME = """
import threading, pytest

@pytest.fixture
def other():
    thread = threading.Thread(target=print)
    thread.start()
    yield
    thread.join()

def test_alone(): pass
def test_by_fixture(other): pass
def test_within():
    def start(): threading.Thread(target=print).start()
    start()
"""
MAY_SLEEP = {"waiting.py", Path(__file__).name}
"""The function that waits for a condition; the samples below."""
SLEEPS = ("time.sleep", "asyncio.sleep")
PROGRAMS = re.compile(r"time\.sleep\((?!0\.1\))")
"""In the programs that tests start, too, nothing but the pause of an endless loop."""


def test_tests_that_start_threads_themselves_or_by_a_fixture_are_repeated(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(SOME)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-m", "races", "--times", "3", "-v")
    result.assert_outcomes(passed=6, deselected=3)
    result.stdout.fnmatch_lines(["*test_by_fixture[[]1]*", "*test_by_fixture[[]3]*", "*test_within[[]2]*"])


def _sleeps(path: Path) -> list[str]:
    """Returns where the module sleeps, itself or in a program that it starts; a sleep of 0 only lets others run."""
    found: list[str] = []
    source = path.read_text()
    if "sleep" not in source:  # most modules, and reading what each of them calls takes seconds together
        return found
    nodes = list(ast.walk(ast.parse(source)))
    yields = {call.func for call in nodes if isinstance(call, ast.Call) and ast.unparse(call).endswith(".sleep(0)")}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node not in yields and ast.unparse(node) in SLEEPS:
            found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
        if isinstance(node, ast.ImportFrom) and node.module == "time" and "sleep" in {name.name for name in node.names}:
            found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and PROGRAMS.search(node.value):
            found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def test_no_test_calls_sleep() -> None:
    modules = [*TESTS.rglob("test_*.py"), *TESTS.glob("*.py"), *TESTS.rglob("conftest.py")]
    modules += [path for room in ("browser", "harness", "production") for path in (TESTS / room).glob("*.py")]
    slept = sorted({line for path in modules if path.name not in MAY_SLEEP for line in _sleeps(path)})
    assert slept == [], "wait for a condition with tests.harness.waiting.wait_until"


def test_the_check_finds_calls_of_sleep_in_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    module = tmp_path / "test_x.py"
    for lines in ("import time\ntime.sleep(1)", "from time import sleep", 'PROGRAM = "import time; time.sleep(60)"'):
        module.write_text(lines)
        assert _sleeps(module), lines
    module.write_text("hands.sleep(1), asyncio.sleep(0)")
    assert _sleeps(module) == []
