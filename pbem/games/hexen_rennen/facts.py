"""The clans, tiles and cards of Hexen Rennen, its events and moves, its state, and `evolve`."""

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec.structs import force_setattr, replace

from pbem.kit.contract import Event, Move, Options, Seat
from pbem.kit.secrecy import Each, Hidden, Open, Own, Shown
from pbem.kit.tuples import less, put

CLANS = "ABCD"
"""A moon, B mushroom, C cat, D cauldron. The seats have the first letters, in order; the others are neutral."""

NUMBERS = (2, 3, 4, 5, 6, 7, 8, 9, 10)
SYMBOL = "S"
CARDS: tuple[str, ...] = (*(str(n) for n in NUMBERS), SYMBOL)
DECK: tuple[str, ...] = (*CARDS, SYMBOL, SYMBOL)
TILES: tuple[str, ...] = tuple(f"{clan}{card}" for clan in CLANS for card in CARDS)

FACES = (1, 2, 3, 4, 5, 6)
"""Of the die."""
COURSE = 48
STAGES = 3
GOAL = 51
"""The last square of the goal. Squares 49, 50, 51 are worth 2, 3, 4."""

CLAN_OF: dict[str, int] = {tile: CLANS.index(tile[0]) for tile in TILES}
VALUE_OF: dict[str, int] = {tile: 0 if tile[1:] == SYMBOL else int(tile[1:]) for tile in TILES}
"""The number on a tile; 0 for the magic symbol."""
STEPS_OF: dict[str, int] = {card: 0 if card == SYMBOL else int(card) for card in CARDS}
"""The number on a card; 0 for the magic symbol."""

Number = Annotated[int, msgspec.Meta(ge=2, le=10)]
# Not `$`, which would let a newline follow.
Card = Annotated[str, msgspec.Meta(pattern=r"^([2-9]|10|S)(?![\s\S])", max_length=2)]
Tile = Annotated[str, msgspec.Meta(pattern=r"^[A-D]([2-9]|10|S)(?![\s\S])", max_length=3)]
Clan = Annotated[int, msgspec.Meta(ge=0, le=3)]
"""A clan by number; the clan of a seat has the seat's number."""
Origin = Annotated[int, msgspec.Meta(ge=0, le=COURSE)]
Place = Annotated[int, msgspec.Meta(ge=1, le=COURSE)]
Target = Annotated[int, msgspec.Meta(ge=1, le=GOAL)]

Stage = Annotated[tuple[Number, ...], msgspec.Meta(min_length=1, max_length=9)]
# Bounded lengths instead of tuples of fixed items: not every reader of a schema understands `items: false`.
Stages = Annotated[tuple[Stage, ...], msgspec.Meta(min_length=STAGES, max_length=STAGES)]
Three = Annotated[tuple[Number | None, ...], msgspec.Meta(min_length=3, max_length=3)]
Division = Annotated[tuple[Three, ...], msgspec.Meta(min_length=STAGES, max_length=STAGES)]
Witches = Annotated[tuple[int, ...], msgspec.Meta(min_length=3, max_length=3)]
Pile = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=12)]
Course = Annotated[tuple[Tile | None, ...], msgspec.Meta(min_length=COURSE, max_length=COURSE)]


class HexenOptions(Options, frozen=True):
    """Whether a tile of the witch's own clan may carry her into the goal (R1)."""

    goal_by_tile: bool = False


# --- moves -------------------------------------------------------------------------------------------------


class Divide(Move, frozen=True):
    """Put the nine numbers into the three stages. Within a stage their order means nothing: they are sorted."""

    stages: Stages

    def __post_init__(self) -> None:
        force_setattr(self, "stages", tuple(tuple(sorted(stage)) for stage in self.stages))


class Fly(Move, frozen=True):
    """Move the witch that stands here by the die; 0 is the start."""

    origin: Annotated[int, msgspec.Meta(ge=0, le=GOAL)]


class Play(Move, frozen=True):
    """Play this card at the witch that stands on one's symbol."""

    card: Card


class Leave(Move, frozen=True):
    """Leave the witch where she stands, and keep one's cards."""


# --- events ------------------------------------------------------------------------------------------------


class Opened(Event, frozen=True):
    """The clans of the seats race; the cards of each other clan, A first, are a shuffled pile."""

    seats: Open[Annotated[int, msgspec.Meta(ge=2, le=4)]]
    goal_by_tile: Open[bool]
    piles: Hidden[Annotated[tuple[Pile, ...], msgspec.Meta(max_length=2)]]


