"""The worked cases by their number, then one test or more for each ruling."""

import itertools

import pytest
from msgspec import ValidationError
from msgspec.structs import replace

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import (
    DIVISIONS,
    Carried,
    Divide,
    Divided,
    Drawn,
    Exhausted,
    Finished,
    Flew,
    Fly,
    HexenOptions,
    Laid,
    Leave,
    Opened,
    Play,
    Played,
    Powerless,
    Reached,
    Rolled,
    Spared,
    Stuck,
    Turned,
)
from pbem.games.hexen_rennen.facts_race import CLANS, DECK, NUMBERS, State, stage_of_place
from pbem.kit.chance import SeedChance
from pbem.kit.codec import codec_for
from pbem.kit.contract import IllegalMove, Move, Outcome
from pbem.kit.replay import evolve_all
from pbem.kit.secrecy import redact
from tests.games.hexen_rennen.tables import ALICE, BOB, CAROL, Dice, Turn, race
from tests.harness.cases import cases


def code_of_refusal(turn: Turn, move: str | Move) -> str:
    """Returns the code of the refusal; checks that the state has not changed."""
    before = turn.state
    with pytest.raises(IllegalMove) as caught:
        turn.play(move)
    assert turn.state == before
    assert caught.value.code in GAME.meta.refusals
    return caught.value.code


# --- the worked cases --------------------------------------------------------------------------------------


def test_case_1_occupied_tiles_are_not_counted_from_the_start() -> None:
    turn = Turn(race(witches={"B": (0, 1, 3)}), 3)
    assert turn.events == [Rolled(ALICE, 3), Flew(ALICE, 0, 5), Turned(5, "B2")]
    assert turn.over


def test_case_2_the_only_witch_that_can_move_moves_by_itself() -> None:
    turn = Turn(race(witches={"A": (10, 20, 50), "B": (0, 0, 14)}), 4)
    assert turn.events[1] == Flew(ALICE, 20, 24)


def test_case_3_without_a_possible_move_the_turn_is_over() -> None:
    turn = Turn(race(witches={"A": (48, 50, 51)}), 4)
    assert turn.events == [Rolled(ALICE, 4), Stuck(ALICE)]
    assert turn.over


def test_case_4_occupied_tiles_are_counted_on_the_course() -> None:
    turn = Turn(race(witches={"A": (10, 50, 51), "B": (11, 12, 13)}), 4)
    assert turn.events[1] == Flew(ALICE, 10, 14)


def test_case_5_an_own_number_carries_on_and_the_tile_left_is_not_turned() -> None:
    turn = Turn(race(witches={"A": (10, 50, 51)}, tiles={12: "A5", 17: "C3"}), 2)
    assert turn.events[1:] == [
        Flew(ALICE, 10, 12),
        Turned(12, "A5"),
        Carried(ALICE, 12, 17),
        Turned(17, "C3"),
    ]
    assert turn.over
    assert turn.state.shown[9] is None


def test_case_6_an_own_number_does_not_carry_onto_an_occupied_tile() -> None:
    turn = Turn(race(witches={"A": (10, 50, 51), "B": (0, 0, 17)}, tiles={12: "A5", 17: "C3"}), 2)
    assert turn.events[1:] == [Flew(ALICE, 10, 12), Turned(12, "A5")]
    assert turn.over
    assert turn.state.witches[ALICE] == (12, 50, 51)


def case_7() -> Turn:
    before = race(
        witches={"A": (10, 50, 51), "B": (0, 0, 15)},
        tiles={12: "AS", 25: "AS", 30: "AS"},
        up=[30],
        hands={"A": "3 10 S"},
    )
    return Turn(before, 2)


def test_case_7_on_the_own_symbol_one_leaves_or_plays_what_leads_somewhere() -> None:
    turn = case_7()
    assert turn.to_move == (ALICE, "own")
    assert turn.legal() == ["play 10", "play S", "leave"]
    assert code_of_refusal(turn, "play 3") == "occupied"


