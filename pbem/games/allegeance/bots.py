"""The bots of Allégeance. They know only their own fold: with closed memory they remember nothing."""

from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass, State
from pbem.games.allegeance.rules import poorest, unseen
from pbem.games.samurai import CARDS
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the move that leaves the seat with few cards and the others with many, as far as its fold can tell."""
    fold: State = view.fold
    if fold.phase == "window":
        return Challenge() if _worth_it(fold, seat) else LetPass()
    if fold.phase == "give":
        return _gift(fold, seat, chance)
    return _announcement(fold, seat, chance)


def cards_out(fold: State) -> set[str]:
    """Returns all cards that the fold knows to be out."""
    return {c for cards in (fold.palace, *fold.hands) for c in cards if c is not None}


def _announcement(fold: State, seat: int, chance: Chance) -> Announce:
    """Returns the announcement of a card that may still be behind the Door."""
    out = cards_out(fold)
    allowed = unseen(fold, seat)
    return chance.pick([move for move in allowed if move.card not in out] or allowed)


def _gift(fold: State, seat: int, chance: Chance) -> Give:
    """Returns the gift to the strongest of those with the fewest cards."""
    gifts = poorest(fold, seat)
    most = max(fold.tokens[gift.seat] for gift in gifts)
    return chance.pick([gift for gift in gifts if fold.tokens[gift.seat] == most])


def _worth_it(fold: State, seat: int) -> bool:
    """Returns whether the announced card is certainly out, or likely enough.

    A wrong challenge costs the seat a card, a right one costs just one rival: the more rivals, the surer it must be.
    """
    out = cards_out(fold)
    if fold.announced in out:
        return True
    unknown = len(CARDS) - len(out)
    return (unknown - len(fold.door)) * fold.seats > unknown * (fold.seats - 1)