class Divided(Event, frozen=True):
    """A seat chose which of its numbers lie in which stage."""

    seat: Open[Seat]
    stages: Own[Division]


class Laid(Event, frozen=True):
    """The tiles lie face down, each stage shuffled; the lot fell on the seat that begins."""

    tiles: Hidden[Course]
    first: Open[Seat]


class Rolled(Event, frozen=True):
    """The turn of a seat began with this die."""

    seat: Open[Seat]
    die: Open[Annotated[int, msgspec.Meta(ge=1, le=6)]]


class Stuck(Event, frozen=True):
    """No witch of the seat can move by the die: its turn is over."""

    seat: Open[Seat]


class Flew(Event, frozen=True):
    """A witch of the seat moved by the die."""

    seat: Open[Seat]
    origin: Open[Origin]
    target: Open[Target]


class Turned(Event, frozen=True):
    """A tile was turned up, for good."""

    place: Open[Place]
    tile: Shown[Tile]


class Carried(Event, frozen=True):
    """The number of her own clan carried the witch on."""

    seat: Open[Seat]
    origin: Open[Place]
    target: Open[Target]


class Reached(Event, frozen=True):
    """The witch stands on the magic symbol of a seat, who may play a card, or must when obliged."""

    seat: Open[Seat]
    place: Open[Place]
    obliged: Open[bool]


class Powerless(Event, frozen=True):
    """The witch stands on the magic symbol of a seat none of whose cards could move her."""

    seat: Open[Seat]
    place: Open[Place]


class Played(Event, frozen=True):
    """A seat played a card at the witch on its symbol."""

    seat: Open[Seat]
    card: Open[Card]
    origin: Open[Place]
    target: Open[Target]


class Spared(Event, frozen=True):
    """A seat left the witch on its symbol alone."""

    seat: Open[Seat]
    place: Open[Place]


class Drawn(Event, frozen=True):
    """The top card of a neutral clan was drawn for the witch on its symbol, and moved her where target differs."""

    clan: Open[Clan]
    card: Shown[Card]
    origin: Open[Place]
    target: Open[Place]


class Exhausted(Event, frozen=True):
    """The witch stands on the symbol of a neutral clan that has no card left."""

    clan: Open[Clan]
    place: Open[Place]


class Finished(Event, frozen=True):
    """A seat has its three witches in the goal: the race is over, with these scores in seat order."""

    seat: Open[Seat]
    scores: Open[Annotated[tuple[Annotated[int, msgspec.Meta(ge=0, le=12)], ...], msgspec.Meta(max_length=4)]]
    winners: Open[Annotated[tuple[Seat, ...], msgspec.Meta(min_length=1, max_length=4)]]


# --- state -------------------------------------------------------------------------------------------------


class State(msgspec.Struct, frozen=True, gc=False):
    """A position of the race; in a viewer's own fold None stands for what they do not know."""

    seats: Open[int]
    goal_by_tile: Open[bool]
    hands: Open[tuple[tuple[Card, ...], ...]]
    """By seat. Public, since everybody can work them out: equal at first, played face up, never refilled."""
    piles: Hidden[tuple[Pile, ...]]
    """By clan, the top first; () for the clan of a seat."""
    discards: Shown[tuple[tuple[Card, ...], ...]]
    """By clan, the oldest first."""
    witches: Open[tuple[Witches, ...]]
    """By seat, in ascending order; 0 is the start, 49 to 51 the goal."""
    divided: Open[tuple[bool, ...]]
    stages: Each[tuple[Division | None, ...]]
    """By seat; None also before the seat has chosen: see `divided`."""
    tiles: Hidden[tuple[Tile | None, ...]] = ()
    """The tiles as they were laid; known to nobody, see `shown`."""
    shown: Shown[tuple[Tile | None, ...]] = ()
    """The course as it is visible: None is a tile face down."""
    turn: Open[int] = 0
    active: Open[int | None] = None
    die: Open[int | None] = None
    witch: Open[int | None] = None
    """The place of the witch that has moved in this turn; None before."""
    asked: Open[int | None] = None
    """The seat on whose symbol she stands, while it has to answer."""
    obliged: Open[bool] = False
    symbols: Open[int] = 0
    """The number of symbols in this turn that have been answered for or are about to be."""
    finisher: Open[int | None] = None
    scores: Open[tuple[int, ...]] = ()
    winners: Open[tuple[int, ...]] = ()


def stage_of(place: int) -> int:
    """Returns the stage, 0 to 2, of a tile.

    >>> stage_of(16), stage_of(17), stage_of(48)
    (0, 1, 2)
    """
    return (place - 1) // 16


