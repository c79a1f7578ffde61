"""How events change a position. It never refuses what `decide` once produced: that is history."""

from msgspec.structs import replace

from pbem.games.allegeance import facts
from pbem.games.allegeance.facts import State
from pbem.kit.contract import Event
from pbem.kit.secrecy import without
from pbem.kit.tuples import put

_BEFORE = {
    facts.RoundBegan: "round",
    facts.TurnBegan: "turn",
    facts.Announced: "announce",
    facts.Hit: "reveal",
    facts.Missed: "reveal",
    facts.Given: "give",
    facts.Answered: "window",
    facts.Unchallenged: "window",
    facts.Caught: "window",
    facts.Mistaken: "window",
    facts.RoundEnded: "turn",
    facts.MatchWon: "round",
}
"""The phase in which each event happens; any other order comes from a made-up log."""


def evolve(state: State | None, event: Event) -> State:
    """Returns the state after an event, full or redacted."""
    if isinstance(event, facts.MatchBegan):
        n = event.seats
        return State(n, event.target, event.open, (0,) * n, ((),) * n, (False,) * n, (None,) * n)
    if state is None:
        raise ValueError("a log of Allégeance begins with the match")
    if _BEFORE[type(event)] != state.phase:
        raise ValueError(f"{type(event).__name__} cannot happen now")
    match event:
        case facts.Answered(seat, challenge):
            answered = put(state.answered, seat, True)
            return replace(state, answered=answered, wishes=put(state.wishes, seat, challenge))
        case facts.TurnBegan():
            return _turn(state, event)
        case facts.Announced(_, _, card):
            return replace(state, announced=card, phase="reveal")
        case facts.Missed(_, card, covered):
            palace = (*state.palace[:-1], *covered, card)
            return replace(state, door=state.door[1:], palace=palace, phase="window" if state.door[1:] else "turn")
        case facts.Hit(_, card):
            return replace(state, door=state.door[1:], drawn=card, phase="give")
        case facts.Given(_, receiver, _, card):
            return replace(state, hands=_add_cards(state, receiver, (card,)), drawn=None, phase="turn")
        case facts.Unchallenged():
            return replace(state, phase="turn")
        case facts.Caught():
            return _caught(state, event)
        case facts.Mistaken(seat, _, revealed):
            return replace(state, hands=_add_cards(state, seat, (revealed,)), palace=state.palace[:-1], phase="turn")
        case facts.RoundEnded(winners):
            tokens = tuple(n + (seat in winners) for seat, n in enumerate(state.tokens))
            return replace(state, tokens=tokens, leaders=winners, announced=None, banned=(), phase="round")
        case facts.RoundBegan(first, door):
            nothing = ((),) * state.seats
            return replace(
                state, door=door, palace=(), hands=nothing, round=state.round + 1, first=first, banned=(), phase="turn"
            )
        case facts.MatchWon(winners):
            return replace(state, winners=winners, phase="over")
    raise TypeError(f"{event} is no event of Allégeance")


def _add_cards(state: State, seat: int, cards: tuple[str | None, ...]) -> tuple[tuple[str | None, ...], ...]:
    return put(state.hands, seat, state.hands[seat] + cards)


def _turn(state: State, event: facts.TurnBegan) -> State:
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


def _caught(state: State, event: facts.Caught) -> State:
    palace, hands = state.palace[:-1], state.hands
    got: tuple[str | None, ...] = (event.card, event.revealed)
    if event.holder is None:
        palace = without(palace, event.card)
    elif event.holder == event.seat:
        got = (event.revealed,)
    else:
        hands = put(hands, event.holder, without(hands[event.holder], event.card))
    hands = put(hands, event.seat, hands[event.seat] + got)
    return replace(state, palace=palace, hands=hands, phase="turn")
