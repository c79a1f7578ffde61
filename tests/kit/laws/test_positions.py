"""Toys that break one law of a position or of its decisions each, and what is said of them."""

import typing
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import pytest
from msgspec.structs import replace

from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import AnyGame, Ask, Event, IllegalMove, Move, Outcome, Step, Unreadable
from pbem.kit.laws.matches import check_match
from pbem.kit.laws.positions import check_position
from pbem.kit.play import LawBroken, Table
from pbem.kit.secrecy import fades
from pbem.kit.texts import Lang
from tests.harness.cases import cases
from tests.kit import toys
from tests.kit.seated import AcceptingAnyTone, NamingCandidates, many_matches
from tests.kit.toys import GaveUp, GiveUp, Glimpse, Glimpsed, Show, State


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


class LegalOtherwiseInAFold(Glimpse):
    """Seats that do not see each other's number see these legal moves."""

    def __init__(self, *moves: Move) -> None:
        self.moves = moves

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        moves = super().legal(state, seat)
        return self.moves if moves and None in state.numbers else moves


class ScoringLessForOneOfTwoWinners(Glimpse):
    def outcome(self, state: State) -> Outcome | None:
        found = super().outcome(state)
        return found and replace(found, winners=(0, 1), scores=(2, 1, 0)[: len(state.numbers)])


class AcceptingTheCandidate(NamingCandidates, AcceptingAnyTone):
    pass


class SteppingToTheLegalAlone(NamingCandidates):
    def path(self, move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
        if move == Show(7):
            raise LookupError("no such tone")
        return super().path(move, fold, lang)


class SteppingNowhere(NamingCandidates):
    def path(self, move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
        return () if move == Show(7) else super().path(move, fold, lang)


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
        (LegalOtherwiseInAFold(Show(1), Show(1), GiveUp()), "legal differs in the fold of seat"),
        (LegalOtherwiseInAFold(Show(2), Show(2), GiveUp()), "legal differs in the fold of seat"),
        (ScoringLessForOneOfTwoWinners(), r"the scores \(2, 1.*\) give somebody more than a winner of \(0, 1\)"),
        (AcceptingTheCandidate(Show(7)), r"Show\(tone=7\) of seat . is accepted though it is not legal"),
        (SteppingToTheLegalAlone(Show(7)), r"path breaks on the candidate Show\(tone=7\) of Ask.*LookupError"),
        (SteppingNowhere(Show(7)), r"no step leads to the candidate Show\(tone=7\)"),
    ],
)
def test_the_laws_notice_each_faulty_position(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_matches(game)


class AskingTheNextSeatForNothing(Glimpse):
    def pending(self, state: State) -> tuple[Ask, ...]:
        asks = super().pending(state)
        return (*asks, *(replace(ask, seat=1 - ask.seat, key=f"{ask.turn}.wait") for ask in asks))

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return super().legal(state, seat) if seat == state.at % 2 else ()


def test_the_laws_notice_an_asked_seat_without_a_legal_move() -> None:
    with pytest.raises(LawBroken, match=r"Ask\(seat=1, .* has no legal move"):
        check_position(Table(AskingTheNextSeatForNothing(), 2, None, bytes(32)))


class Repeated(Event, frozen=True):
    number: Annotated[int | None, fades(repeated=True)]


class ShowingWhatLiesOpen(Glimpse):
    """Each number that is shown lies open until the next one: everybody may remember the newest."""

    meta = replace(toys.META, events=(*toys.META.events, Repeated))

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        events = super().decide(state, seat, move, luck)
        return [Repeated(one.number) if isinstance(one, Glimpsed) else one for one in events]

    def preview(self, fold: State, seat: int, move: Move) -> Sequence[Event]:
        return [GaveUp(seat)] if isinstance(move, GiveUp) else [Repeated(fold.numbers[seat])]

    def evolve(self, state: State | None, event: Event) -> State:
        if state is not None and isinstance(event, Repeated):
            return replace(state, at=state.at + 1, seen=event.number)
        return super().evolve(state, event)


def test_remembering_an_open_value_until_it_is_repeated_breaks_no_law() -> None:
    check_match(ShowingWhatLiesOpen(), 2, None, bytes(32))


class AcceptingWhatTheTypeAllows(Glimpse):
    """There is a move with a word of this type. Only the first of these words is legal, but the others are accepted."""

    def __init__(self, kind: object, *words: object) -> None:
        one = msgspec.defstruct("Whisper", [("word", kind)], bases=(Move,), frozen=True)
        self.moves = [typing.cast(Move, one(word)) for word in words]
        self.meta = replace(toys.META, moves=(one,), asks={"show": replace(toys.META.asks["show"], moves=(one,))})

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return self.moves[:1] if super().legal(state, seat) else ()

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        return self.moves[0]

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        return super().decide(state, seat, Show(1) if move in self.moves else move, luck)

    def preview(self, fold: State, seat: int, move: Move) -> Sequence[Event]:
        return super().preview(fold, seat, Show(1))

    def parse(self, text: str, seat: int | None = None) -> Move:
        return self.moves[0] if text == "whisper" else super().parse(text, seat)

    def format(self, move: Move) -> str:
        return "whisper"


@cases(
    "kind, words",
    [
        (typing.Literal["a", "b"], ("a", "b")),
        (bool, (True, False)),
        (bool, (False, True)),
        (bool | None, (False, None)),
        (Annotated[typing.Literal["a", "b"], msgspec.Meta(title="A letter")], ("a", "b")),
        (Annotated[int, "a tone", msgspec.Meta(ge=3, le=4)], (3, 4)),
        (Annotated[int, "a tone", msgspec.Meta(ge=3, le=4)], (4, 3)),
        (typing.Optional[Annotated[int, msgspec.Meta(ge=3, le=4)]], (3, 4)),  # noqa: UP045 - another type at run time
    ],
)
def test_the_laws_also_try_never_legal_moves_of_small_types(kind: object, words: Sequence[object]) -> None:
    with pytest.raises(LawBroken, match=rf"Whisper\(word={words[1]!r}\) of seat . is accepted"):
        many_matches(AcceptingWhatTheTypeAllows(kind, *words))


@cases("kind", [Annotated[int, msgspec.Meta(ge=0)], Annotated[int, msgspec.Meta(le=5)], int, str | None])
def test_a_move_whose_values_cannot_all_be_tried_breaks_no_law(kind: object) -> None:
    check_match(AcceptingWhatTheTypeAllows(kind, 1 if kind != str | None else "a"), 2, None, bytes(32))
