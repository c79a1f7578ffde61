"""The forms of orders: what they ask for, and the order that comes out of what was entered."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.games import all_games
from pbem.kit.contract import AnyGame, Move, Phrase
from pbem.kit.orders.forms import (
    Choice,
    Unfit,
    ask_kinds_allowing_list_orders,
    inputs_of,
    make_order,
    scope_proposal,
    scopes_of_game,
)
from pbem.kit.orders.shapes import Always, Prefer
from pbem.kit.orders.typed import fields_of, format_order, parse_order
from pbem.kit.play import Table, random_decisions
from pbem.kit.texts import LANGS, Lang
from tests.harness.cases import cases
from tests.kit.orders.filled import fill_in_form
from tests.kit.toys import ORDERING, WINDOWED, GiveUp, Louder, Ordering, Show, State
from tests.transcripts import seed_of


class Offering(Ordering):
    """Ordering, with answers to choose among."""

    def answers(self, kind: str, fold: State, seat: int) -> tuple[Move, ...]:
        return (Show(1), Show(2), GiveUp())

    def name(self, move: Move, lang: Lang) -> Phrase:
        return "louder" if move == Show(2) else ""


GAME, FOLD = Offering(), State((5, 7))


def make_from_form(form: str, game: AnyGame = GAME, /, **values: list[str]) -> Any:
    return make_order(form, values, game, FOLD, 0)


def test_the_form_for_a_question_lists_the_answers_named_by_the_game() -> None:
    (field,) = inputs_of("show", GAME, FOLD, 0, "en")
    assert (field.kind, field.count) == ("list", 3)
    assert field.choices == (Choice("show 1", "show 1"), Choice("show 2", "louder"), Choice("give up", "give up"))


def test_a_form_without_listed_answers_has_a_text_field() -> None:
    (field,) = inputs_of("show", ORDERING, FOLD, 0, "en")
    assert field.kind == "typed"
    assert make_from_form("show", ORDERING, moves=["show 2, show 1"]) == Prefer(kind="show", moves=(Show(2), Show(1)))


def test_an_order_form_makes_always_of_one_answer_and_prefer_of_several() -> None:
    assert make_from_form("show", moves=["show 2", "", ""]) == Always(kind="show", move=Show(2))
    assert make_from_form("show", moves=["show 2", "", "show 1"]) == Prefer(kind="show", moves=(Show(2), Show(1)))
    assert make_from_form("show", moves=["show 2", "show 2"]) == Always(kind="show", move=Show(2))


def test_an_order_form_also_takes_a_scope_and_guards() -> None:
    order = make_from_form("show", moves=["show 2"], scope=["match"], ask_if=["begun"])
    assert (order.scope, order.ask_if) == ("match", ("begun",))


def test_the_fields_of_a_rule_follow_from_its_type_and_have_its_defaults() -> None:
    tone, turns = inputs_of("louder", GAME, FOLD, 0, "en")
    assert (tone.kind, tone.bounds, tone.default) == ("number", (1, 2), "1")
    assert turns.kind == "typed"
    assert make_from_form("louder", tone=["2"]) == Louder(tone=2)
    assert make_from_form("louder", tone=["2"], turns=["3, -"]) == Louder(tone=2, turns=(3, None))


@cases(
    "form, values, field, why",
    [
        ("show", {}, "moves", "Choose at least one"),
        ("show", {"moves": ["sing"]}, "moves", "show 1"),
        ("louder", {}, "tone", "A number from 1 to 2"),
        ("louder", {"tone": ["x"]}, "tone", "A number from 1 to 2"),
        ("louder", {"tone": ["9"]}, "tone", "not possible"),
        ("louder", {"tone": ["1"], "scope": ["for ever"]}, "scope", "not possible"),
        ("louder", {"tone": ["1"], "ask_if": ["x" * 30]}, "ask_if", "not possible"),
        ("louder", {"tone": ["1"], "turns": ["1, 2, 3"]}, "turns", "not possible"),
    ],
)
def test_an_invalid_order_form_names_the_wrong_field(
    form: str, values: dict[str, list[str]], field: str, why: str
) -> None:
    with pytest.raises(Unfit) as caught:
        make_from_form(form, GAME, **values)
    assert caught.value.field == field
    assert why in caught.value.why.en


def test_order_lists_for_a_window_need_an_answer_that_is_always_legal() -> None:
    assert ask_kinds_allowing_list_orders(WINDOWED.meta) == ["show"]
    kinds = {game.meta.slug: ask_kinds_allowing_list_orders(game.meta) for game in all_games().values()}
    assert "foreign" not in kinds["hexen-rennen"]
    assert "answer" in kinds["allegeance"]
    assert "grab" not in kinds["niigata"]


def test_a_game_without_rounds_has_no_scope_for_them() -> None:
    games = all_games()
    assert scopes_of_game(games["hagakure"].meta) == ("question", "turn", "round", "match")
    assert scopes_of_game(games["hexen-rennen"].meta) == ("question", "turn", "match")


@cases(
    "slug, form, scope",
    [
        ("hexen-rennen", "fly", "match"), ("hexen-rennen", "dice", "turn"), ("hagakure", "card", "round"),
        ("allegeance", "next", "question"), ("allegeance", "announce", "question"), ("allegeance", "give", "round"),
    ],
)  # fmt: skip
def test_a_form_proposes_the_longest_allowed_scope_up_to_the_round(slug: str, form: str, scope: str) -> None:
    game = all_games()[slug]
    table = Table(game, 3, game.meta.options(), bytes(32))
    assert scope_proposal(form, game, table.folds[0], 0) == scope


@pytest.mark.long
@cases("game", all_games().values())
def test_every_form_makes_an_order_wherever_the_match_stands(game: AnyGame) -> None:
    table = Table(game, game.meta.seats[-1], game.meta.options(), seed_of(game.meta.slug, game.meta.seats[-1], 1))
    made = set()
    for at, (ask, _) in enumerate(random_decisions(table)):
        own = table.folds[ask.seat]
        for form in (
            (*(rule.word for rule in game.meta.orders), *ask_kinds_allowing_list_orders(game.meta))
            if at % 5 == 0
            else ()
        ):
            inputs = inputs_of(form, game, own, ask.seat, "en")
            assert [field.name for field in inputs_of(form, game, own, ask.seat, "fr")] == [f.name for f in inputs]
            if any(field.kind == "typed" or (field.kind != "number" and not has_choices(field)) for field in inputs):
                continue
            order = make_order(form, {**fill_in_form(inputs), "scope": ["turn"]}, game, own, ask.seat)
            assert parse_order(format_order(order, game), game, ask.seat) == order
            made.add(form)
    assert made >= {rule.word for rule in game.meta.orders}
    assert all(rule.parameters.keys() == {f.name for f in fields_of(rule.order)} for rule in game.meta.orders)


def has_choices(field: Any) -> bool:
    """Whether there is something to choose."""
    return bool(field.choices or all(part.choices for part in field.parts))


@cases("lang", LANGS)
def test_order_forms_have_no_field_for_values_the_rule_fills_in(lang: Lang) -> None:
    game = all_games()["niigata"]
    table = Table(game, 2, game.meta.options(), bytes(32))
    names = [field.name for field in inputs_of("lay", game, table.folds[0], 0, lang)]
    assert names == ["moves", "margin"]
