"""A game without end, for measuring the cost of a move late in a match; and an application that also knows it.

The service does not offer it: only the benchmark's own processes know it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

import pbem
from pbem.games import Found, found_games
from pbem.kit.answers import pad_of_first_steps
from pbem.kit.assemble import NoOrders
from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import (
    AnyGame,
    Ask,
    AskKind,
    Bot,
    Candidate,
    CardOf,
    End,
    Estimate,
    Event,
    Figure,
    IllegalMove,
    Imagine,
    Intro,
    Lesson,
    Meta,
    Move,
    Outcome,
    Pad,
    Phrase,
    Scene,
    Step,
    Unreadable,
    Viewer,
)
from pbem.kit.texts import Lang, Text

SEATS = 2


class Tick(Move, frozen=True):
    """Goes on."""


class Began(Event, frozen=True):
    """The match began."""


class Ticked(Event, frozen=True):
    """It went on."""


class State(msgspec.Struct, frozen=True):
    """How often it went on."""

    at: int = 0


def _same_in_all_languages(words: str) -> Text:
    return Text(fr=words, en=words)


META = Meta(
    slug="endless", title=_same_in_all_languages("Endless"), blurb=_same_in_all_languages("It goes on."),
    seats=(SEATS,), minutes=1, state=State,
    moves=(Tick,), events=(Began, Ticked), asks={"tick": AskKind(_same_in_all_languages("Go on"), (Tick,))},
    endings={"never": _same_in_all_languages("never")}, refusals={}, traits=frozenset(), bound=10**9,
)  # fmt: skip


class Endless(NoOrders):
    """Two seats in turn, for ever."""

    meta = META
    bots: Mapping[str, Bot] = {}
    imagine: Imagine | None = None
    playout: Bot | None = None
    estimate: Estimate | None = None
    end: End | None = None
    card: CardOf | None = None
    intro: Intro | None = None
    lesson: Lesson | None = None
    with_marks: Callable[[AnyGame, Any], AnyGame] | None = None
    notation_page: Callable[[Lang], str] | None = None
    figures: Mapping[str, Figure] = {}

    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[Event]:
        """It begins."""
        return [Began()]

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        """It goes on. Raises IllegalMove."""
        if seat != state.at % SEATS:
            raise IllegalMove("not_asked")
        return [Ticked()]

    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event]:
        """Nothing comes of itself."""
        return ()

    def foretell(self, event: Event, before: State, lang: Lang) -> str:
        """Nothing to say."""
        return ""

    def evolve(self, state: State | None, event: Event) -> State:
        """One more."""
        return State() if state is None else State(state.at + 1)

    def pending(self, state: State) -> tuple[Ask, ...]:
        """Always one."""
        return (Ask(state.at % SEATS, f"t{state.at}.tick", f"t{state.at}", "tick"),)

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        """The only move."""
        return (Tick(),) if seat == state.at % SEATS else ()

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        """The only move."""
        return Tick()

    def preview(self, fold: State, seat: int, move: Move) -> Sequence[Event]:
        """What follows."""
        return [Ticked()]

    def outcome(self, state: State) -> Outcome | None:
        """None, ever."""
        return None

    def scores(self, fold: State) -> tuple[int, ...] | None:
        """None, ever."""
        return None

    def parse(self, text: str, seat: int | None = None) -> Move:
        """The only move. Raises Unreadable."""
        if text != "tick":
            raise Unreadable(text, _same_in_all_languages("tick"))
        return Tick()

    def format(self, move: Move) -> str:
        """Its only word."""
        return "tick"

    def tell(self, event: Event, before: State | None, lang: Lang) -> Phrase:
        """Nothing to tell."""
        return ""

    def prompt(self, ask: Ask, fold: State, lang: Lang) -> Phrase:
        """What is asked."""
        return "Go on."

    def label(self, move: Move, fold: State, lang: Lang) -> Phrase:
        """What is done."""
        return "You go on."

    def path(self, move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
        """The only step."""
        return (Step("tick", "Go on"),)

    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        """The only answer."""
        return pad_of_first_steps("Go on", [self.path(Tick(), fold, lang)])

    def candidates(self, ask: Ask, fold: State, lang: Lang) -> tuple[Candidate, ...]:
        """None."""
        return ()

    def describe(self, fold: State, viewer: Viewer, lang: Lang, *, over: bool = False) -> tuple[Phrase, ...]:
        """How far it went."""
        return (f"{fold.at}.",)

    def draw(self, fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
        """Nothing to see."""
        return "<svg/>"


FOUND = Found(Endless(), "benchmarks.service", "the benchmarks")


@contextmanager
def register_endless_game() -> Iterator[None]:
    """Makes this process know the game while the block runs."""
    games = found_games()
    games[META.slug] = FOUND
    try:
        yield
    finally:
        del games[META.slug]


def create_app() -> Any:
    """Returns the service's application in a process that also knows the endless game, to its end."""
    found_games()[META.slug] = FOUND
    return pbem.create_app()
