"""How the events of Allégeance change a position, whether nothing is hidden in them or much."""

from typing import TypeVar

from msgspec.structs import replace

from pbem.games.allegeance.cards import (
    Announced,
    Answered,
    Caught,
    Given,
    Hit,
    MatchBegan,
    MatchWon,
    Missed,
    Mistaken,
    RoundBegan,
    RoundEnded,
    State,
    TurnBegan,
    Unchallenged,
)
from pbem.kit.contract import Event
from pbem.kit.secrecy import without

T = TypeVar("T")

_BEFORE = {
    RoundBegan: "round",
    TurnBegan: "turn",
    Announced: "announce",
    Hit: "reveal",
    Missed: "reveal",
    Given: "give",
    Answered: "window",
    Unchallenged: "window",
    Caught: "window",
    Mistaken: "window",
    RoundEnded: "turn",
    MatchWon: "round",
}
"""Each event follows in one phase; another order can only come from a log that somebody made up."""


def evolve(state: State | None, event: Event) -> State:
    """The state after an event. This is history: it never refuses what `decide` once produced."""
    if isinstance(event, MatchBegan):
        n = event.seats
        return State(n, event.target, event.open, (0,) * n, ((),) * n, (False,) * n, (None,) * n)
    if state is None:
        raise ValueError("a log of Allégeance begins with the match")
    if _BEFORE[type(event)] != state.phase:
        raise ValueError(f"{type(event).__name__} cannot happen now")
    match event:
        case Answered(seat, challenge):
            answered = _put(state.answered, seat, True)
            return replace(state, answered=answered, wishes=_put(state.wishes, seat, challenge))
        case TurnBegan():
            return _turn(state, event)
        case Announced(_, _, card):
            return replace(state, announced=card, phase="reveal")
        case Missed(_, card, covered):
            palace = (*state.palace[:-1], *covered, card)
            return replace(state, door=state.door[1:], palace=palace, phase="window" if state.door[1:] else "turn")
        case Hit(_, card):
            return replace(state, door=state.door[1:], drawn=card, phase="give")
        case Given(_, receiver, _, card):
            return replace(state, hands=_added(state, receiver, (card,)), drawn=None, phase="turn")
        case Unchallenged():
            return replace(state, phase="turn")
        case Caught():
            return _caught(state, event)
        case Mistaken(seat, _, revealed):
            return replace(state, hands=_added(state, seat, (revealed,)), palace=state.palace[:-1], phase="turn")
        case RoundEnded(winners):
            tokens = tuple(n + (seat in winners) for seat, n in enumerate(state.tokens))
            return replace(state, tokens=tokens, leaders=winners, announced=None, banned=(), phase="round")
        case RoundBegan(first, door):
            nothing = ((),) * state.seats
            return replace(
                state, door=door, palace=(), hands=nothing, round=state.round + 1, first=first, banned=(), phase="turn"
            )
        case MatchWon(winners):
            return replace(state, winners=winners, phase="over")
    raise TypeError(f"{event} is no event of Allégeance")


def _put(items: tuple[T, ...], at: int, item: T) -> tuple[T, ...]:
    return (*items[:at], item, *items[at + 1 :])


def _added(state: State, seat: int, cards: tuple[str | None, ...]) -> tuple[tuple[str | None, ...], ...]:
    return _put(state.hands, seat, state.hands[seat] + cards)


def _turn(state: State, event: TurnBegan) -> State:
    if len(event.hands) != state.seats or not state.door:
        raise ValueError("everybody has a hand, and the Door a card, when a turn begins")
    return replace(
        state,
        turn=17 - len(state.door),
        active=event.seat,
        palace=(*state.palace[:-1], *event.top),
        banned=event.banned,
        hands=event.hands,
        announced=None,
        answered=(False,) * state.seats,
        wishes=(None,) * state.seats,
        phase="announce",
    )


def _caught(state: State, event: Caught) -> State:
    palace, hands = state.palace[:-1], state.hands
    got: tuple[str | None, ...] = (event.card, event.revealed)
    if event.holder is None:
        palace = without(palace, event.card)
    elif event.holder == event.seat:
        got = (event.revealed,)
    else:
        hands = _put(hands, event.holder, without(hands[event.holder], event.card))
    hands = _put(hands, event.seat, hands[event.seat] + got)
    return replace(state, palace=palace, hands=hands, phase="turn")
