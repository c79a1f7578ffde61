"""The bots of Hogen. `greedy` counts the deals that its own fold allows, and tells the others little.

A quick bot for imagined matches of Hogen: it plays as `greedy` does, but estimates what that one counts.

It looks at public facts and its own cards only, and computes by whole numbers and quotients: no two machines differ.

How likely each seat is to win when somebody may call or declare, without playing on.

    python -m tests.games.hogen.fitted_estimate --matches 600

plays matches of `greedy` and prints how likely their winners are by this and by other formulas of the kind.
docs/bots.md compares what is estimated with what happened in other matches.
"""

from collections import Counter
from collections.abc import Sequence
from math import fsum, log2, prod, sqrt

import msgspec
from msgspec.structs import replace

from pbem.games.hogen import bots_belief, facts
from pbem.games.hogen.rules import EXCHANGE_CAP, RULES
from pbem.games.samurai import CARDS, CLANS, RANKS, Card
from pbem.kit.chance import Chance
from pbem.kit.choices import kinds_of
from pbem.kit.contract import Move, PlayerView

ENOUGH = 0.6
"""Declares at this chance of being right: at a table of good players, waiting for certainty comes too late."""
PATIENCE = 20
"""After this many exchanges the threshold falls: players who reveal nothing would go on for ever."""
DISCRETION = 0.5
"""The weight of a bit revealed to the others against a bit learnt."""
FORGETFUL = 12
"""With closed memory, one in this many exchanges of the others is forgotten as soon as it is covered."""
SAMPLE = 48
"""The number of deals that represent all of them when calls are compared."""


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns an ally among similar cards, a call that reveals little, an exchange, or a likely declaration."""
    moves, fold = RULES.legal(view.fold, seat), bots_belief.fold_as_with_open_memory(view, seat, forgetful=FORGETFUL)
    if fold.active is None:
        # Calls give away the clan and the rank of an ally: the more cards unseen by others share them, the better.
        hand = [card for card in fold.hands[seat] if card is not None]
        allies = [move.card for move in moves if isinstance(move, facts.ChooseAlly)]
        return _best_move_by_lot(
            moves, [sum(_have_common_clan_or_rank(ally, card) for card in hand) for ally in allies], chance
        )
    if fold.call is not None:
        return _best_move_by_lot(
            moves, [_worth_of_exchange(move, fold, seat) for move in moves if isinstance(move, facts.Exchange)], chance
        )
    belief = bots_belief.belief_of_seat(fold, seat)
    likeliest, deals = belief.likeliest_allies_with_count()
    if deals >= sureness_to_declare(fold, seat) * belief.total:
        guesses = zip(facts.opponents_in_seat_order(fold, seat), likeliest, strict=True)
        return facts.Declare(tuple(facts.Guess(other, card) for other, card in guesses))
    calls = [call for call in kinds_of(moves)["Call"] if isinstance(call, facts.Call)]
    worlds = tuple(belief.worlds_spread_evenly(SAMPLE, chance.below(belief.total)))
    before = bots_belief.possible_allies_as_bits(fold, seat)
    gains = [
        _bits_learnt_from_call(call, fold, seat, worlds)
        - DISCRETION * log2(before.bit_count() / bots_belief.possible_allies_as_bits(fold, seat, call).bit_count())
        for call in calls
    ]
    return _best_move_by_lot(calls, gains, chance)


def _best_move_by_lot(moves: Sequence[Move], worths: Sequence[float], chance: Chance) -> Move:
    """Returns a move of the greatest worth, at random: a fixed order would reveal what the seat holds."""
    most = max(worths)
    return chance.pick([move for move, worth in zip(moves, worths, strict=True) if worth == most])


def _have_common_clan_or_rank(card: Card, other: Card) -> bool:
    """Returns whether the cards share a clan or a rank."""
    return card[0] == other[0] or card[1] == other[1]


def _worth_of_exchange(move: facts.Exchange, fold: facts.State, seat: int) -> float:
    """Returns how well the exchange hides the hand, and then how much the seat can learn from it.

    A card that everybody saw taken can answer later calls without revealing anything. So such a card is given before
    an unseen one, and the card taken should fit the same calls as the remaining hidden cards. Among equals, the seat
    takes the card that would hide most of the cards it has not seen if somebody else held it.
    """
    kept = [card for card in fold.hands[seat] if card is not None and card != move.give]
    hidden = [card for card in kept if card not in fold.shown[seat]]
    covered = sum(_have_common_clan_or_rank(move.take, card) for card in hidden)
    denied = sum(_have_common_clan_or_rank(move.take, card) for card in facts.unseen_cards(fold))
    return 100 * (move.give in fold.shown[seat]) + 10 * covered + denied


def sureness_to_declare(fold: facts.State, seat: int) -> float:
    """Returns how likely a declaration must be right to be made now."""
    alone = all(fold.out[other] for other in facts.opponents_in_seat_order(fold, seat))
    if not alone:
        return ENOUGH - max(0, fold.exchanges - PATIENCE) / EXCHANGE_CAP
    # Nobody else can come first: waiting costs nothing while there is something to learn.
    shown = _cards_everybody_saw_taken(fold)
    hidden = sum([len(fold.hands[other]) - len(shown[other]) for other in facts.opponents_in_seat_order(fold, seat)])
    return 1.0 if hidden and fold.exchanges < EXCHANGE_CAP - 1 else 0.0


def _cards_everybody_saw_taken(state: facts.State) -> tuple[tuple[Card, ...], ...]:
    """Returns the cards of each hand that everybody saw it take.

    With closed memory no state tells them, and where there is no more than a state, nobody is taken to remember any.
    """
    return state.shown or ((),) * state.seats


def _bits_learnt_from_call(
    call: facts.Call, fold: facts.State, seat: int, worlds: Sequence[bots_belief.World]
) -> float:
    """Returns how much the answer to the call reveals, in bits: how evenly it splits the possible deals."""
    fit = bots_belief.answering_cards_as_bits(call)
    seen = tuple(bots_belief.cards_as_bits(hand) for hand in fold.hands)
    order = [(seat + step) % fold.seats for step in range(1, fold.seats)]
    answers = Counter(_answer_in_deal(fit, world, order, seen) for world in worlds)
    return log2(len(worlds)) - fsum(n * log2(n) for n in answers.values()) / len(worlds)


def _answer_in_deal(fit: int, world: bots_belief.World, order: Sequence[int], seen: Sequence[int]) -> tuple[int, int]:
    """Returns who answers in this deal, and with which card: in the worst case with one that was seen."""
    for other in order:
        fitting_cards = world.hands[other] & fit
        if fitting_cards:
            return other, 0 if fitting_cards & seen[other] else fitting_cards & -fitting_cards
    return -1, 0


# --- quick bots ----------------------------------------------------------------------------------------------

_CALLS = [facts.Call(c, r) for c in (None, *CLANS) for r in (None, *map(int, RANKS)) if c or r]
_CALLERS = {call: bots_belief.allies_allowing_call(call) for call in _CALLS}
_FITTING = {call: bots_belief.answering_cards_as_bits(call) for call in _CALLS}
_ALIKE = {card: sum(bots_belief.BIT[one] for one in CARDS if one[0] == card[0] or one[1] == card[1]) for card in CARDS}
_CARD = {bit: card for card, bit in bots_belief.BIT.items()}
_ALL = sum(bots_belief.BIT.values())


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
    fold = bots_belief.fold_as_with_open_memory(view, seat, forgetful=FORGETFUL)
    if fold.active is None:
        return facts.ChooseAlly(chance.pick([card for card in fold.hands[seat] if card is not None]))
    public = _public_knowledge(fold, seat)
    if fold.call is not None:
        return _choose_exchange(fold, seat, fold.call, public.unseen, chance)
    allies, sure = _likely_allies_and_sureness(fold, public)
    calls = [call for call in facts.calls_allowed_with_ally(fold.allies[seat] or "") if call not in fold.failed]
    needed = ENOUGH - max(0, fold.exchanges - PATIENCE) / EXCHANGE_CAP
    if all(fold.out[other] for other in public.others):
        waits = fold.exchanges < EXCHANGE_CAP - 1 and any(public.hidden[other] for other in public.others)
        needed = 0.99 if waits else 0.0
    if not calls or sure >= needed:
        return facts.Declare(tuple(facts.Guess(other, card) for other, card in zip(public.others, allies, strict=True)))
    return _choose_call(fold, seat, calls, public, chance)


def _public_knowledge(fold: facts.State, seat: int) -> _Public:
    shown = tuple([bots_belief.cards_as_bits(cards) for cards in fold.shown])
    seen = bots_belief.cards_as_bits(fold.palace)
    for cards in shown:
        seen |= cards
    own = bots_belief.cards_as_bits(fold.hands[seat]) | bots_belief.cards_as_bits(fold.allies[seat : seat + 1])
    hidden = tuple([len(hand) - len(cards) for hand, cards in zip(fold.hands, fold.shown, strict=True)])
    return _Public(facts.opponents_in_seat_order(fold, seat), _ALL & ~seen & ~own, seen, shown, hidden)


def _cards_that_may_be_ally(fold: facts.State, seat: int, cards: int) -> int:
    for call in fold.called[seat]:
        cards &= _CALLERS[call]
    for guess in fold.named[seat]:
        cards &= ~bots_belief.BIT[guess.card]
    return cards


def _likely_allies_and_sureness(fold: facts.State, public: _Public) -> tuple[list[Card], float]:
    """Returns a likely ally of each other seat, no card twice, and about how likely all of them are.

    A card is the likelier an ally, the fewer other places it may be in.
    """
    cards = public.unseen
    may_be = {other: _cards_that_may_be_ally(fold, other, cards) for other in public.others}
    held = [
        (cards & ~bots_belief.bits_of_cards_surely_not_hidden(fold, other), public.hidden[other])
        for other in public.others
    ]
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
        chances.append(weights[best] / (_sum_left_to_right([weights[bit] for bit in bits]) or 1.0))
        chosen[other] = best
        del may_be[other], weights[best]
    return [_CARD[chosen[other]] for other in public.others], prod(chances)


def _sum_left_to_right(weights: list[float]) -> float:
    total = 0.0
    for one in weights:
        total += one
    return total


def _choose_call(fold: facts.State, seat: int, calls: list[facts.Call], public: _Public, chance: Chance) -> facts.Call:
    """Returns the call that many hidden cards may answer, before one that was shown, and that gives little away."""
    before = _cards_that_may_be_ally(fold, seat, _ALL & ~public.open)
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


def _choose_exchange(fold: facts.State, seat: int, call: facts.Call, unseen: int, chance: Chance) -> facts.Exchange:
    """Returns an exchange that gives a shown card before a hidden one, and takes what hides and denies most."""
    shown = fold.shown[seat]
    gives = [card for card in fold.hands[seat] if card is not None and facts.answers_call(card, call)]
    gives = [card for card in gives if card in shown] or gives
    own = [card for card in fold.hands[seat] if card is not None and card not in shown]
    best, most = [], -1
    for give in gives:
        hidden = bots_belief.cards_as_bits([card for card in own if card != give])
        for take in filter(None, fold.palace):
            alike = _ALIKE[take]
            worth = 10 * (alike & hidden).bit_count() + (alike & unseen).bit_count()
            if worth > most:
                best, most = [(give, take)], worth
            elif worth == most:
                best.append((give, take))
    return facts.Exchange(*chance.pick(best))


# --- the estimate --------------------------------------------------------------------------------------------


def estimate(state: facts.State) -> Sequence[float] | None:
    """Returns each seat's chance to win where somebody calls or declares; None at any other time."""
    if state.over or state.active is None or state.call is not None:
        return None
    sure = sureness_of_seats(state)
    active = state.active
    now = sure[active]
    if now < sureness_to_declare(state, active):
        return chances_to_know_first(sure)
    # Declares, and is out unless that is right.
    others = chances_to_know_first([0.0 if seat == active else one for seat, one in enumerate(sure)])
    return tuple([now if seat == active else (1 - now) * chance for seat, chance in enumerate(others)])


