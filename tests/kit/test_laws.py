"""Every game obeys the laws; and the laws find a game that does not."""

import functools
import itertools
import os
from collections.abc import Callable, Sequence
from copy import copy
from typing import Annotated, Any

import msgspec
import pytest
from msgspec.structs import replace

from pbem.kit import play
from pbem.kit.chance import Chance, KeyLuck, Luck, SeedLuck
from pbem.kit.choices import Choices, Lazy
from pbem.kit.contract import (
    AnyGame,
    Ask,
    Cell,
    Deal,
    DrawKind,
    Event,
    GuardKind,
    IllegalMove,
    Mark,
    Move,
    Order,
    Outcome,
    Pad,
    Phrase,
    PlayerView,
    Scene,
    Step,
    Viewer,
)
from pbem.kit.laws.bounds import check_bounds, endless_fields
from pbem.kit.laws.luck import check_luck
from pbem.kit.laws.matches import check_fallbacks, check_match, check_paths
from pbem.kit.laws.orders import check_declared, check_orders
from pbem.kit.laws.positions import check_position
from pbem.kit.orders.shapes import Always
from pbem.kit.play import LawBroken, Sample, Table, random_decisions
from pbem.kit.replay import By
from pbem.kit.secrecy import each
from pbem.kit.texts import Lang, Text
from tests.harness.cases import cases
from tests.kit import toys
from tests.kit.seated import GAMES, SEATED, AcceptingAnyTone, NamingCandidates, many_matches, options_of
from tests.kit.toys import GLIMPSE, GaveUp, GiveUp, Glimpse, Glimpsed, Show, State
from tests.transcripts import seed_of

MATCHES = int(os.environ.get("PBEM_LAW_MATCHES", "0"))
"""How many matches are checked for each number of seats; 0: some, and then those in which something occurs at last."""
LEAST, MOST = (MATCHES, MATCHES) if MATCHES else (5, 100)


def names_of_occurrences(table: Table) -> set[str]:
    """What occurs in its random match, by the names that `Sample.missing` has: to play it alone takes no time."""
    for _ in random_decisions(table):
        pass
    outcome = table.game.outcome(table.state)
    events = {type(entry.event).__name__ for entry in table.entries}
    return {outcome.reason if outcome else "", *events, *(name.partition(":")[0] for name in table.drawn)}


@pytest.mark.long
@pytest.mark.timeout(MOST * 6)
@pytest.mark.parametrize("game", [pytest.param(game, id=game.meta.slug) for game in GAMES])
def test_random_matches_obey_every_law_and_everything_occurs(
    game: AnyGame, record_property: Callable[[str, object], None]
) -> None:
    total = Sample()
    for n in range(MOST):
        if n >= LEAST and not total.missing(game):
            break
        for seats in game.meta.seats:
            given = (game, seats, options_of(game, n), seed_of(game.meta.slug, seats, n))
            if n < LEAST or names_of_occurrences(Table(*given)) & {*total.missing(game)}:
                total.add(check_match(*given)[0])
    record_property("events", dict(total.events))
    record_property("endings", dict(total.endings))
    print(f"{game.meta.slug}: {msgspec.to_builtins(total)}")  # noqa: T201 - the report, seen with -s or -rP
    assert total.matches >= LEAST * len(game.meta.seats)
    assert not total.missing(game)


@pytest.mark.long
@pytest.mark.parametrize("more", [0, pytest.param(4, marks=pytest.mark.long)])
@pytest.mark.parametrize(("game", "seats"), SEATED)
def test_the_clock_alone_ends_a_match(game: AnyGame, seats: int, more: int) -> None:
    """Plays once with each of the options."""
    for n in range(1 + len(game.meta.samples) + more):
        table = check_fallbacks(game, seats, options_of(game, n), seed_of(game.meta.slug, seats, n))
        assert game.outcome(table.state) is not None


@pytest.mark.long
@pytest.mark.parametrize(("game", "seats"), SEATED)
def test_no_two_moves_share_a_path(game: AnyGame, seats: int) -> None:
    for n in range(2):
        table = Table(game, seats, options_of(game, n), seed_of(game.meta.slug, seats, n))
        for at, (ask, _) in enumerate(random_decisions(table)):
            if at < seats + 6 or at % 10 == 0:
                check_paths(table, ask.seat)


