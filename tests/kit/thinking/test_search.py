"""The search finds what is known to be best, repeats itself, and knows no more than its seat."""

from typing import Any

import pytest

from pbem.kit.bots import Thought, think_by_playouts
from pbem.kit.chance import SeedChance
from pbem.kit.contract import PlayerView
from tests.harness.cases import cases
from tests.kit.thinking.toys import BOOST, FAVOURS, GUESS, MATCHING, NIM, Bet, Favour, Heap, Pennies, Race, Take, Wide


def luck(n: int = 0) -> SeedChance:
    return SeedChance(bytes(32), n, "bot", 0)


def think_about_nim(left: int, *, advice: Take | None = None, n: int = 0, iterations: int = 400) -> Thought:
    return think_by_playouts(NIM, PlayerView(Heap(left), 2), 0, luck(n), iterations, advice)


@cases("left", [2, 3, 5, 6, 7, 9, 10, 11])
def test_the_search_finds_the_winning_move_of_nim(left: int) -> None:
    assert think_about_nim(left).move == Take(left % 4)


@cases("left", [5, 6, 7])
def test_bad_advice_is_overruled_and_good_advice_stands(left: int) -> None:
    best, other = Take(left % 4), Take(1 + left % 4 % 3)
    assert think_about_nim(left, advice=other).move == best
    assert think_about_nim(left, advice=best, iterations=400).move == best


def test_without_a_better_answer_the_search_keeps_the_advice() -> None:
    assert {think_by_playouts(BOOST, PlayerView(Race(), 2), 0, luck(n), 90, Take(1)).move for n in range(10)} == {
        Take(1)
    }


def test_the_search_is_determined_by_view_luck_and_budget() -> None:
    assert think_about_nim(11) == think_about_nim(11)
    assert think_about_nim(11) != think_about_nim(11, n=1)


def test_the_search_considers_every_possible_hidden_value() -> None:
    thought = think_by_playouts(GUESS, PlayerView(Bet(None), 2), 0, luck(), 200)
    assert thought.move == Take(1)
    more = thought.considered[0]
    assert more.worth == pytest.approx(0.7, abs=0.1)
    assert more.error < 0.06


def test_the_search_assumes_that_everybody_plays_for_themselves() -> None:
    thought = think_by_playouts(FAVOURS, PlayerView(Favour(), 3), 0, luck(), 400)
    assert thought.move == Take(2)
    assert thought.worth == pytest.approx((0.5, 0.0, 0.5), abs=0.12)


@cases("n", range(10))
def test_trying_answers_with_the_same_luck_reveals_a_small_advantage(n: int) -> None:
    """Ninety playouts of each leave an error of 5 points in each rate; in pairs the better answer never loses one."""
    assert think_by_playouts(BOOST, PlayerView(Race(), 2), 0, luck(n), 270, Take(0)).move == Take(1)


def test_the_search_hides_an_answer_from_seats_that_answer_simultaneously() -> None:
    thought = think_by_playouts(MATCHING, PlayerView(Pennies(), 2), 0, luck(), 400)
    assert thought.worth[0] == pytest.approx(0.5, abs=0.12)


@cases("visits, tried", [(1, 1), (8, 8), (11, 8), (12, 9), (16, 9), (17, 10), (36, 12)])
def test_the_search_widens_answers_by_the_square_root_of_visits(visits: int, tried: int) -> None:
    """At most 3 and one and a half times the root, where nothing but chance proposes them."""
    game: Any = Wide()
    think_by_playouts(game, PlayerView(Favour(), 2), 0, luck(), visits)
    assert len(game.tried) == tried


@cases("visits, tried", [(1, 1), (2, 2), (25, 2), (26, 3)])
def test_the_search_tries_other_answers_beside_the_advised_one_later(visits: int, tried: int) -> None:
    """At most 1 and a fifth of the root."""
    game: Any = Wide(lambda view, seat, chance: Take(1))
    think_by_playouts(game, PlayerView(Favour(), 2), 0, luck(), visits)
    assert len(game.tried) == tried
    assert 1 in game.tried


def test_the_search_keeps_its_budget_and_spends_most_on_the_best_answers() -> None:
    thought = think_by_playouts(NIM, PlayerView(Heap(11), 2), 0, luck(), 90)
    visits = [one.visits for one in thought.considered]
    assert sum(visits) <= 90
    assert visits == sorted(visits, reverse=True)
    assert visits[-1] < visits[0]
