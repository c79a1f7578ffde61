"""The fit of the chances at the beginning of a round."""

from itertools import product

import pytest

from pbem.games.niigata.bots import FITTED, Terms, chances_to_win
from tests.games.niigata.fitted_estimate import Begun, fit_terms, likelihood_of_winners, rounds_of
from tests.harness.cases import cases


@cases("term", list(Terms.__annotations__))
def test_fitting_finds_terms_about_as_likely_as_those_behind_the_results(term: str) -> None:
    """The victories are shared as the moved terms say, so no others make them likelier."""
    terms = {name: getattr(FITTED, name) for name in Terms.__annotations__}
    truth = Terms(**terms | {term: round(2 * terms[term], 3)})
    rounds = [
        Begun(points, breeders, left, chances_to_win(points, breeders, left, truth))
        for points, breeders, left in product(((5, 5), (9, 4), (20, 18)), ((4, 4), (3, 1), (0, 1)), (1.0, 6.0))
    ]
    before, found, best = (
        likelihood_of_winners(rounds, terms) for terms in (FITTED, fit_terms([rounds], FITTED), truth)
    )
    assert before < best
    assert best - (best - before) / 10 < found <= best


@pytest.mark.long
def test_the_fitted_chances_predict_winners_better_than_wider_ones() -> None:
    rounds = rounds_of(2, 2)
    assert {one.breeders for one in rounds} >= {(4, 4)}
    assert likelihood_of_winners(rounds, FITTED) > likelihood_of_winners(rounds, FITTED._replace(spread=20.0))
