"""The facts of Hogen: its moves, events, state, and `evolve`."""

from typing import Annotated, Literal

import msgspec
from msgspec.structs import force_setattr, replace

from pbem.games.samurai import CARDS, Card, Clan
from pbem.kit.contract import Event, Move, Seat
from pbem.kit.secrecy import Each, Open, Own, Shown, without
from pbem.kit.tuples import less, put
from pbem.kit.words import seen_from

Rank = Annotated[int, msgspec.Meta(ge=1, le=4)]


class Guess(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The ally somebody is said to have."""

    seat: Seat
    card: Card


class ChooseAlly(Move, frozen=True):
    """Put this card of the hand face down: the ally."""

    card: Card


class Call(Move, frozen=True):
    """Ask the table for a clan, a rank, or the one card of both."""

    clan: Clan | None = None
    rank: Rank | None = None

    @property
    def typing(self) -> str:
        """What is called for, as players type it.

        >>> Call("M").typing, Call(rank=4).typing, Call("M", 1).typing
        ('M', '4', 'M1')
        """
        return f"{self.clan or ''}{self.rank or ''}"


class Exchange(Move, frozen=True):
    """Answer a call: lay `give` from the hand into the palace and take another card from it."""

    give: Card
    take: Card


class Declare(Move, frozen=True):
    """Name the ally of every other seat, all at once. Kept in seat order: who names the same says the same."""

    allies: tuple[Guess, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "allies", tuple(sorted(self.allies, key=lambda guess: (guess.seat, guess.card))))


# A log from elsewhere can hold no more than the table does: four seats, sixteen cards.
Hand = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=4)]
Guesses = Annotated[tuple[Guess, ...], msgspec.Meta(max_length=3)]


class Dealt(Event, frozen=True):
    """The palace lies open, the other cards are dealt."""

    palace: Shown[Annotated[tuple[Card, ...], msgspec.Meta(max_length=4)]]
    hands: Each[Annotated[tuple[Hand, ...], msgspec.Meta(max_length=4)]]


class AllyChosen(Event, frozen=True):
    """A seat put its ally face down."""

    seat: Open[Seat]
    card: Own[Card | None]


class Began(Event, frozen=True):
    """The lot fell on the seat that begins."""

    seat: Open[Seat]


class Called(Event, frozen=True):
    """The active seat called for a clan, a rank or a card."""

    seat: Open[Seat]
    clan: Open[Clan | None]
    rank: Open[Rank | None]


class Passed(Event, frozen=True):
    """A seat has no card that fits."""

    seat: Open[Seat]


class Exchanged(Event, frozen=True):
    """A seat answered: `given` lies in the palace, `taken` is in its hand."""

    seat: Open[Seat]
    given: Shown[Card]
    taken: Shown[Card]


class Declared(Event, frozen=True):
    """The active seat named everybody's ally, in seat order."""

    seat: Open[Seat]
    allies: Shown[Guesses]


class Unmasked(Event, frozen=True):
    """The declaration was right: these allies are shown and the seat has won."""

    seat: Open[Seat]
    allies: Shown[Guesses]


class Refuted(Event, frozen=True):
    """The declaration was wrong. The declarer alone sees the others' true allies, in seat order, and is out."""

    seat: Open[Seat]
    truth: Own[Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=3)]]


class Stopped(Event, frozen=True):
    """The match ended without a winner."""

    reason: Open[Literal["all_wrong", "cap"]]


class State(msgspec.Struct, frozen=True, gc=False):
    """A position of Hogen; in a viewer's own fold None stands for a card they do not know.

    The marks are those of an imagined match. They hide whole hands; what everybody saw taken is in `shown` still.
    """

    seats: Open[int]
    palace: Shown[tuple[Card, ...]]
    hands: Each[tuple[Hand, ...]]
    allies: Each[Hand]
    """None also while the ally is not chosen: see `chosen`."""
    chosen: Open[tuple[bool, ...]]
    out: Open[tuple[bool, ...]]
    turn: Open[int] = 0
    """0 while the allies are chosen; then incremented whenever the acting seat changes."""
    active: Open[int | None] = None
    call: Open[Call | None] = None
    answering: Open[int | None] = None
    failed: Open[tuple[Call, ...]] = ()
    """The calls that everybody has passed since the last exchange or change of the active seat."""
    exchanges: Open[int] = 0
    over: Open[str | None] = None
    winner: Open[int | None] = None
    shown: Shown[tuple[tuple[Card, ...], ...]] = ()
    """The cards of each hand that everybody saw it take."""
    called: Open[tuple[tuple[Call, ...], ...]] = ()
    """The distinct calls of each seat so far."""
    lacked: Open[tuple[tuple[Call, ...], ...]] = ()
    """The distinct calls that each seat has passed: none of its cards that never moved fits them."""
    named: Shown[tuple[tuple[Guess, ...], ...]] = ()
    """The declaration of each seat; empty for a seat that made none."""


