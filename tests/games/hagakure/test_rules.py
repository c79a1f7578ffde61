"""The worked cases by their number, then one test or more for each ruling, option and number of players."""

import pytest

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Dealt, Kept, Look, Looked, Play, Raised, Scored, Skipped, Swapped, TrickWon
from pbem.games.hagakure.facts import Played as CardPlayed
from pbem.games.hagakure.facts_cards import NOBORI, cards_in_play, villagers_wanted
from pbem.games.hagakure.facts_state import Terms, points_for_tricks_under_nobori, winner_of_trick
from pbem.kit.chance import ScriptedChance
from pbem.kit.contract import Event, IllegalMove
from tests.games.hagakure.tables import (
    ALICE,
    BOB,
    CAROL,
    DAVE,
    FOUR,
    THREE,
    F,
    Played,
    at_the_tricks,
    cards_in_no_hand,
    code_of_refusal,
    first_deal,
    luck,
)
from tests.harness.cases import cases

# --- the worked cases --------------------------------------------------------------------------------------


@cases("seats", [3, 4])
def test_case_1_three_or_four_players_use_the_fools_and_cards_6_to_22(seats: int) -> None:
    assert sorted(cards_in_play(seats)) == [F, F, F, *range(6, 23)]


def test_case_1_with_five_players_all_thirty_are_played() -> None:
    assert sorted(cards_in_play(5)) == [F, F, F, *range(1, 28)]


@cases("seats, size", [(3, 5), (4, 4), (5, 5)])
def test_case_1_hands_and_yomi_have_the_same_size(seats: int, size: int) -> None:
    dealt = first_deal(seats)
    assert [len(pile) for pile in (*dealt.hands, dealt.yomi)] == [size] * (seats + 1)
    cards = [card for pile in (*dealt.hands, dealt.yomi) for card in pile]
    assert not [card for card in cards if cards.count(card) > cards_in_play(seats).count(card)]


def test_case_2_a_samurai_binds_the_player_who_holds_a_samurai_or_a_fool() -> None:
    played = at_the_tricks((20, 6, 8, 9), (7, 19, F, 10), (11, 12, 13, 14), (15, 16, 17, 18), dealer=DAVE)
    played.play("20")
    assert played.legal() == {"S19", "F"}
    assert code_of_refusal(played, "7") == "must_follow"


@cases("led, hand, legal", [(F, (18, 9), {"S18"}), (22, (9, F), {"F"})])
def test_case_4_fools_ask_for_samurai_and_are_asked_for(led: int, hand: tuple[int, int], legal: set[str]) -> None:
    played = at_the_tricks((led, 6, 7, 8), (*hand, 10, 11), (12, 13, 14, 15), (16, 17, 19, 20), dealer=DAVE)
    played.move(Play(led))
    assert played.legal() == legal


def test_case_5_only_the_card_that_was_led_binds() -> None:
    played = at_the_tricks((9, 10, 11, 12), (21, 7, 8, 13), (19, 6, F, 18), (14, 15, 16, 17), dealer=DAVE)
    played.play("9", "21")
    assert played.legal() == {"S19", "V6", "F", "S18"}


@cases(
    "case, trick, place",
    [
        (6, (9, 21, 17, F), 1),
        (6, (6, F, 22), 2),
        (8, (22, F, F), 2),
        (8, (F, 22, F, 21), 2),
        (8, (F, F, 22), 1),
        (8, (F, F, F), 2),
    ],
)
def test_cases_6_and_8_the_last_of_several_fools_wins_else_the_best_card(
    case: int, trick: tuple[int, ...], place: int
) -> None:
    for leader in range(len(trick)):
        assert winner_of_trick(trick, leader) == (leader + place) % len(trick), case


@cases("raised, points", [(None, 3), ("double", 6), ("zero", 0), ("villagers", 5)])
def test_case_9_score_of_two_tricks_with_the_18_and_five_villagers(raised: str | None, points: int) -> None:
    assert points_for_tricks_under_nobori(2, (18, 6, 7, 8, 19, 9, 10, F), raised, 4) == points  # type: ignore[arg-type]  # a Nobori


@cases("raised, points", [(None, -2), ("double", -4), ("zero", 0), ("villagers", -2)])
def test_case_12_score_of_a_seat_without_a_trick(raised: str | None, points: int) -> None:
    assert points_for_tricks_under_nobori(0, (), raised, 4) == points  # type: ignore[arg-type]  # a Nobori


