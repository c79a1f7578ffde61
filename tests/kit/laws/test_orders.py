"""Toys that break one law of orders each, and what is said of them."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import AnyGame, Ask, Event, IllegalMove, Move, Order, Parameter, Phrase, PlayerView
from pbem.kit.laws.orders import check_declared, check_orders
from pbem.kit.orders.shapes import Always
from pbem.kit.play import LawBroken
from pbem.kit.texts import Lang, Text
from tests.harness.cases import cases
from tests.kit import toys
from tests.kit.toys import ORDERING, Ordering, Show, State
from tests.transcripts import seed_of

LOUDER = ORDERING.meta.orders[0]
TURNS = {"turns": LOUDER.parameters["turns"]}


class EndlesslyLouder(toys.Louder, frozen=True):
    turns: tuple[int, ...] = ()


class Loosely(Order, frozen=True):
    turns: Any = ()


class Worded(Order, frozen=True):
    turns: str = ""


@cases(
    "changes, law",
    [
        ({"order": EndlesslyLouder}, r"no max_length bounds EndlesslyLouder\.turns"),
        (
            {"order": Loosely, "samples": (Loosely(turns=(1,)),), "parameters": TURNS},
            r"Loosely\(.*\) does not survive JSON",
        ),
        (
            {"order": Worded, "samples": (Worded(turns="all for match"),), "parameters": TURNS},
            "reads back from 'louder turns all for match' as .*scope='match'",
        ),
    ],
)
def test_a_rule_that_cannot_be_kept_or_typed_is_noticed(changes: dict[str, Any], law: str) -> None:
    class Declaring(Ordering):
        meta = replace(ORDERING.meta, orders=(replace(LOUDER, **changes),))

    with pytest.raises(LawBroken, match=law):
        check_declared(Declaring())


class AskingWithoutATitle(Ordering):
    meta = replace(
        ORDERING.meta,
        orders=(replace(LOUDER, parameters={**LOUDER.parameters, "tone": Parameter(Text("Ton", ""))}),),
    )


class Softer(Order, frozen=True):
    pass


class SamplingAnotherRule(Ordering):
    """The sample of its first rule is one of the second, which answers no question."""

    meta = replace(
        ORDERING.meta,
        orders=(
            replace(LOUDER, samples=(Softer(),)),
            replace(LOUDER, order=Softer, word="softer", asks=(), parameters={}),
        ),
    )

    def follow(self, order: Order, fold: State, ask: Ask, chance: Chance) -> Move | None:
        return Show(1)


class LeavingByItsOwnLuck(Ordering):
    luck = itertools.count()

    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return (Always(kind="show", move=Show(1 + next(self.luck) % 2)),)


class AllowingOneToneATime(Ordering):
    """Every second time the higher tone may not be shown, and moves are called by this name."""

    def __init__(self, name: str) -> None:
        self.called = name

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [move for move in super().legal(state, seat) if state.at % 2 == 0 or move != Show(2)]

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        if move == Show(2) and state.at % 2:
            raise IllegalMove("tone", tone=2)
        return super().decide(state, seat, move, luck)

    def name(self, move: Move, lang: Lang) -> Phrase:
        return self.called if lang == "en" else ""


def many_orders(game: AnyGame) -> None:
    for n in range(20):
        check_orders(game, 2, None, seed_of("orders", 2, n))


@cases(
    "game, law",
    [
        (AskingWithoutATitle(), "the form of louder has a field without a title"),
        (SamplingAnotherRule(), r"Softer\(.*\) is followed otherwise than the game says"),
        (LeavingByItsOwnLuck(), "the typical person of seat . leaves two sets of orders"),
        (AllowingOneToneATime("{N9}"), r"an order for Show\(tone=2\) is left to its owner with .*{N9}"),
    ],
)
def test_what_orders_say_or_answer_against_a_law_is_noticed(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_orders(game)


def test_an_order_that_now_and_then_cannot_be_followed_breaks_no_law() -> None:
    many_orders(AllowingOneToneATime("{N1}"))
