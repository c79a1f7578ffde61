"""The worked cases by their number, then one test or more for each ruling."""

import pytest
from msgspec.structs import replace

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts import (
    Announced,
    Answered,
    Caught,
    Challenge,
    Give,
    Given,
    Hit,
    LetPass,
    MatchBegan,
    MatchWon,
    Missed,
    Mistaken,
    RoundBegan,
    RoundEnded,
    TargetRaised,
    TurnBegan,
    Unchallenged,
)
from pbem.games.allegeance.facts_state import Table
from pbem.games.samurai import CARDS
from pbem.kit.chance import ScriptedChance, SeedChance
from pbem.kit.codec import encode
from pbem.kit.contract import Event, IllegalMove, Move, Outcome
from pbem.kit.play import Table as Match
from pbem.kit.play import random_decisions
from pbem.kit.secrecy import redact
from tests.games.allegeance.tables import ALICE, BOB, CAROL, CHARLIE, DAVE, Played
from tests.harness.cases import cases


def code_of_refusal(played: Played, seat: int, move: str | Move) -> str:
    """Returns the code of the refusal; checks that the state has not changed."""
    before = played.state
    wanted = GAME.parse(move) if isinstance(move, str) else move
    with pytest.raises(IllegalMove) as caught:
        GAME.decide(before, seat, wanted, ScriptedChance())
    assert played.state == before
    return caught.value.code


# --- the worked cases --------------------------------------------------------------------------------------


def test_case_1_a_hit_is_given_away_without_a_window() -> None:
    played = Played(4, "T1")
    assert played.play(ALICE, "announce T1") == [Announced(ALICE, False, "T1"), Hit(False, "T1")]
    assert played.seats_asked() == [ALICE]
    assert played.texts(ALICE) == {"give B", "give C", "give D"}
    assert code_of_refusal(played, ALICE, "give A") == "give_self"
    began = TurnBegan(BOB, False, (), ("T1",), ((), (), ("T1",), ()))
    assert played.play(ALICE, "give C") == [Given(ALICE, CAROL, False, "T1"), began]
    assert played.state.hands == ((), (), ("T1",), ())
    assert code_of_refusal(played, BOB, "T1") == "banned"
    assert len(played.texts(BOB)) == 15


def test_case_2_an_unchallenged_miss_lies_on_the_palace() -> None:
    played = Played(4, "F2")
    assert played.play(ALICE, "T1") == [Announced(ALICE, False, "T1"), Missed(False, "F2", ())]
    assert played.seats_asked() == [BOB, CAROL, DAVE]
    assert played.all_pass()[-2] == Unchallenged()
    assert played.state.palace == ("F2",)
    assert "announce T1" not in played.texts(BOB)
    assert "announce F2" in played.texts(BOB)


def test_case_3_a_right_challenge_makes_the_announcer_take_both_cards() -> None:
    played = Played(4, "F2 M3")
    played.miss(ALICE, "T1")
    played.play(BOB, "F2")
    assert played.play(CAROL, "pass") == [Answered(CAROL, False)]
    happened = played.play(DAVE, "challenge")
    assert happened[:2] == [Answered(DAVE, True), Caught(BOB, DAVE, None, False, "F2", "M3")]
    assert played.state.hands == ((), ("F2", "M3"), (), ())
    assert played.state.palace == ()


def test_case_4_the_announced_card_is_taken_out_of_the_hand_that_holds_it() -> None:
    played = Played(4, "T1 F2 B2")
    played.play(ALICE, "T1")
    played.play(ALICE, "give D")
    played.miss(BOB, "M1")
    played.play(CAROL, "T1")
    happened = played.play(DAVE, "challenge")
    assert happened[1] == Caught(CAROL, DAVE, DAVE, False, "T1", "B2")
    assert played.state.hands == ((), (), ("T1", "B2"), ())
    assert played.state.palace == ("F2",)


def test_case_6_a_wrong_challenger_takes_the_revealed_card() -> None:
    played = Played(4, "B2 T1")
    played.play(ALICE, "T1")
    played.play(BOB, "pass")
    happened = played.play(CAROL, "challenge")
    assert happened[1] == Mistaken(CAROL, False, "B2")
    assert played.state.hands == ((), (), ("B2",), ())
    assert played.state.palace == ()
    assert played.state.door[0] == "T1"
    assert "announce T1" not in played.texts(BOB)


