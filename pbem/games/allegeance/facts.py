"""The facts of Allégeance: its moves, events, state, and `evolve`."""

from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from pbem.games.samurai import Card
from pbem.kit.contract import Event, Move, Options, Seat
from pbem.kit.secrecy import Each, Hidden, Open, Own, Shown, each, fades, nobody, to, without
from pbem.kit.tuples import put

Cards = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=16)]
Whole = Annotated[tuple[Card | None, ...], msgspec.Meta(min_length=16, max_length=16)]
Top = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=1)]
Banned = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=2)]
Hands = Annotated[tuple[Cards, ...], msgspec.Meta(min_length=2, max_length=4)]
Seats = Annotated[tuple[Seat, ...], msgspec.Meta(min_length=1, max_length=4)]
Tokens = Annotated[int, msgspec.Meta(ge=1, le=5)]

USUAL_TARGET = {2: 5, 3: 4, 4: 3}


class Table(Options, frozen=True):
    """What the table may choose."""

    target: Annotated[
        Tokens | None,
        msgspec.Meta(
            description="Tokens to win; null: 5, 4, 3 for 2, 3, 4 players. Another number is a house variant."
        ),
    ] = None
    memory: Annotated[
        Literal["closed", "open"],
        msgspec.Meta(
            description="Closed: what is covered is not shown again. Open, a house variant: everything can be read "
            "again."
        ),
    ] = "closed"


# --- moves -------------------------------------------------------------------------------------------------


class Announce(Move, frozen=True):
    """Say which samurai stands behind the Door."""

    card: Card


class Give(Move, frozen=True):
    """Give the samurai that was announced rightly to another seat."""

    seat: Annotated[int, msgspec.Meta(ge=0, le=3)]


class Challenge(Move, frozen=True):
    """Claim that the announced card is already out: in the Palace or in a hand."""


class LetPass(Move, frozen=True):
    """Claim nothing."""


# --- events ------------------------------------------------------------------------------------------------
# With open memory only the Door and the answers are hidden: every event whose marks it lifts has a field `open`.
# A card that changes places is in a field for its holders, which fades like the rest: TurnBegan repeats what is
# in each hand now.


class MatchBegan(Event, frozen=True):
    """The match began, with this number of seats and of tokens that win."""

    seats: Open[Annotated[int, msgspec.Meta(ge=2, le=4)]]
    target: Open[Tokens]
    open: Open[bool]


class RoundBegan(Event, frozen=True):
    """All cards lie shuffled behind the Door, next one first."""

    first: Open[Seat]
    door: Hidden[Whole]


class TurnBegan(Event, frozen=True):
    """A seat is to announce. Says again what lies open, what is banned and what everybody holds."""

    seat: Open[Seat]
    open: Open[bool]
    top: Annotated[Top, fades(unless="open", repeated=True)]
    banned: Annotated[Banned, fades(unless="open", repeated=True)]
    hands: Annotated[Hands, each(unless="open"), fades(unless="open", repeated=True)]


class Announced(Event, frozen=True):
    """The active seat said which card comes next."""

    seat: Open[Seat]
    open: Open[bool]
    card: Annotated[Card | None, fades(unless="open")]


class Hit(Event, frozen=True):
    """The Door gave the announced card."""

    open: Open[bool]
    card: Annotated[Card | None, fades(unless="open")]


class Missed(Event, frozen=True):
    """The Door gave another card; it lies on the Palace and covers what lay on top."""

    open: Open[bool]
    card: Annotated[Card | None, fades(unless="open")]
    covered: Annotated[Top, nobody(unless="open")]


# Made outside of the class, where newer Pythons evaluate annotations late: there `to` is the field.
Handed = Annotated[Card | None, to("to", unless="open"), fades(unless="open")]


class Given(Event, frozen=True):
    """The card that was hit went into another's hand."""

    seat: Open[Seat]
    to: Open[Seat]
    open: Open[bool]
    card: Handed


class Answered(Event, frozen=True):
    """A seat has said whether it challenges."""

    seat: Open[Seat]
    challenge: Own[bool | None]


