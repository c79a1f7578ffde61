"""What a seat of Hogen cannot see, imagined: a deal drawn among all that agree with what everybody has done."""

from msgspec.structs import replace

from pbem.games.hogen.bots_belief import BIT, belief_of_seat, cards_as_bits, fold_as_with_open_memory
from pbem.games.hogen.facts import State, opponents_in_seat_order, unseen_cards
from pbem.kit.chance import Chance
from pbem.kit.contract import PlayerView
from pbem.kit.secrecy import fill


def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
    """Returns a state with one of the deals that are possible by all calls, passes, exchanges and declarations.

    Each of these deals is as likely as any other. Why somebody chose their ally, a call or an exchange, and not another
    that was allowed, is not taken into account. With closed memory, too, it remembers all that the seat has seen.
    """
    return replace(_imagine_state(fold_as_with_open_memory(view, seat), seat, chance), shown=view.fold.shown)


def _imagine_state(fold: State, seat: int, chance: Chance) -> State:
    if not all(fold.chosen):  # nothing has been said about the deal: any may be
        cards = iter(chance.shuffled(unseen_cards(fold)))
        dealt = tuple(fill(hand, cards) for hand in fold.hands)
        hidden = zip(fold.chosen, fold.allies, strict=True)
        chosen = tuple(next(cards) if chose and ally is None else ally for chose, ally in hidden)
        return replace(fold, hands=dealt, allies=chosen)
    belief = belief_of_seat(fold, seat)
    world = belief.world_of_number(chance.below(belief.total))
    allies = dict(zip(opponents_in_seat_order(fold, seat), world.allies, strict=True))
    hands = tuple(
        hand
        if None not in hand
        else fill(hand, (card for card, bit in BIT.items() if bit & bits & ~cards_as_bits(hand)))
        for hand, bits in zip(fold.hands, world.hands, strict=True)
    )
    return replace(fold, hands=hands, allies=tuple(allies.get(s, own) for s, own in enumerate(fold.allies)))
