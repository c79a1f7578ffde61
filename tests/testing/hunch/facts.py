"""Hunch: dice under cups, and who guesses them. Its moves, events and state, and what events make of a state."""

from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from pbem.kit.contract import Event, Move, Options, Seat
from pbem.kit.secrecy import Each, Open, Own, Shown, put

Die = Annotated[int, msgspec.Meta(ge=1, le=6)]
Cup = Annotated[int, msgspec.Meta(ge=0, le=2)]


class Terms(Options, frozen=True):
    """How long a match takes."""

    length: Literal["short", "long"] = "short"


class Guess(Move, frozen=True):
    """Say what lies under the cup of another seat."""

    cup: Cup
    die: Annotated[int, msgspec.Meta(ge=1, le=9)]


class Wait(Move, frozen=True):
    """Say nothing."""


class Began(Event, frozen=True):
    """Everybody has rolled a die under their cup."""

    rounds: Open[int]
    dice: Each[Annotated[tuple[Die | None, ...], msgspec.Meta(max_length=3)]]


class Guessed(Event, frozen=True):
    """A seat said what lies under a cup; whether it is so."""

    seat: Open[Seat]
    cup: Open[Cup]
    die: Open[Die]
    right: Shown[bool]


class Waited(Event, frozen=True):
    """A seat said nothing."""

    seat: Open[Seat]


class Rolled(Event, frozen=True):
    """Whose die was guessed rolls again, under the cup."""

    seat: Open[Seat]
    die: Own[Die | None]


class State(msgspec.Struct, frozen=True):
    """A position; None is a die that one does not see."""

    dice: Each[tuple[Die | None, ...]]
    scores: Open[tuple[int, ...]]
    rounds: Open[int]
    turn: Open[int] = 0


def evolve(state: State | None, event: Event) -> State:
    """The state after an event."""
    if isinstance(event, Began):
        return State(event.dice, (0,) * len(event.dice), event.rounds)
    if state is None:
        raise ValueError("a log begins with the dice")
    match event:
        case Guessed(seat, _, _, right):
            scores = put(state.scores, seat, state.scores[seat] + right)
            return replace(state, scores=scores, turn=state.turn + 1)
        case Waited():
            return replace(state, turn=state.turn + 1)
        case Rolled(seat, die):
            return replace(state, dice=put(state.dice, seat, die))
    raise ValueError("no event of Hunch")
