"""Planning: what can be supposed agrees with what comes, for every game; and lines."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.games import all_games, find_game
from pbem.kit.chance import Luck
from pbem.kit.contract import AnyGame, Ask, Event, Move, Phrase
from pbem.kit.laws.plans import check_plans
from pbem.kit.plans import MOST_PLIES, Impossible, Walk, empty_line, go_on, line_from_plies, what_comes
from pbem.kit.play import LawBroken, Table, random_decisions
from pbem.kit.texts import Lang
from tests.harness.cases import cases
from tests.kit import toys
from tests.kit.seated import SEATED, options_of
from tests.kit.toys import Closed, State
from tests.transcripts import seed_of

SUPPOSES = {"hagakure", "hexen-rennen", "hogen", "niigata", "glimpse"}
"""In Allégeance all that comes besides answers is hidden."""


@pytest.mark.sample(7)
@pytest.mark.parametrize("more", [0, pytest.param(12, marks=pytest.mark.long)])
@pytest.mark.parametrize(("game", "seats"), [*SEATED, (toys.GLIMPSE, 2), (toys.GLIMPSE, 3)])
def test_the_supposed_events_include_the_real_one_with_the_same_fold(game: AnyGame, seats: int, more: int) -> None:
    supposed = sum(
        check_plans(game, seats, options_of(game, seats + n), seed_of(f"plans of {game.meta.slug}", seats, n))
        for n in range(1 + more)
    )
    assert bool(supposed) == (game.meta.slug in SUPPOSES)


class SupposingTooLittle(toys.Glimpse):
    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
        found = super().supposable(fold, viewer, since)
        return found[:1] if found else found


class ForgettingTheEnd(toys.Glimpse):
    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
        return ()


class Fancied(Event, frozen=True):
    number: int


class Supposing(toys.Glimpse):
    """At any time these facts may come."""

    meta = replace(toys.META, events=(*toys.META.events, Fancied))

    def __init__(self, *facts: Event) -> None:
        self.facts = facts

    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
        return self.facts

    def evolve(self, state: State | None, event: Event) -> State:
        return state if state is not None and isinstance(event, Fancied) else super().evolve(state, event)

    def foretell(self, event: Event, before: State, lang: Lang) -> str:
        return f"{event.number}" if isinstance(event, Fancied) else super().foretell(event, before, lang)


class KnowingNothingMeanwhile(toys.Glimpse):
    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
        return None if since else ()


class KnowingNothingWhenAskedAgain(toys.Glimpse):
    def __init__(self) -> None:
        self.asked: Counter[tuple[State, int]] = Counter()

    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[Event]:
        self.asked.clear()
        return super().setup(seats, options, luck)

    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
        self.asked[fold, viewer] += 1
        return None if self.asked[fold, viewer] == 2 else ()


class CountingItsQuestions(toys.Glimpse):
    asked = 0

    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
        CountingItsQuestions.asked += 1
        found = super().supposable(fold, viewer, since)
        return found[:: (-1) ** CountingItsQuestions.asked] if found else found


class SayingTheSameOfAll(toys.Glimpse):
    def foretell(self, event: Event, before: State, lang: Lang) -> Phrase:
        return "Somebody wins."


class SayingNothingOfTheFirstSeat(toys.Glimpse):
    def foretell(self, event: Event, before: State, lang: Lang) -> Phrase:
        return "" if event == Closed(0) else super().foretell(event, before, lang)


class Noted(Event, frozen=True):
    seat: int


class NotingFirst(toys.Glimpse):
    """Before anything else it notes who answers; this many facts are foreseen."""

    meta = replace(toys.META, events=(*toys.META.events, Noted))

    def __init__(self, foreseen: int) -> None:
        self.foreseen = foreseen

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        return [Noted(seat), *super().decide(state, seat, move, luck)]

    def evolve(self, state: State | None, event: Event) -> State:
        return state if state is not None and isinstance(event, Noted) else super().evolve(state, event)

    def preview(self, fold: State, seat: int, move: Move) -> Sequence[Event]:
        return [Noted(seat), *super().preview(fold, seat, move)][: self.foreseen]


class NotingWhileAllAreAsked(NotingFirst):
    def pending(self, state: State) -> tuple[Ask, ...]:
        return tuple(replace(ask, seat=seat) for ask in super().pending(state) for seat in range(len(state.numbers)))

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        return super().decide(state, 0, move, luck)


class ShowingToAllBeforehand(toys.Glimpse):
    meta = replace(toys.META, asks={"show": replace(toys.META.asks["show"], public=True)})


class AllowingMoreToWhomItConcerns(ShowingToAllBeforehand):
    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return super().legal(state, seat)[: 2 if state.numbers[seat] is None else 3]


class SupposingMoreWhileItIsNew(toys.Glimpse):
    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
        return super().supposable(fold, viewer, since) or [Closed(0), Closed(1)] * bool(since)


class EvolvingOtherwiseTheThirdTime(toys.Glimpse):
    def __init__(self) -> None:
        self.evolved: Counter[tuple[State | None, Event]] = Counter()

    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[Event]:
        self.evolved.clear()
        return super().setup(seats, options, luck)

    def evolve(self, state: State | None, event: Event) -> State:
        self.evolved[state, event] += 1
        return replace(super().evolve(state, event), seen=1 if self.evolved[state, event] > 2 else None)


@cases(
    "game, law",
    [
        (SupposingTooLittle(), "cannot suppose Closed"),
        (ForgettingTheEnd(), r"takes .* to come, but Closed"),
        (Supposing(*map(Closed, range(65))), "has 65 facts to suppose"),
        (Supposing(Closed(0), Closed(0)), "has 2 facts to suppose, perhaps some twice"),
        (Supposing(Closed(14), Closed(15)), "cannot suppose Closed"),
        (
            Supposing(*map(Closed, range(17))),
            r"seat 0 can suppose Closed\(winner=16\), which no log can hold: Expected",
        ),
        (KnowingNothingWhenAskedAgain(), "can suppose two things"),
        (SayingNothingOfTheFirstSeat(), "cannot be told from each other"),
        (NotingFirst(1), r"seat . takes Ask\(.* to come, but (Glimpsed|GaveUp)"),
        (NotingWhileAllAreAsked(2), r"seat . takes Ask\(.* to come, but (Glimpsed|GaveUp)"),
        (CountingItsQuestions(), "can suppose two things"),
        (SayingTheSameOfAll(), "cannot be told from each other"),
        (ShowingToAllBeforehand(), r"foresees \[Glimpsed\(seat=\d, number=None\)\]"),
        (AllowingMoreToWhomItConcerns(), "seat . does not see what may be answered to .*, which is public"),
        (SupposingMoreWhileItIsNew(), r"seat . supposes .*Closed.* after \[Glimpsed.*, but .* once they have come"),
        (EvolvingOtherwiseTheThirdTime(), "the line .* of seat . leads to another fold than its facts do"),
    ],
)
def test_the_laws_notice_a_game_that_supposes_too_much_or_too_little(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_plans(game)


@cases(
    "game",
    [
        Supposing(*map(Closed, range(16)), *map(Fancied, range(48))),
        KnowingNothingMeanwhile(),
        NotingFirst(2),
    ],
)
def test_suppositions_that_only_just_keep_the_laws_are_no_breach(game: AnyGame) -> None:
    many_plans(game, 4)


@cases("slug", [*all_games()])
def test_a_seat_that_is_asked_alone_can_suppose_something(slug: str) -> None:
    game = all_games()[slug]
    table = Table(game, game.meta.seats[0], game.meta.options(), seed_of("alone", 2, 0))
    for ask, _ in random_decisions(table):
        if len(game.pending(table.state)) == 1:
            assert what_comes(game, table.folds[ask.seat], ask.seat, ()).kind in ("own", "other", "fact")


def many_plans(game: AnyGame, matches: int = 20) -> None:
    for n in range(matches):
        check_plans(game, 3, None, seed_of("plans", 3, n))


# --- lines -------------------------------------------------------------------------------------------------


def match_of_niigata() -> tuple[AnyGame, Table]:
    """A match of two in which the first tile is to be taken."""
    game = find_game("niigata")
    assert game is not None
    return game, Table(game, 2, game.meta.options(), seed_of("lines", 2, 0))


def first_of(line: Walk, game: AnyGame) -> str:
    """The first thing that could come next, in short."""
    return game.format(line.coming.moves[0]) if line.coming.ask else "~0"


def longest_line(game: AnyGame, fold: Any, viewer: int) -> Walk:
    """The line that always goes on with the first thing that could come."""
    line = empty_line(game, fold, viewer)
    while line.coming.kind not in ("unknown", "over") and len(line.plies) < MOST_PLIES:
        line = go_on(game, line, first_of(line, game))
    return line


def test_a_planned_line_is_rebuilt_from_its_stored_steps() -> None:
    game, table = match_of_niigata()
    for viewer in range(2):
        line = longest_line(game, table.folds[viewer], viewer)
        assert line.plies
        assert line_from_plies(game, table.folds[viewer], viewer, line.in_short) == line


def test_a_step_that_cannot_come_next_is_refused() -> None:
    game, table = match_of_niigata()
    line = empty_line(game, table.folds[0], 0)
    for said in ("~0", "take N99", "place N20 1N", "", "~"):
        with pytest.raises(Impossible):
            go_on(game, line, said)
    before_the_dice = find_game("hexen-rennen")
    assert before_the_dice is not None
    line = line_after_flight(before_the_dice)
    for said in ("~40", "~64", "~00", "~-1", "~0 ", "leave"):
        with pytest.raises(Impossible):
            go_on(before_the_dice, line, said)


def line_after_flight(game: AnyGame) -> Walk:
    """A line of Hexen Rennen in which a witch has just flown, and a die or a tile comes."""
    table = Table(game, 2, game.meta.options(), seed_of("dice", 2, 0))
    ask = next(ask for ask, _ in random_decisions(table) if ask.kind == "fly")
    line = empty_line(game, table.folds[ask.seat], ask.seat)
    lines = [go_on(game, line, game.format(move)) for move in line.coming.moves]
    return next(line for line in lines if 1 < len(line.coming.facts) < 40)


def test_a_planned_line_has_a_maximum_length() -> None:
    game, table = match_of_niigata()
    line = longest_line(game, table.folds[0], 0)
    while len(line.plies) < MOST_PLIES:
        line = replace(line, plies=(*line.plies, *line.plies)[:MOST_PLIES])
    with pytest.raises(Impossible):
        go_on(game, line, first_of(line, game))
