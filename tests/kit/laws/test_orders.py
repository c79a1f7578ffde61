"""Toys that break one law of orders each, and what is said of them."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import AnyGame, Ask, Event, IllegalMove, Move, Order, Parameter, Phrase, PlayerView
from pbem.kit.laws.orders import check_declared, check_orders
from pbem.kit.orders.shapes import Always, moves_of
from pbem.kit.play import LawBroken
from pbem.kit.texts import Lang, Text
from tests.harness.cases import cases
from tests.kit import toys
from tests.kit.toys import ORDERING, GiveUp, Ordering, Show, State
from tests.transcripts import seed_of

LOUDER = ORDERING.meta.orders[0]
TURNS = {"turns": LOUDER.parameters["turns"]}


class EndlesslyLouder(toys.Louder, frozen=True):
    turns: tuple[int, ...] = ()


class Loosely(Order, frozen=True):
    turns: Any = ()


class Worded(Order, frozen=True):
    turns: str = ""


def says_in(*langs: Lang) -> Callable[[Order, Lang], Phrase]:
    return lambda order, lang: "{1} hears it." if lang in langs else ""


@cases(
    "changes, law",
    [
        ({"says": says_in("fr")}, "does not say what it does"),
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
def test_the_laws_notice_an_order_rule_that_cannot_be_stored_or_typed(changes: dict[str, Any], law: str) -> None:
    class Declaring(Ordering):
        meta = replace(ORDERING.meta, orders=(replace(LOUDER, **changes),))

    with pytest.raises(LawBroken, match=law):
        check_declared(Declaring())


def test_an_order_rules_description_may_name_a_seat() -> None:
    class Declaring(Ordering):
        meta = replace(ORDERING.meta, orders=(replace(LOUDER, says=says_in("fr", "en")),))

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


class Offering(Ordering):
    """Its forms offer these answers to its question, and none to another, which it never asks."""

    meta = replace(ORDERING.meta, asks={"show": toys.META.asks["show"], "sing": toys.META.asks["show"]})

    def __init__(self, *moves: Move, kind: str = "show") -> None:
        self.moves, self.kind = moves, kind

    def answers(self, kind: str, fold: State, seat: int) -> Sequence[Move]:
        return self.moves if kind == self.kind else ()

    def parse(self, text: str, seat: int | None = None) -> Move:
        return Show(int(text.removeprefix("show "))) if text.startswith("show ") else super().parse(text, seat)


class OfferingWhatAnswersAnother(Offering):
    meta = replace(ORDERING.meta, asks={"show": replace(toys.META.asks["show"], moves=(Show,))})


class OfferingForAnotherQuestion(Offering):
    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [move for move in super().legal(state, seat) if move != GiveUp()]


class NamingTheUnknownInFrench(Offering):
    def name(self, move: Move, lang: Lang) -> Phrase:
        return "{N9}" if lang == "fr" else ""


class LeavingWhatIsToldWithTheUnknown(NamingTheUnknownInFrench):
    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return (Always(kind="show", move=Show(1)),)


class LeavingByLot(Ordering):
    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return (Always(kind="show", move=Show(1 + chance.below(2))),)


class RulingOverNothing(Ordering):
    meta = replace(ORDERING.meta, orders=(replace(LOUDER, asks=()),))


class RulingUnlessSomebodyHasShown(Ordering):
    meta = replace(ORDERING.meta, orders=(replace(LOUDER, samples=(toys.Louder(tone=1, ask_if=("begun",)),)),))


class AskingEverybody(Ordering):
    def pending(self, state: State) -> tuple[Ask, ...]:
        return tuple(replace(ask, seat=seat) for ask in super().pending(state) for seat in range(len(state.numbers)))

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        return super().decide(state, 0, move, luck)


class SittingAlone(Ordering):
    meta = replace(ORDERING.meta, sittings=(("show", "show"),))

    def pending(self, state: State) -> tuple[Ask, ...]:
        return tuple(replace(ask, seat=0) for ask in super().pending(state))


class ReservingAToneForTheFirstSeat(Ordering):
    """In its only round."""

    def round_of(self, fold: State) -> int:
        return 0

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [move for move in super().legal(state, seat) if seat == 0 or move != Show(2)]

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        if seat and move == Show(2):
            raise IllegalMove("tone", tone=2)
        return super().decide(state, seat, move, luck)

    def check_order(self, order: Order, fold: State, seat: int) -> None:
        if seat and Show(2) in moves_of(order):
            raise IllegalMove("lasting")


class RefusingFixedAnswers(Ordering):
    def round_of(self, fold: State) -> int:
        return 0

    def check_order(self, order: Order, fold: State, seat: int) -> None:
        if isinstance(order, Always):
            raise IllegalMove("lasting")


class OpeningOneWindow(toys.Windowed):
    def round_of(self, fold: State) -> int:
        return 0


def many_orders(game: AnyGame) -> None:
    for n in range(8):
        check_orders(game, 2, None, seed_of("orders", 2, n))


@cases(
    "game, law",
    [
        (AskingWithoutATitle(), "the form of louder has a field without a title"),
        (SamplingAnotherRule(), r"Softer\(.*\) is followed otherwise than the game says"),
        (LeavingByItsOwnLuck(), "the typical person of seat . leaves two sets of orders"),
        (AllowingOneToneATime("{N9}"), r"an order for Show\(tone=2\) is left to its owner with .*{N9}"),
        (Offering(*map(Show, range(1, 66))), "a form offers .* as answers to show"),
        (OfferingWhatAnswersAnother(GiveUp()), r"GiveUp\(\) is offered, but answers no show"),
        (NamingTheUnknownInFrench(Show(1)), r"Show\(tone=1\) is called '{N9}'"),
        (LeavingWhatIsToldWithTheUnknown(), r"Always\(.* is told with the unknown placeholders \['N9'\]"),
    ],
)
def test_the_laws_notice_faulty_order_texts_and_answers(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_orders(game)


@cases(
    "game",
    [
        AllowingOneToneATime("{N1}"),
        Offering(*map(Show, range(1, 65))),
        OfferingForAnotherQuestion(GiveUp(), kind="sing"),
        LeavingByLot(),
        RulingUnlessSomebodyHasShown(),
        AskingEverybody(),
        SittingAlone(),
        ReservingAToneForTheFirstSeat(),
        RefusingFixedAnswers(),
        OpeningOneWindow(),
    ],
)
def test_orders_at_the_limits_of_the_laws_break_none(game: AnyGame) -> None:
    many_orders(game)


def test_the_laws_try_an_order_rule_only_at_its_own_questions() -> None:
    assert check_orders(RulingOverNothing(), 2, None, bytes(32)) == 0
