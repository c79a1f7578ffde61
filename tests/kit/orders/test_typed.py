"""Orders as they are typed, in English and in French."""

import pytest
from msgspec import inspect

from pbem.kit.contract import Order, Unreadable
from pbem.kit.orders.shapes import Always, Line, Prefer
from pbem.kit.orders.typed import LONGEST, format_order, parse_order, read_value
from tests.harness.cases import cases
from tests.kit.toys import ORDERING, GaveUp, GiveUp, Glimpsed, Louder, Show

TYPED: dict[str, Order] = {
    "always show: show 1": Always(kind="show", move=Show(1)),
    "always show: show 1 for match": Always(kind="show", move=Show(1), scope="match"),
    "show: show 2, give up for question": Prefer(kind="show", moves=(Show(2), GiveUp()), scope="question"),
    "show: show 2 ask if begun": Prefer(kind="show", moves=(Show(2),), ask_if=("begun",)),
    "louder tone 1": Louder(tone=1),
    "louder tone 2 turns 3, - for turn ask if begun, rain": Louder(
        tone=2, turns=(3, None), scope="turn", ask_if=("begun", "rain")
    ),
    'when {"number":7,"seat":1,"type":"Glimpsed"} {"seat":0,"type":"GaveUp"} then show: show 1': Line(
        after=(Glimpsed(1, 7), GaveUp(0)), kind="show", move=Show(1)
    ),
}


@cases("typed", TYPED)
def test_an_order_reads_back_from_its_typed_form(typed: str) -> None:
    assert parse_order(typed, ORDERING) == TYPED[typed]
    assert format_order(TYPED[typed], ORDERING) == typed


@cases(
    "french, english",
    [
        ("toujours show: show 1 pour partie", "always show: show 1 for match"),
        ("Show : show 2 , give up pour manche demander si begun", "show: show 2, give up ask if begun"),
        ("louder tone 1 pour tour", "louder tone 1 for turn"),
    ],
)
def test_orders_typed_in_french_read_the_same(french: str, english: str) -> None:
    assert parse_order(french, ORDERING) == parse_order(english, ORDERING)


@cases(
    "text",
    [
        "",
        "show",
        "always show: show 1, show 2",
        "louder",
        "louder tone 3",
        "louder volume 1",
        "louder tone 1 tone",
        "louder tone 1 turns 1, 2, 3",
        "show: " + ", ".join(["show 1"] * 17),
        "when then show: show 1",
        'when {"type":"Rang"} then show: show 1',
        "when {not json} then show: show 1",
        "show: show 1 ask if a,b,c,d,e,f,g",
        "show: show 1 " + "x" * LONGEST,
    ],
)
def test_a_text_that_is_no_order_is_unreadable_with_a_hint(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        parse_order(text, ORDERING)
    assert caught.value.hint.en.endswith("Then, if needed: for match · ask if …")


def test_a_move_that_cannot_be_read_has_the_hint_for_moves() -> None:
    for text in ("show: sing", "show: show 1; show 2", "always show: sing"):
        with pytest.raises(Unreadable) as caught:
            parse_order(text, ORDERING)
        assert caught.value.hint.en == "show 1"


def test_a_truth_is_typed_as_true_or_false_and_nothing_else() -> None:
    kind = inspect.type_info(bool)
    assert [read_value(text, kind, ORDERING, None) for text in ("true", "False")] == [True, False]
    for text in ("yes", "", "1"):
        with pytest.raises(ValueError, match="not in tuple"):
            read_value(text, kind, ORDERING, None)
