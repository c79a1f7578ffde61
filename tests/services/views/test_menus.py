"""Moves that are chosen step by step: in the order of their path, or in any order."""

from __future__ import annotations

import random

import pytest

from pbem.games.hexen_rennen.facts import Divide, division_at_index
from pbem.services.views.match_views import View
from pbem.services.views.menus import Menu, Option, menu_after_picks, picks_of
from tests.table import House

WHOLE = Divide(((2, 5, 9), (3, 4, 10), (6, 7, 8)))
PICKS = ("1-2", "1-5", "1-9", "2-3", "2-4", "2-10", "3-6", "3-7", "3-8")


@pytest.fixture
def view(house: House) -> View:
    """A seat that divides its numbers."""
    return house.view(house.begin(2, "hexen-rennen"), 0)


def texts_of(found: Menu) -> list[str]:
    return [option.step.text for option in found.options]


def options_elsewhere(found: Menu) -> dict[str, Option]:
    return {option.step.text: option for option in found.free}


@pytest.mark.long
def test_the_steps_of_a_division_make_the_same_move_in_any_order(view: View) -> None:
    for n in range(5):
        picks = random.Random(n).sample(PICKS, len(PICKS))
        assert menu_after_picks(view, "en", picks).move == WHOLE
        assert menu_after_picks(view, "en", picks).picks_taken == PICKS


def test_a_division_can_begin_with_any_number_and_any_stage(view: View) -> None:
    fresh = menu_after_picks(view, "en", ())
    assert texts_of(fresh) == ["1-2", "2-2", "3-2"], "one number after the other on the list"
    assert len(fresh.options) + len(fresh.free) == 27, "all of them on the board"
    after = menu_after_picks(view, "en", options_elsewhere(fresh)["3-7"].picks)
    assert after.picks_taken == ("3-7",)
    assert options_elsewhere(after)["2-10"].picks == ("3-7", "2-10")


def test_steps_that_follow_from_the_picks_are_taken_automatically(view: View) -> None:
    assert menu_after_picks(view, "en", ("3-8", "3-7", "3-6", "1-2", "1-5", "1-9")).move == WHOLE
    almost = menu_after_picks(view, "en", ("3-8", "3-7", "3-6", "1-2", "1-5"))
    assert almost.move is None
    assert {*texts_of(almost), *options_elsewhere(almost)} >= {f"1-{n}" for n in (3, 4, 9, 10)}


@pytest.mark.long
def test_moving_a_number_to_a_full_stage_drops_the_oldest_pick(view: View) -> None:
    early = menu_after_picks(view, "en", ("3-7", "1-2"))
    assert options_elsewhere(early)["2-7"].picks == ("1-2", "2-7")
    full = menu_after_picks(view, "en", ("1-2", "1-5", "1-9"))
    assert options_elsewhere(full)["1-3"].picks == ("1-5", "1-9", "1-3")
    whole = menu_after_picks(view, "en", PICKS)
    moved = menu_after_picks(view, "en", options_elsewhere(whole)["1-6"].picks)
    assert moved.move == Divide(((5, 6, 9), (3, 4, 10), (2, 7, 8))), "the 2 had been placed first"


@pytest.mark.long
def test_each_step_can_be_taken_back_and_the_last_one_changed(view: View) -> None:
    some = menu_after_picks(view, "en", ("3-7", "1-2", "2-4"))
    assert some.before == ("3-7", "1-2")
    assert [(option.step.text, option.picks) for option in some.back] == [
        ("3-7", ("1-2", "2-4")),
        ("1-2", ("3-7", "2-4")),
        ("2-4", ("3-7", "1-2")),
    ]
    whole = menu_after_picks(view, "en", PICKS)
    assert texts_of(whole) == ["1-10", "2-10", "3-10"]
    assert [{*option.picks} <= {*whole.picks_taken} for option in whole.options] == [False, True, False]


def test_picks_that_no_move_combines_are_dropped(view: View) -> None:
    for picks in (("1-2", "2-2"), ("1-2", "1-3", "1-4", "1-5"), ("1-11",), ("nonsense", "1-2")):
        found = menu_after_picks(view, "en", picks)
        assert found.lost
        assert found.picks_taken == ()


@pytest.mark.long
def test_choosing_all_steps_of_a_move_in_the_menu_gives_that_move(view: View) -> None:
    for index in range(0, 1680, 397):
        move = division_at_index(index)
        assert menu_after_picks(view, "en", picks_of(view.game, view, move)).move == move