def points(place: int) -> int:
    """Returns the points of a witch at this place: 2, 3 or 4 in the goal, else 0.

    >>> points(51), points(49), points(48)
    (4, 2, 0)
    """
    return max(0, place - COURSE + 1) if place > COURSE else 0


@lru_cache(maxsize=256)
def cards_without(gone: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the cards of a clan without these."""
    left = list(DECK)
    for card in gone:
        left.remove(card)
    return tuple(left)


# --- what events make of a position --------------------------------------------------------------------------


def evolve(state: State | None, event: Event) -> State:
    """Returns the state after an event, full or redacted."""
    if state is None:
        if isinstance(event, Opened):
            return _open(event)
        raise ValueError("a log of Hexen Rennen begins with the opening")
    if state.finisher is not None:
        raise ValueError("nothing can happen after the end")
    return _AFTER[type(event)](state, event)


def _open(event: Opened) -> State:
    seats = event.seats
    piles = ((),) * seats + event.piles
    if len(piles) != len(CLANS):
        raise ValueError("every clan without a seat has a pile")
    return State(
        seats=seats,
        goal_by_tile=event.goal_by_tile,
        hands=(DECK,) * seats,
        piles=piles,
        discards=((),) * len(CLANS),
        witches=((0, 0, 0),) * seats,
        divided=(False,) * seats,
        stages=(None,) * seats,
    )


def _divide(state: State, event: Divided) -> State:
    if state.tiles:
        raise ValueError("the course lies already")
    divided = put(state.divided, event.seat, True)
    return replace(state, divided=divided, stages=put(state.stages, event.seat, event.stages))


def _roll(state: State, event: Rolled) -> State:
    if not state.shown:
        raise ValueError("nobody rolls before the tiles are laid")
    # The number of seats is that of the witches: an event for any other seat cannot begin a turn.
    state.witches[event.seat]
    return replace(
        state, turn=state.turn + 1, active=event.seat, die=event.die, witch=None, asked=None, obliged=False, symbols=0
    )


def _move(state: State, origin: int, target: int) -> tuple[tuple[int, ...], ...]:
    """Returns the witches after one of the active seat has moved."""
    if state.active is None:
        raise ValueError("nobody is to move")
    three = list(state.witches[state.active])
    three[three.index(origin)] = target
    three.sort()
    return put(state.witches, state.active, tuple(three))


def _fly(state: State, event: Flew | Carried) -> State:
    return replace(state, witches=_move(state, event.origin, event.target), witch=event.target)


def _reach(state: State, event: Reached) -> State:
    if event.seat >= state.seats or state.witch != event.place:
        raise ValueError("no witch stands on the symbol of a seat there")
    return replace(state, asked=event.seat, obliged=event.obliged, symbols=state.symbols + 1)


def _play(state: State, event: Played) -> State:
    return replace(
        state,
        hands=put(state.hands, event.seat, less(state.hands[event.seat], event.card)),
        discards=put(state.discards, event.seat, (*state.discards[event.seat], event.card)),
        witches=_move(state, event.origin, event.target),
        witch=event.target,
        asked=None,
        obliged=False,
    )


def _draw(state: State, event: Drawn) -> State:
    pile = state.piles[event.clan]
    if not pile:
        raise ValueError("the pile is empty")
    return replace(
        state,
        piles=put(state.piles, event.clan, pile[1:]),
        discards=put(state.discards, event.clan, (*state.discards[event.clan], event.card)),
        witches=_move(state, event.origin, event.target),
        witch=event.target,
    )


def _finish(state: State, event: Finished) -> State:
    if len(event.scores) != state.seats or max(event.seat, *event.winners) >= state.seats:
        raise ValueError("every seat has a score")
    return replace(state, finisher=event.seat, scores=event.scores, winners=event.winners)


_AFTER: dict[type[Event], Callable[[State, Any], State]] = {
    Divided: _divide,
    Laid: lambda state, event: replace(state, tiles=event.tiles, shown=(None,) * COURSE),
    Rolled: _roll,
    Stuck: lambda state, event: state,
    Flew: _fly,
    Turned: lambda state, event: replace(state, shown=put(state.shown, event.place - 1, event.tile)),
    Carried: _fly,
    Reached: _reach,
    Powerless: lambda state, event: state,
    Played: _play,
    Spared: lambda state, event: replace(state, asked=None, obliged=False),
    Drawn: _draw,
    Exhausted: lambda state, event: state,
    Finished: _finish,
}
