"""The worked cases by their number, then one test or more for each ruling."""

import itertools

import pytest
from msgspec.structs import replace

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import (
    AllyChosen,
    Began,
    Call,
    Called,
    Declare,
    Declared,
    Exchange,
    Exchanged,
    Guess,
    HogenOptions,
    Passed,
    Refuted,
    Stopped,
    Unmasked,
    answers_call,
    calls_allowed_with_ally,
    cards_seat_may_name_as_ally,
)
from pbem.games.hogen.rules import EXCHANGE_CAP, open_palace
from pbem.games.samurai import CARDS
from pbem.kit.chance import ScriptedChance, SeedChance
from pbem.kit.choices import kinds_of
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import IllegalMove, Move, Outcome
from pbem.kit.replay import evolve_all
from pbem.kit.secrecy import redact
from tests.games.hogen.tables import ALICE, BOB, CAROL, CHARLIE, DAVE, Played
from tests.harness.cases import cases


def code_of_refusal(played: Played, move: str | Move) -> str:
    """Returns the code of the refusal; checks that the state has not changed."""
    before = played.state
    with pytest.raises(IllegalMove) as caught:
        played.play(move) if isinstance(move, str) else played.move(move)
    assert played.state == before
    assert caught.value.code in GAME.meta.refusals
    return caught.value.code


# --- the worked cases --------------------------------------------------------------------------------------


def test_case_1_a_card_whose_clan_or_rank_lies_open_goes_under_the_pile() -> None:
    palace, pile = open_palace(["M1", "M3", "F1", "F4", "T4", "T3", "B2", "F2", "F3"])
    assert palace == ("M1", "F4", "T3", "B2")
    assert pile == ("F2", "F3", "M3", "F1", "T4")


def test_case_2_the_legal_calls_follow_from_the_ally() -> None:
    calls = ["M", "T", "B", "1", "3", "4", "F1", "F3", "F4", "M2", "T2", "B2"]
    assert Played().legal(ALICE) == {f"call {call}" for call in calls}


@cases(
    "call, code",
    [
        ("F", "single_shares"),
        ("2", "single_shares"),
        ("F2", "double_shares"),
        ("T1", "double_shares"),
        ("M4", "double_shares"),
    ],
)
def test_case_2_other_calls_are_refused(call: str, code: str) -> None:
    assert code_of_refusal(Played(), f"call {call}") == code


def test_case_3_the_first_who_can_answer_must_and_becomes_active() -> None:
    played = Played()
    assert played.play("call 4") == [Called(ALICE, None, 4)]
    assert played.legal(BOB) == {f"give B4 take {card}" for card in ("M1", "F4", "T3", "B2")}
    assert played.play("give B4 take M1") == [Exchanged(BOB, "B4", "M1")]
    assert played.state.palace == ("F4", "T3", "B2", "B4")
    assert played.state.hands[BOB] == ("M2", "M1")
    assert played.state.active == BOB
    assert played.state.failed == ()


def test_cases_4_and_20_seats_that_cannot_answer_or_come_later_go_unasked() -> None:
    played = Played()
    assert played.play("call 3") == [Called(ALICE, None, 3), Passed(BOB)]
    assert [ask.seat for ask in GAME.pending(played.state)] == [CAROL]
    played.play("give F3 take B2")
    assert played.state.active == CAROL
    assert played.state.hands[DAVE] == ("B3", "T4")


def test_case_5_a_card_that_shares_the_rank_may_be_called() -> None:
    played = Played()
    played.play("call M2")
    assert played.legal(BOB) == {f"give M2 take {card}" for card in ("M1", "F4", "T3", "B2")}


def test_case_6_an_ally_does_not_answer_and_the_call_comes_back() -> None:
    played = Played()
    assert played.play("call F1") == [Called(ALICE, "F", 1), Passed(BOB), Passed(CAROL), Passed(DAVE)]
    assert [(ask.seat, ask.kind) for ask in GAME.pending(played.state)] == [(ALICE, "act")]
    assert code_of_refusal(played, "call F1") == "already_failed"
    assert len(played.legal(ALICE)) == 11


def test_case_7_a_palace_card_may_be_called_and_both_calls_stay_forbidden() -> None:
    played = Played()
    played.play("call F1")
    assert played.play("call B2")[1:] == [Passed(BOB), Passed(CAROL), Passed(DAVE)]
    assert len(played.legal(ALICE)) == 10
    assert code_of_refusal(played, "call F1") == "already_failed"
    assert code_of_refusal(played, "call B2") == "already_failed"


