"""A sensible player of Allégeance that knows no more than its own fold: with closed memory it remembers nothing."""

from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass, State
from pbem.games.allegeance.rules import poorest, unseen
from pbem.games.samurai import CARDS
from pbem.kit.chance import Chance
from pbem.kit.contract import Move


def greedy(fold: State, seat: int, chance: Chance) -> Move:
    """The move that leaves the seat with few cards and the others with many, as far as its fold can tell."""
    if fold.phase == "window":
        return Challenge() if _worth_it(fold, seat) else LetPass()
    if fold.phase == "give":
        return _gift(fold, seat, chance)
    return _announcement(fold, seat, chance)


def _seen(fold: State) -> set[str]:
    """All cards that the fold knows to be out."""
    return {c for cards in (fold.palace, *fold.hands) for c in cards if c is not None}


def _announcement(fold: State, seat: int, chance: Chance) -> Announce:
    """A card that may still stand behind the Door."""
    out = _seen(fold)
    allowed = unseen(fold, seat)
    return chance.pick([move for move in allowed if move.card not in out] or allowed)


def _gift(fold: State, seat: int, chance: Chance) -> Give:
    """To the strongest of those with the fewest cards."""
    gifts = poorest(fold, seat)
    most = max(fold.tokens[gift.seat] for gift in gifts)
    return chance.pick([gift for gift in gifts if fold.tokens[gift.seat] == most])


def _worth_it(fold: State, seat: int) -> bool:
    """Whether the announced card is out for certain, or likely enough.

    A mistake costs oneself a card, a success only one of the rivals: the more there are, the surer one should be.
    """
    out = _seen(fold)
    if fold.announced in out:
        return True
    unknown = len(CARDS) - len(out)
    return (unknown - len(fold.door)) * fold.seats > unknown * (fold.seats - 1)
