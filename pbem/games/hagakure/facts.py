"""The thirty cards and five Nobori of Hagakure, its events and moves, its state, and `evolve`."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from pbem.kit.contract import Event, Move, Options, Seat
from pbem.kit.secrecy import Each, Hidden, Open, Own, Shown, without
from pbem.kit.tuples import put

MOST_SEATS = 5
MOST_CARDS = 5
MOST_ROUNDS = 20
MOST_EXTRA = 10
LAST_ROUND = MOST_ROUNDS + MOST_EXTRA

Card = Annotated[int, msgspec.Meta(ge=0, le=27, title="Card")]
"""1 to 17: a villager; 18 to 27: a samurai; 0: one of the three identical Old Fools."""

FOOL = 0
FIRST_SAMURAI = 18
BONUS = 18

Sign = Literal["double", "zero", "villagers"]
Nobori = Literal["double", "zero", "villagers", "swap", "look"]
SIGNS: tuple[Sign, ...] = ("double", "zero", "villagers")
NOBORI: tuple[Nobori, ...] = (*SIGNS, "swap", "look")

Hand = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=MOST_CARDS)]
Number = Annotated[int, msgspec.Meta(ge=1, le=LAST_ROUND)]
Points = Annotated[int, msgspec.Meta(ge=-4, le=12)]


class Terms(Options, frozen=True):
    """What a table may choose."""

    rounds: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=MOST_ROUNDS)] | None,
        msgspec.Meta(description="Rounds to play; null: 9, 8 or 5 with 3, 4 or 5 players."),
    ] = None
    extra_rounds: Annotated[
        int,
        msgspec.Meta(
            ge=0,
            le=MOST_EXTRA,
            description="Most rounds played after these to break a tie; then the leaders share the victory. "
            "Less than 10 is a house variant.",
        ),
    ] = MOST_EXTRA


# --- moves -------------------------------------------------------------------------------------------------


class Keep(Move, frozen=True):
    """Play no Nobori in this round."""


class Raise(Move, frozen=True):
    """Play a Nobori that changes the score of the round."""

    nobori: Sign


class Swap(Move, frozen=True):
    """Play the Nobori that exchanges the hand for the Yomi."""


class Look(Move, frozen=True):
    """Play the Nobori that looks at somebody's hand, or at the Yomi where no seat is named."""

    target: Seat | None


class Play(Move, frozen=True):
    """Play a card of the hand."""

    card: Card


# --- events ------------------------------------------------------------------------------------------------


class Dealt(Event, frozen=True):
    """A round begins: the hands are dealt, the rest is the Yomi, which nobody sees.

    The match has this number of regular `rounds`, and none after round `last`.
    """

    number: Open[Number]
    rounds: Open[Number]
    last: Open[Number]
    dealer: Open[Seat]
    hands: Each[Annotated[tuple[Hand, ...], msgspec.Meta(max_length=MOST_SEATS)]]
    yomi: Hidden[Hand]


class Kept(Event, frozen=True):
    """A seat plays no Nobori."""

    seat: Open[Seat]


class Skipped(Event, frozen=True):
    """A seat has no Nobori left to play."""

    seat: Open[Seat]


class Raised(Event, frozen=True):
    """A seat played a Nobori that changes its score."""

    seat: Open[Seat]
    nobori: Open[Sign]


class Swapped(Event, frozen=True):
    """A seat exchanged its hand for the Yomi and alone sees what it drew."""

    seat: Open[Seat]
    drawn: Own[Hand]


class Looked(Event, frozen=True):
    """A seat looked at another's hand, or at the Yomi (None); it alone saw the cards."""

    seat: Open[Seat]
    target: Open[Seat | None]
    cards: Own[Hand]


class Played(Event, frozen=True):
    """A seat played a card."""

    seat: Open[Seat]
    card: Shown[Card]


class TrickWon(Event, frozen=True):
    """The trick is complete and this seat takes it."""

    seat: Open[Seat]


class Scored(Event, frozen=True):
    """The round is over and gives these points, in seat order."""

    points: Open[Annotated[tuple[Points, ...], msgspec.Meta(max_length=MOST_SEATS)]]


class Ended(Event, frozen=True):
    """The match is over: one winner by points, or several who share."""

    reason: Open[Literal["points", "shared"]]
    winners: Open[Annotated[tuple[Seat, ...], msgspec.Meta(max_length=MOST_SEATS)]]


class State(msgspec.Struct, frozen=True, gc=False):
    """A position of Hagakure; in a viewer's own fold None stands for a card they do not know.

    The marks show a seat of an imagined match less than its fold would: none of the cards that it has seen elsewhere.
    """

    seats: Open[int]
    rounds: Open[int]
    last: Open[int]
    number: Open[int]
    dealer: Open[int]
    phase: Open[Literal["nobori", "play", "scored", "over"]]
    active: Open[int]
    """Who decides next, while the phase is nobori or play."""
    hands: Each[tuple[Hand, ...]]
    yomi: Hidden[Hand]
    nobori: Open[tuple[tuple[Nobori, ...], ...]]
    """The Nobori that each seat has left."""
    raised: Open[tuple[Nobori | None, ...]]
    """The Nobori that each seat played in this round."""
    leader: Open[int]
    trick: Shown[tuple[Card, ...]]
    """The cards of the current trick, from the leader's on."""
    won: Shown[tuple[tuple[Card, ...], ...]]
    tricks: Open[tuple[int, ...]]
    previous: Shown[tuple[Card, ...]]
    """The previous trick, from the card of `previous_leader` on."""
    previous_leader: Open[int]
    bare: Open[tuple[bool, ...]]
    """The seats that have shown in this round that they have no samurai or Old Fool left."""
    sheet: Open[tuple[tuple[int, ...], ...]]
    """The points of each round so far, in seat order."""
    totals: Open[tuple[int, ...]]
    stretch: Open[int]
    """The number of times that the answering seat has changed."""
    answered: Open[int | None]
    """The seat that answered last."""
    over: Open[str | None] = None
    winners: Open[tuple[int, ...]] = ()


