"""A sensible player of Hogen: it counts the deals that its own fold allows, and lets the others count little."""

from collections import Counter
from collections.abc import Sequence
from math import log2

from pbem.games.hogen.bots_belief import Belief, World, bits_of, fitting, possible_ally
from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, Guess, State, opponents, unseen
from pbem.games.hogen.rules import EXCHANGE_CAP, legal
from pbem.games.samurai import Card
from pbem.kit.chance import Chance
from pbem.kit.choices import kinds_of
from pbem.kit.contract import Move

ENOUGH = 0.6
"""Declares when so likely to be right: whoever waits for certainty comes second at a table of good players."""
PATIENCE = 20
"""After so many exchanges it is content with less and less: players who tell nothing would go on for ever."""
DISCRETION = 0.5
"""What a bit told to the others weighs against a bit learnt."""
SAMPLE = 48
"""So many deals stand for all of them when calls are compared."""


def greedy(fold: State, seat: int, chance: Chance) -> Move:
    """A legal move of the seat: an ally among its kind, calls that tell little, a declaration when likely enough."""
    moves = legal(fold, seat)
    if fold.active is None:
        return _best(moves, [_mates(move.card, fold, seat) for move in moves if isinstance(move, ChooseAlly)], chance)
    if fold.call is not None:
        return _best(moves, [_worth(move, fold, seat) for move in moves if isinstance(move, Exchange)], chance)
    belief = Belief(fold, seat)
    allies, deals = belief.likeliest()
    if deals >= _needed(fold, seat, belief):
        guesses = zip(opponents(fold, seat), allies, strict=True)
        return Declare(tuple(Guess(other, card) for other, card in guesses))
    calls = [call for call in kinds_of(moves)["Call"] if isinstance(call, Call)]
    worlds = tuple(belief.worlds(SAMPLE, chance.below(belief.total)))
    before = possible_ally(fold, seat)
    gains = [
        _bits_learnt(call, fold, seat, worlds)
        - DISCRETION * log2(before.bit_count() / possible_ally(fold, seat, call).bit_count())
        for call in calls
    ]
    return _best(calls, gains, chance)


def _best(moves: Sequence[Move], worths: Sequence[float], chance: Chance) -> Move:
    """The move of the greatest worth, one of them by lot: a fixed order would tell what the seat holds."""
    most = max(worths)
    return chance.pick([move for move, worth in zip(moves, worths, strict=True) if worth == most])


def _alike(card: Card, other: Card) -> bool:
    """Whether the cards share a clan or a rank."""
    return card[0] == other[0] or card[1] == other[1]


def _mates(card: Card, fold: State, seat: int) -> float:
    """How many cards that the others have not seen share a clan or a rank with this one, should it be the ally.

    Calls give away the clan and the rank of an ally; the fewer of the cards that are left have been seen, the
    better it hides among them.
    """
    return sum(_alike(card, other) for other in fold.hands[seat] if other is not None)


def _worth(move: Exchange, fold: State, seat: int) -> float:
    """How well the exchange hides, and after that how much it lets the seat learn.

    A card that everybody saw taken answers later calls and tells nothing. So such a card is given before one that
    nobody saw, and the one taken should fit what the hidden cards left fit. Among equals, the card is taken that
    would hide most of the cards the seat has not seen, if somebody else held it.
    """
    kept = [card for card in fold.hands[seat] if card is not None and card != move.give]
    hidden = [card for card in kept if card not in fold.shown[seat]]
    covered = sum(_alike(move.take, card) for card in hidden)
    denied = sum(_alike(move.take, card) for card in unseen(fold))
    return 100 * (move.give in fold.shown[seat]) + 10 * covered + denied


def _needed(fold: State, seat: int, belief: Belief) -> float:
    """In how many deals a declaration must be right to be made now."""
    alone = all(fold.out[other] for other in opponents(fold, seat))
    if not alone:
        return (ENOUGH - max(0, fold.exchanges - PATIENCE) / EXCHANGE_CAP) * belief.total
    # Nobody can come first any more: waiting costs nothing while there is something to learn.
    return belief.total if belief.hidden and fold.exchanges < EXCHANGE_CAP - 1 else 0


def _bits_learnt(call: Call, fold: State, seat: int, worlds: Sequence[World]) -> float:
    """How much the answer to the call tells, in bits: how evenly it parts the deals that are possible."""
    fit = fitting(call)
    seen = tuple(bits_of(hand) for hand in fold.hands)
    order = [(seat + step) % fold.seats for step in range(1, fold.seats)]
    answers = Counter(_answer(fit, world, order, seen) for world in worlds)
    return log2(len(worlds)) - sum(n * log2(n) for n in answers.values()) / len(worlds)


def _answer(fit: int, world: World, order: Sequence[int], seen: Sequence[int]) -> tuple[int, int]:
    """Who answers in this deal, and with which card: one that was seen if there is one, the worst case."""
    for other in order:
        fitting_cards = world.hands[other] & fit
        if fitting_cards:
            return other, 0 if fitting_cards & seen[other] else fitting_cards & -fitting_cards
    return -1, 0