@cases(
    "move, code",
    [
        ("give B4 take B4", "take_another"),
        ("give M2 take M1", "does_not_fit"),
        ("give B4 take T4", "not_in_palace"),
        ("give F1 take M1", "not_in_hand"),
    ],
)
def test_case_9_an_exchange_gives_a_fitting_card_for_another_of_the_palace(move: str, code: str) -> None:
    played = Played()
    played.play("call 4")
    assert code_of_refusal(played, move) == code


def test_case_11_a_wrong_declaration_tells_the_truth_to_the_declarer_alone() -> None:
    played = Played()
    played.play("call F1")
    happened = played.play("declare B=F1 C=B1 D=B3")
    guess = (Guess(BOB, "F1"), Guess(CAROL, "B1"), Guess(DAVE, "B3"))
    assert happened == [Declared(ALICE, guess), Refuted(ALICE, ("F1", "B1", "M3"))]
    assert played.state.out == (True, False, False, False)
    assert (played.state.active, played.state.failed) == (BOB, ())
    assert played.fold_of(ALICE).allies == ("F2", "F1", "B1", "M3")
    assert played.fold_of(BOB).allies == (None, "F1", None, None)
    assert played.fold_of(CHARLIE).allies == (None, None, None, None)
    assert redact(happened[1], CHARLIE) == Refuted(ALICE, (None, None, None))


@cases(
    "declaration, code",
    [
        ("declare B=F1 C=B1 D=M1", "named_palace"),
        ("declare B=F1 C=B1 D=B1", "named_twice"),
        ("declare B=T1 C=B1 D=M3", "named_own"),
        ("declare B=F2 C=B1 D=M3", "named_own"),
        ("declare B=F1 C=B1", "name_everybody"),
        ("declare A=M3 B=F1 C=B1", "name_everybody"),
    ],
)
def test_case_16_an_impossible_declaration_is_refused(declaration: str, code: str) -> None:
    assert code_of_refusal(Played(), declaration) == code


def test_case_19_an_onlooker_knows_the_card_that_was_taken_and_no_other() -> None:
    played = Played()
    played.play("call 4")
    played.play("give B4 take M1")
    assert played.fold_of(CAROL).hands[BOB] == (None, "M1")
    assert played.fold_of(CHARLIE).hands == ((None, None), (None, "M1"), (None, None), (None, None))


# --- the rulings -------------------------------------------------------------------------------------------


@cases("seats", [3, 4])
def test_ruling_1_four_clans_of_four_ranks_lie_open_and_the_rest_is_dealt(seats: int) -> None:
    for n in range(50):
        luck = SeedChance(n.to_bytes(32, "big"), 1, "setup")
        state = evolve_all(GAME, None, GAME.setup(seats, HogenOptions(), luck))
        assert {card[0] for card in state.palace} == set("FMTB")
        assert {card[1] for card in state.palace} == set("1234")
        assert [len(hand) for hand in state.hands] == [{3: 4, 4: 3}[seats]] * seats
        assert sorted([*state.palace, *itertools.chain(*state.hands)]) == sorted(CARDS)


@pytest.mark.long
def test_ruling_1_every_one_of_the_24_palaces_can_lie_open() -> None:
    palaces = {frozenset(open_palace(pile)[0]) for pile in _piles(2000)}
    assert len(palaces) == 24


def _piles(count: int) -> list[tuple[str, ...]]:
    return [SeedChance(n.to_bytes(32, "big"), 1, "setup").shuffled(CARDS) for n in range(count)]


def test_ruling_2_the_card_just_laid_is_not_among_those_to_take() -> None:
    played = Played()
    played.play("call B")
    assert all(isinstance(m, Exchange) and m.take != m.give for m in GAME.legal(played.state, BOB))


def test_ruling_3_an_exchange_lifts_the_ban_on_failed_calls() -> None:
    played = Played()
    played.play("call F1")
    assert code_of_refusal(played, "call F1") == "already_failed"
    played.play("call 4")
    played.play("give B4 take M1")
    assert played.state.failed == ()


def test_ruling_3_a_call_that_was_answered_may_be_made_again() -> None:
    played = Played()
    played.play("call 3")
    played.play("give F3 take B2")
    assert "call 3" in played.legal(CAROL)


def test_ruling_3_a_wrong_declaration_lifts_the_ban_on_failed_calls() -> None:
    played = Played()
    played.play("call F1")
    played.play("declare B=F3 C=B1 D=M3")
    assert played.state.failed == ()


def test_ruling_4_some_call_for_a_clan_or_a_rank_is_always_answered() -> None:
    """For any ally and any six cards of the others, one of the six single calls has an answer."""
    for ally in CARDS:
        singles = [call for call in calls_allowed_with_ally(ally) if call.clan is None or call.rank is None]
        assert len(singles) == 6
        for card in CARDS:
            if card != ally:
                assert any(answers_call(card, call) for call in singles)


