"""How events change the state of Hagakure. It never refuses what the rules once produced: that is history."""

from typing import Any

from msgspec.structs import replace

from pbem.games.hagakure import facts
from pbem.games.hagakure.facts import NOBORI, Dealt, Looked, Nobori, Played, Scored, State, Swapped, is_warrior
from pbem.kit.contract import Event
from pbem.kit.secrecy import without
from pbem.kit.tuples import put

_PHASE: dict[type[Event], str] = {
    Dealt: "scored",
    facts.Kept: "nobori",
    facts.Skipped: "nobori",
    facts.Raised: "nobori",
    Swapped: "nobori",
    Looked: "nobori",
    Played: "play",
    facts.TrickWon: "play",
    Scored: "play",
    facts.Ended: "scored",
}
"""The phase in which each event happens."""


def evolve(state: State | None, event: Event) -> State:
    """Returns the state after an event, full or redacted. Raises ValueError for what cannot follow from the state."""
    if state is None:
        if not isinstance(event, Dealt):
            raise ValueError("a log of Hagakure begins with the deal")
        return _first_deal(event)
    if state.phase != _PHASE[type(event)]:
        raise ValueError(f"{type(event).__name__} does not happen while the phase is {state.phase}")
    return _after(state, event)


def _after(state: State, event: Event) -> State:
    match event:
        case Dealt():
            return _after_deal(state, event)
        case facts.Kept(seat):
            return _after_nobori(state, seat, None)
        case facts.Skipped(seat):
            return _after_nobori(state, seat, None, answers=False)
        case facts.Raised(seat, nobori):
            return _after_nobori(state, seat, nobori)
        case Swapped():
            return _after_swapped(state, event)
        case Looked():
            return _after_looked(state, event)
        case Played():
            return _after_played(state, event)
        case facts.TrickWon(seat):
            return _after_trick(state, seat)
        case Scored(points):
            totals = tuple(a + b for a, b in zip(state.totals, points, strict=True))
            return replace(state, phase="scored", totals=totals, sheet=(*state.sheet, points))
        case facts.Ended(reason, winners):
            return replace(state, phase="over", over=reason, winners=winners)
    raise TypeError(f"{event} is no event of Hagakure")


def next_seat(seat: int, seats: int) -> int:
    """Returns the seat to the left.

    >>> next_seat(2, 3)
    0
    """
    return (seat + 1) % seats


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
    """Lets the next seat play a Nobori; after the dealer the tricks begin."""
    if nobori is not None:
        changes["raised"] = put(state.raised, seat, nobori)
        changes["nobori"] = put(state.nobori, seat, tuple(n for n in state.nobori[seat] if n != nobori))
    if answers and seat != state.answered:
        changes |= {"stretch": state.stretch + 1, "answered": seat}
    if seat == state.dealer:
        changes["phase"] = "play"
    return replace(state, active=next_seat(seat, state.seats), **changes)


def _after_swapped(state: State, event: Swapped) -> State:
    """Knowledge moves with the cards: a seat that had looked at either pile knows where it is now."""
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
    changes: dict[str, Any] = {}
    if state.trick and is_warrior(state.trick[0]) and not is_warrior(event.card):
        changes["bare"] = put(state.bare, seat, True)
    if len(hand) > 1 and seat != state.answered:  # the last card of a hand answers no question
        changes |= {"stretch": state.stretch + 1, "answered": seat}
    return replace(state, hands=hands, trick=(*state.trick, event.card), active=next_seat(seat, state.seats), **changes)


def _after_trick(state: State, seat: int) -> State:
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
