"""Glimpse, the smallest game that uses every feature of the kit: secrets, a fading field, luck, two ways to end.

Two or three seats hold a secret number each. In turn every seat shows its number to all for a moment, twice,
or gives up. It is a class, so that a test can break one law by overriding one method.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from pbem.kit.answers import pad_of_first_steps
from pbem.kit.assemble import NoOrders
from pbem.kit.chance import Chance, Luck
from pbem.kit.choices import Choices
from pbem.kit.contract import (
    AnyGame,
    Ask,
    AskKind,
    Bot,
    Candidate,
    CardOf,
    DrawKind,
    End,
    Estimate,
    Event,
    Figure,
    GuardKind,
    IllegalMove,
    Imagine,
    Intro,
    Lesson,
    Mark,
    Meta,
    Move,
    Order,
    OrderKind,
    Outcome,
    Pad,
    Parameter,
    Phrase,
    PlayerView,
    Refusal,
    Scene,
    Seat,
    Step,
    Unreadable,
    Viewer,
)
from pbem.kit.orders.shapes import moves_of
from pbem.kit.secrecy import each, fades
from pbem.kit.texts import Lang, Text


class Show(Move, frozen=True):
    tone: Annotated[int, msgspec.Meta(ge=1, le=2)]


class GiveUp(Move, frozen=True):
    pass


class Dealt(Event, frozen=True):
    numbers: Annotated[tuple[int | None, ...], msgspec.Meta(max_length=3), each()]


class Glimpsed(Event, frozen=True):
    seat: Seat
    number: Annotated[int | None, fades()]


class GaveUp(Event, frozen=True):
    seat: Seat


class Closed(Event, frozen=True):
    winner: Seat


class State(msgspec.Struct, frozen=True):
    numbers: Annotated[tuple[int | None, ...], each()]
    at: int = 0
    over: str | None = None
    winner: int | None = None
    seen: int | None = None
    """Never filled by the sound game: what faded must be forgotten."""


def _text(words: str) -> Text:
    return Text(fr=words, en=words)


META = Meta(
    slug="glimpse",
    title=_text("Glimpse"),
    blurb=_text("A toy."),
    seats=(2, 3),
    minutes=1,
    state=State,
    moves=(Show, GiveUp),
    events=(Dealt, Glimpsed, GaveUp, Closed),
    asks={"show": AskKind(_text("Your turn"), (Show, GiveUp))},
    endings={"shown": _text("all was shown"), "gave_up": _text("somebody gave up")},
    refusals={"tone": Refusal("1", _text("There is no tone {tone}."))},
    traits=frozenset({"hidden", "luck"}),
    draws={"number": DrawKind(_text("a number"), tuple(range(100))), "winner": DrawKind(_text("who wins"))},
    bound=6,
    marks={"N1": Mark("n", "c1")},
    weights={"Show": 5, "GiveUp": 1},
)


class Glimpse(NoOrders):
    """The game that obeys all laws."""

    meta = META
    bots: Mapping[str, Bot] = {"loud": lambda view, seat, chance: Show(2)}
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
        return [Dealt(tuple(luck.named(f"number:s{seat}").below(100) for seat in range(seats)))]

    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        asked = self.pending(state)
        if not asked or asked[0].seat != seat:
            raise IllegalMove("not_asked")
        match move:
            case GiveUp():
                others = [s for s in range(len(state.numbers)) if s != seat]
                return [GaveUp(seat), Closed(luck.named("winner").pick(others))]
            case Show(tone) if tone not in (1, 2):
                raise IllegalMove("tone", tone=tone)
            case Show():
                shown = Glimpsed(seat, state.numbers[seat])
                last = state.at + 1 == 2 * len(state.numbers)
                return [shown, Closed(luck.named("winner").below(len(state.numbers)))] if last else [shown]
        raise IllegalMove("wrong_kind")

    def evolve(self, state: State | None, event: Event) -> State:
        if isinstance(event, Dealt):
            return State(event.numbers)
        assert state is not None
        match event:
            case Glimpsed():
                return replace(state, at=state.at + 1)
            case GaveUp():
                return replace(state, over="gave_up")
            case Closed(winner):
                return replace(state, over=state.over or "shown", winner=winner)
        raise TypeError(f"{event} is no event of this game")

    def pending(self, state: State) -> tuple[Ask, ...]:
        if state.over:
            return ()
        turn = f"t{state.at}"
        return (Ask(state.at % len(state.numbers), f"{turn}.show", turn, "show"),)

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        if not any(ask.seat == seat for ask in self.pending(state)):
            return ()
        return Choices((Show, (Show(1), Show(2))), (GiveUp, (GiveUp(),)))

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        return Show(1 + chance.below(2))

    def round_of(self, fold: State) -> int:
        return fold.at // len(fold.numbers)

    def preview(self, fold: State, seat: int, move: Move) -> Sequence[Event]:
        return [GaveUp(seat)] if isinstance(move, GiveUp) else [Glimpsed(seat, fold.numbers[seat])]

    def supposable(self, fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
        seats = range(len(fold.numbers))
        if fold.winner is None and (fold.over or fold.at == 2 * len(seats)):
            gone = since[-1].seat if since and isinstance(since[-1], GaveUp) else None
            return [Closed(seat) for seat in seats if seat != gone]
        return ()

    def foretell(self, event: Event, before: State, lang: Lang) -> Phrase:
        return f"{{{event.winner}}} wins." if isinstance(event, Closed) else self.tell(event, before, lang)

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.over, (state.winner,)) if state.over and state.winner is not None else None

    def scores(self, fold: State) -> tuple[int, ...] | None:
        return None

    def parse(self, text: str, seat: int | None = None) -> Move:
        if text == "give up":
            return GiveUp()
        if text in ("show 1", "show 2"):
            return Show(int(text[-1]))
        raise Unreadable(text, _text("show 1"))

    def format(self, move: Move) -> str:
        return f"show {move.tone}" if isinstance(move, Show) else "give up"

    def tell(self, event: Event, before: State | None, lang: Lang) -> Phrase:
        return f"{{{event.seat}}} shows {{N1}}." if isinstance(event, Glimpsed) else ""

    def prompt(self, ask: Ask, fold: State, lang: Lang) -> Phrase:
        return "Show your number."

    def label(self, move: Move, fold: State, lang: Lang) -> Phrase:
        return "You do it."

    def path(self, move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
        return (Step(self.format(move).replace(" ", "-"), "Do it"),)

    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        return pad_of_first_steps(
            "Show or give up", (self.path(move, fold, lang) for move in self.legal(fold, ask.seat))
        )

    def candidates(self, ask: Ask, fold: State, lang: Lang) -> tuple[Candidate, ...]:
        return ()

    def describe(self, fold: State, viewer: Viewer, lang: Lang, *, over: bool = False) -> tuple[Phrase, ...]:
        return (f"{fold.at} shown.",)

    def draw(self, fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
        return "<svg/>"


GLIMPSE = Glimpse()


class Imagining(Glimpse):
    """Glimpse that bots can think about: the numbers that a seat does not know may be any.

    There is one tone, for of two moves that make the same events nobody could say later which one a bot chose.
    """

    meta = replace(META, slug="imagining")
    bots: Mapping[str, Bot] = {"loud": lambda view, seat, chance: Show(1)}

    def legal(self, state: State, seat: int) -> Sequence[Move]:
        return Choices((Show, (Show(1),)), (GiveUp, (GiveUp(),))) if super().legal(state, seat) else ()

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        return Show(1)

    def draw(self, fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
        return '<svg viewBox="0 0 1 1"></svg>'

    @staticmethod
    def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
        """Returns the seat's fold with a number for each that it does not know."""
        fold: State = view.fold
        known = fold.numbers
        return replace(fold, numbers=tuple(chance.below(100) if one is None else one for one in known))


