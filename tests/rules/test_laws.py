"""Every game obeys the laws; and the laws notice a game that does not."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pbem.games import all_games
from pbem.rules.chance import Chance
from pbem.rules.choices import Choices
from pbem.rules.contract import AnyGame, Ask, Event, IllegalMove, Lang, Move, Phrase, Step
from pbem.rules.laws import check_fallbacks, check_match, check_paths
from pbem.rules.play import LawBroken, Sample, Table, random_decisions
from tests.rules import toys
from tests.rules.toys import GLIMPSE, Glimpse, Glimpsed, Show, State
from tests.transcripts import seed_of

MATCHES = int(os.environ.get("PBEM_LAW_MATCHES", "100"))
GAMES = [*all_games().values(), GLIMPSE]
SEATED = [pytest.param(game, seats, id=f"{game.meta.slug}-{seats}") for game in GAMES for seats in game.meta.seats]


@pytest.mark.slow
@pytest.mark.timeout(MATCHES * 6)
@pytest.mark.parametrize("game", [pytest.param(game, id=game.meta.slug) for game in GAMES])
def test_random_matches_obey_every_law_and_everything_occurs(
    game: AnyGame, record_property: Callable[[str, object], None]
) -> None:
    total = Sample()
    for seats in game.meta.seats:
        for n in range(MATCHES):
            total.add(check_match(game, seats, game.meta.options(), seed_of(game.meta.slug, seats, n))[0])
    record_property("events", dict(total.events))
    record_property("endings", dict(total.endings))
    print(f"{game.meta.slug}: {msgspec.to_builtins(total)}")  # noqa: T201 - the report, seen with -s or -rP
    assert total.matches == MATCHES * len(game.meta.seats)
    assert not total.missing(game)


@pytest.mark.parametrize(("game", "seats"), SEATED)
def test_the_clock_alone_ends_a_match(game: AnyGame, seats: int) -> None:
    for n in range(5):
        table = check_fallbacks(game, seats, game.meta.options(), seed_of(game.meta.slug, seats, n))
        assert game.outcome(table.state) is not None


@pytest.mark.parametrize(("game", "seats"), SEATED)
def test_no_two_moves_share_a_path(game: AnyGame, seats: int) -> None:
    for n in range(2):
        table = Table(game, seats, game.meta.options(), seed_of(game.meta.slug, seats, n))
        for at, (ask, _) in enumerate(random_decisions(table)):
            if at < seats + 6 or at % 10 == 0:
                check_paths(table, ask.seat)


def test_a_sample_says_what_never_occurred() -> None:
    sample = Sample()
    assert set(sample.missing(GLIMPSE)) == {"Dealt", "Glimpsed", "GaveUp", "Closed", "shown", "gave_up"}
    one = check_match(GLIMPSE, 2, None, bytes(32))[0]
    sample.add(one)
    assert sample.matches == 1
    assert sample.decisions == one.decisions
    assert "Dealt" not in sample.missing(GLIMPSE)
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


class Endless(Glimpse):
    def decide(self, state: State, seat: int, move: Move, chance: Chance) -> Sequence[Event]:
        return list(super().decide(state, seat, move, chance))[:1]

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return [move for move in super().legal(state, seat) if isinstance(move, Show)]


class Silent(Glimpse):
    def decide(self, state: State, seat: int, move: Move, chance: Chance) -> Sequence[Event]:
        super().decide(state, seat, move, chance)
        return []


class RefusingTheLegal(Glimpse):
    def decide(self, state: State, seat: int, move: Move, chance: Chance) -> Sequence[Event]:
        if isinstance(move, Show):
            raise IllegalMove("tone", tone=move.tone)
        return super().decide(state, seat, move, chance)


class RefusingForNoReason(Glimpse):
    def decide(self, state: State, seat: int, move: Move, chance: Chance) -> Sequence[Event]:
        if not isinstance(move, (Show, toys.GiveUp)):
            raise IllegalMove("because")
        return super().decide(state, seat, move, chance)


class AcceptingAnybody(Glimpse):
    def decide(self, state: State, seat: int, move: Move, chance: Chance) -> Sequence[Event]:
        asked = self.pending(state)
        return super().decide(state, asked[0].seat if asked else seat, move, chance)


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


@pytest.mark.parametrize(
    ("game", "law"),
    [
        (AskingByASecret(), "pending or outcome differ"),
        (LegalByASecret(), "legal differs"),
        (Endless(), "does not end within 6"),
        (Silent(), "has no event"),
        (RefusingTheLegal(), "is refused: tone"),
        (RefusingForNoReason(), "'because' is not declared"),
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
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Glimpse) else "",
)
def test_a_broken_law_is_noticed(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        many_matches(game)


def many_matches(game: AnyGame) -> None:
    """Enough matches for everything in the toy to occur."""
    for n in range(60):
        check_match(game, 2 + n % 2, None, seed_of("broken", 2, n))


class FallingBackOnNothing(Glimpse):
    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        return Show(9)


class FallingBackForEver(Endless):
    pass


@pytest.mark.parametrize(
    ("game", "law"),
    [(FallingBackOnNothing(), "is not legal"), (FallingBackForEver(), "fallbacks alone do not end")],
    ids=lambda value: type(value).__name__ if isinstance(value, Glimpse) else "",
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


@pytest.mark.parametrize(("game", "law"), [(OnePathForAll(), "share a path"), (PathWithinAPath(), "begins the path")])
def test_paths_that_cannot_be_told_apart_are_noticed(game: AnyGame, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        check_paths(Table(game, 2, None, bytes(32)), 0)


def test_a_broken_law_names_the_match_so_that_it_can_be_seen_again() -> None:
    with pytest.raises(LawBroken) as caught:
        check_match(Endless(), 2, None, bytes(32))
    assert bytes(32).hex() in str(caught.value)
    assert "glimpse, 2 seats" in str(caught.value)