def test_case_7_of_two_sealed_challenges_the_nearest_clockwise_counts() -> None:
    played = Played(4, "B2 T1")
    played.play(ALICE, "T1")
    assert played.play(DAVE, "challenge") == [Answered(DAVE, True)]
    assert played.seats_asked() == [BOB, CAROL]
    happened = played.play(BOB, "challenge")
    assert happened[1] == Mistaken(BOB, False, "B2")
    assert played.state.hands == ((), ("B2",), (), ())
    wish = Answered(DAVE, True)
    assert wish in played.events
    assert [redact(wish, viewer).challenge for viewer in (CHARLIE, ALICE, BOB, DAVE)] == [None, None, None, True]


def test_case_9_with_two_players_the_last_announcement_of_each_is_banned() -> None:
    played = Played(2, "F1 F2 F3 F4")
    played.miss(ALICE, "T1")
    assert len(played.texts(BOB)) == 15
    assert code_of_refusal(played, BOB, "T1") == "banned"
    played.miss(BOB, "T2")
    assert len(played.texts(ALICE)) == 14
    assert code_of_refusal(played, ALICE, "T1") == code_of_refusal(played, ALICE, "T2") == "banned"
    played.miss(ALICE, "T3")
    assert code_of_refusal(played, BOB, "T3") == code_of_refusal(played, BOB, "T2") == "banned"
    assert "announce T1" in played.texts(BOB)


def test_case_10_missing_the_last_card_opens_no_window_and_ends_the_round() -> None:
    played = Played(3, ["T1", *(c for c in CARDS if c not in ("T1", "B2"))], target=1)
    played.play(ALICE, "T1")
    played.play(ALICE, "give C")
    played.until(2)
    played.miss(played.state.active, "B2")
    assert played.state.door == ("B2",)
    assert "F1" in played.state.palace
    happened = played.play(played.state.active, "F1")
    assert [type(e) for e in happened] == [Announced, Missed, RoundEnded, MatchWon]
    assert happened[2] == RoundEnded((ALICE, BOB))
    assert played.state.hands == ((), (), ("T1",))
    assert played.state.palace[-1] == "B2"
    assert played.seats_asked() == []


def test_case_12_the_last_card_may_be_unannounceable() -> None:
    played = Played(3, [*(c for c in CARDS if c not in ("B2", "B3")), "B2", "B3"]).until(2)
    played.miss(played.state.active, "B3")
    assert played.state.door == ("B3",)
    assert code_of_refusal(played, played.state.active, "B3") == "banned"


def test_case_19_a_card_given_is_known_only_to_its_holder() -> None:
    played = Played(4, "T1")
    played.play(ALICE, "T1")
    played.play(ALICE, "give C")
    assert played.fold_of(ALICE).hands == ((), (), (None,), ())
    assert played.fold_of(CHARLIE).hands == ((), (), (None,), ())
    assert played.fold_of(CAROL).hands == ((), (), ("T1",), ())


# --- rulings -----------------------------------------------------------------------------------------------


def test_r1_nobody_gives_to_themselves_or_to_an_empty_seat() -> None:
    played = Played(3, "T1")
    played.play(ALICE, "T1")
    assert code_of_refusal(played, ALICE, "give A") == "give_self"
    assert code_of_refusal(played, ALICE, "give D") == "no_such_seat"


def test_r2_taking_the_top_of_the_palace_uncovers_the_card_below() -> None:
    played = Played(4, "F1 F2 T1")
    played.miss(ALICE, "B1")
    played.miss(BOB, "B2")
    assert played.fold_of(DAVE).palace == (None, "F2")
    played.play(CAROL, "B3")
    assert played.fold_of(ALICE).palace == (None, None, "T1")
    played.play(DAVE, "challenge")
    assert played.state.palace == ("F1", "F2")
    assert played.fold_of(ALICE).palace == (None, "F2")
    assert played.fold_of(ALICE).hands[DAVE] == (None,)


def test_r2_a_card_taken_from_below_lowers_the_pile() -> None:
    played = Played(4, "F1 F2 T1")
    played.miss(ALICE, "B1")
    played.miss(BOB, "B2")
    played.play(CAROL, "F1")
    played.play(DAVE, "challenge")
    assert played.state.palace == ("F2",)
    assert played.state.hands[CAROL] == ("F1", "T1")
    assert played.fold_of(ALICE).palace == ("F2",)
    assert played.fold_of(ALICE).hands[CAROL] == (None, None)


def test_r4_an_announcer_holding_the_card_takes_only_the_revealed_one() -> None:
    played = Played(2, "F1 F2 T1 M1")
    played.play(ALICE, "F1")
    played.miss(BOB, "T3")
    played.miss(ALICE, "T4")
    played.play(BOB, "F1")
    happened = played.play(ALICE, "challenge")
    assert happened[1] == Caught(BOB, ALICE, BOB, False, "F1", "M1")
    assert played.state.hands == ((), ("F1", "M1"))
    assert played.state.palace == ("F2", "T1")


