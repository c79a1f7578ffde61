"""Imagined states: the Door in any order of what is still behind it, everything else where it was seen to go."""

from collections import Counter
from itertools import permutations

import pytest

from pbem.games.allegeance import GAME
from pbem.games.allegeance.bots import (
    chances_of_round_winners,
    estimate,
    gift_ranks_of_seats,
    match_worth_between_rounds,
)
from pbem.games.allegeance.facts_state import State
from pbem.kit.bots import QuickChance
from pbem.kit.chance import SeedChance
from pbem.kit.secrecy import redact
from tests.games.allegeance.tables import ALICE, BOB, CAROL, Played
from tests.harness.cases import cases

assert GAME.imagine is not None
IMAGINE = GAME.imagine


def imagine_states(played: Played, seat: int, times: int) -> list[State]:
    """This many states that the seat imagines now."""
    chance = QuickChance(SeedChance(bytes(32), 1, "bot", seat))
    view = played.view(seat)
    return [IMAGINE(view, seat, chance) for _ in range(times)]


@pytest.mark.long
def test_each_order_of_the_door_is_imagined_equally_often() -> None:
    """Chi-square with 23 degrees of freedom: above 49.7 once in a thousand times."""
    played = Played(3, ()).until(4)
    times = 2400
    doors = Counter(state.door for state in imagine_states(played, ALICE, times))
    every = [*permutations(played.state.door)]
    assert {*doors} <= {*every}
    expected = times / len(every)
    assert sum((doors[door] - expected) ** 2 / expected for door in every) < 49.7


@cases("memory", ["closed", "open"])
def test_imagined_states_keep_every_revealed_card_in_its_place(memory: str) -> None:
    played = Played(3, "F1 F2 F3 M1", memory=memory)
    played.play(ALICE, "F1")
    played.play(ALICE, "give C")
    played.miss(BOB, "T1")  # F2 comes
    played.play(CAROL, "F2")  # F3 comes, F2 is out
    played.play(ALICE, "challenge")
    played.play(ALICE, "M2")  # M1 comes, M2 is not out
    played.play(BOB, "challenge")
    for seat in (ALICE, BOB, CAROL):
        for state in imagine_states(played, seat, 5):
            assert (state.hands, state.palace) == (played.state.hands, played.state.palace)
            assert {*state.door} == {*played.state.door}


def test_a_sealed_answer_of_another_seat_is_imagined_as_either_answer() -> None:
    played = Played(3, "F1 F2")
    played.play(ALICE, "T1")
    played.play(CAROL, "pass")
    wishes = Counter(state.wishes for state in imagine_states(played, BOB, 200))
    assert {*wishes} == {(None, None, True), (None, None, False)}
    assert min(wishes.values()) > 70
    assert {state.wishes for state in imagine_states(played, ALICE, 5)} <= {*wishes}


@cases("memory", ["closed", "open"])
def test_redacting_a_state_hides_the_door_but_no_card_that_came_out(memory: str) -> None:
    played = Played(2, "F1 F2", memory=memory)
    played.play(ALICE, "F1")
    played.play(BOB, "T1")
    seen = redact(played.state, ALICE)
    assert not any(seen.door)
    assert seen.hands[BOB] == ("F1",)
    assert seen.palace == played.state.palace


def test_a_position_is_worth_more_with_fewer_cards_and_more_tokens() -> None:
    even = Played(2, "F1 F2")
    begun = estimate(even.state)
    assert begun is not None
    assert sum(begun) == pytest.approx(1)
    assert begun[ALICE] == pytest.approx(0.5, abs=0.05)
    even.play(ALICE, "F1")  # Bob has a card
    ahead = estimate(even.state)
    assert ahead is not None
    assert ahead[ALICE] > begun[ALICE] + 0.05
    even.play(BOB, "T1")
    assert estimate(even.state) is None
    assert match_worth_between_rounds((3, 1), 5)[0] > match_worth_between_rounds((2, 1), 5)[0] > 0.5


def test_the_chances_to_win_a_round_equal_those_counted_by_hand() -> None:
    """Counted by hand: if the first of two cards comes for Alice, so does the last for Bob; if not, that is banned."""
    assert dict(chances_of_round_winners((0, 0), 2, ALICE, (0, 0))) == {(ALICE, BOB): 1.0}
    assert dict(chances_of_round_winners((0, 0, 1), 2, ALICE, (0, 0, 0))) == {
        (ALICE, BOB, CAROL): 0.5,
        (ALICE, BOB): 0.5,
    }
    assert sum(chances_of_round_winners((0, 1, 0, 2), 9, CAROL, (0, 0, 3, 0)).values()) == pytest.approx(1)


def test_imagined_gifts_go_to_the_seat_with_fewest_cards_then_most_tokens() -> None:
    """Counted by hand: Alice gives the only card that is left."""
    assert dict(chances_of_round_winners((0, 0, 0), 1, ALICE, gift_ranks_of_seats((0, 1, 3)))) == {(ALICE, BOB): 1.0}
    assert dict(chances_of_round_winners((0, 0, 1), 1, ALICE, gift_ranks_of_seats((0, 1, 3)))) == {(ALICE,): 1.0}
    assert dict(chances_of_round_winners((0, 0, 0), 1, ALICE, gift_ranks_of_seats((3, 1, 1)))) == {
        (ALICE, BOB): 0.5,
        (ALICE, CAROL): 0.5,
    }


def test_the_estimate_expects_the_leading_seat_to_win_fewer_rounds() -> None:
    wins = [0.0] * 3
    for winners, chance in chances_of_round_winners((0, 0, 0), 16, ALICE, gift_ranks_of_seats((2, 1, 1))).items():
        for seat in winners:
            wins[seat] += chance / len(winners)
    assert wins[ALICE] < 0.6 * min(wins[BOB], wins[CAROL])
    assert 1 / 3 < match_worth_between_rounds((2, 1, 1), 4)[ALICE] < 0.5
