"""What is known when a fact comes by itself: all of it, what one seat sees, or each way in which it may come."""

from __future__ import annotations

import pytest

from pbem.kit.chance import ScriptedChance
from pbem.kit.game.knowing import Knows, Unforeseen, results_in_every_way


def test_with_real_luck_a_move_draws_and_knows_every_value() -> None:
    k = Knows(ScriptedChance(3, ("b", "a")))
    assert k.roll("die", 0, (1, 2, 3)) == 3
    assert k.shuffle("deal", "ab") == ("b", "a")
    assert k.need(("x", "y")) == ("x", "y")
    assert k.any(("x", "y"), lambda card: card == "y") is True


def test_a_seats_preview_stops_at_luck_and_hidden_values() -> None:
    k = Knows()
    for ask in (
        lambda: k.roll("die", 0, (1, 2)),
        lambda: k.need(None),
        lambda: k.need(("x", None)),
        lambda: k.value(None, "ab"),
        lambda: k.any((None,), str.isupper, "aB"),
    ):
        with pytest.raises(Unforeseen):
            ask()


def test_a_value_hidden_from_everybody_is_foreseen_by_nobody() -> None:
    assert Knows(ScriptedChance()).uncover("b", "abc") == "b"
    with pytest.raises(Unforeseen):
        Knows().uncover("b", "abc")
    assert results_in_every_way(lambda k: k.uncover("b", "abc")) == ["a", "b", "c"]


def test_a_question_that_no_hidden_card_could_answer_yes_is_known() -> None:
    k = Knows()
    assert k.any((None, "a"), str.isupper, "bc") is False
    assert k.any((None, "A"), str.isupper, "bC") is True
    assert k.value("a", "bc") == "a"


def test_every_way_yields_each_outcome_of_luck_and_hidden_values_once() -> None:
    ways = results_in_every_way(lambda k: (k.roll("die", 0, (1, 2, 3)), k.value(None, "ab")))
    assert ways == [(face, card) for face in (1, 2, 3) for card in "ab"], "in the order of what they may be"


def test_every_way_branches_only_on_values_that_are_asked_for() -> None:
    ways = results_in_every_way(lambda k: k.any((None,), str.isupper, "aB") and k.value(None, "xyz"))
    assert sorted(map(str, ways)) == ["False", "x", "y", "z"]


def test_too_many_outcomes_or_a_shuffle_are_unforeseen() -> None:
    assert len(results_in_every_way(lambda k: k.value(None, range(64)))) == 64
    for run in (
        lambda k: k.value(None, range(65)),
        lambda k: k.roll("die", 0, range(65)),
        lambda k: k.named("first").below(1 << 40),
        lambda k: k.shuffle("deal", "ab"),
        lambda k: k.value(None, ()),
    ):
        with pytest.raises(Unforeseen):
            results_in_every_way(run)
