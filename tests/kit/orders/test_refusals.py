"""What cannot be ordered: what answers no question, what could never be legal, and in a window what might ask."""

from pbem.kit.contract import AnyGame, Move, Order
from pbem.kit.orders.shapes import ORDER_REFUSALS, Always, Line, Prefer, refusal_of_order, text_of_refusal
from pbem.kit.play import Table
from pbem.kit.texts import LANGS
from tests.harness.cases import cases
from tests.kit.toys import ORDERING, WINDOWED, GaveUp, GiveUp, Louder, Show


def code_of_refusal(order: Order, game: AnyGame = ORDERING) -> str | None:
    """The code with which seat 0 cannot save the order at the beginning, when it is asked; None if it can."""
    found = refusal_of_order(order, game, Table(game, 2, None, bytes(32)).folds[0], 0)
    if found is not None and found.code in ORDER_REFUSALS:
        assert all("{" not in text_of_refusal(found, game)[lang] for lang in LANGS)
    return found.code if found else None


@cases(
    "order",
    [
        Always(kind="show", move=Show(1)),
        Prefer(kind="show", moves=(Show(2),), ask_if=("begun",)),
        Line(after=(GaveUp(1),), kind="show", move=Show(1)),
        Louder(tone=1, scope="match"),
        Always(kind="show", move=GiveUp(), scope="question"),
    ],
)
def test_a_valid_order_is_accepted(order: Order) -> None:
    assert code_of_refusal(order) is None


def test_an_order_with_an_unknown_question_move_or_guard_is_refused() -> None:
    assert code_of_refusal(Always(kind="sing", move=Show(1))) == "order_kind"
    assert code_of_refusal(Prefer(kind="show", moves=(Show(1), Never()))) == "order_move"
    assert code_of_refusal(Louder(tone=1, ask_if=("rain",))) == "order_guard"


def test_an_illegal_order_for_the_open_question_is_refused_with_its_rule() -> None:
    assert code_of_refusal(Always(kind="show", move=Show(7), scope="question")) == "tone"
    assert code_of_refusal(Prefer(kind="show", moves=(Show(7), Show(8)), scope="question")) == "tone"
    assert code_of_refusal(Prefer(kind="show", moves=(Show(7), Show(1)), scope="question")) is None


def test_a_game_may_refuse_an_order_for_a_reason_of_its_own() -> None:
    assert code_of_refusal(Always(kind="show", move=GiveUp())) == "lasting"


def test_in_a_window_an_order_that_might_ask_its_owner_is_refused() -> None:
    assert code_of_refusal(Always(kind="show", move=Show(1)), WINDOWED) is None
    assert code_of_refusal(Prefer(kind="show", moves=(Show(2), Show(1))), WINDOWED) is None
    assert code_of_refusal(Always(kind="show", move=Show(2)), WINDOWED) == "order_may_ask"
    assert code_of_refusal(Prefer(kind="show", moves=(Show(2),)), WINDOWED) == "order_may_ask"
    assert code_of_refusal(Always(kind="show", move=Show(1), ask_if=("begun",)), WINDOWED) == "order_may_ask"
    assert code_of_refusal(Line(after=(GaveUp(1),), kind="show", move=Show(1)), WINDOWED) == "order_may_ask"


def test_the_refusal_in_a_window_names_the_moves_that_are_always_allowed() -> None:
    found = refusal_of_order(
        Always(kind="show", move=Show(2)), WINDOWED, Table(WINDOWED, 2, None, bytes(32)).folds[0], 0
    )
    assert found is not None
    assert text_of_refusal(found, WINDOWED).en.endswith("with a move that is always allowed: show 1.")
    assert text_of_refusal(found, WINDOWED).fr.endswith("par un coup toujours permis\u00a0: show 1.")


class Never(Move, frozen=True):
    """A move that answers no question."""
