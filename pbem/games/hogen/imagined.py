"""What a seat of Hogen cannot see, imagined: a deal drawn among all that agree with what everybody has done."""

from collections.abc import Iterable

from msgspec.structs import replace

from pbem.games.hogen.bots_belief import BIT, belief_of, bits_of
from pbem.games.hogen.facts import Hand, State, opponents, unseen
from pbem.games.samurai import Card
from pbem.kit.chance import Chance
from pbem.kit.contract import PlayerView


def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
    """Returns a state with one of the deals that are possible by all calls, passes, exchanges and declarations.

    Each of these deals is as likely as any other. Why somebody chose their ally, a call or an exchange, and not another
    that was allowed, is not taken into account.
    """
    fold: State = view.fold
    if not all(fold.chosen):
        return _before_the_calls(fold, chance)
    belief = belief_of(fold, seat)
    world = belief.world(chance.below(belief.total))
    allies = dict(zip(opponents(fold, seat), world.allies, strict=True))
    hands = tuple(
        hand if None not in hand else _filled(hand, _cards(bits & ~bits_of(hand)))
        for hand, bits in zip(fold.hands, world.hands, strict=True)
    )
    return replace(fold, hands=hands, allies=tuple(allies.get(s, own) for s, own in enumerate(fold.allies)))


def _before_the_calls(fold: State, chance: Chance) -> State:
    """Returns a state with any deal: nothing has been said about it."""
    cards = iter(chance.shuffled(unseen(fold)))
    hands = tuple(_filled(hand, cards) for hand in fold.hands)
    allies = tuple(
        next(cards) if chosen and ally is None else ally for chosen, ally in zip(fold.chosen, fold.allies, strict=True)
    )
    return replace(fold, hands=hands, allies=allies)


def _cards(bits: int) -> Iterable[Card]:
    return (card for card, bit in BIT.items() if bit & bits)


def _filled(hand: Hand, cards: Iterable[Card]) -> Hand:
    """Returns the hand with the next of these cards wherever one is hidden."""
    rest = iter(cards)
    return tuple(next(rest) if card is None else card for card in hand)