def sureness_of_seats(state: facts.State) -> list[float]:
    """Returns the chance of each seat's likeliest allies, by what that seat knows; 0 for a seat that is out."""
    return [0.0 if out else _chance_of_likeliest_allies(state, seat) for seat, out in enumerate(state.out)]


def chances_to_know_first(sure: Sequence[float]) -> tuple[float, ...]:
    """Returns each seat's chance to be the first who knows enough: as its sureness to the power of three quarters.

    >>> [round(chance, 2) for chance in chances_to_know_first((0.5, 0.25, 0.0))], chances_to_know_first((0.0, 0.0, 0.0))
    ([0.63, 0.37, 0.0], (0.0, 0.0, 0.0))
    """
    weights = [sqrt(one) * sqrt(sqrt(one)) for one in sure]  # roots are the same to the bit on every machine
    total = fsum(weights) or 1.0
    return tuple([weight / total for weight in weights])


def _chance_of_likeliest_allies(state: facts.State, seat: int) -> float:
    """Returns the chance of the allies that are likeliest to this seat, which sees its own cards and what was shown."""
    hands = tuple(
        [
            hand if other == seat else tuple([card if card in shown else None for card in hand])
            for other, (hand, shown) in enumerate(zip(state.hands, _cards_everybody_saw_taken(state), strict=True))
        ]
    )
    allies = tuple([ally if other == seat else None for other, ally in enumerate(state.allies)])
    belief = bots_belief.Belief(replace(state, hands=hands, allies=allies), seat)
    return belief.likeliest_allies_with_count()[1] / belief.total