def test_r3_a_caught_announcer_takes_the_card_from_a_third_players_hand() -> None:
    played = Played(4, "T1 F2")
    played.play(ALICE, "T1")
    played.play(ALICE, "give D")
    played.miss(BOB, "M4")
    played.play(CAROL, "T1")
    played.play(DAVE, "pass")
    played.play(ALICE, "challenge")
    assert played.state.hands == ((), (), ("T1", "F1"), ())


def test_r5_the_window_closes_once_no_nearer_seat_can_challenge() -> None:
    played = Played(4, "B2")
    played.play(ALICE, "T1")
    played.play(BOB, "challenge")
    assert played.state.phase == "announce"
    assert played.seats_asked() == [BOB]
    assert code_of_refusal(played, CAROL, "challenge") == "not_asked"


def test_r5_the_window_stays_open_while_a_nearer_seat_may_still_challenge() -> None:
    played = Played(4, "B2")
    played.play(ALICE, "T1")
    played.play(CAROL, "challenge")
    played.play(DAVE, "challenge")
    assert played.seats_asked() == [BOB]
    assert played.play(BOB, "pass")[1] == Mistaken(CAROL, False, "B2")


def test_r5_a_miss_opens_the_window_whether_or_not_the_card_is_out() -> None:
    for card in ("F1", "M4"):  # one is out, the other is not
        played = Played(3, "F1 F2")
        played.miss(ALICE, "B4")
        played.play(BOB, card)
        assert played.seats_asked() == [ALICE, CAROL]
        assert all(played.texts(seat) == {"challenge", "pass"} for seat in played.seats_asked())


@pytest.mark.long
@cases("seats", [2, 3, 4])
def test_r6_the_left_neighbour_begins_the_next_round(seats: int) -> None:
    played = Played(seats, CARDS, first=seats - 1).until(1)
    happened = played.play(played.state.active, "T2", CARDS)
    assert RoundBegan(0, CARDS) in happened
    assert played.state.active == played.state.first == 0
    assert played.state.round == 2


@pytest.mark.long
def test_r7_and_r9_all_players_may_get_a_token_in_every_round() -> None:
    played = Played(4, CARDS, target=5)
    for _ in range(4):
        played.until(1)
        played.play(played.state.active, "T2", CARDS)
    assert played.state.tokens == (4, 4, 4, 4)


def test_r8_players_with_equal_tokens_share_the_victory() -> None:
    played = Played(3, CARDS, target=1).until(1)
    happened = played.play(played.state.active, "T2")
    assert happened[-2:] == [RoundEnded((0, 1, 2)), MatchWon((0, 1, 2))]
    assert GAME.outcome(played.state) == Outcome("shared", (0, 1, 2), (1, 1, 1))
    assert GAME.pending(played.state) == ()


def test_r18_a_tie_is_broken_by_another_round_for_one_token_more() -> None:
    played = Played(3, CARDS, target=1, ties="round").until(1)
    happened = played.play(played.state.active, "T2", CARDS)
    assert happened[-4:-1] == [RoundEnded((0, 1, 2)), TargetRaised(), RoundBegan(1, CARDS)]
    assert (played.state.target, played.state.tokens) == (2, (1, 1, 1))
    assert GAME.outcome(played.state) is None
    played.play(BOB, "F1")
    played.play(BOB, "give A")
    played.until(1)
    happened = played.play(played.state.active, "T2", CARDS)
    assert RoundEnded((BOB, CAROL)) in happened, "they are tied again"
    assert (played.state.target, played.state.tokens, played.state.ties) == (3, (1, 2, 2), 3)


def test_r18_a_tie_is_over_once_one_player_alone_has_the_raised_target() -> None:
    played = Played(2, CARDS, target=2, ties="round").until(1)
    tied = replace(played.state, tokens=(1, 2), target=3, ties=4)
    ended = GAME.decide(tied, tied.active, GAME.parse("T2"), ScriptedChance(CARDS))
    assert [type(event) for event in ended[2:]] == [RoundEnded, MatchWon]
    assert ended[-1] == MatchWon((BOB,))
    behind = replace(played.state, tokens=(1, 2), target=3, ties=4, hands=((), ("F1",)))
    ended = GAME.decide(behind, behind.active, GAME.parse("T2"), ScriptedChance(CARDS))
    assert [type(event) for event in ended[2:]] == [RoundEnded, RoundBegan, TurnBegan], "both have two of three"


