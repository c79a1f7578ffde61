"""What the fold remembers: the suits that players showed they lack, the last trick, and whose turn continues."""

import pytest
from msgspec.structs import replace

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Kept, Skipped
from pbem.games.hagakure.facts_state import Terms
from pbem.kit.contract import IllegalMove
from tests.games.hagakure.tables import ALICE, BOB, CAROL, CHARLIE, DAVE, FOUR, THREE, Played, at_the_tricks, luck
from tests.harness.cases import cases

TO_THE_LAST_CHOICE = ("6", "11", "22", "21", "7", "12", "20", "8", "13", "19", "9")


def test_a_seat_that_does_not_follow_a_samurai_is_known_to_hold_none() -> None:
    played = at_the_tricks(*FOUR, dealer=DAVE)
    played.play("20", "19", "11", "22")
    for viewer in (ALICE, CAROL, CHARLIE):
        assert played.fold_of(viewer).bare == (False, False, True, False)
    line = GAME.describe(played.fold_of(ALICE), ALICE, "en")[4]
    assert "hand: 3 unknown cards, neither samurai nor Old Fool;" in line
    assert "neither samurai" not in GAME.describe(played.fold_of(CAROL), CAROL, "en")[2]


def test_only_a_samurai_not_followed_shows_a_lack_which_a_deal_clears() -> None:
    played = at_the_tricks(*THREE, dealer=CAROL)
    played.play("6", "11", "22")
    assert played.state.bare == (False, False, False)
    played.play("21", "7", "12")
    assert played.state.bare == (True, True, False)
    played.play("20", "8", "13", "19", "9")
    played.play("14", chance=luck())
    assert (played.state.number, played.state.bare) == (2, (False, False, False))


def test_the_previous_trick_is_remembered_with_its_leader_until_the_deal() -> None:
    played = at_the_tricks(*THREE, dealer=CAROL)
    played.play("6", "11", "22")
    assert (played.state.previous, played.state.previous_leader) == ((6, 11, 22), ALICE)
    played.play("21", "7", "12")
    assert (played.state.previous, played.state.previous_leader) == ((21, 7, 12), CAROL)
    played.play("20", "8", "13", "19", "9")
    played.play("14", chance=luck())
    assert played.state.previous == ()


def test_a_skipped_seat_has_not_answered_and_begins_no_turn() -> None:
    state = Played(*THREE, dealer=CAROL).state
    state = replace(state, nobori=(state.nobori[ALICE], (), ()))
    (before,) = GAME.pending(state)
    for event in (Kept(ALICE), Skipped(BOB), Skipped(CAROL)):
        state = GAME.evolve(state, event)
    (after,) = GAME.pending(state)
    assert (after.seat, after.kind) == (ALICE, "card")
    assert after.turn == before.turn
    assert after.key != before.key


@cases("dealer, same", [(ALICE, True), (BOB, False)])
def test_an_automatically_laid_last_card_is_no_answer_and_begins_no_turn(dealer: int, same: bool) -> None:
    """Bob answers last; if Bob is also first in the next round, the same turn continues."""
    played = at_the_tricks(*THREE, dealer=CAROL)
    played.play(*TO_THE_LAST_CHOICE)
    (before,) = GAME.pending(played.state)
    events = GAME.decide(played.state, BOB, GAME.parse("14"), luck())
    state = played.state
    for event in (*events[:-1], replace(events[-1], dealer=dealer)):
        state = GAME.evolve(state, event)
    (after,) = GAME.pending(state)
    assert (after.turn == before.turn) is same
    assert after.seat == (BOB if same else CAROL)


def test_a_second_nobori_in_the_same_round_is_refused_as_not_asked() -> None:
    """Case 16."""
    played = Played(*THREE, dealer=CAROL, terms=Terms(rounds=2))
    played.play("double")
    with pytest.raises(IllegalMove, match="not_asked"):
        GAME.decide(played.state, ALICE, GAME.parse("zero"), luck())
