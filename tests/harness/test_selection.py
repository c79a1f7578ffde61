"""Of a test with many variants, a sample is in every run."""

from __future__ import annotations

import pytest


@pytest.mark.sample(2)
@pytest.mark.parametrize("n", range(5))
def test_of_a_sample_of_two_the_others_are_long(request: pytest.FixtureRequest, n: int) -> None:
    assert (request.node.get_closest_marker("long") is None) == (n in (0, 2))


@pytest.mark.sample(9)
@pytest.mark.parametrize("n", range(3))
def test_a_sample_larger_than_there_are_variants_is_all_of_them(request: pytest.FixtureRequest, n: int) -> None:
    assert request.node.get_closest_marker("long") is None


@pytest.mark.sample(1)
@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"])
@pytest.mark.parametrize("n", range(2))
def test_it_is_drawn_from_the_variants_on_the_database_of_every_run(
    request: pytest.FixtureRequest, n: int, database_url: str
) -> None:
    in_every_run = request.node.get_closest_marker("long") is None
    assert in_every_run == (n == 0 and database_url == "sqlite")
