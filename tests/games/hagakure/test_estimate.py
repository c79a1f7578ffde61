"""The chance to win between two rounds."""

import pytest
from msgspec.structs import replace

from pbem.games.hagakure import GAME
from pbem.games.hagakure.bots import estimate
from pbem.games.hagakure.facts_cards import NOBORI, Nobori
from pbem.games.hagakure.facts_state import State, Terms
from pbem.kit.play import Table, random_decisions
from tests.games.hagakure.fitted_estimate import compare_in_bins, rounds_of
from tests.games.hagakure.tables import FOUR, Played
from tests.harness.cases import cases


def chances_of(
    totals: tuple[int, ...], number: int = 5, left: tuple[tuple[Nobori, ...], ...] = (NOBORI,) * 4
) -> list[float]:
    """The chances as this round of eight begins."""
    fold = replace(Played(*FOUR).state, number=number, totals=totals, nobori=left)
    found = estimate(fold)
    assert found is not None
    return [*found]


def test_equal_seats_have_equal_estimated_chances() -> None:
    assert chances_of((3, 3, 3, 3)) == pytest.approx([0.25] * 4)


def test_the_estimated_chances_add_up_to_one() -> None:
    assert sum(chances_of((9, 2, -4, 7), left=(("double",), (), ("look",), NOBORI))) == pytest.approx(1)


def test_more_points_improve_the_estimate_and_more_so_later() -> None:
    early, late = chances_of((5, 3, 3, 1), 2), chances_of((5, 3, 3, 1), 8)
    assert early[0] > early[1] == early[2] > early[3]
    assert late[0] > early[0]
    assert late[3] < early[3]


@cases("nobori", ["double", "villagers", "swap"])
def test_an_unused_nobori_improves_the_estimate_and_more_so_earlier(nobori: Nobori) -> None:
    left = ((nobori,), (), (), ())
    early, late = chances_of((3, 3, 3, 3), 2, left), chances_of((3, 3, 3, 3), 8, left)
    assert early[0] > 0.25
    assert late[0] > 0.25
    assert chances_of((2, 3, 3, 3), 2, left)[0] > chances_of((2, 3, 3, 3), 8, left)[0]


def test_there_is_no_estimate_within_a_round_or_after_the_end() -> None:
    """A match of random moves: it tells something once for each round, before anybody answers."""
    table = Table(GAME, 4, Terms(rounds=4), bytes(32))
    rounds = [table.state.number for _ in random_decisions(table) if estimate(table.state) is not None]
    assert rounds == [*range(1, table.state.number + 1)]
    assert estimate(table.state) is None


def test_an_estimate_exists_until_the_first_seat_with_nobori_answers() -> None:
    """Alice, who sits to the left of the dealer, has none left, and is not asked."""
    state: State = replace(Played(*FOUR).state, nobori=((), NOBORI, (), NOBORI), active=1)
    assert estimate(state) is not None
    kept = GAME.evolve(state, GAME.decide(state, 1, GAME.parse("none"), None)[0])  # type: ignore[arg-type]  # no luck
    assert estimate(kept) is None


def test_with_no_nobori_left_an_estimate_exists_until_the_first_card() -> None:
    state: State = replace(Played(*FOUR).state, nobori=((),) * 4, phase="play", active=0)
    assert estimate(state) is not None
    assert estimate(replace(state, active=1, trick=(6,))) is None


@pytest.mark.long
@pytest.mark.parametrize("matches", [60, pytest.param(600, marks=pytest.mark.long)])
def test_estimated_chances_match_the_share_of_victories(matches: int) -> None:
    """Matches of `greedy` that no number was fitted to."""
    for number, predicted, actual in compare_in_bins([*rounds_of(3, range(10_000, 10_000 + matches))]):
        rounds_a_match = 9  # what is told in one match is about one and the same victory
        error = (predicted * (1 - predicted) / max(1.0, number / rounds_a_match)) ** 0.5
        assert abs(actual - predicted) < 0.03 + 3 * error