def test_ruling_5_each_ally_has_twelve_calls_sharing_one_attribute_at_most() -> None:
    for ally in CARDS:
        calls = calls_allowed_with_ally(ally)
        assert len(set(calls)) == 12
        for call in calls:
            shared = (call.clan == ally[0]) + (str(call.rank) == ally[1])
            assert shared == (1 if call.clan and call.rank else 0)


def test_a_call_without_clan_and_rank_is_refused() -> None:
    assert code_of_refusal(Played(), Call()) == "empty_call"


def test_ruling_6_three_players_name_two_allies() -> None:
    played = Played(3)
    assert len(kinds_of(GAME.legal(played.state, ALICE))["Declare"]) == 8 * 7
    assert played.play("declare B=F1 C=B1")[-1] == Unmasked(ALICE, (Guess(BOB, "F1"), Guess(CAROL, "B1")))


def test_ruling_6_four_players_name_three_allies_who_are_out_included() -> None:
    played = Played()
    assert len(kinds_of(GAME.legal(played.state, ALICE))["Declare"]) == 9 * 8 * 7
    played.play("declare B=F3 C=B1 D=M3")
    assert played.play("declare A=F2 C=B1 D=M3")[-1] == Unmasked(
        BOB, (Guess(ALICE, "F2"), Guess(CAROL, "B1"), Guess(DAVE, "M3"))
    )
    assert GAME.outcome(played.state) == Outcome("found", (BOB,))
    assert GAME.pending(played.state) == ()


def test_ruling_7_the_one_who_is_out_answers_and_the_next_clockwise_leads() -> None:
    played = Played()
    played.play("declare B=F3 C=B1 D=M3")
    assert played.state.active == BOB
    assert played.play("call T1") == [Called(BOB, "T", 1), Passed(CAROL), Passed(DAVE)]
    played.play("give T1 take M1")
    assert played.state.active == BOB


def test_ruling_7_after_a_wrong_declaration_the_turn_skips_seats_out() -> None:
    played = Played()
    played.play("declare B=F3 C=B1 D=M3")
    played.play("call B")
    played.play("give B3 take M1")
    assert played.state.active == DAVE
    played.play("declare A=F2 B=F1 C=F3")
    assert played.state.active == BOB


def test_ruling_7_the_last_seat_gets_a_question_of_its_own_for_each_call() -> None:
    played = Played(3)
    played.play("declare B=F3 C=B1")
    played.play("declare A=F2 C=T2")
    keys = [ask.key for ask in GAME.pending(played.state)]
    assert played.state.active == CAROL
    played.play("call 4")
    played.play("give M4 take M1")
    assert played.state.active == CAROL
    assert keys + [ask.key for ask in GAME.pending(played.state)] == ["t3.act0", "t5.act0"]


def test_ruling_8_a_partly_right_guess_looks_like_a_wholly_wrong_one() -> None:
    views = []
    for guess in ("B=F1 C=B1 D=B3", "B=F3 C=T2 D=B3"):
        played = Played()
        played.play(f"declare {guess}")
        refuted = [redact(e, BOB) for e in played.events if not isinstance(e, Declared)]
        views.append((refuted, replace(played.fold_of(BOB), named=())))  # the guess is public
    assert views[0] == views[1]


def test_a_declaration_is_the_same_in_whatever_order_it_names_the_others() -> None:
    ordered = Declare((Guess(BOB, "F1"), Guess(CAROL, "B1"), Guess(DAVE, "M3")))
    for guesses in itertools.permutations(ordered.allies):
        sent = {"type": "Declare", "allies": [{"seat": g.seat, "card": g.card} for g in guesses]}
        move = codec_for(GAME).move_of(sent)
        assert encode(move) == encode(ordered)  # by this the service recognises a repeated answer
        assert move == ordered == Declare(guesses)
        assert move in GAME.legal(Played().state, ALICE)
        assert Played().move(move)[-1] == Unmasked(ALICE, ordered.allies)


@cases("seats", [(BOB, CAROL), (BOB, CAROL, CAROL), (BOB, CAROL, ALICE), (BOB, CAROL, DAVE, DAVE)])
def test_a_declaration_that_does_not_name_every_other_seat_once_is_refused(seats: tuple[int, ...]) -> None:
    cards = ("F1", "B1", "B3", "T2")
    move = Declare(tuple(Guess(seat, card) for seat, card in zip(seats, cards, strict=False)))
    assert code_of_refusal(Played(), move) == "name_everybody"


