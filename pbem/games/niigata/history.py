"""How events change a position. It never refuses what `decide` once produced: that is history."""

from msgspec.structs import replace

from pbem.games.niigata import facts
from pbem.games.niigata.facts import START_LAID, Laid, Pond, State
from pbem.games.niigata.facts_tiles import BREEDERS, Tile
from pbem.games.niigata.rules_ponds import beginning, lay
from pbem.kit.contract import Event
from pbem.kit.tuples import less, put

Hands = tuple[tuple[Tile, ...], ...]


def evolve(state: State | None, event: Event) -> State:
    """Returns the state after an event."""
    if isinstance(event, facts.LaidOut):
        return _begin(event)
    if state is None:
        raise ValueError("a log of Niigata begins with the tiles laid out")
    if state.over:
        raise ValueError("nothing can happen after the end")
    match event:
        case facts.Placed():
            return _place(state, event)
        case facts.Taken():
            return _take(state, event)
        case facts.Claimed():
            return _claim(state, event)
        case facts.Passed(seat):
            return _pass(state, seat)
        case facts.Thrown():
            return _throw(state, event)
        case facts.PickingEnded(wastes):
            hands, wasted = state.hands, state.wasted
            for waste in wastes:
                hands = put(hands, waste.seat, less(hands[waste.seat], waste.tile))
                wasted = put(wasted, waste.seat, wasted[waste.seat] + 1)
            phase, active, step = _next_placer(state.thrower - 1, hands, -1)
            return replace(state, hands=hands, wasted=wasted, display=(), phase=phase, active=active, step=step)
        case facts.Ended(reason, scores, winners):
            if not len(scores) == state.seats >= len(winners):
                raise ValueError("points are for everybody at the table")
            return replace(state, phase="over", active=None, over=reason, scores=scores, winners=winners)
    raise ValueError("no event of Niigata")


def _begin(event: facts.LaidOut) -> State:
    seats = event.seats
    frontier, ponds = beginning()
    return State(
        seats=seats,
        picking=event.picking,
        thrower=event.thrower,
        stock=event.stock,
        breeders=(BREEDERS[seats],) * seats,
        laid=START_LAID,
        frontier=frontier,
        ponds=ponds,
        hands=((),) * seats,
        passed=(False,) * seats,
        wasted=(0,) * seats,
    )


def _throw(state: State, event: facts.Thrown) -> State:
    if len(event.display) > len(state.stock):
        raise ValueError("there are not so many tiles in the stock")
    return replace(
        state,
        phase="pick",
        thrower=event.seat,
        active=(event.seat + 1) % state.seats if state.picking == "turns" else None,
        round=state.round + 1,
        step=0,
        colour=event.colour,
        number=event.number,
        display=event.display,
        stock=state.stock[len(event.display) :],
        passed=(False,) * state.seats,
    )


def _take(state: State, event: facts.Taken) -> State:
    seat = event.seat
    hands = put(state.hands, seat, (*state.hands[seat], event.tile))
    return replace(
        state,
        display=less(state.display, event.tile),
        hands=hands,
        active=_next_picker(state, seat, hands, state.passed),
        step=state.step + 1,
    )


def _pass(state: State, seat: int) -> State:
    if state.phase == "claim":
        phase, active, step = _next_placer(seat, state.hands, state.step)
        return replace(state, phase=phase, active=active, step=step)
    if state.phase != "pick":
        raise ValueError("one passes over a tile or a breeder")
    passed = put(state.passed, seat, True)
    active = _next_picker(state, seat, state.hands, passed)
    return replace(state, passed=passed, active=active, step=state.step + 1)


def _next_picker(state: State, seat: int, hands: Hands, passed: tuple[bool, ...]) -> int | None:
    """Returns the next seat clockwise, perhaps the same, that has not passed and has fewer than two tiles (4.3)."""
    if state.picking == "grab":
        return None
    for step in range(1, state.seats + 1):
        other = (seat + step) % state.seats
        if not passed[other] and len(hands[other]) < 2:
            return other
    return None


def _next_placer(seat: int, hands: Hands, step: int) -> tuple[str, int | None, int]:
    """Returns phase, seat and step: the next seat clockwise that holds a tile lays it (5.1), else the round ends."""
    for away in range(1, len(hands) + 1):
        other = (seat + away) % len(hands)
        if hands[other]:
            return "place", other, step + 1
    return "between", None, step


def _place(state: State, event: facts.Placed) -> State:
    seat, cell = event.seat, event.cell
    frontier, ponds, closed = lay(state.frontier, state.ponds, cell, event.tile, event.rotation)
    hands = put(state.hands, seat, less(state.hands[seat], event.tile))
    laid = {**state.laid, cell: Laid(event.tile, event.rotation)}
    free = state.free + closed
    phase, active, step = "claim", state.active, state.step
    if not (free and state.breeders[seat]):
        phase, active, step = _next_placer(seat, hands, step)
    return replace(
        state, frontier=frontier, ponds=ponds, free=free, hands=hands, laid=laid, phase=phase, active=active, step=step
    )


def _claim(state: State, event: facts.Claimed) -> State:
    seat, name = event.seat, event.pond
    pond = state.ponds[name]
    phase, active, step = _next_placer(seat, state.hands, state.step)
    return replace(
        state,
        ponds={**state.ponds, name: Pond(pond.pieces, pond.animals, pond.open, seat)},
        free=less(state.free, name),
        breeders=put(state.breeders, seat, state.breeders[seat] - 1),
        phase=phase,
        active=active,
        step=step,
    )
