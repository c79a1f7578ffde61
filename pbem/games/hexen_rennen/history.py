"""How events change a position. It never refuses what `decide` once produced: that is history."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLANS, COURSE, DECK, State
from pbem.kit.contract import Event
from pbem.kit.tuples import less, put


def evolve(state: State | None, event: Event) -> State:
    """Returns the state after an event, full or redacted."""
    if state is None:
        if isinstance(event, facts.Opened):
            return _opened(event)
        raise ValueError("a log of Hexen Rennen begins with the opening")
    if state.finisher is not None:
        raise ValueError("nothing can happen after the end")
    return _AFTER[type(event)](state, event)


def _opened(event: facts.Opened) -> State:
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


def _divided(state: State, event: facts.Divided) -> State:
    if state.tiles:
        raise ValueError("the course lies already")
    divided = put(state.divided, event.seat, True)
    return replace(state, divided=divided, stages=put(state.stages, event.seat, event.stages))


def _laid(state: State, event: facts.Laid) -> State:
    return replace(state, tiles=event.tiles, shown=(None,) * COURSE)


def _rolled(state: State, event: facts.Rolled) -> State:
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


def _flown(state: State, event: facts.Flew | facts.Carried) -> State:
    return replace(state, witches=_move(state, event.origin, event.target), witch=event.target)


def _turned(state: State, event: facts.Turned) -> State:
    return replace(state, shown=put(state.shown, event.place - 1, event.tile))


def _reached(state: State, event: facts.Reached) -> State:
    if event.seat >= state.seats or state.witch != event.place:
        raise ValueError("no witch stands on the symbol of a seat there")
    return replace(state, asked=event.seat, obliged=event.obliged, symbols=state.symbols + 1)


def _answered(state: State, event: Event) -> State:
    return replace(state, asked=None, obliged=False)


def _played(state: State, event: facts.Played) -> State:
    return replace(
        state,
        hands=put(state.hands, event.seat, less(state.hands[event.seat], event.card)),
        discards=put(state.discards, event.seat, (*state.discards[event.seat], event.card)),
        witches=_move(state, event.origin, event.target),
        witch=event.target,
        asked=None,
        obliged=False,
    )


def _drawn(state: State, event: facts.Drawn) -> State:
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


def _same(state: State, event: Event) -> State:
    return state


def _finished(state: State, event: facts.Finished) -> State:
    if len(event.scores) != state.seats or max(event.seat, *event.winners) >= state.seats:
        raise ValueError("every seat has a score")
    return replace(state, finisher=event.seat, scores=event.scores, winners=event.winners)


_AFTER: dict[type[Event], Callable[[State, Any], State]] = {
    facts.Divided: _divided,
    facts.Laid: _laid,
    facts.Rolled: _rolled,
    facts.Stuck: _same,
    facts.Flew: _flown,
    facts.Turned: _turned,
    facts.Carried: _flown,
    facts.Reached: _reached,
    facts.Powerless: _same,
    facts.Played: _played,
    facts.Spared: _answered,
    facts.Drawn: _drawn,
    facts.Exhausted: _same,
    facts.Finished: _finished,
}