IMAGINING = Imagining()


# --- the same with orders of its own -----------------------------------------------------------------------


class Louder(Order, frozen=True):
    """Show in this tone from this turn on, before it in the other one; ask on the last turn."""

    tone: Annotated[int, msgspec.Meta(ge=1, le=2)]
    turns: Annotated[tuple[Annotated[int, msgspec.Meta(ge=0, le=5)] | None, ...], msgspec.Meta(max_length=2)] = ()


class Ordering(Glimpse):
    """Glimpse with a rule that seats may order, a guard, and the law that nobody gives up by a lasting order."""

    meta = replace(
        META,
        slug="ordering",
        orders=(
            OrderKind(
                Louder, "louder", ("show",), _text("Louder"), lambda order, lang: f"Shows {order.tone}.",
                (Louder(tone=1), Louder(tone=2, turns=(3, None))),
                {"tone": Parameter(_text("Tone")), "turns": Parameter(_text("From which turn"))},
            ),
        ),
        guards={"begun": GuardKind(_text("somebody has shown"), lambda fold, seat: fold.at > 0)},
        refusals={**META.refusals, "lasting": Refusal("2", _text("Give up for one question alone."))},
    )  # fmt: skip

    def follow(self, order: Order, fold: State, ask: Ask, chance: Chance) -> Move | None:
        assert isinstance(order, Louder)
        if fold.at + 1 == 2 * len(fold.numbers):
            return None
        return Show(order.tone if fold.at >= (order.turns[0] or 0 if order.turns else 0) else 3 - order.tone)

    def check_order(self, order: Order, fold: State, seat: int) -> None:
        if GiveUp() in moves_of(order) and order.scope != "question":
            raise IllegalMove("lasting")

    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return (Louder(tone=2, scope="match"),)


class Windowed(Ordering):
    """Every question is a window, in which showing the tone 1 is always legal."""

    meta = replace(
        Ordering.meta, orders=(),
        asks={"show": AskKind(_text("Your turn"), (Show, GiveUp), window=True, always=(Show(1),))},
    )  # fmt: skip

    def typical(self, view: PlayerView, seat: int, chance: Chance) -> Sequence[Order]:
        return ()


ORDERING, WINDOWED = Ordering(), Windowed()