class Unchallenged(Event, frozen=True):
    """Nobody challenged."""


class Caught(Event, frozen=True):
    """The challenge was right: the announcer takes the announced card, from the Palace if it has no holder, and
    the revealed one; only the revealed one if they hold the announced card already."""

    seat: Open[Seat]
    challenger: Shown[Seat]
    holder: Open[Seat | None]
    open: Open[bool]
    card: Annotated[Card | None, to("seat", "holder", unless="open"), fades(unless="open")]
    revealed: Annotated[Card | None, to("seat", unless="open"), fades(unless="open")]


class Mistaken(Event, frozen=True):
    """The challenge was wrong: the challenger takes the revealed card."""

    seat: Shown[Seat]
    open: Open[bool]
    revealed: Annotated[Card | None, to("seat", unless="open"), fades(unless="open")]


class RoundEnded(Event, frozen=True):
    """The Door is empty; those with the fewest cards get a token."""

    winners: Open[Seats]


class MatchWon(Event, frozen=True):
    """These seats have all the tokens they need."""

    winners: Open[Seats]


# --- state -------------------------------------------------------------------------------------------------

Phase = Literal["round", "turn", "announce", "reveal", "give", "window", "over"]
"""What comes next: a round, a turn; or in a turn an announcement, the Door's answer, a gift, the others' answers."""


class State(msgspec.Struct, frozen=True, gc=False):
    """A position; in a viewer's own fold None stands for what they may not know or have to remember.

    The marks are those of an imagined match, in which everybody remembers what has come out.
    """

    seats: Open[int]
    target: Open[int]
    open: Open[bool]
    tokens: Open[tuple[int, ...]]
    hands: Shown[tuple[tuple[Card | None, ...], ...]]
    answered: Open[tuple[bool, ...]]
    wishes: Each[tuple[bool | None, ...]]
    """Who challenges, among those who have answered."""
    door: Hidden[tuple[Card | None, ...]] = ()
    palace: Shown[tuple[Card | None, ...]] = ()
    """The last card is on top."""
    round: Open[int] = 0
    turn: Open[int] = 0
    first: Open[int] = 0
    active: Open[int] = 0
    phase: Open[Phase] = "round"
    banned: Shown[tuple[Card | None, ...]] = ()
    announced: Shown[Card | None] = None
    drawn: Shown[Card | None] = None
    """What was hit, until it is given away."""
    leaders: Open[tuple[int, ...]] = ()
    """Who won the last round."""
    winners: Open[tuple[int, ...]] = ()


def others(state: State) -> tuple[int, ...]:
    """Returns the other seats clockwise from the active one's left."""
    return tuple((state.active + step) % state.seats for step in range(1, state.seats))


# --- what events make of a position --------------------------------------------------------------------------

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
"""The phase in which each event happens; any other order comes from a made-up log."""


def evolve(state: State | None, event: Event) -> State:
    """Returns the state after an event, full or redacted."""
    if isinstance(event, MatchBegan):
        n = event.seats
        return State(n, event.target, event.open, (0,) * n, ((),) * n, (False,) * n, (None,) * n)
    if state is None:
        raise ValueError("a log of Allégeance begins with the match")
    if _BEFORE[type(event)] != state.phase:
        raise ValueError(f"{type(event).__name__} cannot happen now")
    match event:
        case Answered(seat, challenge):
            answered = put(state.answered, seat, True)
            return replace(state, answered=answered, wishes=put(state.wishes, seat, challenge))
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
            return replace(state, hands=_add_cards(state, receiver, (card,)), drawn=None, phase="turn")
        case Unchallenged():
            return replace(state, phase="turn")
        case Caught():
            return _catch(state, event)
        case Mistaken(seat, _, revealed):
            return replace(state, hands=_add_cards(state, seat, (revealed,)), palace=state.palace[:-1], phase="turn")
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


def _add_cards(state: State, seat: int, cards: tuple[str | None, ...]) -> tuple[tuple[str | None, ...], ...]:
    return put(state.hands, seat, state.hands[seat] + cards)


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


def _catch(state: State, event: Caught) -> State:
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
