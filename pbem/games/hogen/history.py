"""How events change a position. It never refuses what `decide` once produced: that is history."""

from msgspec.structs import replace

from pbem.games.hogen import facts
from pbem.games.hogen.facts import Call, Hand, State, opponents
from pbem.kit.contract import Event
from pbem.kit.secrecy import without
from pbem.kit.tuples import less, put
from pbem.kit.words import seen_from


def evolve(state: State | None, event: Event) -> State:
    """Returns the state after an event, full or redacted."""
    if isinstance(event, facts.Dealt):
        return _dealt(event)
    if state is None:
        raise ValueError("a log of Hogen begins with the deal")
    if state.over or (state.active is None and not isinstance(event, facts.AllyChosen | facts.Began | facts.Stopped)):
        raise ValueError("nothing can happen before everybody has an ally, nor after the end")
    match event:
        case facts.AllyChosen(seat, card):
            hands = put(state.hands, seat, without(state.hands[seat], card))
            chosen = put(state.chosen, seat, True)
            return replace(state, hands=hands, allies=put(state.allies, seat, card), chosen=chosen)
        case facts.Began(seat):
            return replace(state, active=seat, turn=1)
        case facts.Called(seat, clan, rank):
            call = Call(clan, rank)
            called = _add_call(state.called, seat, call)
            return replace(state, call=call, answering=(seat + 1) % state.seats, called=called)
        case facts.Passed(seat):
            return _after_pass(state, seat)
        case facts.Exchanged(seat, given, taken):
            return _after_exchange(state, seat, given, taken)
        case facts.Declared(seat, allies):  # its consequence comes as Unmasked or Refuted
            return replace(state, named=put(state.named, seat, allies))
        case facts.Unmasked(seat, allies):
            known = tuple({g.seat: g.card for g in allies}.get(s, state.allies[s]) for s in range(state.seats))
            return replace(state, allies=known, over="found", winner=seat)
        case facts.Refuted(seat, truth):
            return _after_refuted(state, seat, truth)
        case facts.Stopped(reason):
            return replace(state, over=reason, active=None, call=None, answering=None)
    raise TypeError(f"{event} is no event of Hogen")


def _dealt(event: facts.Dealt) -> State:
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


def _after_pass(state: State, seat: int) -> State:
    assert state.call is not None, "a seat passes on a call"
    lacked = _add_call(state.lacked, seat, state.call)
    following = (seat + 1) % state.seats
    if following != state.active:
        return replace(state, answering=following, lacked=lacked)
    return replace(state, call=None, answering=None, failed=(*state.failed, state.call), lacked=lacked)


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


def _after_refuted(state: State, seat: int, truth: Hand) -> State:
    others = dict(zip(opponents(state, seat), truth, strict=True))
    allies = tuple(others.get(s) or state.allies[s] for s in range(state.seats))
    out = put(state.out, seat, True)
    return replace(state, allies=allies, out=out, failed=(), active=_from(state, seat, out), turn=state.turn + 1)


def _from(state: State, seat: int, out: tuple[bool, ...]) -> int | None:
    """Returns the seat itself or the next one clockwise that is not out; None if all are."""
    return next((other for other in seen_from(seat, state.seats) if not out[other]), None)
