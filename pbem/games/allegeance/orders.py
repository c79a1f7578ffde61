"""What a seat of Allégeance may order beside fixed answers and lists, and when it may want to be asked.

With closed memory no order remembers for its owner: a list of cards is what they wrote, and stays so.
"""

from typing import Annotated

import msgspec

from pbem.games.allegeance.bots import cards_known_to_have_left_door, cards_seen_and_not_forgotten
from pbem.games.allegeance.facts import Announce, Challenge, LetPass
from pbem.games.allegeance.facts_state import State, seats_clockwise_after_active
from pbem.games.samurai import CARDS, Card
from pbem.kit.chance import Chance
from pbem.kit.contract import Ask, GuardKind, Order, OrderKind, Parameter, PlayerView
from pbem.kit.game.moves import Move
from pbem.kit.texts import Lang
from pbem.kit.words import OR, T, joined, put_in, say


class Contest(Order, frozen=True):
    """In a window: challenge if the announced card is in one's hand or on this list, else let it pass.

    `door`: challenge whatever is announced, too, when the Door has at most this many cards left.
    """

    cards: Annotated[tuple[Card, ...], msgspec.Meta(max_length=16)] = ()
    door: Annotated[int, msgspec.Meta(ge=0, le=15)] = 0


class Next(Order, frozen=True):
    """One's next announcement: the first of these cards that is not banned, not on top of the Palace, not in hand."""

    cards: Annotated[tuple[Card, ...], msgspec.Meta(min_length=1, max_length=4)]


def _contest_order_in_words(order: Contest, lang: Lang) -> str:
    names = joined(map(put_in, order.cards), lang, OR)
    listed = say(lang, f", ou si c’est {names}", f", or is {names}") if names else ""
    left = say(lang, "s’il n’y en a plus qu’une", "if one card is left")
    if order.door > 1:
        left = say(lang, f"s’il en reste {order.door} ou moins", f"if {order.door} cards or fewer are left")
    door = say(lang, f", et {left} derrière la Porte", f", and {left} behind the Door") if order.door else ""
    fr = f"Conteste si la carte annoncée est dans votre main{listed}{door} ; sinon, laisse passer."
    return say(lang, fr, f"Challenges if the announced card is in your hand{listed}{door}; else lets it pass.")


def _next_order_in_words(order: Next, lang: Lang) -> str:
    if len(order.cards) == 1:
        (card,) = map(put_in, order.cards)
        return say(
            lang,
            f"Annonce {card}, si elle n’est ni interdite, ni en haut du Palais, ni dans votre main ; sinon, vous "
            "choisissez.",
            f"Announces {card}, unless it is banned, on top of the Palace or in your hand; then you choose.",
        )
    names = ", ".join(map(put_in, order.cards))
    return say(
        lang,
        f"Annonce la première de ces cartes qui n’est ni interdite, ni en haut du Palais, ni dans votre main : "
        f"{names}.",
        f"Announces the first of these cards that is not banned, on top of the Palace or in your hand: {names}.",
    )


def _all_cards_not_in_hand(fold: State, seat: int) -> list[str]:
    return [card for card in CARDS if card not in fold.hands[seat]]


ORDERS = (
    OrderKind(
        Next, "next", ("announce",), T("Votre prochaine annonce", "Your next announcement"), _next_order_in_words,
        (Next(cards=("T3",), scope="question"), Next(cards=("F1", "M4", "B2"), scope="question")),
        {
            "cards": Parameter(
                T("Annoncer", "Announce"), _all_cards_not_in_hand, lambda card, lang: put_in(card), ranked=True
            )
        },
        "question",
    ),
    OrderKind(
        Contest, "contest", ("answer",), T("Contester ou laisser passer", "Challenge or let pass"),
        _contest_order_in_words,
        (Contest(), Contest(cards=("F1", "B4")), Contest(cards=("M2",), door=3), Contest(door=1)),
        {
            "cards": Parameter(
                T("Contester aussi si c’est l’une de ces cartes", "Also challenge if it is one of these cards"),
                _all_cards_not_in_hand, lambda card, lang: put_in(card),
            ),
            "door": Parameter(
                T("Contester toute annonce s’il reste ce nombre de cartes ou moins derrière la Porte (0 : jamais)",
                  "Challenge every announcement when this many cards or fewer are left behind the Door (0: never)")
            ),
        },
    ),
)  # fmt: skip

GUARDS = {
    "few": GuardKind(
        T("il reste quatre cartes ou moins derrière la Porte", "four cards or fewer are left behind the Door"),
        lambda fold, seat: len(fold.door) <= 4,
    ),
    "fewest": GuardKind(
        T("personne n’a moins de cartes que vous", "no one has fewer cards than you"),
        lambda fold, seat: len(fold.hands[seat]) == min(map(len, fold.hands)),
    ),
    "point": GuardKind(
        T("il ne manque qu’un jeton à quelqu’un", "someone needs only one more token"),
        lambda fold, seat: max(fold.tokens) == fold.target - 1,
    ),
}


def follow(order: Order, fold: State, ask: Ask, chance: Chance) -> Move | None:
    """Returns the announcement; a challenge or a pass, which never asks, since the time of an answer would tell."""
    if isinstance(order, Next):
        seen = (*fold.banned, *fold.palace[-1:], *fold.hands[ask.seat])
        return next((Announce(card) for card in order.cards if card not in seen), None)
    assert isinstance(order, Contest), "an order of Allégeance"
    known = fold.announced is not None and fold.announced in (*fold.hands[ask.seat], *order.cards)
    return Challenge() if known or len(fold.door) <= order.door else LetPass()


def typical(view: PlayerView, seat: int, chance: Chance) -> list[Order]:
    """Returns the orders of a person who answers windows by what they know now, and who says what they announce next
    as soon as they are next, at the latest with their answer to the window before.
    """
    fold: State = view.fold
    if fold.phase == "over":
        return []
    out = cards_known_to_have_left_door(fold) | cards_seen_and_not_forgotten(view)
    # With this many cards behind the Door a challenge pays on average, if any card not seen may be there: a wrong one
    # costs its seat a card, a right one just one rival.
    door = max(0, -(-(len(CARDS) - len(out)) // fold.seats) - 1)
    orders: list[Order] = [Contest(cards=tuple(sorted(out)), door=door)]
    if seat == seats_clockwise_after_active(fold)[0] and len(fold.door) > 1:
        banned = {fold.announced, *fold.banned}
        cards = chance.shuffled(card for card in CARDS if card not in out | banned) or chance.shuffled(CARDS)
        orders.append(Next(cards=cards[:3], scope="question"))
    return orders
