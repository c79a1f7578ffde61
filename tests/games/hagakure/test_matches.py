"""How a match continues and ends, the options, the questions; and that only a legal move is accepted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Dealt, Ended, Keep, Kept, Look, Play, Raise, Scored, Swap, TrickWon
from pbem.games.hagakure.facts import Played as CardPlayed
from pbem.games.hagakure.facts_state import State, Terms
from pbem.games.hagakure.rules import ROUNDS
from pbem.kit.contract import Event, IllegalMove, Move, Outcome
from pbem.kit.play import Table, random_decisions
from tests.games.hagakure.tables import (
    ALICE,
    BOB,
    CAROL,
    DAVE,
    ERIN,
    FOUR,
    THREE,
    Played,
    at_the_tricks,
    first_deal,
    luck,
    state_after,
)
from tests.harness.cases import cases

# --- the end -----------------------------------------------------------------------------------------------


def before_last_move(totals: tuple[int, ...], number: int, rounds: int, last: int) -> State:
    """A position one move before the end of this round, with these totals before it and equal points in it."""
    played = Played(*THREE, dealer=CAROL, terms=Terms(rounds, last - rounds)).no_nobori()
    played.play("6", "11", "22", "21", "7", "12", "20", "8", "13", "19", "9")
    base = (totals[0] + 2, totals[1] + 2, totals[2] - 6)  # the round gives -2, -2, 6
    return replace(played.state, totals=base, number=number)


def last_event(state: State) -> Event:
    event: Event = GAME.decide(state, BOB, Play(14), luck())[-1]
    return event


def test_the_match_goes_on_until_its_last_round() -> None:
    assert isinstance(last_event(before_last_move((9, 1, 1), 8, 9, 19)), Dealt)


def test_after_the_last_round_the_single_leader_wins() -> None:
    state = before_last_move((9, 1, 1), 9, 9, 19)
    assert last_event(state) == Ended("points", (ALICE,))
    over = state_after_play(state)
    assert GAME.outcome(over) == Outcome("points", (ALICE,), (9, 1, 1))
    assert GAME.pending(over) == ()
    assert GAME.legal(over, ALICE) == ()


def state_after_play(state: State) -> State:
    for event in GAME.decide(state, BOB, Play(14), luck()):
        state = GAME.evolve(state, event)
    return state


def test_ruling_16_a_tie_for_first_place_brings_a_full_round_for_all_seats() -> None:
    state = before_last_move((5, 5, 1), 9, 9, 19)
    dealt = last_event(state)
    assert isinstance(dealt, Dealt)
    assert (dealt.number, dealt.dealer, len(dealt.hands)) == (10, ALICE, 3)


def test_ruling_16_a_seat_that_was_not_tied_may_win_the_extra_round() -> None:
    assert last_event(before_last_move((5, 5, 7), 10, 9, 19)) == Ended("points", (CAROL,))


def test_a_tie_behind_a_single_leader_brings_no_extra_round() -> None:
    assert last_event(before_last_move((5, 5, 7), 9, 9, 19)) == Ended("points", (CAROL,))


def test_ruling_16_after_ten_extra_rounds_the_leaders_share() -> None:
    assert isinstance(last_event(before_last_move((5, 5, 1), 18, 9, 19)), Dealt)
    state = before_last_move((5, 5, 1), 19, 9, 19)
    assert last_event(state) == Ended("shared", (ALICE, BOB))
    assert GAME.outcome(state_after_play(state)) == Outcome("shared", (ALICE, BOB), (5, 5, 1))


# --- options -----------------------------------------------------------------------------------------------


@cases("seats, rounds", [(3, 9), (4, 8), (5, 5)])
def test_ruling_2_the_number_of_rounds_follows_the_players(seats: int, rounds: int) -> None:
    assert ROUNDS[seats] == rounds
    dealt = first_deal(seats)
    assert (dealt.number, dealt.rounds, dealt.last) == (1, rounds, rounds + 10)


@pytest.mark.long
@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize(("rounds", "extra"), [(1, 0), (2, 1), (6, 0), (20, 10)])
def test_a_match_has_its_number_of_rounds_and_at_most_its_extra_rounds(seats: int, rounds: int, extra: int) -> None:
    for number in range(3):
        table = Table(GAME, seats, Terms(rounds, extra), bytes([number]) * 32)
        for _ in random_decisions(table):
            pass
        state = table.state
        assert rounds <= state.number <= rounds + extra
        assert len(state.sheet) == state.number
        assert tuple(map(sum, zip(*state.sheet, strict=True))) == state.totals
        assert state.over == "points" or state.number == rounds + extra


def test_the_deal_passes_to_each_seat_in_turn() -> None:
    table = Table(GAME, 5, Terms(rounds=6, extra_rounds=0), bytes(32))
    for _ in random_decisions(table):
        pass
    dealers = [entry.event.dealer for entry in table.entries if isinstance(entry.event, Dealt)]
    assert [(dealer - dealers[0]) % 5 for dealer in dealers] == [0, 1, 2, 3, 4, 0]
    assert set(dealers) == {ALICE, BOB, CAROL, DAVE, ERIN}


# --- asks --------------------------------------------------------------------------------------------------


def test_questions_that_follow_each_other_for_one_seat_belong_to_one_turn() -> None:
    played = at_the_tricks(*FOUR, dealer=DAVE)
    played.play("6", "9", "14")
    (last,) = GAME.pending(played.state)
    played.play("18")
    (lead,) = GAME.pending(played.state)
    assert last.seat == lead.seat == DAVE
    assert last.turn == lead.turn
    assert last.key != lead.key


# --- history -----------------------------------------------------------------------------------------------


@cases(
    "event",
    [
        Dealt(2, 9, 19, 0, THREE, ()),
        Dealt(1, 9, 19, 0, THREE, ()),
        CardPlayed(0, 6),
        TrickWon(0),
        Scored((1, 1, 1)),
        Ended("points", (0,)),
    ],
)
def test_a_forged_event_out_of_place_is_an_error(event: Event) -> None:
    state = Played(*THREE).state
    with pytest.raises(ValueError, match=r"does not happen|not the deal"):
        GAME.evolve(state, event)


def test_a_log_begins_with_the_deal() -> None:
    with pytest.raises(ValueError, match="begins with the deal"):
        state_after([Kept(0)])


def test_a_deal_for_another_table_or_of_another_round_is_an_error() -> None:
    played = at_the_tricks(*THREE, dealer=CAROL)
    played.play("6", "11", "22", "21", "7", "12", "20", "8", "13", "19", "9")
    events = GAME.decide(played.state, BOB, Play(14), luck())
    played.took(events[:-1])
    for wrong in (Dealt(2, 9, 19, 0, FOUR, ()), Dealt(1, 9, 19, 0, THREE, ()), Dealt(3, 9, 19, 0, THREE, ())):
        with pytest.raises(ValueError, match="not the deal that follows"):
            GAME.evolve(played.state, wrong)


# --- anything at all ---------------------------------------------------------------------------------------


class Foreign(Move, frozen=True):
    """A move that belongs to no game."""

    card: int = 6


MOVES = st.one_of(
    st.just(Keep()),
    st.just(Swap()),
    st.builds(Raise, st.sampled_from(["double", "zero", "villagers"])),
    st.builds(Look, st.none() | st.integers()),
    st.builds(Play, st.integers()),
    st.builds(Foreign, st.integers()),
)


@pytest.mark.long
@given(seats=st.sampled_from([3, 4, 5]), at=st.integers(0, 160), seat=st.integers(0, 4), moves=st.lists(MOVES))
def test_an_arbitrary_move_is_legal_or_refused(seats: int, at: int, seat: int, moves: list[Move]) -> None:
    state = POSITIONS[seats][at % len(POSITIONS[seats])]
    seat %= seats
    legal = GAME.legal(state, seat)
    for move in moves:
        if move in legal:
            assert GAME.decide(state, seat, move, luck())
        else:
            with pytest.raises(IllegalMove) as caught:
                GAME.decide(state, seat, move, luck())
            assert caught.value.code in {*GAME.meta.refusals, "not_asked", "wrong_kind"}


def _positions(seats: int) -> list[State]:
    table = Table(GAME, seats, Terms(rounds=3), bytes(32))
    found = [table.state]
    for _ in random_decisions(table):
        found.append(table.state)
    return [*found, table.state]


POSITIONS = {seats: _positions(seats) for seats in (3, 4, 5)}
