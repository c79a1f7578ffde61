"""What a decision looks at: hidden things are veiled. And what counts once something was taken back."""

import pytest

from pbem.kit.contract import Viewer
from pbem.kit.play import EPOCH
from pbem.kit.replay import AnyEntry, By, Entry, Undone, fresh_from, full_fold, taker_of
from pbem.kit.takeback import VEILED, LookedAt, veil
from tests.harness.cases import cases
from tests.kit.toys import GLIMPSE, Dealt, Glimpsed


@cases(
    "look",
    [
        lambda one: one == "F1", lambda one: one in {"F1"}, lambda one: "F1" in ("M1", one),
        bool, str, lambda one: one[0], lambda one: one.clan, lambda one: one < 3,
        lambda one: sorted(["F1", one]), len, lambda one: one + 1, lambda one: 1 + one,
        list, {"F1": 1}.get, lambda one: [0][one],
    ],
)  # fmt: skip
def test_whatever_looks_at_something_hidden_is_found_out(look: object) -> None:
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


def test_what_nothing_is_hidden_in_stays_as_it_is() -> None:
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


def test_a_move_is_taken_back_by_whose_decision_was_the_first_of_it() -> None:
    assert taker_of(UNDONE, UNDONE[3]) == 1
    assert taker_of(UNDONE, UNDONE[6]) == 0


def test_a_fold_is_that_of_what_counts_and_so_is_what_is_fresh() -> None:
    assert full_fold(GLIMPSE, UNDONE[:4]) == full_fold(GLIMPSE, UNDONE[:2])
    assert full_fold(GLIMPSE, UNDONE) == full_fold(GLIMPSE, UNDONE[:1])
    for viewer in (None, 0, 1, 2):
        assert fresh(UNDONE[:4], viewer) in (fresh(UNDONE[:2], viewer), 5)
    assert fresh(UNDONE, 1) == 1, "whose answer was taken back has not been asked yet"


def fresh(log: list[AnyEntry], viewer: Viewer) -> int:
    return fresh_from(GLIMPSE, log, viewer, GLIMPSE.pending(full_fold(GLIMPSE, log)))
