"""A quick bot for imagined matches of Hogen: it plays as `greedy` does, but estimates what that one counts.

It looks at public facts and its own cards only, and computes by whole numbers and quotients: no two machines differ.
"""

from math import prod

import msgspec

from pbem.games.hogen.bots_belief import BIT, callers, fitting
from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, Guess, State, fits, opponents
from pbem.games.hogen.rules import EXCHANGE_CAP, calls_with
from pbem.games.samurai import CARDS, CLANS, RANKS, Card
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView

ENOUGH, PATIENCE = 0.6, 20
"""As those of `greedy`: how sure it must be to declare, and after how many exchanges it asks for less."""
_CALLS = [Call(c, r) for c in (None, *CLANS) for r in (None, *map(int, RANKS)) if c or r]
_CALLERS = {call: callers(call) for call in _CALLS}
_FITTING = {call: fitting(call) for call in _CALLS}
_ALIKE = {card: sum(BIT[one] for one in CARDS if one[0] == card[0] or one[1] == card[1]) for card in CARDS}
_CARD = {bit: card for card, bit in BIT.items()}
_ALL = sum(BIT.values())


class _Public(msgspec.Struct, frozen=True):
    """What a seat knows at once, as sets of cards: those whose place it does not know, and those that were shown."""

    others: tuple[int, ...]
    unseen: int
    open: int
    """The palace, and what everybody saw somebody take."""
    shown: tuple[int, ...]
    hidden: tuple[int, ...]
    """The number of hidden cards in each hand."""


def quick(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns any ally, a call, an exchange or a declaration much as `greedy` would, in a fraction of its time."""
    fold: State = view.fold
    if fold.active is None:
        return ChooseAlly(chance.pick([card for card in fold.hands[seat] if card is not None]))
    public = _public(fold, seat)
    if fold.call is not None:
        return _exchange(fold, seat, fold.call, public.unseen, chance)
    allies, sure = _likely(fold, public)
    calls = [call for call in calls_with(fold.allies[seat] or "") if call not in fold.failed]
    if not calls or sure >= _needed(fold, public):
        return Declare(tuple(Guess(other, card) for other, card in zip(public.others, allies, strict=True)))
    return _call(fold, seat, calls, public, chance)


def _bits(cards: tuple[Card | None, ...]) -> int:
    return sum([BIT[card] for card in cards if card is not None])


def _public(fold: State, seat: int) -> _Public:
    shown = tuple([_bits(cards) for cards in fold.shown])
    seen = _bits(fold.palace)
    for cards in shown:
        seen |= cards
    own = _bits(fold.hands[seat]) | _bits(fold.allies[seat : seat + 1])
    hidden = tuple([len(hand) - len(cards) for hand, cards in zip(fold.hands, fold.shown, strict=True)])
    return _Public(opponents(fold, seat), _ALL & ~seen & ~own, seen, shown, hidden)


def _may_be_ally(fold: State, seat: int, cards: int) -> int:
    for call in fold.called[seat]:
        cards &= _CALLERS[call]
    for guess in fold.named[seat]:
        cards &= ~BIT[guess.card]
    return cards


def _may_be_held(fold: State, seat: int, cards: int) -> int:
    for call in fold.lacked[seat]:
        cards &= ~_FITTING[call]
    for guess in fold.named[seat]:
        cards &= ~BIT[guess.card]
    return cards


def _likely(fold: State, public: _Public) -> tuple[list[Card], float]:
    """Returns a likely ally of each other seat, no card twice, and about how likely all of them are.

    A card is the likelier an ally, the fewer other places it may be in.
    """
    cards = public.unseen
    may_be = {other: _may_be_ally(fold, other, cards) for other in public.others}
    held = [(_may_be_held(fold, other, cards), public.hidden[other]) for other in public.others]
    weights: dict[int, float] = {}
    for bit in _CARD:
        if bit & cards:
            places = sum([1 for may in may_be.values() if may & bit]) + sum([n for may, n in held if may & bit])
            weights[bit] = 1 / places if places else 0.0
    chosen: dict[int, int] = {}
    chances = []
    while may_be:
        options = {other: [bit for bit in weights if bit & may] for other, may in may_be.items()}
        other = min(options, key=lambda one: len(options[one]))
        bits = options[other] or [*weights]
        best = max(bits, key=weights.__getitem__)
        chances.append(weights[best] / (_total([weights[bit] for bit in bits]) or 1.0))
        chosen[other] = best
        del may_be[other], weights[best]
    return [_CARD[chosen[other]] for other in public.others], prod(chances)


def _total(weights: list[float]) -> float:
    total = 0.0
    for one in weights:
        total += one
    return total


def _needed(fold: State, public: _Public) -> float:
    """Returns how sure a declaration must be to be made now."""
    if all(fold.out[other] for other in public.others):
        waits = fold.exchanges < EXCHANGE_CAP - 1 and any(public.hidden[other] for other in public.others)
        return 0.99 if waits else 0.0
    return ENOUGH - max(0, fold.exchanges - PATIENCE) / EXCHANGE_CAP


def _call(fold: State, seat: int, calls: list[Call], public: _Public, chance: Chance) -> Call:
    """Returns the call that many hidden cards may answer, before one that was shown, and that gives little away."""
    before = _may_be_ally(fold, seat, _ALL & ~public.open)
    seats = fold.seats
    order = [(seat + step) % seats for step in range(1, seats)]
    everywhere = sum([public.hidden[other] for other in order]) or 1
    best, most = [], -1.0
    for call in calls:
        fit = _FITTING[call]
        asked = 0
        for other in order:
            if public.shown[other] & fit:
                break
            asked += public.hidden[other]
        told = 1 + (fit & public.unseen).bit_count() * asked / everywhere
        worth = told * told * (before & _CALLERS[call]).bit_count() / (before.bit_count() or 1)
        if worth > most:
            best, most = [call], worth
        elif worth == most:
            best.append(call)
    return chance.pick(best)


def _exchange(fold: State, seat: int, call: Call, unseen: int, chance: Chance) -> Exchange:
    """Returns an exchange that gives a shown card before a hidden one, and takes what hides and denies most."""
    shown = fold.shown[seat]
    gives = [card for card in fold.hands[seat] if card is not None and fits(card, call)]
    gives = [card for card in gives if card in shown] or gives
    own = [card for card in fold.hands[seat] if card is not None and card not in shown]
    best, most = [], -1
    for give in gives:
        hidden = _bits(tuple([card for card in own if card != give]))
        for take in fold.palace:
            alike = _ALIKE[take]
            worth = 10 * (alike & hidden).bit_count() + (alike & unseen).bit_count()
            if worth > most:
                best, most = [(give, take)], worth
            elif worth == most:
                best.append((give, take))
    return Exchange(*chance.pick(best))
