"""What a decision looks at: hidden things are veiled. And what counts once something was taken back."""

from collections.abc import Sequence
from typing import Annotated, Any

import pytest

from pbem.kit.chance import NO_LUCK, Luck
from pbem.kit.contract import Event, Move, Seat, Viewer
from pbem.kit.folds import Folds, no_folds
from pbem.kit.play import EPOCH
from pbem.kit.replay import AnyEntry, By, Entry, Undone, first_entry_still_fresh, full_fold, owner_of_undone_decision
from pbem.kit.secrecy import to
from pbem.kit.takeback import (
    FREE,
    OWN,
    SHOWN,
    VEILED,
    Answered,
    LookedAt,
    does_move_draw,
    is_free_to_take_back,
    kind_of_knowledge_told,
    seats_with_secrets_shown_to_taker,
    veil,
)
from tests.harness.cases import cases
from tests.kit.toys import GLIMPSE, Dealt, GaveUp, GiveUp, Glimpse, Glimpsed, Show, State


@cases(
    "look",
    [
        lambda one: one == "F1", lambda one: one in {"F1"}, lambda one: "F1" in ("M1", one),
        bool, str, lambda one: one[0], lambda one: one.clan, lambda one: one < 3,
        lambda one: sorted(["F1", one]), len, lambda one: one + 1, lambda one: 1 + one,
        list, {"F1": 1}.get, lambda one: [0][one],
    ],
)  # fmt: skip
def test_reading_a_hidden_value_is_detected_in_every_way(look: object) -> None:
    with pytest.raises(LookedAt):
        look(VEILED)  # type: ignore[operator]


def test_hands_are_veiled_except_cards_seen_by_all_or_only_the_viewer() -> None:
    full, mine = (("F1", "F2"), ("M1", "M2", "M3")), (("F1", "F2"), (None, "M2", "M1"))
    public, other = ((None, None), (None, None, "M2")), ((None, "F2"), ("M1", "M2", "M3"))
    veiled = veil(full, mine, public, [other])
    assert veiled[0][0] == "F1"
    assert veiled[0][1] is VEILED, "another has seen it, but not everybody"
    assert veiled[1][0] is VEILED
    assert veiled[1][1] == "M2", "everybody has seen it"
    assert veiled[1][2] is VEILED


def test_each_of_two_like_cards_that_another_has_seen_is_veiled() -> None:
    hands = (("F1", "F1", "M2"),)
    assert [one is VEILED for one in veil(hands, hands, ((None, None, None),), [hands])[0]] == [True, True, True]
    assert [one is VEILED for one in veil(hands, hands, (("F1", None, None),), [hands])[0]] == [False, True, True]


def test_a_value_without_hidden_parts_is_not_veiled() -> None:
    assert veil((None, 3, {"a": None}), (None, 3, {"a": None}), (None, 3, {"a": None})) == (None, 3, {"a": None})


UNDONE: list[AnyEntry] = [
    Entry(1, EPOCH, By(table=True), None, Dealt((10, 20, 30))),
    Entry(2, EPOCH, By(seat=0), "t0.show", Glimpsed(0, 10)),
    Entry(3, EPOCH, By(seat=1), "t1.show", Glimpsed(1, 20)),
    Entry(4, EPOCH, By(table=True), None, Undone(2)),
    Entry(5, EPOCH, By(seat=1), "t1.show~1", Glimpsed(1, 20)),
    Entry(6, EPOCH, By(seat=2), "t2.show~1", Glimpsed(2, 30)),
    Entry(7, EPOCH, By(table=True), None, Undone(1)),
]


def test_a_takeback_belongs_to_the_seat_of_the_first_decision_it_undoes() -> None:
    assert owner_of_undone_decision(UNDONE, UNDONE[3]) == 1
    assert owner_of_undone_decision(UNDONE, UNDONE[6]) == 0


def test_folds_and_freshness_leave_out_entries_taken_back() -> None:
    assert full_fold(GLIMPSE, UNDONE[:4]) == full_fold(GLIMPSE, UNDONE[:2])
    assert full_fold(GLIMPSE, UNDONE) == full_fold(GLIMPSE, UNDONE[:1])
    for viewer in (None, 0, 1, 2):
        assert first_fresh_entry(UNDONE[:4], viewer) in (first_fresh_entry(UNDONE[:2], viewer), 5)
    assert first_fresh_entry(UNDONE, 1) == 1, "whose answer was taken back has not been asked yet"


def first_fresh_entry(log: list[AnyEntry], viewer: Viewer) -> int:
    return first_entry_still_fresh(GLIMPSE, log, viewer, GLIMPSE.pending(full_fold(GLIMPSE, log)))


# --- which moves go back without asking ---------------------------------------------------------------------


class Whispered(Event, frozen=True):
    seat: Seat
    hearer: Seat
    number: Annotated[int | None, to("seat", "hearer")]