@pytest.mark.parametrize("game", [pytest.param(game, id=game.meta.slug) for game in GAMES])
def test_a_match_of_the_fewest_seats_obeys_every_law(game: AnyGame) -> None:
    """In every run, for each game."""
    check_match(game, game.meta.seats[0], game.meta.options(), seed_of(game.meta.slug, game.meta.seats[0], 999))


@pytest.mark.long
@pytest.mark.parametrize("other", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize(("game", "seats"), SEATED)
def test_a_match_obeys_every_law(game: AnyGame, seats: int, other: int) -> None:
    """With the default options; with others in `make test-apart`."""
    n = (seats + other) % 2
    check_match(game, seats, options_of(game, n), seed_of(game.meta.slug, seats, 1000 + n))


@cases("game", GAMES)
def test_no_event_can_carry_more_than_a_table_holds(game: AnyGame) -> None:
    check_bounds(game)


@pytest.mark.long
@pytest.mark.parametrize(("game", "seats"), SEATED)
def test_entries_about_the_table_change_no_draw(game: AnyGame, seats: int) -> None:
    """With the default options and others in turn."""
    for n in range(1 + bool(game.meta.samples)):
        check_luck(game, seats, options_of(game, n), seed_of(f"luck of {game.meta.slug}", seats, n))


@cases("game", [*GAMES, toys.ORDERING])
def test_a_games_declarations_about_orders_are_consistent(game: AnyGame) -> None:
    check_declared(game)


@pytest.mark.long
@pytest.mark.parametrize("more", [0, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.parametrize(("game", "seats"), [*SEATED, (toys.ORDERING, 2)])
def test_orders_are_followed_using_only_their_owners_fold(game: AnyGame, seats: int, more: int) -> None:
    answers = sum(
        check_orders(game, seats, options_of(game, seats + n), seed_of(f"orders of {game.meta.slug}", seats, n))
        for n in range(1 + more)
    )
    assert bool(answers) == bool(game.meta.orders)


def test_a_sample_of_matches_reports_kinds_that_never_occurred() -> None:
    sample = Sample()
    assert set(sample.missing(GLIMPSE)) == {
        "Dealt",
        "Glimpsed",
        "GaveUp",
        "Closed",
        "shown",
        "gave_up",
        "number",
        "winner",
    }
    one = check_match(GLIMPSE, 2, None, bytes(32))[0]
    sample.add(one)
    assert sample.matches == 1
    assert sample.decisions == one.decisions
    assert not {"Dealt", "number", "winner"} & set(sample.missing(GLIMPSE))
    assert len(set(sample.missing(GLIMPSE)) & {"shown", "gave_up"}) == 1


# --- games that break a law --------------------------------------------------------------------------------


class AskingByASecret(Glimpse):
    def pending(self, state: State) -> tuple[Ask, ...]:
        kind = "t" if state.numbers[0] is None else "s"
        return tuple(replace(ask, key=f"{ask.turn}.{kind}") for ask in super().pending(state))


class LegalByASecret(Glimpse):
    def legal(self, state: State, seat: int) -> Sequence[Move]:
        moves = super().legal(state, seat)
        return moves if not moves or state.numbers[1 - seat] is not None else Choices((Show, (Show(1),)))


class Foreign(Move, frozen=True):
    pass


class Endless(Glimpse):
    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        if isinstance(move, GiveUp):
            raise IllegalMove("wrong_kind")
        return list(super().decide(state, seat, move, luck))[:1]

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [move for move in super().legal(state, seat) if isinstance(move, Show)]


class Silent(Glimpse):
    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        super().decide(state, seat, move, luck)
        return []


class RefusingTheLegal(Glimpse):
    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        if isinstance(move, Show):
            raise IllegalMove("tone", tone=move.tone)
        return super().decide(state, seat, move, luck)


class RefusingForNoReason(Glimpse):
    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        if not isinstance(move, (Show, toys.GiveUp)):
            raise IllegalMove("because")
        return super().decide(state, seat, move, luck)


class RefusingByASecret(Glimpse):
    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        if not isinstance(move, (Show, GiveUp)):
            raise IllegalMove("tone", tone=state.numbers[1 - seat] or 0)
        return super().decide(state, seat, move, luck)


class RefusingOnlyWhatItSeesThrough(Glimpse):
    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        if None in state.numbers and not isinstance(move, (Show, GiveUp)):
            return []
        return super().decide(state, seat, move, luck)


class AcceptingAnybody(Glimpse):
    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        asked = self.pending(state)
        return super().decide(state, asked[0].seat if asked else seat, move, luck)


class RepeatingItsKeys(Glimpse):
    def pending(self, state: State) -> tuple[Ask, ...]:
        return tuple(replace(ask, key="t.show", turn="t") for ask in super().pending(state))


class AskingWithoutAChoice(Glimpse):
    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return ()


class RememberingWhatFaded(Glimpse):
    def evolve(self, state: State | None, event: Event) -> State:
        after = super().evolve(state, event)
        return replace(after, seen=event.number) if isinstance(event, Glimpsed) else after


class KnowingBetter(Glimpse):
    def evolve(self, state: State | None, event: Event) -> State:
        after = super().evolve(state, event)
        return replace(after, numbers=tuple(n or 0 for n in after.numbers))


class WritingBadly(Glimpse):
    def format(self, move: Move) -> str:
        return "show 1" if isinstance(move, Show) else "give up"


class NamingStrangers(Glimpse):
    def tell(self, event: Event, before: State | None, lang: Lang) -> Phrase:
        return "{7} does something."


class DrawingNothing(Glimpse):
    def draw(self, *args: Any) -> str:
        return ""


class EndingUndeclared(Glimpse):
    meta = replace(toys.META, endings={"shown": toys.META.endings["shown"]})


class AskingUndeclared(Glimpse):
    meta = replace(toys.META, asks={"other": toys.META.asks["show"]})


class DealingByItsOwnLuck(Glimpse):
    luck = itertools.count()

    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[Event]:
        return [toys.Dealt((next(self.luck),) * seats)]


class DecidingByItsOwnLuck(Glimpse):
    luck = itertools.count()

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        events = super().decide(state, seat, move, luck)
        return [replace(e, winner=next(self.luck) % 2) if isinstance(e, toys.Closed) else e for e in events]


class FallingBackByItsOwnLuck(Glimpse):
    luck = itertools.count()

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        return Show(1 + next(self.luck) % 2)


class FallingBackOnNothing(Glimpse):
    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        return Show(9)


class ForeseeingAnotherNumber(Glimpse):
    def preview(self, fold: State, seat: int, move: Move) -> Sequence[Event]:
        return [GaveUp(seat)] if isinstance(move, GiveUp) else [Glimpsed(seat, 100)]


class ForeseeingTooMuch(Glimpse):
    def preview(self, fold: State, seat: int, move: Move) -> Sequence[Event]:
        foreseen = [*super().preview(fold, seat, move)]
        return [*foreseen, toys.Closed(seat)] if isinstance(move, Show) else foreseen


class OfferingTooLittle(Glimpse):
    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [move for move in super().legal(state, seat) if not isinstance(move, GiveUp)]


class OfferingTooLittleLater(Glimpse):
    def legal(self, state: State, seat: int) -> Sequence[Move]:
        moves = super().legal(state, seat)
        return moves if state.at == 0 else [move for move in moves if move != Show(2)]

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        return Show(1)


class KeepingAMoveForTheClock(Glimpse):
    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [move for move in super().legal(state, seat) if move != Show(2)]


class BreakingOnAMove(Glimpse):
    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        if not isinstance(move, (Show, GiveUp)):
            raise KeyError("what is this?")
        return super().decide(state, seat, move, luck)


class LegalWithAnyTone(Glimpse):
    def legal(self, state: State, seat: int) -> Sequence[Move]:
        if not super().legal(state, seat):
            return ()
        return Choices((Show, Lazy(2, lambda at: Show(at + 1), lambda _: True)), (GiveUp, (GiveUp(),)))


class WonByNobodyHere(Glimpse):
    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.over, (7,)) if state.over and state.winner is not None else None


class WonTwice(Glimpse):
    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.over, (1, 1)) if state.over and state.winner is not None else None


class ScoringForSome(Glimpse):
    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.over, (), (5,)) if state.over and state.winner is not None else None