def test_case_7_the_symbol_card_ends_the_turn_on_the_face_up_symbol() -> None:
    turn = case_7()
    assert turn.play("play S") == [Played(ALICE, "S", 12, 30)]
    assert turn.over
    assert turn.state.hands[ALICE] == ("3", "10")
    assert turn.state.shown[24] is None


def case_10() -> Turn:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 9: "BS", 5: "BS"}, up=[9, 5], hands={"B": "4 S"})
    return Turn(before, 2)


def test_case_10_the_owner_leaves_the_witch_or_sends_her_back() -> None:
    turn = case_10()
    assert turn.to_move == (BOB, "foreign")
    assert turn.legal() == ["play 4", "play S", "leave"]
    assert GAME.meta.asks["foreign"].window


@cases("card, target", [("4", 16), ("S", 9)])
def test_case_10_a_number_card_goes_back_exactly_a_symbol_card_to_a_symbol(card: str, target: int) -> None:
    assert case_10().play(f"play {card}")[0] == Played(BOB, card, 20, target)


def test_case_10_leaving_ends_the_turn() -> None:
    turn = case_10()
    assert turn.play("leave") == [Spared(BOB, 20)]
    assert turn.over
    assert turn.state.hands[BOB] == ("4", "S")


def test_case_12_a_witch_sent_back_onto_a_symbol_obliges_its_clan_to_play() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "CS"}, hands={"B": "4", "C": "3 9"})
    turn = Turn(before, 2)
    assert turn.play("play 4") == [Played(BOB, "4", 20, 16), Turned(16, "CS"), Reached(CAROL, 16, True)]
    assert turn.to_move == (CAROL, "foreign")
    assert turn.legal() == ["play 3", "play 9"]
    assert code_of_refusal(turn, "leave") == "obliged"
    assert turn.play("play 9")[0] == Played(CAROL, "9", 16, 7)


def test_case_14_an_obliged_player_with_nothing_to_play_keeps_their_cards() -> None:
    before = race(witches={"A": (8, 50, 51)}, tiles={10: "BS", 6: "CS"}, hands={"B": "4", "C": "10 S"})
    turn = Turn(before, 2)
    assert turn.play("play 4") == [Played(BOB, "4", 10, 6), Turned(6, "CS"), Powerless(CAROL, 6)]
    assert turn.over
    assert turn.state.hands[CAROL] == ("10", "S")


@cases(
    "others, pile, happens, left",
    [
        ((0, 0, 0), "6 3", [Drawn(3, "6", 20, 14), Turned(14, "B2")], ("3",)),
        ((0, 0, 14), "6 3", [Drawn(3, "6", 20, 20)], ("3",)),
        ((0, 0, 0), "", [Exhausted(3, 20)], ()),
    ],
)
def test_case_17_a_neutral_symbol_draws_a_card(
    others: tuple[int, int, int], pile: str, happens: list[object], left: tuple[str, ...]
) -> None:
    turn = Turn(race(3, witches={"A": (18, 50, 51), "B": others}, tiles={20: "DS"}, pile=pile), 2)
    assert turn.events[1:] == [Flew(ALICE, 18, 20), Turned(20, "DS"), *happens]
    assert turn.over
    assert turn.state.piles[3] == left


def test_case_20_several_witches_share_the_goal_and_stay_there() -> None:
    turn = Turn(race(witches={"A": (47, 49, 1), "B": (0, 0, 50)}), 3)
    assert turn.legal() == ["fly 1", "fly 47"]
    assert turn.play("fly 47") == [Flew(ALICE, 47, 50)]
    assert turn.over
    assert Turn(race(witches={"A": (49, 50, 1)}), 1).events[1] == Flew(ALICE, 1, 2)


def test_case_22_a_card_may_lead_into_the_goal_exactly() -> None:
    turn = Turn(race(witches={"A": (42, 0, 51)}, tiles={44: "AS"}, hands={"A": "4 7 8"}), 2)
    turn.play("fly 42")
    assert turn.legal() == ["play 4", "play 7", "leave"]
    assert code_of_refusal(turn, "play 8") == "too_far"
    assert turn.play("play 7") == [Played(ALICE, "7", 44, 51)]
    assert turn.over


