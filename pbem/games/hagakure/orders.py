"""What a seat of Hagakure may order beside fixed answers and lists, and when it may want to be asked."""

from typing import Any

from pbem.games.hagakure.bots import greedy
from pbem.games.hagakure.facts import Play
from pbem.games.hagakure.facts_state import State, playable_cards, winner_of_trick
from pbem.kit.chance import Chance
from pbem.kit.contract import Ask, GuardKind, Move, Order, OrderKind, PlayerView
from pbem.kit.orders.shapes import Always
from pbem.kit.words import T


class Lowest(Order, frozen=True):
    """In a trick that another led: the lowest card that would win it so far, else the lowest that may be played."""


class Only(Order, frozen=True):
    """Play a card when it is the only one that may be played."""


_LOWEST = T(
    "Quand un autre a entamé, joue votre plus basse carte qui l’emporte à ce moment, sinon votre plus basse ; "
    "un Vieux Fou passe pour la plus basse. Quand c’est à vous d’entamer, vous choisissez.",
    "When another player has led, plays your lowest card that wins at that point, else your lowest; an Old Fool "
    "counts as the lowest. When it is your turn to lead, you choose.",
)
_ONLY = T("Joue votre carte quand une seule est permise.", "Plays your card when only one is allowed.")

ORDERS = (
    OrderKind(
        Lowest, "lowest", ("card",), T("La plus basse qui gagne", "The lowest that wins"),
        lambda _, lang: _LOWEST[lang], (Lowest(),),
    ),
    OrderKind(Only, "only", ("card",), T("La seule permise", "The only one"), lambda _, lang: _ONLY[lang], (Only(),)),
)  # fmt: skip

GUARDS = {
    "raised": GuardKind(
        T("quelqu’un a joué une bannière dans la manche", "somebody has played a banner in this round"),
        lambda fold, seat: any(nobori for other, nobori in enumerate(fold.raised) if other != seat),
    ),
    "trickless": GuardKind(
        T("vous n’avez encore aucun pli de la manche", "you have no trick of this round yet"),
        lambda fold, seat: not fold.tricks[seat],
    ),
    "last": GuardKind(
        T("c’est la dernière manche prévue, ou une de plus", "it is the last round planned, or a later one"),
        lambda fold, seat: fold.number >= fold.rounds,
    ),
}


def follow(order: Order, fold: State, ask: Ask, chance: Chance) -> Move | None:
    """Returns the card that the order plays; None if the seat leads, or has a choice that the order leaves to it."""
    may = playable_cards(fold, ask.seat)
    if isinstance(order, Only):
        return Play(may[0]) if len(may) == 1 else None
    if not isinstance(order, Lowest):
        raise TypeError(f"{order} is no order of Hagakure")
    if not fold.trick:
        return None
    return Play(next((card for card in may if winner_of_trick((*fold.trick, card), 0) == len(fold.trick)), may[0]))


def typical(view: PlayerView, seat: int, chance: Chance) -> list[Order]:
    """Returns the orders of a person who decides about a Nobori as soon as their hand is dealt, and then follows suit
    by the rule of the lowest card.
    """
    fold: State = view.fold
    orders: list[Order] = [Lowest()]
    if fold.phase == "nobori" and seat in fold.players and fold.raised[seat] is None and fold.nobori[seat]:
        orders.append(Always[Any](kind="nobori", move=greedy(view, seat, chance)))
    return orders