def test_case_14_the_second_swap_gets_the_hand_of_the_first() -> None:
    played = Played(*FOUR, dealer=DAVE)
    yomi = played.state.yomi
    assert played.play("swap") == [Swapped(ALICE, yomi)]
    assert played.play("swap") == [Swapped(BOB, FOUR[ALICE])]
    assert played.state.hands[:2] == (yomi, FOUR[ALICE])
    assert played.state.yomi == FOUR[BOB]


def test_case_16_a_nobori_serves_once_and_only_one_is_played_a_round() -> None:
    played = Played(*THREE, terms=Terms(rounds=2))
    played.play("double")
    assert code_of_refusal(played, "look B") == "own_hand"
    played.play("none", "none")
    assert code_of_refusal(played, "zero") == "wrong_kind"
    play_round(played)
    while played.to_move != ALICE:
        played.play("none")
    assert code_of_refusal(played, "double") == "used_double"
    assert {GAME.format(move) for move in GAME.legal(played.state, ALICE)} == {
        *("none", "zero", "villagers", "swap", "look yomi", "look B", "look C")
    }


def play_round(played: Played) -> list[Event]:
    """Plays first legal cards until the next deal or the end; returns the events of the last one."""
    number, events = played.state.number, list[Event]()
    while not played.state.over and played.state.number == number:
        events = played.move(GAME.legal(played.state, played.to_move)[0], luck(len(played.events)))
    return events


@cases("used", NOBORI)
def test_case_16_every_used_nobori_is_refused(used: str) -> None:
    played = Played(*THREE)
    played.play("look yomi" if used == "look" else used)
    play_round(played.no_nobori())
    while played.to_move != ALICE:
        played.play("none")
    assert code_of_refusal(played, "look yomi" if used == "look" else used) == f"used_{used}"


def test_case_17_the_seat_left_of_the_dealer_begins_and_deals_next_round() -> None:
    played = Played(*THREE, dealer=CAROL)
    order = []
    while played.state.phase == "nobori":
        order.append(played.to_move)
        played.play("none")
    assert order == [ALICE, BOB, CAROL]
    assert played.to_move == ALICE
    play_round(played)
    assert (played.state.dealer, played.to_move) == (ALICE, BOB)


# --- Nobori ------------------------------------------------------------------------------------------------


def test_looking_at_a_hand_shows_the_cards_it_holds_at_that_moment() -> None:
    played = Played(*FOUR, dealer=DAVE)
    played.play("swap")
    assert played.play("look A") == [Looked(BOB, ALICE, rest_of_four())]
    assert played.play("look yomi") == [Looked(CAROL, None, FOUR[ALICE])]


def rest_of_four() -> tuple[int, ...]:
    return tuple(cards_in_no_hand(4, *FOUR)[:4])


def test_looking_at_ones_own_hand_or_an_empty_seat_is_refused() -> None:
    played = Played(*FOUR, dealer=DAVE)
    assert code_of_refusal(played, "look A") == "own_hand"
    assert code_of_refusal(played, "look E") == "no_such_seat"
    assert code_of_refusal(played, Look(15)) == "no_such_seat"
    assert code_of_refusal(played, "19") == "wrong_kind"


@cases("seats, moves", [(3, 8), (4, 9), (5, 10)])
def test_there_are_five_more_nobori_moves_than_players(seats: int, moves: int) -> None:
    state = GAME.evolve(None, first_deal(seats))
    assert len(GAME.legal(state, state.active)) == moves


def test_the_nobori_of_a_round_work_for_that_round_alone() -> None:
    played = Played(*THREE, terms=Terms(rounds=3))
    assert played.play("zero") == [Raised(ALICE, "zero")]
    play_round(played.no_nobori())
    assert played.state.sheet[0][ALICE] == 0
    assert played.state.raised == (None,) * 3
    assert played.state.nobori[ALICE] == ("double", "villagers", "swap", "look")


@pytest.mark.long
def test_a_player_without_nobori_is_skipped_without_a_question() -> None:
    played = Played(*THREE, dealer=CAROL, terms=Terms(rounds=7))
    for number, nobori in enumerate(NOBORI, 1):
        while played.state.phase == "nobori":
            played.play(f"{nobori} yomi" if nobori == "look" else nobori) if played.to_move == BOB else played.play(
                "none"
            )
        play_round(played)
        assert played.state.number == number + 1
    assert played.state.nobori[BOB] == ()
    while Skipped(BOB) not in played.events:
        played.play("none")
    at = played.events.index(Skipped(BOB))
    assert played.events[at - 1] == Kept(ALICE)
    assert played.to_move == CAROL