@cases(
    "stages, code",
    [
        (((2, 3), (4, 5, 6, 7), (8, 9, 10)), "three_each"),
        (((2, 3, 4, 5), (6, 7), (8, 9, 10)), "three_each"),
        (((2, 3, 4), (4, 5, 6), (7, 8, 9)), "number_twice"),
        (((2, 2, 3), (4, 5, 6), (7, 8, 9)), "number_twice"),
    ],
)
def test_case_24_a_wrong_division_is_refused(stages: tuple[tuple[int, ...], ...], code: str) -> None:
    state = state_at_start(4)
    move = Divide((stages[0], stages[1], stages[2]))
    assert move not in GAME.legal(state, ALICE)
    with pytest.raises(IllegalMove) as caught:
        GAME.decide(state, ALICE, move, Dice())
    assert caught.value.code == code


def test_case_24_two_symbols_in_a_stage_are_unreadable() -> None:
    with pytest.raises(ValueError, match="unreadable"):
        GAME.parse("divide 2 3 4 S S / 5 6 7 / 8 9 10 S")


# --- setting up --------------------------------------------------------------------------------------------


def state_at_start(seats: int) -> State:
    state: State = GAME.evolve(None, GAME.setup(seats, HexenOptions(), SeedChance(bytes(32), 1, "setup"))[0])
    return state


def events_of_setup(seats: int) -> list[object]:
    """The events of a setup in which everybody divides."""
    state = state_at_start(seats)
    events: list[object] = []
    for seat in range(seats):
        for event in GAME.decide(state, seat, DIVISIONS[100 * seat], SeedChance(bytes(32), 2 + seat, "decide")):
            events.append(event)
            state = GAME.evolve(state, event)
    return events


@cases("seats", [2, 3, 4])
def test_each_stage_holds_three_numbers_and_a_symbol_of_every_clan(seats: int) -> None:
    events = events_of_setup(seats)
    tiles = next(e.tiles for e in events if isinstance(e, Laid))
    for stage in range(3):
        here = [tile for place, tile in enumerate(tiles, 1) if tile and stage_of_place(place) == stage]
        assert len(here) == 16
        for clan in CLANS:
            own = sorted(tile[1:] for tile in here if tile[0] == clan)
            assert len(own) == 4
            assert own.count("S") == 1
    assert sorted(t for t in tiles if t) == sorted(f"{c}{v}" for c in CLANS for v in DECK)
    for event in events:
        if isinstance(event, Divided):
            for stage, numbers in enumerate(event.stages):
                for n in numbers:
                    assert stage_of_place(tiles.index(f"{CLANS[event.seat]}{n}") + 1) == stage


@cases("seats, piles", [(2, 2), (3, 1), (4, 0)])
def test_every_clan_without_a_seat_is_neutral_and_has_a_pile(seats: int, piles: int) -> None:
    (opening,) = GAME.setup(seats, HexenOptions(), SeedChance(bytes(32), 1, "setup"))
    assert isinstance(opening, Opened)
    assert len(opening.piles) == piles
    assert all(sorted(c or "" for c in pile) == sorted(DECK) for pile in opening.piles)
    assert redact(opening, ALICE).piles == ((None,) * 12,) * piles
    state = state_at_start(seats)
    assert len(state.witches) == len(state.hands) == seats
    assert all(hand == DECK for hand in state.hands)


def test_all_1680_divisions_differ_and_the_order_within_a_stage_is_ignored() -> None:
    assert len(DIVISIONS) == 1680
    assert len({m.stages for m in DIVISIONS if isinstance(m, Divide)}) == 1680
    assert all(sorted(n for s in m.stages for n in s) == list(NUMBERS) for m in DIVISIONS if isinstance(m, Divide))
    assert DIVISIONS[1234] in DIVISIONS
    assert Divide(((4, 3, 2), (7, 6, 5), (10, 9, 8))) == DIVISIONS[0]


