"""How long an order stands: a question, a turn, a round, or until it is stopped."""

from pbem.kit.contract import Ask, Scope
from pbem.kit.orders.following import Standing, after_answer, standing_from_now_on, still_stands
from pbem.kit.orders.shapes import Always
from tests.harness.cases import cases
from tests.kit.toys import ORDERING, Show, State

FIRST, SAME_TURN, NEXT_TURN = (Ask(0, f"{turn}.{n}", turn, "show") for turn, n in (("t0", 1), ("t0", 2), ("t2", 1)))
ROUND, NEXT_ROUND = State((1, 2), at=1), State((1, 2), at=2)


def order_with_scope(scope: Scope) -> Standing:
    return standing_from_now_on(Always(kind="show", move=Show(1), scope=scope), ORDERING, ROUND)


@cases(
    "scope, same_turn, next_turn, next_round",
    [
        ("question", False, False, False),
        ("turn", True, False, False),
        ("round", True, True, False),
        ("match", True, True, True),
    ],
)
def test_an_order_lasts_exactly_as_long_as_its_scope(
    scope: Scope, same_turn: bool, next_turn: bool, next_round: bool
) -> None:
    assert still_stands(order_with_scope(scope), ORDERING, ROUND, FIRST)
    after = after_answer(order_with_scope(scope), FIRST)
    assert still_stands(after, ORDERING, ROUND, FIRST)
    assert still_stands(after, ORDERING, ROUND, SAME_TURN) == same_turn
    assert still_stands(after, ORDERING, ROUND, NEXT_TURN) == next_turn
    assert still_stands(after, ORDERING, NEXT_ROUND, NEXT_TURN) == next_round


def test_an_order_for_a_turn_waits_for_a_turn_with_its_kind_of_question() -> None:
    assert still_stands(order_with_scope("turn"), ORDERING, ROUND, NEXT_TURN)
    assert still_stands(after_answer(order_with_scope("turn"), NEXT_TURN), ORDERING, ROUND, NEXT_TURN)


@cases("scope", ["question", "turn", "round"])
def test_only_an_order_for_the_match_outlives_its_round_without_answering(scope: Scope) -> None:
    assert not still_stands(order_with_scope(scope), ORDERING, NEXT_ROUND, FIRST)
    assert still_stands(order_with_scope("match"), ORDERING, NEXT_ROUND, FIRST)


def test_later_answers_do_not_move_the_turn_of_an_order() -> None:
    assert after_answer(after_answer(order_with_scope("turn"), FIRST), NEXT_TURN).first == FIRST