class ScoringLessForWinners(Glimpse):
    def outcome(self, state: State) -> Outcome | None:
        if not state.over or state.winner is None:
            return None
        return Outcome(
            state.over, (state.winner,), tuple(int(seat != state.winner) for seat in range(len(state.numbers)))
        )


class ScoringOtherwise(Glimpse):
    def scores(self, fold: State) -> tuple[int, ...] | None:
        return (0,) * len(fold.numbers)


class ScoringByASecret(Glimpse):
    def scores(self, fold: State) -> tuple[int, ...] | None:
        return tuple(number or 0 for number in fold.numbers)


@functools.cache
def wear(game: Glimpse, *colours: str) -> AnyGame:
    """The game with seats of these colours."""
    worn = copy(game)
    worn.meta = replace(game.meta, seat_marks=tuple(Mark("n", colour) for colour in colours))
    return worn


class TakingMarks(Glimpse):
    """Who has shown their number is of another colour."""

    meta = replace(toys.META, takes_marks=lambda _: True)

    @staticmethod
    def with_marks(game: Any, fold: Any) -> AnyGame:
        shown = fold.at if fold is not None else 0
        return wear(game, *("c2" if seat < shown else "c1" for seat in range(3)))


class MarkingByASecret(TakingMarks):
    @staticmethod
    def with_marks(game: Any, fold: Any) -> AnyGame:
        return wear(game, "c1", "c1", "c2" if fold is not None and fold.numbers[0] else "c1")