def test_only_its_seat_sees_a_division_and_nobody_sees_tiles_face_down() -> None:
    events = events_of_setup(3)
    divided = next(e for e in events if isinstance(e, Divided) and e.seat == BOB)
    assert redact(divided, BOB) is divided
    assert redact(divided, ALICE).stages == ((None,) * 3,) * 3
    course = next(e for e in events if isinstance(e, Laid))
    for viewer in (None, ALICE, BOB, CAROL):
        assert redact(course, viewer).tiles == (None,) * 48


def test_all_seats_divide_at_once_and_the_last_division_starts_turn_one() -> None:
    state = state_at_start(3)
    assert [(a.seat, a.kind, a.turn) for a in GAME.pending(state)] == [(s, "divide", "t0") for s in range(3)]
    for seat in (2, 0, 1):
        events = GAME.decide(state, seat, DIVISIONS[0], Dice(3))
        state = evolve_all(GAME, state, events)
        assert isinstance(events[0], Divided)
        assert len(events) == 1 or seat == 1
    kinds = [type(e) for e in events]
    assert kinds[:4] == [Divided, Laid, Rolled, Flew], "all witches at the start are one choice"


# --- the rulings -------------------------------------------------------------------------------------------


def test_r1_a_tile_never_carries_into_the_goal() -> None:
    turn = Turn(race(witches={"A": (44, 50, 51)}, tiles={46: "A3"}), 2)
    assert turn.events[1:] == [Flew(ALICE, 44, 46), Turned(46, "A3")]
    assert turn.over


def test_r1_with_the_option_an_exact_tile_carries_a_witch_into_the_goal() -> None:
    before = race(witches={"A": (0, 44, 51)}, tiles={46: "A3", 45: "A7"}, goal_by_tile=True)
    turn = Turn(before, 2)
    assert turn.play("fly 44") == [Flew(ALICE, 44, 46), Turned(46, "A3"), Carried(ALICE, 46, 49)]
    assert turn.over
    turn = Turn(before, 1)
    assert turn.play("fly 44") == [Flew(ALICE, 44, 45), Turned(45, "A7")]


def test_r2_the_goal_is_worth_2_3_4_in_running_order() -> None:
    before = race(witches={"A": (48, 49, 50), "B": (0, 51, 51)})
    turn = Turn(before, 3)
    assert turn.events[-1] == Finished(ALICE, (9, 8, 0, 0), (ALICE,))


def test_r3_the_die_has_six_faces() -> None:
    dice = set()
    for n in range(60):
        (die,) = [e.die for e in Turn_at(n) if isinstance(e, Rolled)][:1]
        dice.add(die)
    assert dice == {1, 2, 3, 4, 5, 6}


def Turn_at(n: int) -> list[object]:  # noqa: N802
    state = evolve_all(GAME, state_at_start(2), GAME.decide(state_at_start(2), ALICE, DIVISIONS[0], Dice()))
    return list(GAME.decide(state, BOB, DIVISIONS[0], SeedChance(bytes(32), n, "decide")))


def test_r4_every_clan_has_each_number_from_2_to_10_once_and_three_symbols() -> None:
    assert DECK == ("2", "3", "4", "5", "6", "7", "8", "9", "10", "S", "S", "S")


def test_r5_cards_are_never_refilled() -> None:
    turn = case_7()
    turn.play("play S")
    assert turn.state.discards[ALICE] == ("S",)
    assert turn.state.hands[ALICE] == ("3", "10")


def test_r6_a_neutral_symbol_leads_back_to_the_first_free_symbol_face_up() -> None:
    before = race(3, witches={"A": (18, 50, 51), "B": (0, 0, 9)}, tiles=dict.fromkeys((20, 12, 9, 4), "DS"))
    state = replace(before, piles=((), (), (), ("S", "2")))
    shown = tuple("DS" if place in (9, 4) else None for place in range(1, 49))
    turn = Turn(replace(state, shown=shown), 2)
    assert turn.events[-1] == Drawn(3, "S", 20, 4)
    assert turn.over
    turn = Turn(state, 2)
    assert turn.events[-1] == Drawn(3, "S", 20, 20)


