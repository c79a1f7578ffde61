"""Simulated play reproduces the statistics that the rules were sized by.

Those came from players with other habits of giving and forgetting, so they agree to some hundredths, not
to the last digit. `python -m tests.games.allegeance.figures` prints them for any number of matches.
"""

import pytest

from tests.games.allegeance.figures import simulate_matches
from tests.harness.cases import cases

EXPECTED = {
    (2, 0.0): (6.7, 107, 85),
    (3, 0.0): (4.8, 77, 61),
    (4, 0.0): (3.5, 56, 44),
    (2, 0.2): (7.0, 112, 94),
    (3, 0.2): (6.2, 100, 83),
    (4, 0.2): (4.5, 72, 60),
}


@pytest.mark.long
@cases("seats, forgets", EXPECTED)
def test_random_matches_have_the_length_given_in_the_rules(seats: int, forgets: float) -> None:
    found = simulate_matches(seats, forgets, 150).per_match()
    assert found == pytest.approx(EXPECTED[seats, forgets], rel=0.08)


@pytest.mark.long
def test_random_matches_meet_each_ruling_as_often_as_the_rules_say() -> None:
    figures = {seats: simulate_matches(seats, 0.0, 150) for seats in (2, 3, 4)}
    banned = {seats: f.unannounceable / f.rounds for seats, f in figures.items()}
    assert banned == pytest.approx({2: 0.71, 3: 0.5, 4: 0.5}, abs=0.07)
    assert figures[2].forced / figures[2].rounds == pytest.approx(0.26, abs=0.06)
    assert figures[3].forced == figures[4].forced == 0
    for seats in (3, 4):
        assert figures[seats].hits / figures[seats].rounds == pytest.approx(2.9, abs=0.25)
    shared = {seats: f.shared / f.matches for seats, f in figures.items()}
    assert shared == pytest.approx({2: 0.05, 3: 0.26, 4: 0.40}, abs=0.1)