class Whispering(Glimpse):
    """Who shows in tone 1 tells the next seat alone a number, that of the seat which is this many places on."""

    def __init__(self, ahead: int) -> None:
        self.ahead = ahead

    def decide(self, state: Any, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        if isinstance(move, GiveUp):
            return [GaveUp(seat)]
        seats = len(state.numbers)
        hearer = seat if move == Show(2) else (seat + 1) % seats
        return [Whispered(seat, hearer, state.numbers[(seat + self.ahead) % seats])]

    def evolve(self, state: State | None, event: Event) -> State:
        if isinstance(event, Whispered):
            assert state is not None
            return state  # who has heard what is of no account
        return super().evolve(state, event)


class Passed(Event, frozen=True):
    seat: Seat
    hearer: Seat
    number: Annotated[int | None, to("hearer")]


class Passing(Whispering):
    """Who shows gives the next seat the number of the last one, and does not look at it."""

    def __init__(self) -> None:
        super().__init__(2)

    def decide(self, state: Any, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        return [Passed(one.seat, one.hearer, one.number) for one in super().decide(state, seat, move, luck)]  # type: ignore[attr-defined]

    def evolve(self, state: State | None, event: Event) -> State:
        if isinstance(event, Passed):
            assert state is not None
            return state
        return super().evolve(state, event)


DEALT = Dealt((10, 20, 30))
STATE = GLIMPSE.evolve(None, DEALT)


def folds_before(game: Glimpse) -> Folds:
    return no_folds(3).after(game, [DEALT], None)


@cases(
    "game, move, made, free",
    [
        (GLIMPSE, Show(1), (Glimpsed(0, 10),), True),
        (GLIMPSE, Show(1), (Glimpsed(0, 11),), False),  # the rules do not say so any more
        (Whispering(0), GiveUp(), (GaveUp(0),), True),  # nothing is hidden in it
        (Whispering(0), Show(2), (Whispered(0, 0, 10),), True),  # a note to oneself
        (Whispering(0), Show(1), (Whispered(0, 1, 10),), False),  # one of the others knows more than the third
        (Whispering(1), Show(2), (Whispered(0, 0, 20),), False),  # the mover has seen another's number
    ],
)
def test_a_move_showing_its_mover_nothing_and_all_others_the_same_is_free(
    game: Glimpse, move: Move, made: Sequence[Event], free: bool
) -> None:
    assert is_free_to_take_back(game, folds_before(game), Answered(0, move, made)) is free


def test_a_move_for_which_luck_was_drawn_is_not_free_to_take_back() -> None:
    assert not is_free_to_take_back(GLIMPSE, folds_before(GLIMPSE), Answered(0, GiveUp(), (GaveUp(0),)))
    assert does_move_draw(GLIMPSE, STATE, 0, GiveUp())
    assert not does_move_draw(GLIMPSE, STATE, 0, Show(1))
    assert does_move_draw(GLIMPSE, STATE, 1, Show(1)), "the rules refuse it, so nobody knows"
    assert GLIMPSE.decide(STATE, 0, Show(1), NO_LUCK) == [Glimpsed(0, 10)]


@cases(
    "game, answers, taker, shown",
    [
        (GLIMPSE, [Answered(0, Show(1), (Glimpsed(0, 10),))], 0, set()),  # their own move shows them nothing
        (Whispering(0), [Answered(0, Show(1), (Whispered(0, 1, 10),))], 1, {0}),  # they hear what seat 0 knew
        (Whispering(0), [Answered(0, Show(1), (Whispered(0, 1, 10),))], 2, set()),  # they do not hear it
        (Whispering(2), [Answered(0, Show(1), (Whispered(0, 1, 30),))], 1, None),  # seat 0 did not know it either
        (Whispering(2), [Answered(0, Show(1), (Whispered(0, 1, 30),))], 0, None),  # and their move shows it to them
        (GLIMPSE, [Answered(0, GiveUp(), (GaveUp(0),))], 1, None),  # luck was drawn
    ],
)
def test_secrets_shown_by_later_moves_are_attributed_to_their_seats(
    game: Glimpse, answers: list[Answered], taker: int, shown: set[int] | None
) -> None:
    assert seats_with_secrets_shown_to_taker(game, [DEALT], answers, taker) == shown


@cases(
    "game, move, made, told",
    [
        (GLIMPSE, Show(1), (Glimpsed(0, 10),), FREE),
        (Whispering(0), Show(1), (Whispered(0, 1, 10),), OWN),  # one of the others knows more than the third
        (Whispering(2), Show(1), (Whispered(0, 1, 30),), SHOWN),  # the mover sees another's number, too
        (Passing(), Show(1), (Passed(0, 1, 30),), None),  # only who hears it does
        (GLIMPSE, Show(1), (Glimpsed(0, 11),), SHOWN),  # the rules do not say so any more
    ],
)
def test_what_a_decision_told_is_computed_from_the_folds_before_it(
    game: Glimpse, move: Move, made: Sequence[Event], told: int
) -> None:
    assert kind_of_knowledge_told(game, folds_before(game), Answered(0, move, made)) == told