def fits(card: str | None, call: Call) -> bool:
    """Returns whether the card answers the call.

    >>> fits("B4", Call(rank=4)), fits("B4", Call(clan="M", rank=4))
    (True, False)
    """
    if card is None:
        return False
    return (call.clan is None or card[0] == call.clan) and (call.rank is None or card[1] == str(call.rank))


def opponents(state: State, seat: int) -> tuple[int, ...]:
    """Returns the other seats in seat order."""
    return tuple(other for other in range(state.seats) if other != seat)


def unseen(fold: State) -> tuple[Card, ...]:
    """Returns the cards whose place the fold does not know."""
    seen = {*fold.palace, *fold.allies, *(card for hand in fold.hands for card in hand)}
    return tuple(card for card in CARDS if card not in seen)


# --- what events make of a position --------------------------------------------------------------------------


def evolve(state: State | None, event: Event) -> State:
    """Returns the state after an event, full or redacted."""
    if isinstance(event, Dealt):
        return _deal(event)
    if state is None:
        raise ValueError("a log of Hogen begins with the deal")
    if state.over or (state.active is None and not isinstance(event, AllyChosen | Began | Stopped)):
        raise ValueError("nothing can happen before everybody has an ally, nor after the end")
    match event:
        case AllyChosen(seat, card):
            hands = put(state.hands, seat, without(state.hands[seat], card))
            chosen = put(state.chosen, seat, True)
            return replace(state, hands=hands, allies=put(state.allies, seat, card), chosen=chosen)
        case Began(seat):
            return replace(state, active=seat, turn=1)
        case Called(seat, clan, rank):
            call = Call(clan, rank)
            called = _add_call(state.called, seat, call)
            return replace(state, call=call, answering=(seat + 1) % state.seats, called=called)
        case Passed(seat):
            assert state.call is not None, "a seat passes on a call"
            lacked, following = _add_call(state.lacked, seat, state.call), (seat + 1) % state.seats
            if following != state.active:
                return replace(state, answering=following, lacked=lacked)
            return replace(state, call=None, answering=None, failed=(*state.failed, state.call), lacked=lacked)
        case Exchanged(seat, given, taken):
            return _after_exchange(state, seat, given, taken)
        case Declared(seat, allies):  # its consequence comes as Unmasked or Refuted
            return replace(state, named=put(state.named, seat, allies))
        case Unmasked(seat, allies):
            known = tuple({g.seat: g.card for g in allies}.get(s, state.allies[s]) for s in range(state.seats))
            return replace(state, allies=known, over="found", winner=seat)
        case Refuted(seat, truth):
            others, out = dict(zip(opponents(state, seat), truth, strict=True)), put(state.out, seat, True)
            known = tuple(others.get(s) or state.allies[s] for s in range(state.seats))
            active, turn = _from(state, seat, out), state.turn + 1
            return replace(state, allies=known, out=out, failed=(), active=active, turn=turn)
        case Stopped(reason):
            return replace(state, over=reason, active=None, call=None, answering=None)
    raise TypeError(f"{event} is no event of Hogen")


def _deal(event: Dealt) -> State:
    seats = len(event.hands)
    nothing = ((),) * seats
    return State(
        seats,
        event.palace,
        event.hands,
        allies=(None,) * seats,
        chosen=(False,) * seats,
        out=(False,) * seats,
        shown=nothing,
        called=nothing,
        lacked=nothing,
        named=nothing,
    )


def _add_call(calls: tuple[tuple[Call, ...], ...], seat: int, call: Call) -> tuple[tuple[Call, ...], ...]:
    return calls if call in calls[seat] else put(calls, seat, (*calls[seat], call))


def _after_exchange(state: State, seat: int, given: str, taken: str) -> State:
    hand = (*without(state.hands[seat], given), taken)
    palace = (*less(state.palace, taken), given)  # a made-up log may take a card that is not there
    shown = (*(c for c in state.shown[seat] if c != given), taken)
    following = _from(state, seat, state.out)
    return replace(
        state,
        hands=put(state.hands, seat, hand),
        shown=put(state.shown, seat, shown),
        palace=palace,
        call=None,
        answering=None,
        failed=(),
        active=following,
        # The next turn is that of the seat that answered; if it is out, that of the seat after it (R7).
        turn=state.turn + (1 if following == seat else 2),
        exchanges=state.exchanges + 1,
    )


def _from(state: State, seat: int, out: tuple[bool, ...]) -> int | None:
    """Returns the seat itself or the next one clockwise that is not out; None if all are."""
    return next((other for other in seen_from(seat, state.seats) if not out[other]), None)
