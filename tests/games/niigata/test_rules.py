"""The worked cases by their number, then one test or more for each ruling."""

from collections import Counter

import pytest
from msgspec.structs import replace

from pbem.games.niigata import GAME
from pbem.games.niigata.facts import (
    Claim,
    Claimed,
    Ended,
    LaidOut,
    Pass,
    Passed,
    PickingEnded,
    Place,
    Placed,
    Take,
    Taken,
    Thrown,
    Waste,
)
from pbem.games.niigata.facts_state import NiigataOptions, Picking, tiles_matching_dice
from pbem.games.niigata.facts_tiles import (
    BREEDERS,
    COLOUR_DIE,
    NAMES,
    NUMBER_DIE,
    PRINTED,
    REMOVED,
    ROTATIONS,
    TAKEABLE,
    TILES,
    Colour,
    Tile,
    animals_on_tile,
    count_animals,
)
from pbem.games.niigata.rules_ponds import Pond, count_scoring_carps_by_colour, points_and_leaders, worth_of_pond
from pbem.kit.chance import ScriptedChance, SeedChance
from pbem.kit.choices import kinds_of
from pbem.kit.contract import IllegalMove, Move
from tests.games.niigata.tables import ALICE, BOB, CAROL, DAVE, Played, match_with_hands, next_throw, spend_breeders
from tests.harness.cases import cases


def code_of_refusal(played: Played, move: str | Move, seat: int | None = None) -> str:
    """Returns the code of the refusal; checks that the state has not changed."""
    before = played.state
    with pytest.raises(IllegalMove) as caught:
        played.play(move, seat) if isinstance(move, str) else played.move(move, seat)
    assert played.state == before
    return caught.value.code


def tile_with(edges: str, *animals: str) -> Tile:
    """A tile of the set with this print."""
    return next(tile for tile in NAMES if TILES[tile] == (edges, animals))


def legal_in_notation(played: Played, seat: int) -> set[str]:
    """The legal moves in notation."""
    return {GAME.format(move) for move in GAME.legal(played.state, seat)}


# --- the worked cases --------------------------------------------------------------------------------------


