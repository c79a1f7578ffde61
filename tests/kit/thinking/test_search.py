"""The search finds what is known to be best, repeats itself, and knows no more than its seat."""

import pytest

from pbem.kit.chance import SeedChance
from pbem.kit.contract import PlayerView
from pbem.kit.thinking.playouts import forecast
from pbem.kit.thinking.search import Search, Thought
from tests.kit.thinking.toys import FAVOURS, GUESS, NIM, Bet, Favour, Heap, Take


def luck(n: int = 0) -> SeedChance:
    return SeedChance(bytes(32), n, "bot", 0)


def nim(left: int, *, advice: Take | None = None, n: int = 0, iterations: int = 400) -> Thought:
    return Search(NIM, PlayerView(Heap(left), 2), 0, luck(n), advice=advice, advise=None).run(iterations)


@pytest.mark.parametrize("left", [2, 3, 5, 6, 7, 9, 10, 11])
def test_it_finds_the_winning_move_of_nim(left: int) -> None:
    assert nim(left).move == Take(left % 4)


@pytest.mark.parametrize("left", [5, 6, 7])
def test_bad_advice_is_overruled_and_good_advice_stands(left: int) -> None:
    best, other = Take(left % 4), Take(1 + left % 4 % 3)
    assert nim(left, advice=other).move == best
    assert nim(left, advice=best, iterations=400).move == best


def test_where_nothing_helps_the_advice_stands() -> None:
    assert {nim(8, advice=Take(2), n=n, iterations=400).move for n in range(5)} == {Take(2)}


def test_equal_view_luck_and_budget_give_an_equal_thought() -> None:
    assert nim(11) == nim(11)
    assert nim(11) != nim(11, n=1)


def test_what_is_hidden_changes_nothing() -> None:
    """The seat's view is equal in all these worlds, so what it thinks is, too."""
    thoughts = [
        Search(GUESS, PlayerView(Bet(None), 2), 0, luck(), advice=None, advise=None).run(200) for _ in range(1, 11)
    ]
    assert thoughts == thoughts[:1] * 10
    assert thoughts[0].move == Take(1)
    more = next(one for one in thoughts[0].considered if one.move == Take(1))
    assert more.worth == pytest.approx(0.7, abs=0.1)
    assert more.error < 0.06


def test_everybody_is_taken_to_play_for_themselves() -> None:
    thought = Search(FAVOURS, PlayerView(Favour(), 3), 0, luck(), advice=None, advise=None).run(400)
    assert thought.move == Take(2)
    assert thought.worth == pytest.approx((0.5, 0.0, 0.5), abs=0.12)


def test_a_position_is_worth_what_playouts_win_on_average() -> None:
    found = forecast(GUESS, 2, lambda chance: Bet(1 + chance.below(10), 1), luck(), 500)
    assert found.worth[0] == pytest.approx(0.7, abs=0.06)
    assert found.worth[0] + found.worth[1] == pytest.approx(1)
    assert found.error[0] == pytest.approx(0.0205, abs=0.003)