def test_r18_when_no_tie_break_is_left_the_tied_players_share_the_victory() -> None:
    played = Played(3, CARDS, target=2, ties="round").until(1)
    assert played.state.ties == 5
    last = replace(played.state, tokens=(6, 6, 6), target=7, ties=0)
    ended = GAME.decide(last, last.active, GAME.parse("T2"), ScriptedChance())
    assert ended[-1] == MatchWon((0, 1, 2))


def test_a_match_without_tie_breaks_is_logged_as_in_earlier_versions() -> None:
    usual, broken = (encode(Played(3, CARDS, ties=ties).events[0]) for ties in ("shared", "round"))
    assert usual == b'{"open":false,"seats":3,"target":4,"type":"MatchBegan"}'
    assert broken == b'{"open":false,"seats":3,"target":4,"ties":5,"type":"MatchBegan"}'
    assert encode(Table()) == b'{"memory":"closed","target":null}', "an older process reads it"
    assert encode(Table(ties="round")) == b'{"memory":"closed","target":null,"ties":"round"}'


def test_a_single_player_with_enough_tokens_wins_the_match() -> None:
    played = Played(2, CARDS, target=1)
    played.play(ALICE, "F1")
    played.until(1)
    happened = played.play(played.state.active, "T2")
    assert happened[-1] == MatchWon((ALICE,))
    assert GAME.outcome(played.state) == Outcome("won", (ALICE,), (1, 0))


def test_r10_with_two_players_both_cards_that_are_left_may_be_banned() -> None:
    played = Played(2, [*(c for c in CARDS if c not in ("B2", "B3", "B4")), "B4", "B2", "B3"]).until(4)
    played.miss(played.state.active, "B2")
    played.miss(played.state.active, "B3")
    assert set(played.state.door) == {"B2", "B3"}
    assert set(played.state.banned) == {"B2", "B3"}


def test_r11_the_ban_does_not_cross_rounds() -> None:
    played = Played(3, CARDS).until(1)
    played.play(played.state.active, "T2", CARDS)
    assert played.state.banned == ()
    assert len(played.texts(played.state.active)) == 16


def test_r12_a_card_that_is_out_may_be_announced() -> None:
    played = Played(3, "F1")
    played.miss(ALICE, "T1")
    assert "announce F1" in played.texts(BOB)


def test_r13_a_last_card_that_is_hit_is_given_before_hands_are_counted() -> None:
    played = Played(3, [c for c in CARDS if c != "B2"]).until(1)
    giver = played.state.active
    played.play(giver, "B2")
    happened = played.play(giver, f"give {'ABC'[(giver + 1) % 3]}", CARDS)
    assert happened[1] == RoundEnded(tuple(s for s in range(3) if s != (giver + 1) % 3))


def test_r14_the_answering_player_sees_the_card_revealed_last() -> None:
    played = Played(3, "F1")
    played.play(ALICE, "T1")
    assert (played.fold_of(BOB).announced, played.fold_of(BOB).palace) == ("T1", ("F1",))


@cases("seats, target", [(2, 5), (3, 4), (4, 3)])
def test_the_usual_number_of_tokens_follows_from_the_number_of_players(seats: int, target: int) -> None:
    assert Played(seats, CARDS).state.target == target
    assert Played(seats, CARDS, target=2).state.target == 2


def test_the_first_player_is_drawn_by_lot() -> None:
    begun = [GAME.setup(4, Table(), SeedChance(bytes([n]) * 32, 1, "setup"))[1] for n in range(60)]
    assert {event.first for event in begun if isinstance(event, RoundBegan)} == {0, 1, 2, 3}


def test_with_two_players_a_hit_is_given_at_once() -> None:
    played = Played(2, "F1")
    assert [type(e) for e in played.play(ALICE, "F1")] == [Announced, Hit, Given, TurnBegan]
    assert played.state.hands == ((), ("F1",))
    assert played.seats_asked() == [BOB]


# --- moves that do not fit, windows, the clock --------------------------------------------------------------


@cases("move", ["give B", "challenge", "pass"])
def test_a_move_that_answers_another_question_is_refused(move: str) -> None:
    assert code_of_refusal(Played(3, "F1"), ALICE, move) == "wrong_kind"


def test_nobody_answers_out_of_turn_or_twice() -> None:
    played = Played(3, "F1")
    assert code_of_refusal(played, BOB, "F1") == "not_asked"
    played.play(ALICE, "T1")
    assert code_of_refusal(played, ALICE, "challenge") == "not_asked"
    played.play(CAROL, "pass")
    assert code_of_refusal(played, CAROL, "challenge") == "not_asked"
    assert code_of_refusal(played, BOB, "F2") == "wrong_kind"


