"""What a seat of Hogen cannot see, imagined: a deal drawn among all that agree with what everybody has done."""

from collections.abc import Sequence

from msgspec.structs import replace

from pbem.games.hogen import facts
from pbem.games.hogen.bots_belief import BIT, belief_of, bits_of
from pbem.games.hogen.facts import Call, State, fits, opponents, unseen
from pbem.games.hogen.rules import EXCHANGE_CAP, calls_with
from pbem.games.samurai import CARDS
from pbem.kit.chance import Chance
from pbem.kit.contract import Event, PlayerView
from pbem.kit.secrecy import fill, redact


def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
    """Returns a state with one of the deals that are possible by all calls, passes, exchanges and declarations.

    Each of these deals is as likely as any other. Why somebody chose their ally, a call or an exchange, and not another
    that was allowed, is not taken into account.
    """
    fold: State = view.fold
    if not all(fold.chosen):  # nothing has been said about the deal: any may be
        cards = iter(chance.shuffled(unseen(fold)))
        dealt = tuple(fill(hand, cards) for hand in fold.hands)
        hidden = zip(fold.chosen, fold.allies, strict=True)
        chosen = tuple(next(cards) if chose and ally is None else ally for chose, ally in hidden)
        return replace(fold, hands=dealt, allies=chosen)
    belief = belief_of(fold, seat)
    world = belief.world(chance.below(belief.total))
    allies = dict(zip(opponents(fold, seat), world.allies, strict=True))
    hands = tuple(
        hand if None not in hand else fill(hand, (card for card, bit in BIT.items() if bit & bits & ~bits_of(hand)))
        for hand, bits in zip(fold.hands, world.hands, strict=True)
    )
    return replace(fold, hands=hands, allies=tuple(allies.get(s, own) for s, own in enumerate(fold.allies)))


# --- what may come -------------------------------------------------------------------------------------------
# What may come in Hogen when somebody else is asked, as one seat can know it. Declarations are not supposed.

_CALLS: tuple[Call, ...] = tuple(dict.fromkeys(call for card in CARDS for call in calls_with(card)))


def supposable(fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
    """Returns who may begin, what another may call for, and what they may answer, or what a declaration was worth."""
    if fold.over:
        return ()
    if since and isinstance(since[-1], facts.Declared):
        return _verdict(fold, viewer, since[-1])
    if all(fold.out):
        return (facts.Stopped("all_wrong"),)
    if fold.active is None:
        return tuple(facts.Began(seat) for seat in range(fold.seats)) if all(fold.chosen) else ()
    if fold.exchanges >= EXCHANGE_CAP:
        return (facts.Stopped("cap"),)
    if fold.call is not None:
        return _answers(fold, viewer, fold.call)
    if fold.active == viewer:
        return ()
    ally = fold.allies[fold.active]
    calls = [call for call in (calls_with(ally) if ally else _CALLS) if call not in fold.failed]
    if len(calls) < 2:  # they may declare instead
        return None
    return tuple(facts.Called(fold.active, call.clan, call.rank) for call in calls)


def _verdict(fold: State, viewer: int, declared: facts.Declared) -> Sequence[Event] | None:
    """Returns what a declaration was worth, for those who are out and have seen all allies; None for others."""
    truth = tuple(fold.allies[other] for other in opponents(fold, declared.seat))
    if None in truth:
        return None
    if truth == tuple(guess.card for guess in declared.allies):
        return (facts.Unmasked(declared.seat, declared.allies),)
    return (redact(facts.Refuted(declared.seat, truth), viewer),)


def _answers(fold: State, viewer: int, call: Call) -> Sequence[Event]:
    """Returns the exchanges that are possible as far as the viewer knows, and the pass unless they know better."""
    seat = fold.answering
    assert seat is not None, "somebody answers a call"
    hand = fold.hands[seat]
    sure = [card for card in hand if card is not None and fits(card, call)]
    if seat == viewer:
        return () if sure else (facts.Passed(seat),)
    # What a seat has not shown has never moved, so it holds none of those that it has passed.
    lacked = fold.lacked[seat]
    hidden = [card for card in unseen(fold) if not any(fits(card, passed) for passed in lacked)] if None in hand else []
    perhaps = [card for card in hidden if fits(card, call)]
    exchanges = [facts.Exchanged(seat, given, taken) for given in (*sure, *perhaps) for taken in fold.palace]
    return tuple(exchanges) if sure else (facts.Passed(seat), *exchanges)