def test_ruling_9_a_card_known_to_be_in_another_hand_may_be_named() -> None:
    played = Played()
    played.play("call 4")
    played.play("give B4 take M1")
    played.play("call T1")
    played.play("give T1 take F4")
    assert played.fold_of(ALICE).hands[BOB] == (None, "M1")
    assert "M1" in cards_seat_may_name_as_ally(played.state, ALICE)


def test_ruling_9_declarations_are_legal_by_the_declarers_own_knowledge() -> None:
    played = Played()
    cards = [c for c in CARDS if c not in (*played.state.palace, "T1", "M4", "F2")]
    for named in itertools.permutations(cards, 3):
        move = Declare(tuple(Guess(s, c) for s, c in zip((BOB, CAROL, DAVE), named, strict=True)))
        assert move in GAME.legal(played.state, ALICE)


def test_ruling_10_every_exchange_and_guess_is_public() -> None:
    for event in (Called(0, "F", 1), Passed(1), Exchanged(1, "F1", "M1"), Declared(0, (Guess(1, "F1"),)), Began(0)):
        assert redact(event, CHARLIE) == event


@pytest.mark.long
def test_ruling_11_after_a_hundred_exchanges_nobody_wins() -> None:
    played = Played(3)
    exchanges = 0
    while GAME.outcome(played.state) is None:
        (ask,) = GAME.pending(played.state)
        happened = played.move(
            GAME.fallback(played.fold_of(ask.seat), ask.seat, SeedChance(bytes(32), len(played.events), "fallback"))
        )
        exchanges += any(isinstance(e, Exchanged) for e in happened)
    assert exchanges == EXCHANGE_CAP == 100
    assert played.events[-1] == Stopped("cap")
    assert GAME.outcome(played.state) == Outcome("cap")


@pytest.mark.long
def test_ruling_12_the_fallback_calls_for_one_thing_and_never_declares() -> None:
    played = Played()
    for n in range(100):
        move = GAME.fallback(played.fold_of(ALICE), ALICE, SeedChance(n.to_bytes(32, "big"), 1, "fallback"))
        assert isinstance(move, Call)
        assert move.clan is None or move.rank is None


@pytest.mark.long
def test_ruling_12_the_fallback_shuns_calls_that_failed() -> None:
    played = Played()
    played.play("call 1")
    assert played.state.active == ALICE
    for n in range(100):
        move = GAME.fallback(played.fold_of(ALICE), ALICE, SeedChance(n.to_bytes(32, "big"), 1, "fallback"))
        assert move != Call(rank=1)


def test_ruling_12_every_answer_is_a_possible_fallback() -> None:
    played = Played()
    played.play("call B")
    drawn = {
        GAME.fallback(played.fold_of(BOB), BOB, SeedChance(n.to_bytes(32, "big"), 1, "fallback")) for n in range(200)
    }
    assert drawn == set(GAME.legal(played.state, BOB))


def test_ruling_13_the_lot_says_who_begins() -> None:
    for first in range(4):
        assert Played(first=first).state.active == first


def test_a_match_in_which_every_declaration_was_wrong_has_no_winner() -> None:
    played = Played(3)
    played.play("declare B=F3 C=B1")
    played.play("declare A=F2 C=T2")
    assert played.play("declare A=F2 B=M2")[-1] == Stopped("all_wrong")
    assert GAME.outcome(played.state) == Outcome("all_wrong")
    assert GAME.pending(played.state) == ()


def test_all_seats_choose_allies_at_once_and_each_choice_stays_hidden() -> None:
    luck = SeedChance(bytes(32), 1, "setup")
    state = evolve_all(GAME, None, GAME.setup(4, HogenOptions(), luck))
    assert [ask.seat for ask in GAME.pending(state)] == [ALICE, BOB, CAROL, DAVE]
    card = state.hands[CAROL][1]
    events = GAME.decide(state, CAROL, GAME.parse(f"ally {card}"), ScriptedChance())
    assert [redact(e, ALICE) for e in events] == [AllyChosen(CAROL, None)]
    after = evolve_all(GAME, state, events)
    assert [(a.seat, a.key) for a in GAME.pending(after)] == [(0, "t0.ally0"), (1, "t0.ally1"), (3, "t0.ally3")]
    with pytest.raises(IllegalMove, match="not_asked"):
        GAME.decide(after, CAROL, GAME.parse(f"ally {card}"), ScriptedChance())


def test_an_ally_must_be_a_card_of_ones_own_hand() -> None:
    state = evolve_all(GAME, None, GAME.setup(4, HogenOptions(), SeedChance(bytes(32), 1, "setup")))
    with pytest.raises(IllegalMove, match="not_in_hand"):
        GAME.decide(state, ALICE, GAME.parse(f"ally {state.hands[BOB][0]}"), ScriptedChance())
