"""What a seat of Hagakure may order beside fixed answers and lists, and when it may want to be asked."""

from collections.abc import Sequence
from typing import Any

from pbem.games.hagakure.bots import greedy
from pbem.games.hagakure.facts import SIGNS, Keep, Look, Nobori, Play, Raise, State, Swap
from pbem.games.hagakure.rules import playable, winner_of
from pbem.games.hagakure.words import NOBORI_NAMES, card, hand_of
from pbem.kit.chance import Chance
from pbem.kit.contract import Ask, GuardKind, IllegalMove, Move, Order, OrderKind, Phrase, PlayerView
from pbem.kit.orders.shapes import Always, moves_of
from pbem.kit.texts import Lang
from pbem.kit.words import T, say


class Lowest(Order, frozen=True):
    """In a trick that another led: the lowest card that would win it so far, else the lowest that may be played."""


class Only(Order, frozen=True):
    """Play a card when it is the only one that may be played."""


def _says_lowest(order: Lowest, lang: Lang) -> str:
    return say(
        lang,
        "Quand un autre a entamé, joue votre plus basse carte qui l’emporte à ce moment, sinon votre plus basse ; "
        "un Vieux Fou passe pour la plus basse. Quand c’est à vous d’entamer, vous choisissez.",
        "When another player has led, plays your lowest card that wins at that point, else your lowest; an Old Fool "
        "counts as the lowest. When it is your turn to lead, you choose.",
    )


_ONLY = T("Joue votre carte quand une seule est permise.", "Plays your card when only one is allowed.")

ORDERS = (
    OrderKind(
        Lowest, "lowest", ("card",), T("La plus basse qui gagne", "The lowest that wins"), _says_lowest, (Lowest(),)
    ),
    OrderKind(Only, "only", ("card",), T("La seule permise", "The only one"), lambda _, lang: _ONLY[lang], (Only(),)),
)

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
    may = playable(fold, ask.seat)
    if isinstance(order, Only):
        return Play(may[0]) if len(may) == 1 else None
    if not isinstance(order, Lowest):
        raise TypeError(f"{order} is no order of Hagakure")
    if not fold.trick:
        return None
    return Play(next((card for card in may if winner_of((*fold.trick, card), 0) == len(fold.trick)), may[0]))


def check_order(order: Order, fold: State, seat: int) -> None:
    """Refuses a Nobori that has been used, which does not come back, and a look at a hand that nobody else holds.

    A hand can change by a swap, so cards are not refused.
    """
    targets = [move.target for move in moves_of(order) if isinstance(move, Look)]
    if seat in targets:
        raise IllegalMove("own_hand")
    if any(target is not None and target >= fold.seats for target in targets):
        raise IllegalMove("no_such_seat")
    if isinstance(order, Always) or order.scope == "question":
        for move in moves_of(order):
            nobori = _nobori_of(move)
            if nobori is not None and nobori not in fold.nobori[seat]:
                raise IllegalMove(f"used_{nobori}")


def _nobori_of(move: Move) -> Nobori | None:
    match move:
        case Raise(nobori):
            return nobori
        case Swap():
            return "swap"
        case Look():
            return "look"
    return None


def round_of(fold: State) -> int:
    """Returns the number of the round."""
    return fold.number


def answers(kind: str, fold: State, seat: int) -> Sequence[Move]:
    """Returns the Nobori that the seat has left, or none; the cards of its hand."""
    if kind == "card":
        return [Play(number) for number in sorted({number for number in fold.hands[seat] if number is not None})]
    left = fold.nobori[seat]
    raised: list[Move] = [Raise(nobori) for nobori in SIGNS if nobori in left]
    swap = [Swap()] if "swap" in left else []
    targets = (None, *(other for other in range(fold.seats) if other != seat))
    return [Keep(), *raised, *swap, *(Look(target) for target in targets if "look" in left)]


def name(move: Move, lang: Lang) -> Phrase:
    """Returns the card, or the Nobori with what it looks at."""
    match move:
        case Play(number):
            return card(number)
        case Look(target):
            what = say(lang, "le Yomi", "the Yomi") if target is None else hand_of(target, lang)
            return f"{NOBORI_NAMES['look'][lang]} ({what})"
    nobori = _nobori_of(move)
    return NOBORI_NAMES[nobori][lang] if nobori else say(lang, "pas de bannière", "no banner")


def typical(view: PlayerView, seat: int, chance: Chance) -> list[Order]:
    """Returns the orders of a person who decides about a Nobori as soon as their hand is dealt, and then follows suit
    by the rule of the lowest card.
    """
    fold: State = view.fold
    orders: list[Order] = [Lowest()]
    if fold.phase == "nobori" and fold.raised[seat] is None and fold.nobori[seat]:
        orders.append(Always[Any](kind="nobori", move=greedy(view, seat, chance)))
    return orders