def test_r7_a_neutral_number_that_leads_back_to_a_symbol_obliges_too() -> None:
    before = race(3, witches={"A": (18, 50, 51)}, tiles={20: "DS", 14: "BS"}, hands={"B": "2 3"}, pile="6")
    turn = Turn(before, 2)
    assert turn.events[-1] == Reached(BOB, 14, True)
    assert turn.legal() == ["play 2", "play 3"]


def test_r7_neutral_cards_may_follow_each_other() -> None:
    before = race(3, witches={"A": (18, 50, 51)}, tiles={20: "DS", 14: "DS"}, pile="6 5")
    assert Turn(before, 2).events[-2:] == [Drawn(3, "5", 14, 9), Turned(9, "B2")]


def test_r8_equal_points_share_the_victory() -> None:
    turn = Turn(race(witches={"A": (48, 49, 49), "B": (0, 51, 50)}), 2)
    assert turn.events[-1] == Finished(ALICE, (7, 7, 0, 0), (ALICE, BOB))
    assert GAME.outcome(turn.state) == Outcome("shared", (ALICE, BOB), (7, 7, 0, 0))
    assert GAME.pending(turn.state) == ()


def test_a_player_who_ends_the_race_does_not_always_win() -> None:
    turn = Turn(race(witches={"A": (48, 49, 49), "B": (0, 51, 51)}), 1)
    assert GAME.outcome(turn.state) == Outcome("arrived", (BOB,), (6, 8, 0, 0))


def test_r9_symbols_face_down_or_occupied_are_passed_over() -> None:
    tiles = dict.fromkeys((20, 15, 10, 5), "BS")
    before = race(witches={"A": (18, 50, 51), "C": (0, 0, 10)}, tiles=tiles, up=[10, 5], hands={"B": "S"})
    turn = Turn(before, 2)
    assert turn.play("play S") == [Played(BOB, "S", 20, 5)]
    blocked = race(witches={"A": (18, 50, 51), "C": (0, 5, 10)}, tiles=tiles, up=[10, 5], hands={"B": "S"})
    assert Turn(blocked, 2).events[-1] == Powerless(BOB, 20)


def test_r10_a_hop_or_a_card_forward_onto_a_symbol_obliges_nobody() -> None:
    hop = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "A3", 19: "CS"}, hands={"B": "4", "C": "2 3"})
    turn = Turn(hop, 2)
    turn.play("play 4")
    assert turn.events[-2:] == [Turned(19, "CS"), Reached(CAROL, 19, False)]
    forward = race(witches={"A": (10, 50, 51)}, tiles={12: "AS", 15: "CS"}, hands={"A": "3"})
    turn = Turn(forward, 2)
    turn.play("play 3")
    assert turn.events[-1] == Reached(CAROL, 15, False)
    assert "leave" in turn.legal()


def test_r11_arriving_by_a_symbol_card_has_no_effect() -> None:
    turn = case_10()
    assert turn.play("play S") == [Played(BOB, "S", 20, 9)]
    assert turn.over


def test_r12_set_back_onto_a_number_of_her_own_clan_she_is_carried_on() -> None:
    turn = Turn(race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "A2"}, hands={"B": "4"}), 2)
    turn.play("play 4")
    assert turn.events[-2:] == [Carried(ALICE, 16, 18), Turned(18, "B2")]


def test_r12_a_witch_set_back_onto_her_own_symbol_must_go_forward() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "AS"}, hands={"B": "4", "A": "2 3"})
    turn = Turn(before, 2)
    turn.play("play 4")
    assert turn.to_move == (ALICE, "own")
    assert code_of_refusal(turn, "leave") == "obliged"
    assert turn.play("play 3")[0] == Played(ALICE, "3", 16, 19)


def test_r13_a_card_never_sends_a_witch_back_to_the_start() -> None:
    turn = Turn(race(witches={"A": (4, 50, 51)}, tiles={6: "BS"}, hands={"B": "5 6"}), 2)
    assert turn.legal() == ["play 5", "leave"]
    assert code_of_refusal(turn, "play 6") == "before_the_first"