@pytest.mark.long
def test_when_no_player_has_nobori_left_tricks_follow_the_deal_at_once() -> None:
    played = Played(*THREE, dealer=CAROL, terms=Terms(rounds=6))
    for nobori in NOBORI:
        while played.state.phase == "nobori":
            played.play("look yomi" if nobori == "look" else nobori)
        events = play_round(played)
    assert [type(event) for event in events[-4:]] == [Dealt, Skipped, Skipped, Skipped]
    assert [ask.kind for ask in GAME.pending(played.state)] == ["card"]


# --- tricks ------------------------------------------------------------------------------------------------


def test_a_trick_goes_to_its_winner_who_leads_the_next() -> None:
    played = at_the_tricks(*FOUR, dealer=DAVE)
    played.play("6", "9", "14")
    assert played.play("18") == [CardPlayed(DAVE, 18), TrickWon(DAVE)]
    assert played.to_move == DAVE
    assert played.state.won[DAVE] == (6, 9, 14, 18)
    assert played.state.tricks == (0, 0, 0, 1)


def test_a_card_that_is_not_in_the_hand_is_refused() -> None:
    assert code_of_refusal(at_the_tricks(*FOUR, dealer=DAVE), "9") == "not_in_hand"
    assert code_of_refusal(at_the_tricks(*FOUR, dealer=DAVE), "swap") == "wrong_kind"


@cases("seat", [BOB, CAROL, DAVE])
def test_a_card_played_out_of_turn_is_refused(seat: int) -> None:
    state = at_the_tricks(*FOUR, dealer=DAVE).state
    with pytest.raises(IllegalMove, match="not_asked"):
        GAME.decide(state, seat, Play(19), ScriptedChance())


def test_last_cards_are_laid_in_the_decision_that_leaves_no_choice() -> None:
    played = at_the_tricks(*THREE, dealer=CAROL)
    tricks = ["6", "11", "22", "21", "7", "12", "20", "8", "13", "19", "9"]
    played.play(*tricks)
    events = played.play("14", chance=luck())
    assert events[:7] == [
        CardPlayed(BOB, 14),
        TrickWon(CAROL),
        CardPlayed(CAROL, 18),
        CardPlayed(ALICE, 10),
        CardPlayed(BOB, 15),
        TrickWon(CAROL),
        Scored((-2, -2, 6)),
    ]
    assert [type(event) for event in events[7:]] == [Dealt]
    assert (played.state.totals, played.state.sheet) == ((-2, -2, 6), ((-2, -2, 6),))


def test_the_winner_of_every_trick_also_wins_the_one_laid_automatically() -> None:
    played = at_the_tricks((6, 7, 8, 9), (22, 21, 20, 19), (10, 11, 12, 13), (14, 15, 16, 17), dealer=DAVE)
    played.play("6", "19", "10", "14", "20", "11", "15", "7", "21", "12", "16")
    events = played.play("8", chance=luck())
    assert Scored((-2, 4, -2, -2)) in events


# --- the score ---------------------------------------------------------------------------------------------


@cases("seats, wanted", [(3, 4), (4, 4), (5, 5)])
@cases("more", [0, 1, 3])
def test_ruling_7_the_villagers_banner_scores_from_the_wanted_number_on(seats: int, wanted: int, more: int) -> None:
    assert villagers_wanted(seats) == wanted
    villagers = tuple(range(6, 6 + wanted + more))
    assert points_for_tricks_under_nobori(2, (*villagers, 19, F), "villagers", seats) == 4
    assert points_for_tricks_under_nobori(2, (*villagers[more + 1 :], 19, F, F), "villagers", seats) == 2


def test_ruling_6_the_18_counts_for_the_player_who_took_its_trick() -> None:
    assert points_for_tricks_under_nobori(1, (18, 22, 19), None, 3) == 2
    assert points_for_tricks_under_nobori(1, (17, 22, 19), None, 3) == 1


def test_ruling_15_an_old_fool_alone_loses_to_any_villager() -> None:
    assert winner_of_trick((F, 1, 2), 0) == CAROL
    assert winner_of_trick((1, F, 2), 0) == CAROL
