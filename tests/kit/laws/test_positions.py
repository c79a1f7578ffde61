"""Toys that break one law of a position or of its decisions each, and what is said of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.kit.chance import Luck
from pbem.kit.contract import AnyGame, Ask, Event, IllegalMove, Move, Outcome, Unreadable
from pbem.kit.laws.positions import check_position
from pbem.kit.play import LawBroken, Table
from tests.harness.cases import cases
from tests.kit import toys
from tests.kit.test_laws import many_matches
from tests.kit.toys import GiveUp, Glimpse, Show, State


class OverWhileItAsks(Glimpse):
    def outcome(self, state: State) -> Outcome | None:
        return Outcome("shown", (0,))


class NeverOver(Glimpse):
    def outcome(self, state: State) -> Outcome | None:
        return None


class EndingLikeATable(Glimpse):
    meta = replace(toys.META, endings={**toys.META.endings, "last_seat": toys.META.endings["shown"]})

    def outcome(self, state: State) -> Outcome | None:
        found = super().outcome(state)
        return found and replace(found, reason="last_seat")


class AskingOneSeatTwice(Glimpse):
    def pending(self, state: State) -> tuple[Ask, ...]:
        return tuple(replace(ask, key=f"{ask.turn}.{end}") for ask in super().pending(state) for end in "ab")


class LettingAnybodyMove(Glimpse):
    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return () if state.over else (Show(1), Show(2), GiveUp())


class NamingItsQuestions(Glimpse):
    """Its questions have this turn and this key."""

    def __init__(self, turn: str, key: str) -> None:
        self.turn, self.key = turn, key

    def pending(self, state: State) -> tuple[Ask, ...]:
        return tuple(replace(ask, turn=self.turn, key=self.key) for ask in super().pending(state))


class AskingTheFirstSeatAgain(NamingItsQuestions):
    def pending(self, state: State) -> tuple[Ask, ...]:
        return tuple(replace(ask, seat=0) for ask in super().pending(state))


class AnsweringWithTheUndeclared(Glimpse):
    meta = replace(toys.META, asks={"show": replace(toys.META.asks["show"], moves=(Show,))})


class ReadingCourtesies(Glimpse):
    def parse(self, text: str, seat: int | None = None) -> Move:
        try:
            return super().parse(text, seat)
        except Unreadable:
            if text == "a":
                raise
            return GiveUp()


class ReadingAnArticle(Glimpse):
    def parse(self, text: str, seat: int | None = None) -> Move:
        return GiveUp() if text == "a" else super().parse(text, seat)


class Notebook(State, frozen=True):
    notes: list[str] = []  # noqa: RUF012 - msgspec copies it


class NotingWhatItRefuses(Glimpse):
    meta = replace(toys.META, state=Notebook)

    def evolve(self, state: State | None, event: Event) -> State:
        new = super().evolve(state, event)
        return Notebook(new.numbers) if state is None else new

    def decide(self, state: Any, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        try:
            return super().decide(state, seat, move, luck)
        except IllegalMove:
            state.notes.append(str(move))
            raise


@cases(
    "game, law",
    [
        (OverWhileItAsks(), "pending is empty if and only if"),
        (NeverOver(), "pending is empty if and only if"),
        (EndingLikeATable(), "only the table ends a match by 'last_seat'"),
        (AskingOneSeatTwice(), "a seat is asked twice at once"),
        (LettingAnybodyMove(), "a seat that is not asked has legal moves"),
        (NamingItsQuestions("T", "T.show"), "'T.show' is not of the form of keys"),
        (NamingItsQuestions("u", "t.show"), "'t.show' does not begin with the turn 'u'"),
        (NamingItsQuestions("", "t.show"), "'t.show' does not begin with the turn ''"),
        (AskingTheFirstSeatAgain("t", "t.show"), "'t.show' names two questions"),
        (AnsweringWithTheUndeclared(), "show is answered by {'GiveUp'}, which it does not declare"),
        (ReadingCourtesies(), r"is read as GiveUp\(\)"),
        (ReadingAnArticle(), r"'a' is read as GiveUp\(\)"),
        (NotingWhatItRefuses(), r"the refused .* changed the state"),
    ],
)
def test_a_position_that_breaks_a_law_is_noticed(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_matches(game)


class AskingTheNextSeatForNothing(Glimpse):
    def pending(self, state: State) -> tuple[Ask, ...]:
        asks = super().pending(state)
        return (*asks, *(replace(ask, seat=1 - ask.seat, key=f"{ask.turn}.wait") for ask in asks))

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return super().legal(state, seat) if seat == state.at % 2 else ()


def test_one_of_two_seats_that_are_asked_cannot_be_without_a_move() -> None:
    with pytest.raises(LawBroken, match=r"Ask\(seat=1, .* has no legal move"):
        check_position(Table(AskingTheNextSeatForNothing(), 2, None, bytes(32)))
