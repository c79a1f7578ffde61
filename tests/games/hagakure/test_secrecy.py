"""The secrecy law: a viewer receives the same in every world that they cannot distinguish from the true one."""

import pytest

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Dealt, Looked, Swapped
from pbem.kit.contract import IllegalMove, Viewer
from pbem.kit.play import Table, random_decisions
from pbem.kit.secrecy import redact
from tests.games.hagakure.tables import ALICE, BOB, CAROL, CHARLIE, F, Played
from tests.games.hagakure.worlds import worlds
from tests.harness.cases import cases


def test_compared_worlds_differ_in_hands_and_in_the_yomi() -> None:
    table = Table(GAME, 4, GAME.meta.options(), bytes(32))
    deals: list[Dealt] = [other[0].event for other in worlds(table.entries, ALICE, 50)]
    assert len({deal.yomi for deal in deals}) > 40
    assert len({deal.hands[BOB] for deal in deals}) > 40
    assert len({deal.hands[ALICE] for deal in deals}) == 1


def test_compared_worlds_of_a_later_round_share_the_earlier_rounds() -> None:
    table = Table(GAME, 3, GAME.meta.options(), bytes(32))
    for _ in random_decisions(table):
        if table.state.number == 3 and table.state.phase == "play":
            break
    first = max(at for at, entry in enumerate(table.entries) if isinstance(entry.event, Dealt))
    for other in worlds(table.entries, CHARLIE, 5):
        assert other[:first] == table.entries[:first]


def test_cards_looked_at_stay_known_wherever_they_move() -> None:
    played = Played((6, 7, 8, 9), (10, 11, 12, 13), (14, 15, 16, 17), (18, 19, 20, 21), dealer=3)
    played.play("look yomi", "swap")
    yomi = (22, F, F, F)
    assert played.state.hands[BOB] == yomi
    assert played.fold_of(ALICE).hands[BOB] == yomi
    assert played.fold_of(ALICE).yomi == (None,) * 4
    assert played.fold_of(BOB).yomi == (10, 11, 12, 13)
    for viewer in (CAROL, CHARLIE):
        assert played.fold_of(viewer).hands[BOB] == played.fold_of(viewer).yomi == (None,) * 4


def test_a_hand_that_was_looked_at_stays_known_when_another_seat_takes_it() -> None:
    played = Played((6, 7, 8, 9), (10, 11, 12, 13), (14, 15, 16, 17), (18, 19, 20, 21), dealer=3)
    played.play("look B", "swap", "swap")
    assert played.fold_of(ALICE).hands[CAROL] == (10, 11, 12, 13)
    assert played.fold_of(BOB).hands[CAROL] == (10, 11, 12, 13)
    assert played.fold_of(CAROL).yomi == (14, 15, 16, 17)
    assert played.fold_of(ALICE).yomi == (None,) * 4


@cases("viewer", [BOB, CAROL, CHARLIE])
def test_case_20_neither_swap_nor_look_shows_a_card_to_the_others(viewer: Viewer) -> None:
    looked = Looked(ALICE, CAROL, (14, 15, 16, 17))
    assert redact(looked, viewer) == Looked(ALICE, CAROL, (None,) * 4)
    assert redact(looked, ALICE) is looked
    swapped = Swapped(ALICE, (22, F, F, F))
    assert redact(swapped, viewer) == Swapped(ALICE, (None,) * 4)
    assert redact(swapped, ALICE) is swapped


def test_a_card_that_must_be_played_is_not_played_automatically() -> None:
    """Only the owner knows that they have no choice; a missing delay would reveal it."""
    played = Played((20, 6, 7, 8), (19, 9, 10, 11), (12, 13, 14, 15), (16, 17, 18, 21), dealer=3).no_nobori()
    assert len(played.play("20")) == 1
    assert played.to_move == BOB
    assert played.legal() == {"S19"}


def test_a_refusal_names_the_card_that_was_tried_and_the_one_that_was_led() -> None:
    played = Played((20, 6, 7, 8), (19, 9, 10, 11), (12, 13, 14, 15), (16, 17, 18, 21), dealer=3).no_nobori()
    played.play("20")
    with pytest.raises(IllegalMove) as caught:
        played.play("9")
    assert (caught.value.code, caught.value.facts) == ("must_follow", {"card": "V9", "led": "S20"})
    with pytest.raises(IllegalMove) as caught:
        played.play("12")
    assert (caught.value.code, caught.value.facts) == ("not_in_hand", {"card": "V12"})