class MarkingTwo(TakingMarks):
    @staticmethod
    def with_marks(game: Any, fold: Any) -> AnyGame:
        return wear(game, "c1", "c2")


class MarkingOnlyOnceBegun(TakingMarks):
    @staticmethod
    def with_marks(game: Any, fold: Any) -> AnyGame:
        return game if fold is None else TakingMarks.with_marks(game, fold)


class MarkingAgain(TakingMarks):
    @staticmethod
    def with_marks(game: Any, fold: Any) -> AnyGame:
        return copy(TakingMarks.with_marks(game, fold))


def test_a_toy_whose_seats_choose_marks_obeys_every_law() -> None:
    many_matches(TakingMarks())


class DescribingNothing(Glimpse):
    def describe(self, *args: Any, over: bool = False) -> tuple[Phrase, ...]:
        return ()


class DescribingAnotherEnd(Glimpse):
    def describe(self, fold: State, viewer: Viewer, lang: Lang, *, over: bool = False) -> tuple[Phrase, ...]:
        return ("It is over.",) if over else ("Somebody has won.",)


class Loose(State, frozen=True):
    pairs: Any = ()


class KeepingWhatJsonTurnsIntoAList(Glimpse):
    meta = replace(toys.META, state=Loose)

    def evolve(self, state: State | None, event: Event) -> State:
        new = super().evolve(state, event)
        return Loose(new.numbers, pairs=((1, 2),)) if state is None else new


