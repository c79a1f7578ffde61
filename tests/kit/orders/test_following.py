"""What orders answer: the first that is legal, nothing else than what they say, and never what a guard keeps back."""

from typing import Any

from pbem.kit.chance import ScriptedChance
from pbem.kit.contract import Move, Order
from pbem.kit.orders.following import OTHERWISE, follow, order_left_to_come, why_failed
from pbem.kit.orders.shapes import Always, Line, Prefer
from pbem.kit.play import Table
from pbem.kit.replay import By
from pbem.kit.secrecy import redact
from pbem.kit.texts import Text
from tests.kit.toys import ORDERING, Dealt, GaveUp, GiveUp, Glimpsed, Louder, Show


def table_after_moves(*moves: Move) -> Table:
    """A match of two in which these moves have been made."""
    found = Table(ORDERING, 2, None, bytes(32))
    for move in moves:
        (ask,) = ORDERING.pending(found.state)
        found.play(ask, move, By(seat=ask.seat))
    return found


def answer_of_order(order: Order, at: Table, since: int = 0) -> Move | None:
    """What the order of the seat that is asked answers; it was made when the log had `since` entries."""
    (ask,) = ORDERING.pending(at.state)
    seen = [redact(entry.event, ask.seat) for entry in at.entries[since:]]
    return follow(order, ORDERING, at.folds[ask.seat], ask, ScriptedChance(), seen)


def test_a_fixed_answer_is_given_to_every_question_of_its_kind() -> None:
    for at in (table_after_moves(), table_after_moves(Show(1))):
        assert answer_of_order(Always(kind="show", move=Show(2)), at) == Show(2)


def test_an_order_for_another_kind_of_question_answers_nothing() -> None:
    assert answer_of_order(Always(kind="answer", move=Show(2)), table_after_moves()) is None


def test_a_list_order_plays_its_first_legal_move_or_else_asks_the_owner() -> None:
    assert answer_of_order(Prefer(kind="show", moves=(Show(7), Show(2), Show(1))), table_after_moves()) == Show(2)
    assert answer_of_order(Prefer(kind="show", moves=(Show(7), Show(8))), table_after_moves()) is None


def test_a_rule_of_the_game_answers_or_leaves_the_question_to_its_owner() -> None:
    assert answer_of_order(Louder(tone=2, turns=(1,)), table_after_moves()) == Show(1)
    assert answer_of_order(Louder(tone=2, turns=(1,)), table_after_moves(Show(1))) == Show(2)
    assert answer_of_order(Louder(tone=2), table_after_moves(Show(1), Show(1), Show(1))) is None


def test_a_rule_that_answers_what_is_not_legal_asks_its_owner() -> None:
    class Reckless(type(ORDERING)):  # type: ignore[misc]  # a class of a test
        def follow(self, *args: Any) -> Move:
            return Show(9)

    (ask,) = ORDERING.pending(table_after_moves().state)
    assert follow(Louder(tone=1), Reckless(), table_after_moves().folds[0], ask, ScriptedChance()) is None


def test_an_order_asks_its_owner_while_its_guard_holds() -> None:
    order = Always(kind="show", move=Show(2), ask_if=("begun",))
    assert answer_of_order(order, table_after_moves()) == Show(2)
    assert answer_of_order(order, table_after_moves(Show(1))) is None


def test_a_planned_line_answers_after_exactly_its_events() -> None:
    at = table_after_moves(Show(1))
    shown = Glimpsed(0, at.folds[0].numbers[0])
    assert [entry.event for entry in at.entries[1:]] == [shown]
    assert answer_of_order(Line(after=(shown,), kind="show", move=Show(2)), at, since=1) == Show(2)
    assert answer_of_order(Line(after=(GaveUp(0),), kind="show", move=Show(2)), at, since=1) is None
    assert answer_of_order(Line(after=(shown, shown), kind="show", move=Show(2)), at, since=1) is None
    dealt = Dealt((None, None))  # what everybody sees of it
    assert answer_of_order(Line(after=(dealt, shown), kind="show", move=Show(2)), at) == Show(2)
    further = table_after_moves(Show(1), Show(1))
    assert answer_of_order(Line(after=(shown,), kind="show", move=GiveUp()), further, since=1) is None


def reason_of_failure(order: Order, at: Table) -> Text | None:
    """Why the order of the seat that is asked could not answer."""
    (ask,) = ORDERING.pending(at.state)
    return why_failed(order, ORDERING, at.folds[ask.seat], ask)


def test_an_order_that_asks_on_purpose_reports_no_failure() -> None:
    begun = table_after_moves(Show(1))
    assert reason_of_failure(Always(kind="show", move=Show(7), ask_if=("begun",)), begun) is None
    assert reason_of_failure(Louder(tone=2), begun) is None, "its rule leaves the question"


def test_an_order_that_failed_gives_the_reason() -> None:
    begun = table_after_moves(Show(1))
    assert reason_of_failure(Line(after=(GaveUp(0),), kind="show", move=Show(2)), begun) == OTHERWISE
    refused = reason_of_failure(Prefer(kind="show", moves=(Show(7), Show(8))), begun)
    assert refused is not None
    assert refused.en.startswith("Your order could not be followed. show 7: ")
    assert "{" not in refused.en + refused.fr


def test_a_planned_line_waits_for_its_next_events_and_ends_with_others() -> None:
    def line(*after: GaveUp) -> Line[Any, Any]:
        return Line(after=after, kind="show", move=Show(1))

    first, second = GaveUp(0), GaveUp(1)
    assert order_left_to_come(line(first, second), []) == line(first, second)
    assert order_left_to_come(line(first, second), [first]) == line(second)
    assert order_left_to_come(line(first, second), [second]) is None
    assert order_left_to_come(line(first, second), [first, second]) is None, "its question was put"
    assert order_left_to_come(line(first), [second]) is None


def test_orders_other_than_lines_wait_for_no_events() -> None:
    always = Always(kind="show", move=Show(1))
    assert order_left_to_come(always, [GaveUp(0)]) == always
