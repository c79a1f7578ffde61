"""How events change the state of Hagakure: history, which never refuses what the rules once produced."""

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from pbem.games.hagakure.facts import (
    NOBORI,
    Dealt,
    Ended,
    Kept,
    Looked,
    Nobori,
    Played,
    Raised,
    Scored,
    Skipped,
    State,
    Swapped,
    TrickWon,
    is_warrior,
)
from pbem.kit.contract import Event
from pbem.kit.secrecy import without

T = TypeVar("T")


def evolve(state: State | None, event: Event) -> State:
    """The state after an event, full or redacted. Raises ValueError for what cannot follow from the state."""
    if state is None:
        if not isinstance(event, Dealt):
            raise ValueError("a log of Hagakure begins with the deal")
        return _first_deal(event)
    phase, after = _AFTER[type(event)]
    if state.phase != phase:
        raise ValueError(f"{type(event).__name__} does not happen while the phase is {state.phase}")
    return after(state, event)


def next_seat(seat: int, seats: int) -> int:
    """The seat to the left.

    >>> next_seat(2, 3)
    0
    """
    return (seat + 1) % seats


def put(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    """The items with another one at this place."""
    return (*items[:at], item, *items[at + 1 :])


# --- a round -----------------------------------------------------------------------------------------------


def _first_deal(event: Dealt) -> State:
    seats = len(event.hands)
    return _after_deal(
        State(
            seats=seats,
            rounds=event.rounds,
            last=event.last,
            number=event.number - 1,
            dealer=event.dealer,
            phase="scored",
            active=event.dealer,
            hands=(),
            yomi=(),
            nobori=(NOBORI,) * seats,
            raised=(),
            leader=0,
            trick=(),
            won=(),
            tricks=(),
            previous=(),
            previous_leader=0,
            bare=(),
            sheet=(),
            totals=(0,) * seats,
            stretch=0,
            answered=None,
        ),
        event,
    )


def _after_deal(state: State, event: Dealt) -> State:
    if len(event.hands) != state.seats or event.number != state.number + 1:
        raise ValueError("this is not the deal that follows")
    first = next_seat(event.dealer, state.seats)
    return replace(
        state,
        rounds=event.rounds,
        last=event.last,
        number=event.number,
        dealer=event.dealer,
        phase="nobori",
        active=first,
        leader=first,
        hands=event.hands,
        yomi=event.yomi,
        raised=(None,) * state.seats,
        trick=(),
        won=((),) * state.seats,
        tricks=(0,) * state.seats,
        previous=(),
        bare=(False,) * state.seats,
    )


def _after_nobori(state: State, seat: int, nobori: Nobori | None, answers: bool = True, **changes: Any) -> State:
    """The next seat may play a Nobori; after the dealer the tricks begin."""
    if nobori is not None:
        changes["raised"] = put(state.raised, seat, nobori)
        changes["nobori"] = put(state.nobori, seat, tuple(n for n in state.nobori[seat] if n != nobori))
    if answers and seat != state.answered:
        changes["stretch"] = state.stretch + 1
        changes["answered"] = seat
    if seat == state.dealer:
        changes["phase"] = "play"
    return replace(state, active=next_seat(seat, state.seats), **changes)


def _after_kept(state: State, event: Kept) -> State:
    return _after_nobori(state, event.seat, None)


def _after_skipped(state: State, event: Skipped) -> State:
    return _after_nobori(state, event.seat, None, answers=False)


def _after_raised(state: State, event: Raised) -> State:
    return _after_nobori(state, event.seat, event.nobori)


def _after_swapped(state: State, event: Swapped) -> State:
    """Knowledge moves with the cards: who had looked at either pile knows where it lies now."""
    seat = event.seat
    drawn = state.yomi if None in event.drawn else event.drawn
    return _after_nobori(state, seat, "swap", hands=put(state.hands, seat, drawn), yomi=state.hands[seat])


def _after_looked(state: State, event: Looked) -> State:
    if None in event.cards:
        return _after_nobori(state, event.seat, "look")
    if event.target is None:
        return _after_nobori(state, event.seat, "look", yomi=event.cards)
    return _after_nobori(state, event.seat, "look", hands=put(state.hands, event.target, event.cards))


# --- tricks and scores -------------------------------------------------------------------------------------


def _after_played(state: State, event: Played) -> State:
    seat = event.seat
    hand = state.hands[seat]
    hands = put(state.hands, seat, without(hand, event.card))
    following = seat + 1 if seat + 1 < state.seats else 0
    trick = (*state.trick, event.card)
    bare = state.bare
    if state.trick and is_warrior(state.trick[0]) and not is_warrior(event.card):
        bare = put(bare, seat, True)
    if seat == state.answered or len(hand) == 1:  # the last card of a hand answers nothing
        return replace(state, hands=hands, trick=trick, active=following, bare=bare)
    stretch = state.stretch + 1
    return replace(state, hands=hands, trick=trick, active=following, bare=bare, stretch=stretch, answered=seat)


def _after_trick(state: State, event: TrickWon) -> State:
    seat = event.seat
    return replace(
        state,
        active=seat,
        leader=seat,
        trick=(),
        won=put(state.won, seat, (*state.won[seat], *state.trick)),
        tricks=put(state.tricks, seat, state.tricks[seat] + 1),
        previous=state.trick,
        previous_leader=state.leader,
    )


def _after_scored(state: State, event: Scored) -> State:
    totals = tuple(a + b for a, b in zip(state.totals, event.points, strict=True))
    return replace(state, phase="scored", totals=totals, sheet=(*state.sheet, event.points))


def _after_end(state: State, event: Ended) -> State:
    return replace(state, phase="over", over=event.reason, winners=event.winners)


_AFTER: dict[type[Event], tuple[str, Callable[[State, Any], State]]] = {
    Dealt: ("scored", _after_deal),
    Kept: ("nobori", _after_kept),
    Skipped: ("nobori", _after_skipped),
    Raised: ("nobori", _after_raised),
    Swapped: ("nobori", _after_swapped),
    Looked: ("nobori", _after_looked),
    Played: ("play", _after_played),
    TrickWon: ("play", _after_trick),
    Scored: ("play", _after_scored),
    Ended: ("scored", _after_end),
}
"""In which phase an event happens, and what it does."""
