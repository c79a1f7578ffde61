"""Which tests show a race or a fault, and how each of them is run many times: `make test-races`.

A test is one of them if it, one of its fixtures, or a function or class of the tests that these use, starts threads or
processes. So a new one is repeated without being listed anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from inspect import unwrap
from types import CodeType, FunctionType
from typing import Any

import pytest

STARTERS = {"Thread", "ThreadPoolExecutor", "Popen", "Wakeup", "Child", "Twin", "Renderer"}
"""What starts a thread or a process, here and in pbem."""
ELSEWHERE = "tests/browser/"
"""There a server of pages runs beside each test, which is no race."""
SERVERS = ("tests.features.webhooks.hook_receiver", "tests.docs.gallery", "tests.harness.servers")
"""These start servers that only answer."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--times`."""
    parser.addoption("--times", type=int, default=1, metavar="N", help="run each test N times")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs each of them N times, counted and reported one by one."""
    times = metafunc.config.getoption("--times")
    if times > 1:
        metafunc.fixturenames.append("attempt")
        metafunc.parametrize("attempt", range(1, times + 1))


def mark_races(items: list[pytest.Item]) -> None:
    """Marks the tests that show a race or a fault."""
    for item in items:
        if isinstance(item, pytest.Function) and starts_others(item):
            item.add_marker(pytest.mark.races)


def starts_others(item: pytest.Function) -> bool:
    """True if the test runs something in parallel with itself."""
    if item.nodeid.startswith(ELSEWHERE):
        return False
    used = [unwrap(item.function), *_fixtures(item)]
    seen = set[FunctionType]()
    while used:
        function = used.pop()
        if not isinstance(function, FunctionType) or function in seen:
            continue
        seen.add(function)
        starts, uses = _look_into(function)
        if starts:
            return True
        used += uses
    return False


@cache
def _look_into(function: FunctionType) -> tuple[bool, list[Any]]:
    """Returns whether the function itself starts something, and the functions of the tests that it uses."""
    names = set(_names(function.__code__))
    return bool(names & STARTERS), [one for name in names for one in _functions(function.__globals__.get(name))]


def _fixtures(item: pytest.Function) -> Iterator[Callable[..., object]]:
    """Returns the functions of the test's fixtures, except those of the whole session, which serve all tests."""
    for definitions in item._fixtureinfo.name2fixturedefs.values():
        yield from (one.func for one in definitions if one.scope != "session")


def _functions(found: Any) -> list[Any]:
    """Returns the functions of the tests that a name refers to."""
    module = getattr(found, "__module__", None) or ""
    if not module.startswith("tests.") or module in SERVERS:
        return []
    return list(vars(found).values()) if isinstance(found, type) else [getattr(found, "__wrapped__", found)]


def _names(code: CodeType) -> Iterator[str]:
    """Returns all names that a function and its inner functions use."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
