"""Ratings find how strong players are, and depend on nothing but who took which place in which order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from random import Random

import pytest

from pbem.services.results.ratings import FIRST, Strength, rating_as_shown, strengths_after_match

BETA = 25 / 6
"""How much a performance varies, in the model."""


def play_match(strengths: Mapping[str, float], seats: Sequence[str], luck: Random) -> list[int]:
    """Returns the places of a match of these players, as the model supposes: the better performance wins."""
    found = {one: strengths[one] + BETA * -math.log(-math.log(luck.random())) * math.sqrt(2) for one in seats}
    return [1 + sum(found[other] > found[one] for other in seats) for one in seats]


def rate_players(matches: int, seed: int) -> tuple[dict[str, float], dict[str, Strength]]:
    """Returns the true strengths of twelve players, and their ratings after this many matches of two to five."""
    luck = Random(seed)
    true = {f"p{n}": 10.0 + 30 * n / 11 for n in range(12)}
    known = {name: Strength() for name in true}
    for _ in range(matches):
        seats = luck.sample([*true], luck.randint(2, 5))
        after = strengths_after_match([known[one] for one in seats], play_match(true, seats, luck))
        known |= zip(seats, after, strict=True)
    return true, known


def order_error(true: Mapping[str, float], known: Mapping[str, Strength]) -> float:
    """Returns the share of pairs that the ratings put in the wrong order."""
    pairs = [*itertools.combinations(true, 2)]
    return sum((true[a] < true[b]) != (known[a].mu < known[b].mu) for a, b in pairs) / len(pairs)


def check_converges(matches: int, seeds: range, wrong: float) -> None:
    errors = [order_error(*rate_players(matches, seed)) for seed in seeds]
    assert sum(errors) / len(errors) < wrong
    for seed in seeds:
        true, known = rate_players(matches, seed)
        assert all(one.sigma < Strength().sigma / 2 for one in known.values())
        top, bottom = max(true, key=lambda name: true[name]), min(true, key=lambda name: true[name])
        assert known[top].ordinal > known[bottom].ordinal


@pytest.mark.long
def test_the_order_of_ratings_becomes_that_of_true_strength() -> None:
    check_converges(400, range(2), 0.12)


@pytest.mark.long
def test_the_order_of_ratings_becomes_that_of_true_strength_for_many_seeds() -> None:
    check_converges(1000, range(20), 0.08)


@pytest.mark.long
def test_more_matches_give_a_more_accurate_order_of_ratings() -> None:
    few, many = (sum(order_error(*rate_players(matches, seed)) for seed in range(3)) for matches in (12, 500))
    assert many < few


def test_ratings_do_not_depend_on_the_order_of_the_seats() -> None:
    players = [Strength(25.0, 8.0), Strength(31.7, 2.3), Strength(18.1, 5.5), Strength(25.0, 3.1)]
    places = [2, 1, 2, 4]
    there = strengths_after_match(players, places)
    for order in itertools.permutations(range(4)):
        moved = strengths_after_match([players[n] for n in order], [places[n] for n in order])
        assert [moved[order.index(n)] for n in range(4)] == there


def test_ratings_do_not_depend_on_the_order_of_unrelated_matches() -> None:
    one, two, three, four = (Strength(25.0 + n, 7.0) for n in range(4))
    a = strengths_after_match([one, two], [1, 2]), strengths_after_match([three, four], [2, 1])
    b = strengths_after_match([three, four], [2, 1]), strengths_after_match([one, two], [1, 2])
    assert (a[0], a[1]) == (b[1], b[0])


def test_a_rated_match_raises_winners_lowers_losers_and_draws_ties_closer() -> None:
    won, lost = strengths_after_match([Strength(), Strength()], [1, 2])
    assert won.mu > 25 > lost.mu
    assert (won.matches, lost.matches) == (1, 1)
    level = strengths_after_match([Strength(), Strength(), Strength()], [1, 1, 1])
    assert len({one.mu for one in level}) == 1
    weak, strong = strengths_after_match([Strength(20.0, 3.0), Strength(30.0, 3.0)], [1, 1])
    assert weak.mu > 20
    assert strong.mu < 30


def test_ratings_use_a_scale_where_400_points_are_odds_of_ten_to_one() -> None:
    assert (FIRST.value, FIRST.plus_minus, FIRST.matches) == (1500, 500, 0)
    stronger = Strength(25.0 + 400 / 30, 0.0)
    odds = math.exp((stronger.mu - 25.0) / math.sqrt(2 * BETA**2))
    assert 9 < odds < 11
    assert rating_as_shown(stronger).value == 1900
