"""Chances that games estimate, beside who has won: matches of their bots that no number was fitted to."""

import pytest

from pbem.games import all_games
from pbem.kit.contract import AnyGame
from tests.games.calibration import Told, bins_of_chances, gain_over_even_chances, matches_told

ESTIMATING = [(slug, game) for slug, game in all_games().items() if game.estimate is not None]
SMALLEST = [pytest.param(game, game.meta.seats[0], id=slug) for slug, game in ESTIMATING]
ALL = [pytest.param(game, seats, id=f"{slug}-{seats}") for slug, game in ESTIMATING for seats in game.meta.seats]
OFF = 0.08
"""So far a chance may be off beside what the number of matches makes uncertain: it is a guide for bots."""


@pytest.mark.long
@pytest.mark.apart
@pytest.mark.parametrize(("game", "seats"), ALL)
def test_estimated_chances_match_the_share_of_victories(game: AnyGame, seats: int) -> None:
    told = [*matches_told(game, seats, 300)]
    for one in bins_of_chances(told):
        assert abs(one.won - one.said) < OFF + 3 * one.error, one
    assert gain_over_even_chances(told) > 0.02


@pytest.mark.long
@pytest.mark.parametrize(("game", "seats"), SMALLEST)
def test_estimated_chances_predict_winners_better_than_even_chances(game: AnyGame, seats: int) -> None:
    assert gain_over_even_chances([*matches_told(game, seats, 25)]) > 0.01


def test_the_calibration_check_finds_wrong_chances() -> None:
    wrong = [Told(((0.9, 0.1),), (0.5, 0.5)), Told(((0.9, 0.1),), (0.0, 1.0)), Told(((0.9, 0.1),), (1.0, 0.0))]
    low, high = bins_of_chances(wrong * 10)
    assert (low.tenth, low.times, round(low.said, 3), round(low.won, 3)) == (1, 30, 0.1, 0.5)
    assert (high.tenth, round(high.won, 3)) == (9, 0.5)
    assert 0.05 < high.error < 0.1
    assert gain_over_even_chances(wrong) < 0
