"""How likely each seat is to win where somebody calls or declares, by what each of them knows."""

import pytest

from pbem.games.hogen import GAME
from pbem.games.hogen.bots import chances_to_know_first, estimate, sureness_of_seats
from pbem.games.hogen.bots_belief import Belief
from pbem.kit.play import Table, random_decisions
from tests.games.hogen.fitted_estimate import by_power, gain_of_formula, positions_before_calls
from tests.games.hogen.tables import ALICE, CAROL, Played
from tests.transcripts import seed_of


def chances_of(played: Played) -> list[float]:
    """The chances; there must be some."""
    found = estimate(played.state)
    assert found is not None
    return [*found]


@pytest.mark.long
@pytest.mark.parametrize("seats", [3, pytest.param(4, marks=pytest.mark.long)])
def test_the_estimate_of_each_seat_uses_its_own_fold_alone(seats: int) -> None:
    """The full state holds more: the hands and allies of the others make nobody surer."""
    compared = out = 0
    for n in range(8):
        table = Table(GAME, seats, GAME.meta.options(), seed_of("hogen", seats, n))
        for _ in random_decisions(table):
            state = table.state
            if state.over or state.active is None:
                continue
            for seat, sure in enumerate(sureness_of_seats(state)):
                if state.out[seat]:
                    assert sure == 0
                    out += 1
                    continue
                belief = Belief(table.folds[seat], seat)
                assert sure == belief.likeliest_allies_with_count()[1] / belief.total, table.broken(
                    "is surer than it can be"
                )
                compared += 1
    assert compared > 100
    assert out


@pytest.mark.long
def test_there_is_no_estimate_during_choices_or_answers_or_after_the_end() -> None:
    """A match of random moves: it tells something where somebody calls or declares."""
    table = Table(GAME, 3, GAME.meta.options(), seed_of("hogen", 3, 1))
    kinds = {(ask.kind, estimate(table.state) is not None) for ask, _ in random_decisions(table)}
    assert kinds == {("ally", False), ("act", True), ("answer", False)}
    assert table.state.over
    assert estimate(table.state) is None


def test_the_estimate_is_even_when_the_calls_begin() -> None:
    assert chances_of(Played(3)) == pytest.approx([1 / 3] * 3)


@pytest.mark.long
def test_the_estimate_of_a_declaring_seat_is_its_chance_to_be_right() -> None:
    """If they are wrong they are out, and the others are as far as before."""
    met = 0
    for n in range(40):
        table = Table(GAME, 3, GAME.meta.options(), seed_of("hogen", 3, n))
        for ask, _ in random_decisions(table):
            state = table.state
            if ask.kind != "act" or any(state.out) or sureness_of_seats(state)[ask.seat] < 0.6:
                continue
            sure, found = sureness_of_seats(state), estimate(state)
            assert found is not None
            left = chances_to_know_first([0.0 if seat == ask.seat else one for seat, one in enumerate(sure)])
            assert [*found] == pytest.approx(
                [sure[ask.seat] if seat == ask.seat else (1 - sure[ask.seat]) * left[seat] for seat in range(3)]
            )
            met += sure[ask.seat] < 1
    assert met


def test_a_seat_that_is_out_cannot_win_and_the_last_one_left_surely_does() -> None:
    played = Played(3)
    played.play("declare B=F3 C=B1")
    assert chances_of(played)[ALICE] == 0
    assert sum(chances_of(played)) == pytest.approx(1)
    played.play("declare A=F2 C=T2")
    assert sureness_of_seats(played.state)[CAROL] < 1
    assert chances_of(played) == [0, 0, 1]


def test_more_knowledge_improves_the_estimate_less_than_in_proportion() -> None:
    better, worse = chances_to_know_first((0.5, 0.25))
    assert 0.5 < better < 2 / 3
    assert better + worse == pytest.approx(1)


@pytest.mark.long
def test_the_formula_predicts_winners_better_than_a_low_or_a_high_power() -> None:
    """`python -m tests.games.hogen.fitted_estimate` prints those between, with more matches."""
    found = positions_before_calls(3, 40)
    assert len(found) > 100
    assert gain_of_formula(found, chances_to_know_first) == pytest.approx(gain_of_formula(found, by_power(0.75)))
    assert (
        0
        < gain_of_formula(found, chances_to_know_first)
        > max(gain_of_formula(found, by_power(0.1)), gain_of_formula(found, by_power(1.5)))
    )