def test_only_the_question_whether_to_challenge_is_a_window() -> None:
    assert {name: kind.window for name, kind in GAME.meta.asks.items()} == {
        "announce": False,
        "give": False,
        "answer": True,
    }


def test_a_turn_groups_the_questions_of_announcer_and_challengers() -> None:
    played = Played(3, "F1")
    assert [(a.key, a.turn) for a in GAME.pending(played.state)] == [("r1.t1.announce", "r1.t1")]
    played.play(ALICE, "T1")
    assert [a.key for a in GAME.pending(played.state)] == ["r1.t1.answer1", "r1.t1.answer2"]


def test_r17_the_clock_announces_nothing_that_the_seat_sees_to_be_out() -> None:
    played = Played(2, "F1 T1 F2")
    played.play(ALICE, "F1")
    played.miss(BOB, "B1")
    played.miss(ALICE, "B2")
    own = played.fold_of(BOB)
    drawn = {GAME.format(GAME.fallback(own, BOB, SeedChance(bytes(32), n, "fallback", BOB))) for n in range(300)}
    allowed = set(CARDS) - {"F1", "F2", "B1", "B2"}
    assert drawn == {f"announce {card}" for card in allowed}


def test_r17_the_clock_announces_any_legal_card_if_the_seat_sees_them_all() -> None:
    full = Played(2, CARDS).fold_of(ALICE)
    own = replace(full, hands=(CARDS[:13], ()), palace=("B2",), banned=("B3", "B4"), door=full.door[:2])
    drawn = {GAME.fallback(own, ALICE, SeedChance(bytes(32), n, "fallback", ALICE)) for n in range(300)}
    assert drawn == set(GAME.legal(own, ALICE))
    assert len(drawn) == 14


def test_r17_the_clock_never_challenges_and_gives_to_the_poorest() -> None:
    played = Played(4, "T1 F1")
    played.play(ALICE, "T1")
    played.play(ALICE, "give B")
    played.play(BOB, "M1")
    assert GAME.fallback(played.fold_of(CAROL), CAROL, SeedChance(bytes(32), 1, "fallback")) == LetPass()
    played.all_pass()
    played.play(CAROL, "F2")
    gifts = {GAME.fallback(played.fold_of(CAROL), CAROL, SeedChance(bytes(32), n, "fallback")) for n in range(60)}
    assert gifts == {Give(ALICE), Give(DAVE)}


def test_a_preview_is_the_one_event_known_from_the_movers_own_view() -> None:
    played = Played(3, "F1 F2")
    assert GAME.preview(played.fold_of(ALICE), ALICE, GAME.parse("F1")) == [Announced(ALICE, False, "F1")]
    played.play(ALICE, "F1")
    assert GAME.preview(played.fold_of(ALICE), ALICE, Give(BOB)) == [Given(ALICE, BOB, False, "F1")]
    played.play(ALICE, "give B")
    played.play(BOB, "T1")
    assert GAME.preview(played.fold_of(CAROL), CAROL, Challenge()) == [Answered(CAROL, True)]


@cases(
    "event",
    [
        Given(0, 1, False, "F1"),
        Hit(False, "F1"),
        RoundEnded((0,)),
        TargetRaised(),
        MatchWon((0,)),
        Caught(0, 1, None, False, "F1", "F2"),
        RoundBegan(0, CARDS),
        TurnBegan(0, False, (), (), ((), (), ())),
    ],
)
def test_an_event_out_of_order_raises(event: Event) -> None:
    with pytest.raises(ValueError, match="cannot happen now"):
        GAME.evolve(Played(3, CARDS).state, event)


def test_the_first_event_must_be_the_beginning_of_the_match() -> None:
    with pytest.raises(ValueError, match="begins with the match"):
        GAME.evolve(None, RoundBegan(0, CARDS))
    assert GAME.evolve(None, MatchBegan(2, 5, False)).seats == 2


@pytest.mark.long
def test_no_hand_or_pile_grows_beyond_33_cards_in_a_shuffled_log() -> None:
    table = Match(GAME, 3, Table(target=1), bytes(32))
    for _ in random_decisions(table):
        pass
    luck = SeedChance(bytes(32), 1, "bot")
    events = [entry.event for entry in table.entries]
    followed = 0
    for _ in range(200):
        state = Played(3, CARDS).state
        for event in luck.shuffled(events * 3):
            try:
                state = GAME.evolve(state, event)
            except ValueError:
                continue
            followed += 1
            assert max(map(len, state.hands)) <= 33
            assert len(state.palace) <= 33
            GAME.pending(state)
    assert followed > 1000