def is_warrior(card: int) -> bool:
    """Returns whether the card counts as a samurai when one must be played: a samurai or an Old Fool.

    >>> is_warrior(18), is_warrior(FOOL), is_warrior(17)
    (True, True, False)
    """
    return card >= FIRST_SAMURAI or card == FOOL


def deck(seats: int) -> tuple[int, ...]:
    """Returns the cards in play: all with five players, 6 to 22 and the fools with fewer.

    >>> len(deck(3)), len(deck(4)), len(deck(5))
    (20, 20, 30)
    """
    numbers = range(1, 28) if seats == MOST_SEATS else range(6, 23)
    return (*numbers, FOOL, FOOL, FOOL)


def hand_size(seats: int) -> int:
    """Returns the number of cards of each hand and of the Yomi."""
    return 4 if seats == 4 else 5


def villagers_wanted(seats: int) -> int:
    """Returns the number of villagers that the Nobori of the villagers demands."""
    return 5 if seats == MOST_SEATS else 4


def name_of(card: int) -> str:
    """Returns the card in notation.

    >>> name_of(7), name_of(18), name_of(FOOL)
    ('V7', 'S18', 'F')
    """
    if card == FOOL:
        return "F"
    return f"S{card}" if card >= FIRST_SAMURAI else f"V{card}"


CARDS: tuple[str, ...] = tuple(name_of(card) for card in (*range(1, 28), FOOL))
"""Every distinct card in notation."""


def visible(cards: Hand) -> list[int]:
    """Returns the cards that are not hidden, in order, fools first."""
    return sorted(card for card in cards if card is not None)


_SORTED = {seats: sorted(deck(seats)) for seats in (3, 4, MOST_SEATS)}


def unseen(fold: State) -> list[int]:
    """Returns the cards of this round whose place the fold does not know, in order, fools first."""
    left = [*_SORTED[fold.seats]]
    for place in (*fold.hands, fold.yomi, *fold.won, fold.trick):
        for card in place:
            if card is not None:
                left.remove(card)
    return left


# --- what events make of a position --------------------------------------------------------------------------

_PHASE: dict[type[Event], str] = {
    Dealt: "scored",
    Kept: "nobori",
    Skipped: "nobori",
    Raised: "nobori",
    Swapped: "nobori",
    Looked: "nobori",
    Played: "play",
    TrickWon: "play",
    Scored: "play",
    Ended: "scored",
}
"""The phase in which each event happens."""


def evolve(state: State | None, event: Event) -> State:
    """Returns the state after an event, full or redacted. Raises ValueError for what cannot follow from the state."""
    if state is None:
        if not isinstance(event, Dealt):
            raise ValueError("a log of Hagakure begins with the deal")
        return _deal(event, None)
    if state.phase != _PHASE[type(event)]:
        raise ValueError(f"{type(event).__name__} does not happen while the phase is {state.phase}")
    match event:
        case Dealt():
            return _deal(event, state)
        case Kept(seat):
            return _after_nobori(state, seat, None)
        case Skipped(seat):
            return _after_nobori(state, seat, None, answers=False)
        case Raised(seat, nobori):
            return _after_nobori(state, seat, nobori)
        case Swapped(seat, drawn):
            # Knowledge moves with the cards: a seat that had looked at either pile knows where it is now.
            hand, yomi = state.yomi if None in drawn else drawn, state.hands[seat]
            return _after_nobori(state, seat, "swap", hands=put(state.hands, seat, hand), yomi=yomi)
        case Looked(seat, target, cards):
            seen: dict[str, Any] = {}
            if None not in cards:
                seen = {"yomi": cards} if target is None else {"hands": put(state.hands, target, cards)}
            return _after_nobori(state, seat, "look", **seen)
        case Played():
            return _after_played(state, event)
        case TrickWon(seat):
            return _after_trick(state, seat)
        case Scored(points):
            totals = tuple(a + b for a, b in zip(state.totals, points, strict=True))
            return replace(state, phase="scored", totals=totals, sheet=(*state.sheet, points))
    assert isinstance(event, Ended), "every other event is above"
    return replace(state, phase="over", over=event.reason, winners=event.winners)


def next_seat(seat: int, seats: int) -> int:
    """Returns the seat to the left.

    >>> next_seat(2, 3)
    0
    """
    return (seat + 1) % seats


# --- a round -----------------------------------------------------------------------------------------------


def _deal(event: Dealt, before: State | None) -> State:
    seats = len(event.hands)
    if before is not None and (seats != before.seats or event.number != before.number + 1):
        raise ValueError("this is not the deal that follows")
    first = next_seat(event.dealer, seats)
    return State(
        seats=seats,
        rounds=event.rounds,
        last=event.last,
        number=event.number,
        dealer=event.dealer,
        phase="nobori",
        active=first,
        hands=event.hands,
        yomi=event.yomi,
        nobori=before.nobori if before else (NOBORI,) * seats,
        raised=(None,) * seats,
        leader=first,
        trick=(),
        won=((),) * seats,
        tricks=(0,) * seats,
        previous=(),
        previous_leader=before.previous_leader if before else 0,
        bare=(False,) * seats,
        sheet=before.sheet if before else (),
        totals=before.totals if before else (0,) * seats,
        stretch=before.stretch if before else 0,
        answered=before.answered if before else None,
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
