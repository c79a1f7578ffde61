"""The bots of Hogen. `greedy` counts the deals that its own fold allows, and tells the others little."""

from collections import Counter
from collections.abc import Sequence
from math import fsum, log2

from pbem.games.hogen.bots_belief import World, belief_of, bits_of, fitting, possible_ally
from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, Guess, State, opponents, unseen
from pbem.games.hogen.rules import EXCHANGE_CAP, legal
from pbem.games.samurai import Card
from pbem.kit.chance import Chance
from pbem.kit.choices import kinds_of
from pbem.kit.contract import Move, PlayerView

ENOUGH = 0.6
"""Declares at this chance of being right: at a table of good players, waiting for certainty comes too late."""
PATIENCE = 20
"""After this many exchanges the threshold falls: players who reveal nothing would go on for ever."""
DISCRETION = 0.5
"""The weight of a bit revealed to the others against a bit learnt."""
SAMPLE = 48
"""The number of deals that represent all of them when calls are compared."""


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns an ally among similar cards, a call that reveals little, an exchange, or a likely declaration."""
    fold: State = view.fold
    moves = legal(fold, seat)
    if fold.active is None:
        return _best(moves, [_mates(move.card, fold, seat) for move in moves if isinstance(move, ChooseAlly)], chance)
    if fold.call is not None:
        return _best(moves, [_worth(move, fold, seat) for move in moves if isinstance(move, Exchange)], chance)
    belief = belief_of(fold, seat)
    allies, deals = belief.likeliest()
    if deals >= enough(fold, seat) * belief.total:
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
    """Returns a move of the greatest worth, at random: a fixed order would reveal what the seat holds."""
    most = max(worths)
    return chance.pick([move for move, worth in zip(moves, worths, strict=True) if worth == most])


def _alike(card: Card, other: Card) -> bool:
    """Returns whether the cards share a clan or a rank."""
    return card[0] == other[0] or card[1] == other[1]


def _mates(card: Card, fold: State, seat: int) -> float:
    """Returns how many cards unseen by the others share a clan or a rank with this one, if it becomes the ally.

    Calls give away the clan and the rank of an ally: the more unseen cards share them, the better it hides.
    """
    return sum(_alike(card, other) for other in fold.hands[seat] if other is not None)


def _worth(move: Exchange, fold: State, seat: int) -> float:
    """Returns how well the exchange hides the hand, and then how much the seat can learn from it.

    A card that everybody saw taken can answer later calls without revealing anything. So such a card is given before
    an unseen one, and the card taken should fit the same calls as the remaining hidden cards. Among equals, the seat
    takes the card that would hide most of the cards it has not seen if somebody else held it.
    """
    kept = [card for card in fold.hands[seat] if card is not None and card != move.give]
    hidden = [card for card in kept if card not in fold.shown[seat]]
    covered = sum(_alike(move.take, card) for card in hidden)
    denied = sum(_alike(move.take, card) for card in unseen(fold))
    return 100 * (move.give in fold.shown[seat]) + 10 * covered + denied


def enough(fold: State, seat: int) -> float:
    """Returns how likely a declaration must be right to be made now."""
    alone = all(fold.out[other] for other in opponents(fold, seat))
    if not alone:
        return ENOUGH - max(0, fold.exchanges - PATIENCE) / EXCHANGE_CAP
    # Nobody else can come first: waiting costs nothing while there is something to learn.
    hidden = sum([len(fold.hands[other]) - len(fold.shown[other]) for other in opponents(fold, seat)])
    return 1.0 if hidden and fold.exchanges < EXCHANGE_CAP - 1 else 0.0


def _bits_learnt(call: Call, fold: State, seat: int, worlds: Sequence[World]) -> float:
    """Returns how much the answer to the call reveals, in bits: how evenly it splits the possible deals."""
    fit = fitting(call)
    seen = tuple(bits_of(hand) for hand in fold.hands)
    order = [(seat + step) % fold.seats for step in range(1, fold.seats)]
    answers = Counter(_answer(fit, world, order, seen) for world in worlds)
    return log2(len(worlds)) - fsum(n * log2(n) for n in answers.values()) / len(worlds)


def _answer(fit: int, world: World, order: Sequence[int], seen: Sequence[int]) -> tuple[int, int]:
    """Returns who answers in this deal, and with which card: in the worst case with one that was seen."""
    for other in order:
        fitting_cards = world.hands[other] & fit
        if fitting_cards:
            return other, 0 if fitting_cards & seen[other] else fitting_cards & -fitting_cards
    return -1, 0
