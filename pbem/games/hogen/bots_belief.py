"""What a seat can work out from its own fold: the possible deals of the cards it does not see, and the allies in them.

A set of cards is an integer with a bit for each, so a few thousand deals are counted in a millisecond.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import accumulate, combinations, product
from math import factorial, prod

import msgspec
from msgspec.structs import replace

from pbem.games.hogen import facts
from pbem.games.samurai import CARDS, Card
from pbem.kit.contract import PlayerView

BIT = {card: 1 << at for at, card in enumerate(CARDS)}
Allies = tuple[Card, ...]


def cards_as_bits(cards: Iterable[str | None]) -> int:
    """Returns the known ones of these distinct cards as a set.

    >>> cards_as_bits(("F1", None, "F3"))
    5
    """
    return sum([BIT[card] for card in cards if card is not None])


@cache
def answering_cards_as_bits(call: facts.Call) -> int:
    """Returns the cards that answer a call, as a set."""
    return cards_as_bits(card for card in CARDS if facts.answers_call(card, call))


@cache
def allies_allowing_call(call: facts.Call) -> int:
    """Returns the allies that allow the call (R5), as a set."""
    return cards_as_bits(card for card in CARDS if call in facts.calls_allowed_with_ally(card))


def possible_allies_as_bits(fold: facts.State, seat: int, *more: facts.Call) -> int:
    """Returns what the others must take for the seat's possible allies: by the open cards, its calls and declaration.

    `more`: calls that it might make next.
    """
    excluded = cards_as_bits(fold.palace)
    for hand in fold.shown:
        excluded |= cards_as_bits(hand)
    excluded |= cards_as_bits(guess.card for guess in fold.named[seat])
    possible = cards_as_bits(CARDS) & ~excluded
    for call in (*fold.called[seat], *more):
        possible &= allies_allowing_call(call)
    return possible


def fold_as_with_open_memory(view: PlayerView, seat: int, *, forgetful: int = 0) -> facts.State:
    """Returns the fold as with open memory: with the cards that the seat saw others take put back into their hands.

    `forgetful`: with closed memory, one in this many exchanges of others is forgotten for good, of those that came
    before a declaration of theirs; 0: none.
    """
    fold: facts.State = view.fold
    if fold.has_open_memory:
        return fold
    shown: list[tuple[Card, ...]] = [()] * fold.seats
    allies, declared, exchanges = fold.allies, set[int](), 0
    for event in view.seen:
        match event:
            case facts.Exchanged(other, given, taken) if taken is not None:
                exchanges += 1
                left = tuple(card for card in shown[other] if card != given)
                sure = not forgetful or other == seat or other in declared
                forgets = not sure and view.memory.named(f"forgotten:{exchanges}").below(forgetful) == 0
                shown[other] = left if forgets else (*left, taken)
            case facts.Declared(other):
                declared.add(other)
            case facts.Refuted(other, truth) if other == seat:
                known = dict(zip(facts.opponents_in_seat_order(fold, seat), truth, strict=True))
                allies = tuple(known.get(one, ally) for one, ally in enumerate(allies))
    hands = tuple(
        hand if other == seat else (*cards, *[None] * (len(hand) - len(cards)))
        for other, (hand, cards) in enumerate(zip(fold.hands, shown, strict=True))
    )
    return replace(fold, hands=hands, allies=allies, shown=tuple(shown))


class World(msgspec.Struct, frozen=True):
    """One deal that agrees with all that is known: each seat's hand as a set of cards, and the others' allies."""

    hands: tuple[int, ...]
    allies: Allies


class Belief:
    """Every deal that the seat's fold allows once the allies are chosen, each as likely as any other."""

    def __init__(self, fold: facts.State, seat: int) -> None:
        self._others = facts.opponents_in_seat_order(fold, seat)
        self._seen = tuple(cards_as_bits(hand) for hand in fold.hands)
        self._unseen = cards_as_bits(facts.unseen_cards(fold))
        self._sizes = tuple(fold.hands[other].count(None) for other in self._others)
        self._allowed = tuple(self._unseen & ~bits_of_cards_surely_not_hidden(fold, other) for other in self._others)
        free = [not size or allowed == self._unseen for size, allowed in zip(self._sizes, self._allowed, strict=True)]
        self._free_from = next((at for at in range(len(free), 0, -1) if not free[at - 1]), 0)
        """From this hand on each may hold any card that nobody has seen."""
        self._free = tuple(_ways_to_deal(self._sizes[at:]) for at in range(len(free) + 1))
        """In how many ways the hands from each on can be filled, if these may hold any card."""
        self._ways: dict[tuple[int, int], int] = {}
        self.weights = self._count_deals_by_allies(fold, seat)
        """The number of deals in which these are the allies of the others, in seat order."""
        self._allies = tuple(self.weights)
        self._ends = tuple(accumulate(self.weights.values()))
        self.total = self._ends[-1]

    def _count_deals_by_allies(self, fold: facts.State, seat: int) -> dict[Allies, int]:
        known = tuple(card for other in self._others if (card := fold.allies[other]) is not None)
        if len(known) == len(self._others):  # the seat is out, and was shown them
            return {known: self._count_ways_to_fill_hands(0, self._unseen)}
        cards = facts.unseen_cards(fold)
        may_be = [possible_allies_as_bits(fold, other) for other in self._others]
        choices = [[card for card in cards if BIT[card] & may] for may in may_be]
        declared = ({guess.seat: guess.card for guess in guesses} for guesses in fold.named)
        # Wrong declarations that were right about the seat; None for the declarer's own ally.
        right = (named for named in declared if named.get(seat) == fold.allies[seat])
        wrong = [tuple(named.get(other) for other in facts.opponents_in_seat_order(fold, seat)) for named in right]
        weights = {}
        for allies in product(*choices):
            if len(set(allies)) < len(allies):
                continue
            if any(all(w in (None, card) for w, card in zip(named, allies, strict=True)) for named in wrong):
                continue
            ways = self._count_ways_to_fill_hands(0, self._unseen & ~cards_as_bits(allies))
            if ways:
                weights[allies] = ways
        return weights

    def likeliest_allies_with_count(self) -> tuple[Allies, int]:
        """Returns the allies that occur in most deals, and the number of these deals."""
        return max(self.weights.items(), key=lambda item: item[1])

    def worlds_spread_evenly(self, most: int, first: int) -> Iterator[World]:
        """Yields at most `most` deals, spread evenly over all of them; `first`, any number, says where to begin."""
        step = -(-self.total // most)
        number, passed = first % step, 0
        for allies, ways in self.weights.items():
            while number < passed + ways:
                yield self._deal_of_number(allies, number - passed)
                number += step
            passed += ways

    def world_of_number(self, number: int) -> World:
        """Returns the deal of this number, from 0 to `total` - 1."""
        at = bisect_right(self._ends, number)
        return self._deal_of_number(self._allies[at], number - (self._ends[at - 1] if at else 0))

    def _count_ways_to_fill_hands(self, at: int, left: int) -> int:
        """Returns in how many ways the cards left, all that are hidden from that hand on, fill the hands."""
        if at >= self._free_from:
            return self._free[at]
        if at == len(self._others) - 1:
            return 0 if left & ~self._allowed[at] else 1
        if (at, left) not in self._ways:
            takes = _subsets_of_size_as_bits(left & self._allowed[at], self._sizes[at])
            self._ways[at, left] = sum(self._count_ways_to_fill_hands(at + 1, left & ~take) for take in takes)
        return self._ways[at, left]

    def _deal_of_number(self, allies: Allies, number: int) -> World:
        """Returns the deal of this number among those with these allies."""
        hands = list(self._seen)
        left = self._unseen & ~cards_as_bits(allies)
        for at, other in enumerate(self._others):
            for take in _subsets_of_size_as_bits(left & self._allowed[at], self._sizes[at]):
                ways = self._count_ways_to_fill_hands(at + 1, left & ~take)
                if number < ways:
                    hands[other] |= take
                    left &= ~take
                    break
                number -= ways
        return World(tuple(hands), allies)


@lru_cache(maxsize=32)
def belief_of_seat(fold: facts.State, seat: int) -> Belief:
    """Returns what the seat can work out, counted once: a search asks for many deals of the same fold."""
    return Belief(fold, seat)


def bits_of_cards_surely_not_hidden(fold: facts.State, seat: int) -> int:
    """Returns the cards that cannot be hidden in the seat's hand: its hidden cards have been there since the deal.

    With closed memory they may have been taken after it declared.
    """
    held = 0
    for guess in fold.named[seat] if fold.has_open_memory else ():
        held |= BIT[guess.card]
    for call in fold.lacked[seat]:
        held |= answering_cards_as_bits(call)
    return held


@cache
def _ways_to_deal(sizes: tuple[int, ...]) -> int:
    """Returns in how many ways hands of these sizes can be dealt all cards of a pile: the multinomial coefficient.

    >>> _ways_to_deal((2, 1)), _ways_to_deal(())
    (3, 1)
    """
    return factorial(sum(sizes)) // prod(map(factorial, sizes))


@lru_cache(maxsize=8192)
def _subsets_of_size_as_bits(cards: int, size: int) -> tuple[int, ...]:
    """Returns all subsets of this size of these cards."""
    bits = [bit for bit in BIT.values() if bit & cards]
    return tuple(sum(some) for some in combinations(bits, size))
