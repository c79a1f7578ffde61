"""The ladder of a move: what each of its applications answers."""

from __future__ import annotations

from importlib import import_module

import pytest

from benchmarks.ladder import LAST, RUNGS


@pytest.mark.parametrize("rung", RUNGS)
def test_each_rung_of_the_ladder_names_an_application_factory(rung: str) -> None:
    module, _, name = RUNGS[rung].partition(":")
    assert callable(getattr(import_module(module), name))


def test_the_highest_rung_is_the_service_itself() -> None:
    assert [*RUNGS][-1] == LAST
    assert RUNGS[LAST] == "pbem:create_app"
