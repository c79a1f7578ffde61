"""What a seat imagines is any order of the tiles that nobody has seen, each as often as any other."""

from collections import Counter
from itertools import permutations

import pytest
from msgspec.structs import replace

from pbem.games.niigata import GAME
from pbem.games.niigata.facts import Ended, Passed, PickingEnded, Taken, Thrown, Waste
from pbem.games.niigata.facts_state import State
from pbem.games.niigata.facts_tiles import NAMES
from pbem.games.niigata.rules_ponds import worth_of_pond
from pbem.kit.bots import QuickChance
from pbem.kit.chance import SeedChance
from pbem.kit.contract import PlayerView
from pbem.kit.secrecy import redact
from tests.games.niigata.tables import ALICE, BOB, CAROL, Played, match_with_hands, spend_breeders

UNSEEN = NAMES[:4]


def test_each_order_of_the_stock_is_imagined_equally_often() -> None:
    """Four tiles have not been seen, and two of them are in the stock."""
    fold = replace(redact(match_with_hands(["N10"], ["N11"]).state, ALICE), stock=(None, None))
    view = PlayerView(fold, 2, (Thrown(ALICE, "Y", 3, NAMES[4:40]), Thrown(BOB, "Y", 3, NAMES[40:])))
    chance = QuickChance(SeedChance(bytes(32), 1, "bot"))
    assert GAME.imagine is not None
    counts = Counter(GAME.imagine(view, ALICE, chance).stock for _ in range(600))
    assert counts.keys() == {*permutations(UNSEEN, 2)}
    assert sum((count - 50) ** 2 for count in counts.values()) / 50 < 12 + 4 * 24**0.5


def beginning_of_round(*points: int, breeders: tuple[int, ...], stock: int = 20) -> State:
    """The beginning of a round in which the seats have this many points."""
    carps = {n: (0, 0, n, 0) for n in points}
    assert all(worth_of_pond(animals).points == n for n, animals in carps.items())
    state = Played(len(points), ALICE, ["N10", "N11"], stock=stock).state
    pond = state.ponds["0.N"]
    owned = {f"9E.{'NESW'[s]}": replace(pond, animals=carps[n], open=0, owner=s) for s, n in enumerate(points)}
    return replace(state, ponds={**state.ponds, **owned}, breeders=breeders)


def chances(state: State) -> list[float]:
    """What each seat's chance to win is said to be."""
    assert GAME.estimate is not None
    told = GAME.estimate(state)
    assert told is not None
    assert sum(told) == pytest.approx(1)
    return [*told]


def test_equal_seats_have_equal_chances() -> None:
    assert chances(beginning_of_round(5, 5, 5, breeders=(2, 2, 2))) == pytest.approx([1 / 3] * 3)


def test_the_estimate_counts_breeders_and_weighs_points_more_near_the_end() -> None:
    early, late = chances(beginning_of_round(9, 5, breeders=(3, 3))), chances(beginning_of_round(9, 5, breeders=(1, 1)))
    assert 0.5 < early[0] < late[0] < 1
    assert chances(beginning_of_round(5, 5, breeders=(2, 1)))[0] > 0.7


def test_the_estimate_values_a_breeder_less_near_the_end() -> None:
    worn, fresh = (
        beginning_of_round(5, 5, breeders=(4, 2), stock=0),
        beginning_of_round(5, 5, breeders=(4, 2), stock=60),
    )
    assert chances(worn)[0] < chances(fresh)[0]


def test_positions_within_a_round_have_no_estimate() -> None:
    assert GAME.estimate is not None
    played = Played(2, ALICE, ["N11", "N12", "N15", "N16"])
    assert GAME.estimate(played.state) is not None
    played.play("take N11")
    assert GAME.estimate(played.state) is None
    laying = spend_breeders(match_with_hands(["N10"], ["N11"]), 1, 1)
    assert GAME.estimate(laying.state) is None


def test_the_quick_bot_finds_several_places_for_a_tile() -> None:
    """It looks at about half of the cells, drawn each time."""
    assert GAME.playout is not None
    played = match_with_hands(["N28"], ["N04"], stock=0)
    played.play("place N28 1N")
    fold = played.fold_of(BOB)
    found = {GAME.playout(PlayerView(fold, 2), BOB, SeedChance(bytes(32), n, "bot")) for n in range(20)}
    assert len(found) > 1
    assert all(move in GAME.legal(fold, BOB) for move in found)


# --- what may come -----------------------------------------------------------------------------------------------


def test_planners_may_suppose_the_end_of_picking_once_all_others_passed() -> None:
    played = Played(2, ALICE, ["N11", "N12", "N36"], ("Y", 3), picking="grab")
    before = played.fold_of(BOB)
    assert GAME.supposable(before, BOB, ()) == ()
    made = [Taken(BOB, "N36"), Passed(BOB), Passed(ALICE)]
    played.took(made)
    ended = PickingEnded((Waste(BOB, "N36"),), ("N11", "N12"))
    assert GAME.supposable(played.fold_of(ALICE), ALICE, made[-1:]) == (ended,)


def test_the_next_round_cannot_be_supposed() -> None:
    played = Played(2, ALICE, ["N11", "N12"], ("Y", 3))
    played.took([Passed(BOB), Passed(ALICE), PickingEnded((), ("N11", "N12"))])
    assert GAME.supposable(played.fold_of(ALICE), ALICE, ()) is None
    last = Played(2, ALICE, ["N11", "N12"], ("Y", 3), stock=0)
    last.took([Passed(BOB), Passed(ALICE), PickingEnded((), ("N11", "N12"))])
    assert GAME.supposable(last.fold_of(ALICE), ALICE, ()) == (Ended("stock", (0, 0), (ALICE, BOB)),)


def test_planners_may_suppose_any_tile_for_the_last_player_still_grabbing() -> None:
    played = Played(3, ALICE, ["N11", "N36"], ("Y", 3), picking="grab")
    played.play("pass", BOB)
    assert GAME.supposable(played.fold_of(BOB), BOB, ()) == (), "who comes first is not known"
    played.play("pass", CAROL)
    found = GAME.supposable(played.fold_of(BOB), BOB, ())
    assert found == (Taken(ALICE, "N11"), Taken(ALICE, "N36"), Passed(ALICE))
    assert GAME.supposable(played.fold_of(ALICE), ALICE, ()) == ()