def test_r14_moving_is_compulsory_even_into_the_lowest_square() -> None:
    assert Turn(race(witches={"A": (48, 50, 51)}), 1).events[1] == Flew(ALICE, 48, 49)


def test_r15_witches_at_the_start_are_one_choice() -> None:
    turn = Turn(race(witches={"A": (0, 0, 30)}), 2)
    assert turn.legal() == ["fly 0", "fly 30"]


def test_r16_the_first_player_is_drawn_by_lot() -> None:
    firsts = {next(e.first for e in Turn_at(n) if isinstance(e, Laid)) for n in range(30)}
    assert firsts == {ALICE, BOB}


def test_r17_the_obliged_may_play_the_symbol_card() -> None:
    before = race(
        witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "CS", 8: "CS"}, up=[8], hands={"B": "4", "C": "3 S"}
    )
    turn = Turn(before, 2)
    turn.play("play 4")
    assert turn.legal() == ["play 3", "play S"]
    assert turn.play("play S") == [Played(CAROL, "S", 16, 8)]


def test_an_obliged_players_only_card_is_played_automatically() -> None:
    before = race(witches={"A": (18, 50, 51)}, tiles={20: "BS", 16: "CS"}, hands={"B": "4", "C": "3 3 10 S"})
    before = replace(before, witches=((18, 50, 51), (0, 0, 6), (0, 0, 0), (0, 0, 0)))
    turn = Turn(before, 2)
    assert turn.play("play 4")[-3:] == [Reached(CAROL, 16, True), Played(CAROL, "3", 16, 13), Turned(13, "B2")]
    assert turn.over


def test_reaching_a_symbol_whose_clan_has_no_playable_card_asks_no_one() -> None:
    turn = Turn(race(witches={"A": (18, 50, 51)}, tiles={20: "BS"}, hands={"B": "S S"}), 2)
    assert turn.events[-1] == Powerless(BOB, 20)
    assert turn.over


def test_the_same_witch_may_cross_several_symbols_in_one_turn() -> None:
    before = race(witches={"A": (10, 50, 51)}, tiles={12: "AS", 15: "BS", 13: "CS"}, hands={"A": "3", "B": "2"})
    turn = Turn(before, 2)
    keys = []
    for move in ("play 3", "play 2"):
        keys.append(GAME.pending(turn.state)[0].key)
        turn.play(move)
    keys.append(GAME.pending(turn.state)[0].key)
    assert keys == ["t1.symbol1", "t1.symbol2", "t1.symbol3"]
    assert turn.to_move == (CAROL, "foreign")


# --- refusals ----------------------------------------------------------------------------------------------


def test_each_illegal_move_is_refused_with_its_own_code() -> None:
    assert code_of_refusal(Turn(race(witches={"A": (10, 30, 51)}), 1), Fly(11)) == "no_witch"
    waiting = Turn(race(witches={"A": (10, 20, 30), "B": (0, 0, 12)}), 2)
    assert code_of_refusal(waiting, Fly(10)) == "occupied"
    assert code_of_refusal(Turn(race(witches={"A": (10, 20, 48)}), 5), Fly(48)) == "too_far"
    assert code_of_refusal(Turn(race(witches={"A": (10, 20, 48)}), 5), Fly(0)) == "no_witch"
    assert code_of_refusal(Turn(race(witches={"A": (10, 20, 51)}), 5), Fly(51)) == "in_goal"
    assert code_of_refusal(case_7(), "play 2") == "not_in_hand"
    assert code_of_refusal(case_10(), "play 9") == "not_in_hand"
    lone = Turn(race(witches={"A": (10, 50, 51)}, tiles={12: "AS"}, hands={"A": "3 S"}), 2)
    assert code_of_refusal(lone, "play S") == "no_symbol_ahead"
    back = Turn(race(witches={"A": (18, 50, 51)}, tiles={20: "BS"}, hands={"B": "3 S"}), 2)
    assert code_of_refusal(back, "play S") == "no_symbol_behind"
    blocked = race(witches={"A": (18, 50, 51), "C": (0, 0, 17)}, tiles={20: "BS"}, hands={"B": "3 4"})
    assert code_of_refusal(Turn(blocked, 2), "play 3") == "occupied"


