"""The thirty cards and five Nobori of Hagakure, by number and by name."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

MOST_SEATS = 5
MOST_CARDS = 5

Card = Annotated[int, msgspec.Meta(ge=0, le=27, title="Card")]
"""1 to 17: a villager; 18 to 27: a samurai; 0: one of the three identical Old Fools."""

FOOL = 0
FIRST_SAMURAI = 18
BONUS = 18

Sign = Literal["double", "zero", "villagers"]
Nobori = Literal["double", "zero", "villagers", "swap", "look"]
SIGNS: tuple[Sign, ...] = ("double", "zero", "villagers")
NOBORI: tuple[Nobori, ...] = (*SIGNS, "swap", "look")

Hand = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=MOST_CARDS)]


def is_warrior(card: int) -> bool:
    """Returns whether the card counts as a samurai when one must be played: a samurai or an Old Fool.

    >>> is_warrior(18), is_warrior(FOOL), is_warrior(17)
    (True, True, False)
    """
    return card >= FIRST_SAMURAI or card == FOOL


def count_villagers(cards: Sequence[int]) -> int:
    """Returns how many of the cards are villagers.

    >>> count_villagers((7, 18, FOOL, 9))
    2
    """
    return sum(not is_warrior(card) for card in cards)


def cards_in_play(seats: int) -> tuple[int, ...]:
    """Returns the cards in play: all with five players, 6 to 22 and the fools with fewer.

    >>> len(cards_in_play(3)), len(cards_in_play(4)), len(cards_in_play(5))
    (20, 20, 30)
    """
    numbers = range(1, 28) if seats == MOST_SEATS else range(6, 23)
    return (*numbers, FOOL, FOOL, FOOL)


def hand_size(seats: int) -> int:
    """Returns the number of cards of each hand and of the Yomi."""
    return 4 if seats == 4 else 5


def villagers_wanted(seats: int) -> int:
    """Returns the number of villagers that the Nobori of the villagers demands."""
    return 5 if seats == MOST_SEATS else 4


def card_in_notation(card: int) -> str:
    """Returns the card in notation.

    >>> card_in_notation(7), card_in_notation(18), card_in_notation(FOOL)
    ('V7', 'S18', 'F')
    """
    if card == FOOL:
        return "F"
    return f"S{card}" if card >= FIRST_SAMURAI else f"V{card}"


CARDS: tuple[str, ...] = tuple(card_in_notation(card) for card in (*range(1, 28), FOOL))
"""Every distinct card in notation."""


def visible_cards(cards: Hand) -> list[int]:
    """Returns the cards that are not hidden, in order, fools first."""
    return sorted(card for card in cards if card is not None)