@cases(
    "seats, stock, rounds, last, breeders",
    [(2, 68, 17, 4, 4), (3, 69, 12, 3, 4), (4, 72, 9, 8, 4), (5, 75, 8, 5, 3), (6, 78, 7, 6, 3)],
)
def test_case_1_the_stock_lasts_the_listed_number_of_rounds(
    seats: int, stock: int, rounds: int, last: int, breeders: int
) -> None:
    events = GAME.setup(seats, NiigataOptions(), SeedChance(bytes(32), 1, "setup"))
    laid_out = events[0]
    assert isinstance(laid_out, LaidOut)
    assert (len(laid_out.stock), len(laid_out.removed)) == (stock, REMOVED[seats])
    assert sorted(filter(None, (*laid_out.stock, *laid_out.removed))) == sorted(NAMES)
    assert -(-stock // (2 * seats)) == rounds
    assert stock - (rounds - 1) * 2 * seats == last
    assert BREEDERS[seats] == breeders
    assert isinstance(events[1], Thrown)
    assert len(events[1].display) == 2 * seats


def test_case_1_the_last_display_is_what_is_left() -> None:
    played = match_with_hands([NAMES[0]], [], [], stock=3)
    thrown = played.play(f"place {NAMES[0]} 1N", chance=next_throw("Y", 5))[-1]
    assert isinstance(thrown, Thrown)
    assert len(thrown.display) == 3


@cases(
    "animals, colour, number, goes",
    [
        ("WYY", "Y", 3, True),
        ("YYYW", "Y", 3, False),
        ("WW", "Y", 3, False),
        ("E", "Y", 3, True),
        ("E", "R", 2, True),
        ("YYE", "Y", 3, True),
        ("YYE", "Y", 2, False),
        ("YE", "Y", 2, True),
        ("YE", "W", 2, False),
    ],
)
def test_case_2_the_listed_tiles_match_the_dice(animals: str, colour: Colour, number: int, goes: bool) -> None:
    alike = [tile for tile in NAMES if animals_on_tile(tile) == count_animals(animals)]
    assert alike
    for tile in alike:
        assert (tile in TAKEABLE[colour, number]) is goes


def test_case_4_seats_pick_and_lay_in_the_ruled_order() -> None:
    tiles = [tile for tile in NAMES if tile in TAKEABLE["Y", 5]][:6]
    played = Played(3, thrower=BOB, display=tiles)
    order = []
    for tile in tiles:
        order += played.asks
        played.play(f"take {tile}")
    assert order == [(s, "pick") for s in (CAROL, ALICE, BOB, CAROL, ALICE, BOB)]
    laid = []
    while played.state.round == 1:
        ((seat, kind),) = played.asks
        if kind == "claim":
            played.play("pass")
            continue
        laid.append(seat)
        move = GAME.legal(played.state, seat)[0]
        played.move(move)
    assert laid == [BOB, CAROL, ALICE, BOB, CAROL, ALICE]


def test_case_4_seats_without_a_tile_are_skipped() -> None:
    played = match_with_hands(["N10", "N11"], [], ["N12"], thrower=BOB)
    order = []
    for text in ("place N12 1N", "place N10 2N", "place N11 3N"):
        order += played.asks
        played.play(text)
    assert order == [(CAROL, "place"), (ALICE, "place"), (ALICE, "place")]


def test_case_5_a_tile_that_cannot_be_taken_is_refused() -> None:
    played = Played(2, ALICE, ["N10", "N11", "N12", "N28"], ("Y", 3))
    assert code_of_refusal(played, "take N10") == "wrong_carp"
    assert code_of_refusal(played, "take N28") == "too_many"
    assert code_of_refusal(played, "take N30") == "gone"
    played.play("take N11")
    assert code_of_refusal(played, "take N11") == "gone"
    assert code_of_refusal(played, "take N12", BOB) == "not_asked"
    played.play("pass")
    assert code_of_refusal(played, "take N12", ALICE) == "not_asked"
    played.play("take N12")
    assert played.asks == [(BOB, "place")]
    assert code_of_refusal(played, "take N20", BOB) == "wrong_kind"


def test_case_5_a_third_tile_is_not_offered() -> None:
    played = Played(2, ALICE, ["N11", "N12", "N20", "N16"], ("Y", 3))
    played.all_play("take N11", "take N12", "take N16")
    assert played.asks == [(ALICE, "pick")]
    assert code_of_refusal(played, "take N20", BOB) == "not_asked"


def test_case_7_a_tile_touches_another_by_a_side() -> None:
    played = match_with_hands(["N10"], [])
    assert {move.cell for move in GAME.legal(played.state, ALICE) if isinstance(move, Place)} == {
        "1N",
        "1E",
        "1S",
        "1W",
    }
    assert code_of_refusal(played, "place N10 1,1") == "not_adjacent"
    assert code_of_refusal(played, "place N10 0,0") == "occupied"
    assert code_of_refusal(played, "place N11 1N") == "not_in_hand"
    assert Place("N10", "1E1S", 0) not in GAME.legal(played.state, ALICE)


def test_case_8_water_and_border_close_a_pond_which_may_then_be_claimed() -> None:
    yellow, other = tile_with("a...", "YY"), tile_with("a...", "WY")
    played = match_with_hands([yellow], [other])
    assert played.play(f"place {yellow} 1E r3") == [Placed(ALICE, yellow, "1E", 3)]
    assert played.pond("0.N").open == 1
    assert played.pond("0.N").pieces == ("0.N", "1E.W")
    assert played.asks == [(BOB, "place")]
    played.play(f"place {other} 1N r0")
    closed = played.pond("0.N")
    assert (closed.open, closed.animals) == (0, (0, 0, 2, 0))
    assert worth_of_pond(closed.animals).points == 2
    assert played.asks == [(BOB, "claim")]


@cases(
    "animals, points, colour",
    [
        ("RRWWWY", 6, "W"),
        ("RRWW", 6, "R"),
        ("RRWWE", 4, "W"),
        ("YYYYYWWRE", 4, "W"),
        ("YYYYYWWREE", 3, "R"),
        ("YYYYYWWREEE", 0, None),
        ("YYWWRRE", 4, "W"),
        ("YYYE", 0, None),
        ("", 0, None),
        ("E", 0, None),
        ("YYYYYWWREEEEE", 0, None),
    ],
)
def test_case_11_a_pond_scores_its_listed_points(animals: str, points: int, colour: str | None) -> None:
    assert worth_of_pond(count_animals(animals))[:2] == (points, colour)


def pond_closed() -> Played:
    """Alice and Bob have closed the start tile's northern pond, worth 2; Bob may claim it."""
    played = match_with_hands(["N03", "N10"], ["N02", "N11"])
    played.all_play("place N03 1E r3", "place N02 1N r0")
    return played


def test_case_12_at_most_one_breeder_is_placed_after_each_tile() -> None:
    played = pond_closed()
    assert played.play("claim 0 N") == [Claimed(BOB, "0.N")]
    assert played.state.breeders == (4, 3)
    assert code_of_refusal(played, "claim 0 N", BOB) == "not_asked"
    assert code_of_refusal(played, "claim 0 N", ALICE) == "wrong_kind"


def test_case_12_a_breeder_is_refused_on_open_or_taken_ponds() -> None:
    played = pond_closed()
    assert code_of_refusal(played, "claim 0 S") == "open_pond"
    assert code_of_refusal(played, "claim 1N W") == "no_pond"
    assert code_of_refusal(played, "claim 9N W") == "no_pond"
    played.play("claim 0 N")
    # Border closes the start tile's other pond.
    played.all_play("place N10 1W r2", "place N11 1S r1")
    assert played.asks == [(BOB, "claim")]
    assert code_of_refusal(played, "claim 0 N") == "taken_pond"
    assert legal_in_notation(played, BOB) == {"claim 0 S", "pass"}


def test_case_12_the_player_who_has_no_breeder_left_is_not_asked() -> None:
    played = spend_breeders(match_with_hands(["N03"], ["N02", "N10"]), 4, 0)
    played.all_play("place N03 1E r3", "place N02 1N r0")
    assert played.asks == [(BOB, "place")]
    assert code_of_refusal(played, "claim 0 N") == "wrong_kind"


def test_case_12_a_pond_that_another_closed_rounds_ago_may_be_claimed() -> None:
    played = pond_closed()
    played.all_play("pass", "place N10 1W")
    assert played.asks == [(ALICE, "claim")]
    assert played.play("claim 1E W") == [Claimed(ALICE, "0.N")]


def test_case_14_when_the_stock_is_out_unclaimed_ponds_score_for_nobody() -> None:
    played = match_with_hands(["N03"], ["N02"], stock=0)
    played.all_play("place N03 1E r3", "place N02 1N r0")
    assert played.play("pass") == [Passed(BOB), Ended("stock", (0, 0), (ALICE, BOB))]
    outcome = GAME.outcome(played.state)
    assert outcome is not None
    assert (outcome.reason, outcome.scores, outcome.winners) == ("stock", (0, 0), (ALICE, BOB))
    assert GAME.pending(played.state) == ()


@cases("picking", ["turns", "grab"])
def test_case_16_picking_ends_without_questions_if_no_tile_fits_the_dice(picking: Picking) -> None:
    setups = (GAME.setup(2, NiigataOptions(picking), SeedChance(bytes(32), n + 1, "setup")) for n in range(400))
    first, ended, second = next(events for events in setups if len(events) == 4)[1:]
    assert isinstance(first, Thrown)
    assert ended == PickingEnded((), first.display)
    assert TAKEABLE[first.colour, first.number].isdisjoint(first.display)
    assert isinstance(second, Thrown)
    assert second.seat == 1 - first.seat


def test_case_20_the_set_has_the_listed_tiles() -> None:
    assert len(set(TILES)) == 79
    for edges, animals in TILES.values():
        letters = sorted(set(edges) - {"."})
        assert letters == list("abcd"[: len(animals)])
        assert 1 <= sum(map(len, animals)) <= 5
        if not set("".join(animals)) - {"E"}:
            assert "".join(animals) == "E"
    printed = Counter(edges for edges, _ in TILES.values())
    assert printed == {
        "a...": 8, "aa..": 14, "a.a.": 6, "aaa.": 6, "aaaa": 2, "aabb": 14, "aaab": 5, "ab..": 4, "a.b.": 4,
        "aab.": 8, "abc.": 3, "aabc": 3, "abcd": 2,
    }  # fmt: skip
    living = Counter(a for _, pieces in TILES.values() for piece in pieces for a in piece)
    assert living == {"Y": 106, "W": 55, "R": 26, "E": 16}
    assert sum(animals_on_tile(tile) == (0, 0, 0, 1) for tile in NAMES) == 6
    assert PRINTED["I"] == ("aabb", ("", ""))


def test_case_20_the_listed_number_of_tiles_matches_each_throw() -> None:
    table = {c: [len(TAKEABLE[c, n]) for n in range(2, 6)] for c in ("Y", "W", "R")}
    assert table == {"Y": [28, 47, 58, 64], "W": [21, 34, 43, 48], "R": [14, 20, 24, 28]}
    total = sum(len(TAKEABLE[c, n]) for c in COLOUR_DIE for n in NUMBER_DIE)
    assert round(total / 36 / 79, 2) == 0.52


# --- taking in turns ---------------------------------------------------------------------------------------


def test_r4_passing_ends_ones_own_picking_but_not_that_of_others() -> None:
    played = Played(3, ALICE, ["N11", "N12", "N16", "N20", "N30", "N31"], ("Y", 3))
    assert legal_in_notation(played, BOB) == {"take N11", "take N12", "take N16", "take N20", "take N30", "pass"}
    assert played.play("pass") == [Passed(BOB)]
    played.all_play("take N11", "take N12")
    assert played.asks == [(CAROL, "pick")]


def test_when_all_pass_the_round_ends_and_dice_fall_for_the_next_player() -> None:
    played = Played(2, ALICE, ["N11", "N12", "N16", "N20"], ("Y", 3))
    played.play("pass")
    passed, ended, thrown = played.play("pass", chance=next_throw("Y", 5))
    assert passed == Passed(ALICE)
    assert ended == PickingEnded((), ("N11", "N12", "N16", "N20"))
    assert isinstance(thrown, Thrown)
    assert thrown.seat == BOB
    assert played.state.round == 2


def test_picking_ends_as_soon_as_no_tile_left_matches_the_dice() -> None:
    played = Played(3, ALICE, ["N11", "N31", "N13", "N10", "N12", "N14"], ("Y", 3))
    played.play("take N11")
    assert played.play("take N12") == [Taken(CAROL, "N12"), PickingEnded((), ("N31", "N13", "N10", "N14"))]
    assert played.asks == [(BOB, "place")]


def test_the_key_of_a_question_names_its_round_turn_and_kind() -> None:
    played = pond_closed()
    key = played.key(BOB)
    assert key.endswith(".claim")
    assert key.rpartition(".")[0] == "r1.t1"
    played.play("pass")
    assert played.key(ALICE) == "r1.t2.place"


# --- grabbing ----------------------------------------------------------------------------------------------


def grabbing(*display: Tile, dice: tuple[Colour, int] = ("Y", 3), seats: int = 2) -> Played:
    return Played(seats, ALICE, display, dice, "grab")


def test_r3_all_are_asked_at_once_and_questions_stay_while_others_act() -> None:
    played = grabbing("N11", "N12", "N16", "N10")
    assert played.asks == [(ALICE, "grab"), (BOB, "grab")]
    key = played.key(ALICE)
    played.play("take N11", BOB)
    assert played.key(ALICE) == key
    assert played.key(BOB) != key
    played.play("take N12", BOB)
    assert played.asks == [(ALICE, "grab")]
    assert played.key(ALICE) == key


def test_r3_a_player_who_is_refused_a_tile_that_is_gone_is_still_asked() -> None:
    played = grabbing("N11", "N12", "N16", "N10")
    played.play("take N11", BOB)
    with pytest.raises(IllegalMove) as caught:
        played.play("take N11", ALICE)
    assert caught.value.code == "gone"
    assert caught.value.facts == {"tile": "N11"}
    assert played.asks == [(ALICE, "grab"), (BOB, "grab")]


def test_r3_any_tile_may_be_taken_and_a_wrong_one_is_wasted() -> None:
    played = grabbing("N11", "N12", "N10", "N31")
    assert legal_in_notation(played, ALICE) == {"take N11", "take N12", "take N10", "take N31", "pass"}
    played.play("take N10", ALICE)
    played.play("take N11", BOB)
    events = played.play("take N12", ALICE)
    assert events == [Taken(ALICE, "N12"), PickingEnded((Waste(ALICE, "N10"),), ("N31",))]
    assert played.state.wasted == (1, 0)
    assert played.state.hands == (("N12",), ("N11",))
    assert points_and_leaders(played.state)[0] == (-1, 0)
    assert played.asks == [(ALICE, "place")]


def test_r3_the_player_who_stops_is_not_asked_again_and_the_others_are() -> None:
    played = grabbing("N11", "N12", "N16", "N10", seats=2)
    played.play("pass", ALICE)
    assert played.asks == [(BOB, "grab")]
    assert code_of_refusal(played, "take N11", ALICE) == "not_asked"
    played.play("take N11", BOB)
    assert played.play("pass", BOB) == [Passed(BOB), PickingEnded((), ("N12", "N16", "N10"))]


def test_r3_a_player_who_has_grabbed_two_tiles_is_not_asked_again() -> None:
    played = grabbing("N11", "N12", "N16", "N20")
    played.play("take N11", BOB)
    played.play("take N12", BOB)
    assert code_of_refusal(played, "take N16", BOB) == "not_asked"


def test_r19_grabbing_ends_when_no_tile_left_matches_the_dice() -> None:
    played = grabbing("N11", "N10", "N31", "N13")
    assert played.play("take N11", BOB)[-1] == PickingEnded((), ("N10", "N31", "N13"))
    assert played.asks == [(BOB, "place")]


def test_r19_when_all_taken_tiles_are_wasted_the_dice_are_thrown_again() -> None:
    played = grabbing("N10", "N31", "N13", "N11")
    played.play("take N10", ALICE)
    played.play("pass", ALICE)
    events = played.play("pass", BOB)
    assert events[1] == PickingEnded((Waste(ALICE, "N10"),), ("N31", "N13", "N11"))
    assert isinstance(events[2], Thrown)


def test_a_wasted_tile_costs_a_point_at_the_end() -> None:
    played = Played(2, ALICE, ["N10", "N11"], ("Y", 3), "grab", stock=0)
    played.play("take N10", ALICE)
    played.play("take N11", BOB)
    assert played.play("place N11 1N") == [Placed(BOB, "N11", "1N", 0), Ended("stock", (-1, 0), (BOB,))]


# --- laying and claiming -----------------------------------------------------------------------------------


def test_r9_a_border_against_water_closes_that_side_of_the_pond() -> None:
    played = match_with_hands(["N10"], [])
    played.play("place N10 1N r0")  # aa..: border to the south
    assert played.pond("0.N").open == 1


def test_r10_every_rotation_that_looks_different_is_one_move() -> None:
    played = match_with_hands([tile_with("a.a.", "W"), tile_with("aaaa", "WYY")], [])
    legal_moves = GAME.legal(played.state, ALICE)
    moves = Counter((move.tile, move.rotation) for move in legal_moves if isinstance(move, Place))
    assert moves == {("N23", 0): 4, ("N23", 1): 4, ("N35", 0): 4}
    assert ROTATIONS[tile_with("a.b.", "W", "W")] == (0, 1)
    assert ROTATIONS[tile_with("aabb", "Y", "Y")] == (0, 1)
    assert ROTATIONS[tile_with("aabb", "YY", "Y")] == (0, 1, 2, 3)


def test_r21_a_rotation_that_looks_the_same_may_be_written() -> None:
    played = match_with_hands(["N23"], ["N10"])
    assert Place("N23", "1N", 2) in GAME.legal(played.state, ALICE)
    assert played.play("place N23 1N r2") == [Placed(ALICE, "N23", "1N", 0)]


def test_a_hole_can_be_filled_and_joins_four_ponds() -> None:
    ring = ["1N", "2N", "2N1E", "2N2E", "1N2E", "2E", "1E"]
    tiles: list[Tile] = [t for t in NAMES if t not in ("N35",)][: len(ring)]
    played = match_with_hands([*tiles, "N35"], [])
    for tile, cell in zip(tiles, ring, strict=True):
        while played.asks == [(ALICE, "claim")]:
            played.play("pass")
        played.play(f"place {tile} {cell}")
    while played.asks == [(ALICE, "claim")]:
        played.play("pass")
    assert played.state.frontier["1E1N"].count("") == 0
    before = sum(sum(p.animals) for p in played.state.ponds.values())
    played.play("place N35 1N1E")
    assert sum(sum(p.animals) for p in played.state.ponds.values()) == before + 3


def test_r7_r8_r17_any_free_closed_pond_may_be_claimed_even_if_worthless() -> None:
    played = match_with_hands(["N01"], ["N09", "N10"])
    # The lone wader closes nothing; the second tile's border closes the start tile's northern pond.
    played.all_play("place N01 1E r3", "place N09 1N r0")
    assert worth_of_pond(played.pond("0.N").animals).points == 0
    assert played.asks == [(BOB, "claim")]
    assert played.play("claim 0 N") == [Claimed(BOB, "0.N")]


def test_r22_without_a_free_pond_nobody_is_asked_about_breeders() -> None:
    played = match_with_hands(["N10"], ["N11"])
    assert played.play("place N10 1N r1") == [Placed(ALICE, "N10", "1N", 1)]
    assert played.asks == [(BOB, "place")]


def test_a_pond_may_be_named_by_any_of_its_pieces() -> None:
    played = pond_closed()
    for piece in ("0.N", "0.E", "1E.W"):
        assert Claim(piece) in GAME.legal(played.state, BOB)
    assert [m for m in GAME.legal(played.state, BOB) if isinstance(m, Claim)] == [Claim("0.N")]
    assert played.play("claim 0 E") == [Claimed(BOB, "0.N")]


def test_r6_seats_lay_one_tile_each_in_turn_from_the_thrower_on() -> None:
    played = match_with_hands(["N10", "N11"], ["N12"], ["N13", "N14"], thrower=CAROL)
    order = []
    for text in ("place N13 1N r1", "place N10 2N r1", "place N12 3N r1", "place N14 4N r1", "place N11 5N r1"):
        while played.asks[0][1] == "claim":
            played.play("pass")
        order.append(played.asks[0][0])
        played.play(text)
    assert order == [CAROL, ALICE, BOB, CAROL, ALICE]


def test_r11_the_dice_pass_to_the_left() -> None:
    played = match_with_hands([], [], ["N10"], thrower=CAROL)
    thrown = played.play("place N10 1N r1", chance=next_throw("Y", 5))[1]
    assert isinstance(thrown, Thrown)
    assert thrown.seat == ALICE
    assert played.asks == [(BOB, "pick")]


def test_r16_the_last_breeder_ends_the_match_at_once() -> None:
    played = spend_breeders(match_with_hands(["N03", "N10"], ["N02", "N11"]), 0, 1)
    played.all_play("place N03 1E r3", "place N02 1N r0")
    assert played.play("claim 0 N") == [Claimed(BOB, "0.N"), Ended("breeders", (0, 2), (BOB,))]
    assert GAME.pending(played.state) == ()
    assert played.state.hands == (("N10",), ("N11",))


def test_r16_a_player_who_has_no_breeder_left_goes_on_picking() -> None:
    played = spend_breeders(Played(2, ALICE, ["N11", "N12", "N16", "N20"], ("Y", 3)), 0, 1)
    played.all_play("take N11", "take N12")
    assert played.state.hands == (("N12",), ("N11",))


def test_r14_r15_ties_are_broken_by_counted_carps() -> None:
    # Alice counts two reds, Bob three whites: 6 each.
    played = match_with_hands(["N10"], [])
    ponds = {"a": Pond(("a",), (2, 2, 0, 0), 0, ALICE), "b": Pond(("b",), (0, 3, 2, 0), 0, BOB)}
    state = replace(played.state, ponds=ponds)
    assert count_scoring_carps_by_colour(state, ALICE) == (2, 0, 0)
    assert count_scoring_carps_by_colour(state, BOB) == (0, 3, 0)
    assert points_and_leaders(state) == ((6, 6), (ALICE,))
    alike = {**ponds, "b": Pond(("b",), (2, 0, 1, 0), 0, BOB)}
    assert points_and_leaders(replace(state, ponds=alike)) == ((6, 6), (ALICE, BOB))


def test_r20_the_first_thrower_is_any_seat() -> None:
    found = set()
    for number in range(60):
        laid_out = GAME.setup(4, NiigataOptions(), SeedChance(bytes(32), number + 1, "setup"))[0]
        assert isinstance(laid_out, LaidOut)
        found.add(laid_out.thrower)
    assert found == {ALICE, BOB, CAROL, DAVE}


# --- the clock ---------------------------------------------------------------------------------------------


def test_r18_the_clock_takes_and_claims_nothing() -> None:
    played = pond_closed()
    assert GAME.fallback(played.fold_of(BOB), BOB, ScriptedChance()) == Pass()
    picking = Played(2, ALICE, ["N11", "N12", "N16", "N20"], ("Y", 3))
    assert GAME.fallback(picking.fold_of(BOB), BOB, ScriptedChance()) == Pass()


def test_r18_the_clock_lays_where_no_carps_are_joined() -> None:
    played = match_with_hands(["N28"], ["N23"])
    played.play("place N28 1N r0")  # a.a.: carps to the north and, joined, in the start tile's pond
    assert played.pond("0.N").animals == (0, 0, 4, 0)
    # 2N joins carps, and so does 1E; 1W has border to the east of a tile that lies north-south.
    move = GAME.fallback(played.fold_of(BOB), BOB, ScriptedChance())
    assert move == Place("N23", "1W1N", 0)
    assert move in GAME.legal(played.state, BOB)


def test_r18_where_every_cell_joins_carps_the_first_one_is_taken() -> None:
    state = match_with_hands(["N35"], []).state
    ponds = {name: replace(pond, animals=(0, 0, 1, 0)) for name, pond in state.ponds.items()}
    assert GAME.fallback(replace(state, ponds=ponds), ALICE, ScriptedChance()) == Place("N35", "1N", 0)
    assert GAME.fallback(state, ALICE, ScriptedChance()) == Place("N35", "1N", 0)


def test_each_kind_of_move_answers_only_its_own_question() -> None:
    played = Played(2, ALICE, ["N11", "N12", "N16", "N20"], ("Y", 3))
    assert set(kinds_of(GAME.legal(played.state, BOB))) == {"Take", "Pass"}
    assert tiles_matching_dice(played.state) >= {"N11", "N12"}
    assert code_of_refusal(played, Claim("0.N")) == "wrong_kind"
    assert code_of_refusal(played, Place("N11", "1N", 0)) == "wrong_kind"
    assert code_of_refusal(pond_closed(), Take("N11")) == "wrong_kind"
