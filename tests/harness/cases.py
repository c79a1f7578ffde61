"""Tries a test with each of its cases, as one test: for cases that stand on nothing that the others could change.

A variant of its own, as `pytest.mark.parametrize` makes, costs more than most of these take, and a line of the report.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def cases(
    names: str, values: Iterable[Any] | Callable[[], Iterable[Any]]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Calls the test with each of the values, as `pytest.mark.parametrize` would, and names those that fail.

    Fixtures are set up once, for all of them. None is left out when another fails. Values that take long to make are a
    function that makes them: each process imports all tests, and runs but some.
    """
    keys = [name.strip() for name in names.split(",")]
    told = values if callable(values) else list(values)

    def check(test: Callable[..., None], tried: list[Any]) -> list[Any]:
        if not tried:
            raise ValueError(f"{test.__name__} has no case")
        if any(isinstance(value, ParameterSet) for value in tried):
            raise TypeError(f"{test.__name__} has a pytest.param, whose marks and name would be lost")
        return tried

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        if missing := set(keys) - signature.parameters.keys():
            raise TypeError(f"{test.__name__} takes no {', '.join(sorted(missing))}")
        if not callable(told):
            check(test, told)

        @wraps(test)
        def each(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            tried = check(test, list(told())) if callable(told) else told
            for value in tried:
                case = dict(zip(keys, value if len(keys) > 1 else (value,), strict=True))
                try:
                    test(**fixtures, **case)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001, raised below, with the others
                    error.add_note("in the case " + ", ".join(f"{key} = {said!r:.200}" for key, said in case.items()))
                    failed.append(error)
            if len(failed) > 1:
                raise BaseExceptionGroup(f"{len(failed)} of {len(tried)} cases fail", failed)
            if failed:
                raise failed[0]

        kept = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        each.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return each

    return decorate
