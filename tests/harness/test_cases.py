"""A test with cases is one test, which tries all of them and names those that fail."""

from __future__ import annotations

import inspect

import pytest

from tests.harness.cases import cases


def test_the_cases_decorator_tries_every_case_and_names_the_failing_ones() -> None:
    tried = []

    @cases("number, name", [(1, "one"), (2, "two"), (3, "three")])
    def is_one_or_raises(number: int, name: str) -> None:
        tried.append(name)
        assert number == 1
        pytest.fail("told otherwise")

    with pytest.raises(BaseExceptionGroup, match="3 of 3 cases fail") as caught:
        is_one_or_raises()
    assert tried == ["one", "two", "three"]
    notes = [error.__notes__ for error in caught.value.exceptions]
    assert notes[1] == ["in the case number = 2, name = 'two'"]


def test_a_single_failing_case_is_raised_unchanged() -> None:
    @cases("number", [1, 2])
    def is_one(number: int) -> None:
        assert number == 1

    with pytest.raises(AssertionError) as caught:
        is_one()
    assert caught.value.__notes__ == ["in the case number = 2"]


@cases("left", "ab")
@cases("right", "xy")
def test_cases_keep_fixtures_and_can_be_combined(
    left: str, right: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert (tmp_path_factory.mktemp(left + right, numbered=False)).is_dir()


def test_a_case_of_the_wrong_shape_is_refused() -> None:
    def takes_number(number: int) -> None: ...

    assert list(inspect.signature(cases("number", [1])(takes_number)).parameters) == []
    with pytest.raises(TypeError, match="takes no name"):
        cases("name", [1])(takes_number)
    with pytest.raises(TypeError, match=r"has a pytest\.param"):
        cases("number", [1, pytest.param(2)])(takes_number)
    with pytest.raises(ValueError, match="has no case"):
        cases("number", [])(takes_number)
    with pytest.raises(ValueError, match="zip"):
        cases("number, name", [(1,)])(lambda number, name: None)()


def test_expensive_cases_are_made_when_the_test_runs() -> None:
    made = []

    def numbers() -> list[int]:
        made.append(True)
        return [1, 2]

    @cases("number", numbers)
    def is_one(number: int) -> None:
        assert number == 1

    assert not made
    with pytest.raises(AssertionError):
        is_one()
    assert made
    with pytest.raises(ValueError, match="has no case"):
        cases("number", list)(lambda number: None)()
