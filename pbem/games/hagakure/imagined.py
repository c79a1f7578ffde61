"""What a seat of Hagakure may imagine of the cards that it does not see."""

from functools import lru_cache

import msgspec
from msgspec.structs import replace

from pbem.games.hagakure.facts_cards import Card, is_warrior
from pbem.games.hagakure.facts_state import State, unseen_cards
from pbem.kit.chance import Chance
from pbem.kit.contract import PlayerView
from pbem.kit.secrecy import fill


def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
    """Returns a whole state that the seat cannot tell from the true one; each deal that may be is equally likely.

    The fold holds all that the seat knows of this round: the cards played, looked at, drawn and given away move with
    their piles, and `bare` tells who has neither samurai nor fool left. Nothing of an earlier round is left to know.

    What the others' choices suggest is not respected: that a seat that swaps had a weak hand, a seat that doubles a
    strong one, and a seat that does not take a trick perhaps cannot. Nor do the others of an imagined state know what
    they looked at.
    """
    fold: State = view.fold
    hidden = _unseen_cards_by_kind(fold)
    # Seats that are bare draw first, from the villagers; the rest goes anywhere. So each deal has the same chance.
    villagers = chance.shuffled(hidden.villagers) if hidden.bare else hidden.villagers
    laid, rest = iter(villagers), iter(chance.shuffled((*hidden.warriors, *villagers[hidden.bare :])))
    hands = tuple([fill(hand, laid if bare else rest) for hand, bare in zip(fold.hands, fold.bare, strict=True)])
    return replace(fold, hands=hands, yomi=fill(fold.yomi, rest))


class _Hidden(msgspec.Struct, frozen=True):
    """The cards whose place is not known, and how many of them are in the hands of seats that are bare."""

    villagers: tuple[Card, ...]
    warriors: tuple[Card, ...]
    bare: int


@lru_cache(64)
def _unseen_cards_by_kind(fold: State) -> _Hidden:
    left = unseen_cards(fold)
    held = sum(hand.count(None) for hand, bare in zip(fold.hands, fold.bare, strict=True) if bare)
    villagers, warriors = (tuple([card for card in left if is_warrior(card) == kind]) for kind in (False, True))
    return _Hidden(villagers, warriors, held)
