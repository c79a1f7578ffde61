"""What events make of a position. This is history: it never refuses what `decide` once produced."""

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from pbem.games.hexen_rennen.pieces import (
    COURSE,
    DECK,
    Carried,
    Divided,
    Drawn,
    Exhausted,
    Finished,
    Flew,
    Laid,
    Opened,
    Played,
    Powerless,
    Reached,
    Rolled,
    Spared,
    State,
    Stuck,
    Turned,
)
from pbem.kit.contract import Event

T = TypeVar("T")


def evolve(state: State | None, event: Event) -> State:
    """The state after an event, full or redacted."""
    if state is None:
        if isinstance(event, Opened):
            return _opened(event)
        raise ValueError("a log of Hexen Rennen begins with the opening")
    if state.finisher is not None:
        raise ValueError("nothing can happen after the end")
    return _AFTER[type(event)](state, event)


def _opened(event: Opened) -> State:
    seats, four = event.seats, range(4)
    piles = ((),) * seats + event.piles
    if len(piles) != len(four):
        raise ValueError("every clan without a seat has a pile")
    return State(
        seats=seats,
        goal_by_tile=event.goal_by_tile,
        hands=(DECK,) * seats,
        piles=piles,
        discards=((),) * len(four),
        witches=((0, 0, 0),) * seats,
        divided=(False,) * seats,
        stages=(None,) * seats,
    )


def _put(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    return (*items[:at], item, *items[at + 1 :])


def _divided(state: State, event: Divided) -> State:
    if state.tiles:
        raise ValueError("the course lies already")
    divided = _put(state.divided, event.seat, True)
    return replace(state, divided=divided, stages=_put(state.stages, event.seat, event.stages))


def _laid(state: State, event: Laid) -> State:
    return replace(state, tiles=event.tiles, shown=(None,) * COURSE)


def _rolled(state: State, event: Rolled) -> State:
    if not state.shown:
        raise ValueError("nobody rolls before the tiles are laid")
    # The witches give the number of seats: an event for a seat that does not race cannot begin a turn.
    state.witches[event.seat]
    return replace(
        state, turn=state.turn + 1, active=event.seat, die=event.die, witch=None, asked=None, obliged=False, symbols=0
    )


def _moved(state: State, origin: int, target: int) -> tuple[tuple[int, ...], ...]:
    """The witches after one of the active seat went from here to there."""
    if state.active is None:
        raise ValueError("nobody is to move")
    three = list(state.witches[state.active])
    three[three.index(origin)] = target
    three.sort()
    return _put(state.witches, state.active, tuple(three))


def _flew(state: State, event: Flew) -> State:
    return replace(state, witches=_moved(state, event.origin, event.target), witch=event.target)


def _turned(state: State, event: Turned) -> State:
    return replace(state, shown=_put(state.shown, event.place - 1, event.tile))


def _carried(state: State, event: Carried) -> State:
    return replace(state, witches=_moved(state, event.origin, event.target), witch=event.target)


def _reached(state: State, event: Reached) -> State:
    if event.seat >= state.seats or state.witch != event.place:
        raise ValueError("no witch stands on the symbol of a seat there")
    return replace(state, asked=event.seat, obliged=event.obliged, symbols=state.symbols + 1)


def _answered(state: State, event: Event) -> State:
    return replace(state, asked=None, obliged=False)


def _played(state: State, event: Played) -> State:
    hand = state.hands[event.seat]
    at = hand.index(event.card)
    return replace(
        state,
        hands=_put(state.hands, event.seat, hand[:at] + hand[at + 1 :]),
        discards=_put(state.discards, event.seat, (*state.discards[event.seat], event.card)),
        witches=_moved(state, event.origin, event.target),
        witch=event.target,
        asked=None,
        obliged=False,
    )


def _drawn(state: State, event: Drawn) -> State:
    pile = state.piles[event.clan]
    if not pile:
        raise ValueError("the pile is empty")
    return replace(
        state,
        piles=_put(state.piles, event.clan, pile[1:]),
        discards=_put(state.discards, event.clan, (*state.discards[event.clan], event.card)),
        witches=_moved(state, event.origin, event.target),
        witch=event.target,
    )


def _same(state: State, event: Event) -> State:
    return state


def _finished(state: State, event: Finished) -> State:
    if len(event.scores) != state.seats or max(event.seat, *event.winners) >= state.seats:
        raise ValueError("every seat has a score")
    return replace(state, finisher=event.seat, scores=event.scores, winners=event.winners)


_AFTER: dict[type[Event], Callable[[State, Any], State]] = {
    Divided: _divided,
    Laid: _laid,
    Rolled: _rolled,
    Stuck: _same,
    Flew: _flew,
    Turned: _turned,
    Carried: _carried,
    Reached: _reached,
    Powerless: _same,
    Played: _played,
    Spared: _answered,
    Drawn: _drawn,
    Exhausted: _same,
    Finished: _finished,
}