class DrawingAnotherEnd(Glimpse):
    def draw(self, fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
        return "<svg/>" if scene.over else "<svg></svg>"


@cases(
    "game, law",
    [
        (AskingByASecret(), "pending or outcome differ"),
        (LegalByASecret(), "legal differs"),
        (Endless(), "does not end within 6"),
        (Silent(), "has no event"),
        (RefusingTheLegal(), "is refused: tone"),
        (NamingCandidates(Show(1), Show(1)), "is named twice"),
        (NamingCandidates(Foreign()), "does not answer"),
        (RefusingForNoReason(), "'because' is not declared"),
        (RefusingByASecret(), "in its own fold as"),
        (RefusingOnlyWhatItSeesThrough(), "is refused, but not in its own fold"),
        (AcceptingAnybody(), "is accepted though it is not legal"),
        (RepeatingItsKeys(), "names two questions"),
        (AskingWithoutAChoice(), "has no legal move"),
        (RememberingWhatFaded(), "fading changes"),
        (KnowingBetter(), "contradicts the full one"),
        (WritingBadly(), "reads back"),
        (NamingStrangers(), "unknown placeholder '7'"),
        (DrawingNothing(), "not an SVG"),
        (EndingUndeclared(), "'gave_up' is not declared"),
        (AskingUndeclared(), "the ask kind 'show' is not declared"),
        (DealingByItsOwnLuck(), "setup gives other events for the same luck"),
        (DecidingByItsOwnLuck(), "of seat . gives other events for the same luck"),
        (FallingBackByItsOwnLuck(), "the fallback of seat . is .* for the same luck"),
        (FallingBackOnNothing(), "the fallback .* is not legal"),
        (ForeseeingAnotherNumber(), "the preview of Show.* foresees Glimpsed"),
        (ForeseeingTooMuch(), "foresees more than happens"),
        (OfferingTooLittle(), r"GiveUp\(\) of seat . is accepted though it is not legal"),
        (OfferingTooLittleLater(), r"Show\(tone=2\) of seat . is accepted though it is not legal"),
        (KeepingAMoveForTheClock(), r"the fallback Show\(tone=2\) of seat . is not legal"),
        (BreakingOnAMove(), "decide breaks on _Foreign.*what is this"),
        (LegalWithAnyTone(), r"Show\(tone=.*\) is among the legal moves, though no message can carry it"),
        (AcceptingAnyTone(), r"Show\(tone=.*\) of seat . is accepted though it is not legal"),
        (WonByNobodyHere(), r"the winners \(7,\) are not seats"),
        (WonTwice(), r"the winners \(1, 1\) are not seats, once each"),
        (ScoringForSome(), r"the scores \(5,\) are not one a seat"),
        (ScoringLessForWinners(), r"the scores \(.*\) give somebody more than a winner"),
        (ScoringOtherwise(), r"the scores at the end are \(0, 0.*\), but None in the outcome"),
        (ScoringByASecret(), "scores differ in the fold of"),
        (MarkingByASecret(), "the marks of the seats differ in the fold of"),
        (MarkingTwo(), "a seat has no mark"),
        (MarkingOnlyOnceBegun(), "a seat has no mark"),
        (MarkingAgain(), "with_marks returns another object for the same marks"),
        (DescribingNothing(), "the board in words has no line"),
        (DescribingAnotherEnd(), "the board in words of an ended match is another one"),
        (KeepingWhatJsonTurnsIntoAList(), "the state does not survive JSON"),
        (DrawingAnotherEnd(), "the drawn board of an ended match is another one"),
    ],
)
def test_each_way_to_break_a_law_is_reported_with_its_message(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_matches(game)


class FallingBackForEver(Endless):
    pass


class AskingAgain(Glimpse):
    """Every second time the next seat is asked, too; when nobody waits for its answer the question comes back."""

    def pending(self, state: State) -> tuple[Ask, ...]:
        asks = super().pending(state)
        if not asks or state.at % 2:
            return asks
        return (*asks, Ask((state.at + 1) % len(state.numbers), "w.show", "w", "show"))


def test_a_question_that_closed_unanswered_and_comes_back_is_noticed() -> None:
    table = Table(AskingAgain(), 2, None, bytes(32))
    for _ in range(2):
        check_position(table)
        ask = table.game.pending(table.state)[0]
        table.play(ask, Show(1), By(seat=ask.seat))
    with pytest.raises(LawBroken, match=r"the key 'w\.show' was closed and comes back"):
        check_position(table)


class Wide(Event, frozen=True):
    any_number: tuple[int, ...]
    a_few: Annotated[tuple[int, ...], msgspec.Meta(max_length=4)]
    two: tuple[int, int]
    rows: Annotated[tuple[tuple[int, ...], ...], msgspec.Meta(max_length=4)]
    maybe: Annotated[tuple[int, ...], msgspec.Meta(max_length=4)] | None
    maybe_any: tuple[int, ...] | None
    named: dict[str, int]
    titled: Annotated[tuple[int, ...], msgspec.Meta(max_length=4), msgspec.Meta(title="A few")]
    maybe_marked: Annotated[Annotated[tuple[int, ...], each()] | None, msgspec.Meta(max_length=4)]


class Wrapped(Event, frozen=True):
    inner: Wide


class DealingAnyNumber(Glimpse):
    meta = replace(toys.META, events=(*toys.META.events, Wrapped))


def test_the_laws_notice_a_field_without_a_bound_at_any_depth() -> None:
    assert list(endless_fields(Wide)) == ["Wide.any_number", "Wide.rows", "Wide.maybe_any", "Wide.named"]
    with pytest.raises(LawBroken, match=r"glimpse: no max_length bounds Wrapped\.inner"):
        check_bounds(DealingAnyNumber())


class DrawingBy(Glimpse):
    """Its winner is drawn by this function of the luck and the seats."""

    def __init__(self, draw: Callable[[Any, int], int]) -> None:
        self.draw_by = draw

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        events = super().decide(state, seat, move, Elsewhere())
        seats = len(state.numbers)
        return [toys.Closed(self.draw_by(luck, seats)) if isinstance(e, toys.Closed) else e for e in events]


class Elsewhere(Luck):
    """Luck that is drawn for nothing, from no match."""

    def named(self, name: str) -> Chance:
        return KeyLuck(bytes(32)).rules(1).named(name)


def twice_under_one_name(luck: Luck, seats: int) -> int:
    return (luck.named("winner").below(seats) + luck.named("winner").below(seats)) % seats


def twice_from_one_stream(luck: Luck, seats: int) -> int:
    stream = luck.named("winner")
    return (stream.below(seats) + stream.below(seats)) % seats


@cases(
    "draw, law",
    [
        (lambda luck, seats: luck.below(seats), "the rules draw by 'below' without a name"),
        (lambda luck, seats: luck.named("Winner").below(seats), "'Winner' is no name of a draw"),
        (lambda luck, seats: luck.named("loser").below(seats), "the kind of the draw 'loser' is not declared"),
        (lambda luck, seats: luck.named("number:s0").below(100) % seats, "two draws have the name 'number:s0'"),
        (twice_under_one_name, "two draws have the name 'winner'"),
        (twice_from_one_stream, "two things are drawn under the name 'winner'"),
        (lambda luck, seats: luck.named("winner:s7").below(seats), "'winner:s7' does not name the seat"),
        (lambda luck, seats: luck.named("number:last").below(100) % seats, "'number:last' does not name the seat"),
        (lambda luck, seats: luck.named("number:s1:last").below(seats), "not every result of 'number:s1:last' has a"),
        (lambda luck, seats: luck.named("number:s1:last").shuffled(range(seats))[0], "not every result of"),
    ],
)  # fmt: skip
def test_a_draw_that_breaks_the_law_is_noticed(draw: Callable[[Any, int], int], law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_matches(DrawingBy(draw))


class DealingBadly(DrawingBy):
    meta = replace(
        toys.META,
        draws={
            **toys.META.draws,
            "winner": DrawKind(Text("x", "x"), deal=lambda seats: Deal(Text("y", "y"), 2, (1,) * 6)),
        },
    )


@pytest.mark.parametrize("things", [5, 7])
def test_a_deal_whose_worths_do_not_fit_its_things_is_noticed(things: int) -> None:
    with pytest.raises(
        LawBroken, match=f"'winner' shuffles {things} things, but its deal gives 2 to each seat and has"
    ):
        many_matches(DealingBadly(lambda luck, seats: luck.named("winner").shuffled(range(things))[0] % seats))


class DeclaringMoreLuck(Glimpse):
    meta = replace(toys.META, draws={**toys.META.draws, "card": toys.META.draws["winner"]})


@pytest.mark.long
def test_a_kind_of_draw_that_never_occurs_is_noticed() -> None:
    game, sample = DeclaringMoreLuck(), Sample()
    for n in range(40):
        sample.add(check_match(game, 2 + n % 2, None, seed_of("draws", 2, n))[0])
    assert sample.missing(game) == ["card"]


class CountingItsMatches(Glimpse):
    """Names a draw by more than the state, and does not look at what is drawn."""

    matches = itertools.count()

    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[Event]:
        self.match = next(self.matches)
        return super().setup(seats, options, luck)

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        events = super().decide(state, seat, move, Elsewhere())
        if any(isinstance(event, toys.Closed) for event in events):
            luck.named(f"winner:m{self.match}").below(len(state.numbers))
        return events


def test_draw_names_that_depend_on_more_than_the_state_are_noticed() -> None:
    with pytest.raises(LawBroken, match="entries about the table change the names of draws"):
        check_luck(CountingItsMatches(), 2, None, bytes(32))


class StoppingEverySecondMatch(CountingItsMatches):
    matches = itertools.count()

    def pending(self, state: State) -> tuple[Ask, ...]:
        return () if self.match % 2 and state.at else super().pending(state)


def test_a_repeated_match_that_ends_earlier_is_noticed() -> None:
    with pytest.raises(LawBroken, match="entries about the table change event 3 of the game"):
        check_luck(StoppingEverySecondMatch(), 2, None, bytes(32))


def test_luck_that_depends_on_entry_numbers_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in logs of format 1."""
    monkeypatch.setattr(play, "KeyLuck", SeedLuck)
    with pytest.raises(LawBroken, match="entries about the table change event 5 of the game"):
        check_luck(GLIMPSE, 2, None, bytes(32))


@cases(
    "game, law",
    [(FallingBackOnNothing(), "is not legal"), (FallingBackForEver(), "fallbacks alone do not end")],
)
def test_a_wrong_fallback_is_noticed(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        check_fallbacks(game, 2, None, bytes(32))


class OnePathForAll(Glimpse):
    def path(self, move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
        return (Step("do", "Do it"),)


class PathWithinAPath(Glimpse):
    def path(self, move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
        first = Step("do", "Do it")
        return (first, Step(f"n{move.tone}", "So")) if isinstance(move, Show) else (first,)


@cases("game, law", [(OnePathForAll(), "share a path"), (PathWithinAPath(), "begins the path")])
def test_two_moves_with_the_same_steps_are_noticed(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        check_paths(Table(game, 2, None, bytes(32)), 0)


class SameStepsInAnotherOrder(Glimpse):
    meta = replace(Glimpse.meta, asks={name: replace(kind, any_order=True) for name, kind in Glimpse.meta.asks.items()})

    def path(self, move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
        texts = "cd" if isinstance(move, GiveUp) else "ab" if move == Show(1) else "ba"
        return tuple(Step(text, text) for text in texts)


def test_moves_that_differ_only_in_a_free_order_of_steps_are_noticed() -> None:
    with pytest.raises(LawBroken, match="among those of another"):
        check_paths(Table(SameStepsInAnotherOrder(), 2, None, bytes(32)), 0)


class PadWithoutGivingUp(Glimpse):
    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        whole = super().pad(ask, fold, lang)
        return Pad(whole.title, whole.rows[:-1])


class PadWithAWrongAnswer(Glimpse):
    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        whole = super().pad(ask, fold, lang)
        return Pad(whole.title, (*whole.rows, (Cell("Hide it", (Step("hide", "Hide it"),)),)))


class PadThatOffersTwice(Glimpse):
    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        whole = super().pad(ask, fold, lang)
        return Pad(whole.title, (*whole.rows, (Cell("Open the board", ()),)))


class PadTooWide(Glimpse):
    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        whole = super().pad(ask, fold, lang)
        return Pad(whole.title, ((*whole.rows[0], *(Cell("no") for _ in range(5))), *whole.rows[1:]))


class PadThatNamesNothing(Glimpse):
    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        return Pad("{N7}", super().pad(ask, fold, lang).rows)


@cases(
    "game, law",
    [
        (PadWithoutGivingUp(), "does not divide"),
        (PadWithAWrongAnswer(), "does not divide"),
        (PadThatOffersTwice(), "does not divide"),
        (PadTooWide(), "has no room"),
        (PadThatNamesNothing(), "unknown placeholder"),
    ],
)
def test_a_pad_that_does_not_offer_just_the_legal_moves_is_noticed(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        check_paths(Table(game, 2, None, bytes(32)), 0)


class OrderingWhatIsIllegal(toys.Ordering):
    def follow(self, order: Order, fold: State, ask: Ask, chance: Chance) -> Move | None:
        return Show(9)


class OrderingByItsOwnLuck(toys.Ordering):
    luck = itertools.count()

    def follow(self, order: Order, fold: State, ask: Ask, chance: Chance) -> Move | None:
        return Show(1 + next(self.luck) % 2)


class AskingInAWindow(toys.Ordering):
    meta = replace(toys.WINDOWED.meta, orders=toys.ORDERING.meta.orders)

    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return ()


class GuardingASecret(toys.Ordering):
    meta = replace(
        toys.ORDERING.meta,
        guards={"high": GuardKind(Text("a", "b"), lambda fold, seat: (fold.numbers[1 - seat] or 0) > 0)},
    )


class CountingRoundsByASecret(toys.Ordering):
    def round_of(self, fold: State) -> int:
        return fold.numbers[0] or 0


class NeverSure(toys.Ordering):
    meta = replace(toys.ORDERING.meta, asks={"show": replace(toys.ORDERING.meta.asks["show"], always=(Show(3),))})


class LeavingWhatIsRefused(toys.Ordering):
    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return (Always(kind="show", move=GiveUp()),)


class LeavingTwo(toys.Ordering):
    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return (toys.Louder(tone=1), Always(kind="show", move=Show(1)))


class ActingInBetween(toys.Ordering):
    meta = replace(toys.ORDERING.meta, sittings=(("show", "show"),))

    def pending(self, state: State) -> tuple[Ask, ...]:
        asks = super().pending(state)
        return tuple(replace(ask, seat=seat) for ask in asks for seat in range(len(state.numbers)))

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        return super().decide(state, state.at % len(state.numbers), move, luck)


class RefusingForEver(toys.Ordering):
    def round_of(self, fold: State) -> int:
        return 0

    def check_order(self, order: Order, fold: State, seat: int) -> None:
        if order == Always(kind="show", move=Show(1)):
            raise IllegalMove("lasting")


class OfferingWhatNeverAnswers(toys.Ordering):
    def answers(self, kind: str, fold: State, seat: int) -> Sequence[Move]:
        return (Show(9),)


class OfferingTwice(toys.Ordering):
    def answers(self, kind: str, fold: State, seat: int) -> Sequence[Move]:
        return (Show(1), Show(1))


class OfferingByItsOwnLuck(toys.Ordering):
    luck = itertools.count()

    def answers(self, kind: str, fold: State, seat: int) -> Sequence[Move]:
        return (Show(1 + next(self.luck) % 2),)


class OfferingWhatIsIllegal(toys.Ordering):
    def answers(self, kind: str, fold: State, seat: int) -> Sequence[Move]:
        return (GiveUp(),)

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [move for move in super().legal(state, seat) if move != GiveUp()]


class NamingTheUnknown(toys.Ordering):
    def answers(self, kind: str, fold: State, seat: int) -> Sequence[Move]:
        return (Show(1),)

    def name(self, move: Move, lang: Lang) -> Phrase:
        return "{N9}"


class CountingRoundsItDoesNotHave(toys.Ordering):
    meta = replace(toys.ORDERING.meta, has_rounds=False)


@cases(
    "game, law",
    [
        (OfferingWhatNeverAnswers(), "is offered, but answers no show"),
        (OfferingTwice(), "a form offers .* as answers to show"),
        (OfferingByItsOwnLuck(), "a form offers .* as answers to show"),
        (OfferingWhatIsIllegal(), "none of .* answers"),
        (NamingTheUnknown(), "is called '{N9}'"),
        (CountingRoundsItDoesNotHave(), "in a game without rounds"),
        (OrderingWhatIsIllegal(), r"answers .* with Show\(tone=9\), which is not legal"),
        (OrderingByItsOwnLuck(), "in two ways"),
        (AskingInAWindow(), "does not answer .*, which is a window"),
        (GuardingASecret(), "the guard 'high' is not about a public fact"),
        (CountingRoundsByASecret(), "round_of is not the same for everybody"),
        (NeverSure(), r"Show\(tone=3\) is not always legal"),
        (LeavingWhatIsRefused(), "which is refused: "),
        (LeavingTwo(), "leaves two orders for the same questions"),
        (ActingInBetween(), "are one sitting, .* can be answered"),
        (RefusingForEver(), "was refused for ever, but it is legal"),
    ],
)
def test_an_order_that_breaks_a_law_is_noticed(game: AnyGame, law: str) -> None:
    def check() -> None:
        for n in range(20):
            check_orders(game, 2, None, seed_of("orders", 2, n))

    with pytest.raises(LawBroken, match=law):
        check()


@cases(
    "changes, law",
    [
        ({"orders": toys.ORDERING.meta.orders * 2}, "share a word"),
        ({"orders": (replace(toys.ORDERING.meta.orders[0], word="always"),)}, "share a word"),
        ({"orders": (replace(toys.ORDERING.meta.orders[0], asks=("sing",)),)}, r"\['sing'\], which nobody asks"),
        ({"orders": (replace(toys.ORDERING.meta.orders[0], samples=()),)}, "louder has no sample"),
        ({"orders": (replace(toys.ORDERING.meta.orders[0], says=lambda *_: ""),)}, "does not say"),
        ({"orders": (replace(toys.ORDERING.meta.orders[0], says=lambda *_: "{N9}"),)}, "unknown placeholders"),
        ({"orders": (replace(toys.ORDERING.meta.orders[0], word="show"),)}, "share a word"),
        ({"orders": (replace(toys.ORDERING.meta.orders[0], parameters={}),)}, "louder declares"),
        ({"has_rounds": False, "orders": toys.ORDERING.meta.orders}, "the scope 'round', which means nothing"),
        ({"sittings": (("show", "sing"),)}, "which nobody asks"),
        ({"guards": dict.fromkeys("abcdefg", toys.ORDERING.meta.guards["begun"])}, "7 guards"),
    ],
)
def test_the_laws_notice_a_wrong_declaration_about_orders(changes: dict[str, Any], law: str) -> None:
    class Declaring(toys.Ordering):
        meta = replace(toys.ORDERING.meta, **changes)

    with pytest.raises(LawBroken, match=law):
        check_declared(Declaring())


def test_an_order_candidate_that_its_rule_refuses_breaks_no_law() -> None:
    check_match(NamingCandidates(Show(1), Show(7)), 2, None, bytes(32))


def test_a_broken_law_names_the_seed_and_seats_to_reproduce_it() -> None:
    with pytest.raises(LawBroken) as caught:
        check_match(Endless(), 2, None, bytes(32))
    assert bytes(32).hex() in str(caught.value)
    assert "glimpse, 2 seats" in str(caught.value)
