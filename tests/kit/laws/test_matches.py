"""Toys that break one law of words, paths, pads or logs each, and what is said of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.kit.chance import Luck
from pbem.kit.contract import AnyGame, Ask, Card, Cell, Event, Move, Pad, Phrase, Step, Viewer
from pbem.kit.laws.matches import check_match, check_paths
from pbem.kit.play import LawBroken, Table
from pbem.kit.texts import Lang
from tests.harness.cases import cases
from tests.kit import toys
from tests.kit.seated import many_matches
from tests.kit.toys import Dealt, GaveUp, GiveUp, Glimpse, Glimpsed, Show, State


class WritingOneTone(Glimpse):
    def format(self, move: Move) -> str:
        return "show 1" if isinstance(move, Show) else "give up"


class GiveUpAll(GiveUp, frozen=True):
    things: Any = ((1, 2),)


class GivingUpInATuple(Glimpse):
    meta = replace(
        toys.META, moves=(Show, GiveUpAll), asks={"show": replace(toys.META.asks["show"], moves=(Show, GiveUpAll))}
    )

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [GiveUpAll() if move == GiveUp() else move for move in super().legal(state, seat)]

    def parse(self, text: str, seat: int | None = None) -> Move:
        move = super().parse(text, seat)
        return GiveUpAll() if move == GiveUp() else move


class PromptingWithoutWords(Glimpse):
    def prompt(self, ask: Ask, fold: State, lang: Lang) -> Phrase:
        return ""


class NamingAThirdOfTwo(Glimpse):
    def prompt(self, ask: Ask, fold: State, lang: Lang) -> Phrase:
        return f"Show your number, {{{len(fold.numbers)}}}."


class DealingNothing(Glimpse):
    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[Event]:
        return [Dealt((None,) * seats)]


class Weighed(Event, frozen=True):
    weight: float


class Listed(Event, frozen=True):
    things: Any


class BeginningWith(Glimpse):
    """Its matches begin with this event, which it keeps in its state if it is a list of things."""

    meta = replace(toys.META, events=(*toys.META.events, Weighed, Listed))

    def __init__(self, event: Event) -> None:
        self.event = event

    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[Event]:
        return [*super().setup(seats, options, luck), self.event]

    def evolve(self, state: State | None, event: Event) -> State:
        if state is not None and isinstance(event, Listed):
            return replace(state, seen=int(isinstance(event.things, tuple)))
        return state if state is not None and isinstance(event, Weighed) else super().evolve(state, event)


@cases(
    "game, law",
    [
        (WritingOneTone(), r"Show\(tone=2\) reads back from 'show 1' as Show\(tone=1\)"),
        (GivingUpInATuple(), r"GiveUpAll\(.*\) does not survive JSON"),
        (PromptingWithoutWords(), "an empty phrase"),
        (NamingAThirdOfTwo(), "has the unknown placeholder '2'"),
        (DealingNothing(), r"Dealt\(.*\) has a hidden field in the full log"),
        (BeginningWith(Weighed(1)), "the log does not give the same state after JSON"),
        (BeginningWith(Listed((1, 2))), "the log does not give the same state after JSON"),
    ],
)
def test_the_laws_notice_faulty_texts_and_logs(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_matches(game)


def test_a_value_that_survives_the_log_unchanged_breaks_no_law() -> None:
    check_match(BeginningWith(Weighed(1.5)), 2, None, bytes(32))


class WithCard(Glimpse):
    """Has this card for each event of the kind."""

    def __init__(self, card: Card, kind: type[Event] = Glimpsed) -> None:
        self.made, self.kind = card, kind
        self.card = self._card

    def _card(self, event: Event, before: State | None, viewer: Viewer, lang: Lang) -> Card | None:
        return self.made if isinstance(event, self.kind) else None


HEADS = ("", "Round", "Total")


@cases(
    "game, law",
    [
        (WithCard(Card("")), "an empty phrase"),
        (WithCard(Card("{2} is out")), "has the unknown placeholder '2'"),
        (WithCard(Card("{0} is out", ("It was {N2}.",))), "has the unknown placeholder 'N2'"),
        (WithCard(Card("Round 1", table=(HEADS, ("{7}", "1", "1")))), "has the unknown placeholder '7'"),
        (WithCard(Card("Round 1", table=(HEADS, ("{0}", "1")))), r"has rows of \[2, 3\] cells"),
        (WithCard(Card("Round 1", table=(HEADS,))), r"has rows of \[3\] cells"),
        (WithCard(Card("Round 1", table=(("a",) * 5,) * 2)), r"has rows of \[5\] cells"),
        (WithCard(Card("{0} is out", ("So it is.",) * 5)), "no room for the 5 lines of the card"),
        (WithCard(Card("{0} is out"), GaveUp), r"the card '\{0\} is out' has no line in the story"),
    ],
)
def test_the_laws_notice_faulty_news_cards(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_matches(game)


def test_a_news_card_at_its_size_limits_breaks_no_law() -> None:
    card = Card("{0} is out", ("It was {N1}.",) * 4, (("", "a", "b", "c"), ("{1}", "1", "", "3")))
    many_matches(WithCard(card))


class InAnyOrder(Glimpse):
    """The steps of its three moves may be chosen in any order, and are these letters."""

    meta = replace(toys.META, asks={"show": replace(toys.META.asks["show"], any_order=True)})

    def __init__(self, *steps: str) -> None:
        self.steps = dict(zip((Show(1), Show(2), GiveUp()), steps, strict=True))

    def path(self, move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
        return tuple(Step(text, text) for text in self.steps[move])


def first_seat_of(game: AnyGame) -> None:
    """Checks the paths and the pad of the first seat, which is asked first."""
    check_paths(Table(game, 2, None, bytes(32)), 0)


@cases(
    "game, law",
    [
        (InAnyOrder("ab", "ba", "cd"), "the steps of a move are among those of another"),
        (InAnyOrder("ab", "cda", "ef"), "the steps of a move are among those of another"),
        (InAnyOrder("abc", "bad", "efg"), "two paths have the same steps in another order"),
    ],
)
def test_the_laws_notice_free_steps_shared_by_two_moves(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        first_seat_of(game)


def test_the_law_about_steps_looks_only_at_a_seat_that_is_asked() -> None:
    check_paths(Table(InAnyOrder("ab", "ba", "cd"), 2, None, bytes(32)), 1)


def test_paths_of_several_moves_may_share_steps_in_the_same_order() -> None:
    first_seat_of(InAnyOrder("ab", "ac", "bc"))


class OfferingOnAPad(Glimpse):
    """This many tones may be shown: fields in rows of some, and squares in lines of some, then `more` of no move."""

    def __init__(self, fields: int = 0, columns: int = 1, squares: int = 0, width: int = 1, more: int = 0) -> None:
        self.fields, self.columns, self.squares, self.width, self.more = fields, columns, squares, width, more

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [Show(tone) for tone in range(self.fields + self.squares)]

    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        cells = [Cell("•", self.path(move, fold, lang)) for move in self.legal(fold, ask.seat)]
        rows, places = cells[: self.fields] or [Cell("-")], cells[self.fields :] + [Cell("")] * self.more
        return Pad("Show", lines(rows, self.columns), places=lines(places, self.width))


def lines(cells: Sequence[Cell], width: int) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(cells[at : at + width]) for at in range(0, len(cells), width))


@cases(
    "game, law",
    [
        (OfferingOnAPad(squares=41), "a mail has no room for the map"),
        (OfferingOnAPad(squares=3, width=2), "a mail has no room for the map"),
        (OfferingOnAPad(fields=25), "a mail has no room for 25 answers"),
        (OfferingOnAPad(fields=6, columns=6), r"a mail has no room for 6 answers in rows of \[6\]"),
    ],
)
def test_the_laws_notice_an_answer_pad_too_large_for_a_mail(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        first_seat_of(game)


@cases(
    "game",
    [
        OfferingOnAPad(squares=40),
        OfferingOnAPad(squares=40, width=5, more=5),
        OfferingOnAPad(fields=24, columns=5),
        OfferingOnAPad(fields=24, squares=40),
    ],
)
def test_an_answer_pad_that_just_fits_a_mail_breaks_no_law(game: AnyGame) -> None:
    first_seat_of(game)