@cases("move", [Leave(), Play("4"), DIVISIONS[0]])
def test_a_move_of_another_phase_is_refused(move: Move) -> None:
    turn = Turn(race(witches={"A": (10, 20, 30)}), 2)
    with pytest.raises(IllegalMove, match="wrong_kind"):
        GAME.decide(turn.state, ALICE, move, Dice())
    with pytest.raises(IllegalMove, match="not_asked"):
        GAME.decide(turn.state, BOB, move, Dice())


@cases(
    "data",
    [
        '{"type":"Play","card":"11"}',
        '{"type":"Play","card":"S\\n"}',
        '{"type":"Play","card":5}',
        '{"type":"Fly","origin":52}',
        '{"type":"Fly","origin":-1}',
        '{"type":"Fly","origin":"10"}',
        '{"type":"Divide","stages":[[2,3,4],[5,6,7]]}',
        '{"type":"Divide","stages":[[1,3,4],[5,6,7],[8,9,10]]}',
        '{"type":"Divide","stages":[[],[5,6,7],[8,9,10]]}',
        '{"type":"Leave","why":1}',
    ],
)
def test_json_that_is_no_move_is_not_decoded(data: str) -> None:
    with pytest.raises(ValidationError):
        codec_for(GAME).move(data)


# --- the fallback and the preview --------------------------------------------------------------------------


def test_the_fallback_moves_the_rearmost_witch_that_can_move() -> None:
    turn = Turn(race(witches={"A": (10, 20, 30), "B": (0, 0, 12)}), 2)
    assert GAME.fallback(turn.state, ALICE, Dice()) == Fly(20)


def test_the_fallback_leaves_but_plays_the_lowest_legal_card_if_obliged() -> None:
    assert GAME.fallback(case_7().state, ALICE, Dice()) == Leave()
    obliged = replace(case_7().state, obliged=True)
    assert GAME.fallback(obliged, ALICE, Dice()) == Play("10")
    assert GAME.fallback(replace(obliged, hands=(("3", "S"),) * 4), ALICE, Dice()) == Play("S")


def test_the_fallback_divides_at_random() -> None:
    found = {GAME.fallback(state_at_start(2), ALICE, SeedChance(bytes(32), n, "fallback", 0)) for n in range(50)}
    assert len(found) > 40


def test_a_preview_stops_at_the_first_tile_lying_face_down() -> None:
    before = race(witches={"A": (10, 20, 30)}, tiles={12: "A5", 17: "A2", 22: "A4"}, up=[12])
    turn = Turn(before, 2)
    assert GAME.preview(turn.state, ALICE, Fly(10)) == [Flew(ALICE, 10, 12), Carried(ALICE, 12, 17)]
    assert GAME.preview(turn.state, ALICE, Fly(20)) == [Flew(ALICE, 20, 22)]


def test_a_preview_never_shows_a_neutral_card() -> None:
    turn = Turn(race(3, witches={"A": (10, 20, 30)}, tiles={12: "DS"}, up=[12], pile="2"), 2)
    own = replace(turn.state, piles=((), (), (), (None,)))
    assert GAME.preview(own, ALICE, Fly(10)) == [Flew(ALICE, 10, 12)]


def test_turns_go_clockwise() -> None:
    state = race(3, witches={"A": (10, 20, 30), "B": (11, 21, 31), "C": (12, 22, 32)})
    seats = []
    for seat in itertools.islice(itertools.cycle(range(3)), 4):
        turn = Turn(state, 5, seat)
        seats.append(turn.to_move[0])
        after = GAME.decide(turn.state, seat, GAME.legal(turn.state, seat)[0], Dice(5, 5, 5))
        rolled = [e.seat for e in after if isinstance(e, Rolled)]
        assert rolled[0] == (seat + 1) % 3
    assert seats == [0, 1, 2, 0]
