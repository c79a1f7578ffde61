"""The bots of Allégeance. They remember what has come out in this round, with closed memory nearly all of it."""

from pbem.games.allegeance import facts
from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass, State
from pbem.games.allegeance.imagined import this_round
from pbem.games.allegeance.rules import poorest, unseen
from pbem.games.samurai import CARDS
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView

FORGETFUL = 60
"""With closed memory, one in this many cards is forgotten as soon as it is covered, for as long as the round lasts."""


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the move that leaves the seat with few cards and the others with many, as far as it remembers."""
    fold: State = view.fold
    if fold.phase == "give":
        return _gift(fold, seat, chance)
    out = cards_out(fold) | remembered(view)
    if fold.phase == "window":
        return Challenge() if _worth_it(fold, out) else LetPass()
    return _announcement(fold, seat, out, chance)


def cards_out(fold: State) -> set[str]:
    """Returns all cards that the fold knows to be out."""
    return {c for cards in (fold.palace, *fold.hands) for c in cards if c is not None}


def remembered(view: PlayerView) -> set[str]:
    """Returns the cards of this round that the seat saw come out or caught, without those that it has forgotten."""
    fold: State = view.fold
    cards: set[str] = set()
    turn, announced = 0, None
    for event in this_round(view.seen):
        match event:
            case facts.TurnBegan():
                turn += 1
            case facts.Announced(card=card):
                announced = card
            case facts.Hit(card=card) | facts.Missed(card=card) if card and not _forgets(view, fold.round, turn):
                cards.add(card)
            case facts.Caught() if announced is not None and not _forgets(view, fold.round, turn):
                cards.add(announced)
    return cards


def _forgets(view: PlayerView, of_round: int, turn: int) -> bool:
    return view.memory.named(f"forgotten:r{of_round}:t{turn}").below(FORGETFUL) == 0


def _announcement(fold: State, seat: int, out: set[str], chance: Chance) -> Announce:
    """Returns the announcement of a card that may still be behind the Door."""
    allowed = unseen(fold, seat)
    return chance.pick([move for move in allowed if move.card not in out] or allowed)


def _gift(fold: State, seat: int, chance: Chance) -> Give:
    """Returns the gift to the strongest of those with the fewest cards."""
    gifts = poorest(fold, seat)
    most = max(fold.tokens[gift.seat] for gift in gifts)
    return chance.pick([gift for gift in gifts if fold.tokens[gift.seat] == most])


def _worth_it(fold: State, out: set[str]) -> bool:
    """Returns whether the announced card is certainly out, or likely enough.

    A wrong challenge costs the seat a card, a right one costs just one rival: the more rivals, the surer it must be.
    """
    if fold.announced in out:
        return True
    unknown = len(CARDS) - len(out)
    return (unknown - len(fold.door)) * fold.seats > unknown * (fold.seats - 1)
