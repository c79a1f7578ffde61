"""The sixteen samurai: the cards that Hogen and its sequel Hogen : Allégeance are both played with."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Literal

import msgspec

from pbem.kit.contract import Mark, Phrase
from pbem.kit.drawing import svg
from pbem.kit.drawing.grid import Box
from pbem.kit.notation import spelled
from pbem.kit.texts import Lang
from pbem.kit.words import T, joined, say

Clan = Literal["F", "M", "T", "B"]
# `$` alone would let a newline follow; the length does not.
Card = Annotated[str, msgspec.Meta(pattern="^[FMTB][1-4]$", max_length=2)]
"""A card: clan letter and rank."""

CLANS: tuple[Clan, ...] = ("F", "M", "T", "B")
RANKS = (1, 2, 3, 4)
CARDS: tuple[str, ...] = tuple(f"{clan}{rank}" for clan in CLANS for rank in RANKS)

CLAN_NAMES = {"F": "Fujiwara", "M": "Minamoto", "T": "Taira", "B": "Tachibana"}
COLOURS = {"F": "c5", "M": "c3", "T": "c2", "B": "c4"}
BOT_NAMES = (
    "Akemi", "Daiki", "Emi", "Goro", "Haruka", "Isamu", "Kaede", "Mitsu", "Naoki", "Reiko", "Sayuri", "Tatsuo",
)  # fmt: skip
MARKS = {card: Mark(f"mon-{card[0].lower()}", COLOURS[card[0]]) for card in CARDS}
CLAN_MARKS: dict[str, Mark] = {clan: Mark(f"mon-{clan.lower()}", COLOURS[clan]) for clan in CLANS}

# --- in words ----------------------------------------------------------------------------------------------

NO_SUCH_CARD = T(
    "Ce samouraï n’existe pas : les clans sont F, M, T et B, les rangs 1 à 4.",
    "There is no such samurai: the clans are F, M, T and B, the ranks 1 to 4.",
)
LETTERS = spelled({letter.lower(): name for letter, name in CLAN_NAMES.items()})
"""Every spelling of a clan that players may type: its letter and its name."""


def names_of_known_cards(cards: Iterable[str | None], lang: Lang) -> Phrase:
    """Returns the known ones of these cards, as a list.

    >>> names_of_known_cards(["F1", "M2", None, "T3"], "en")
    '{F1}, {M2} and {T3}'
    """
    return joined([f"{{{card}}}" for card in cards if card], lang)


def legend_of_card(lang: Lang) -> Phrase:
    """Returns what is written on a card."""
    clans = ", ".join(f"{letter} {name}" for letter, name in CLAN_NAMES.items())
    return say(lang, f"Clans : {clans} ; le chiffre est le rang.", f"Clans: {clans}; the digit is the rank.")


# --- on the board: cached, since most cards lie where they lay in the last drawing ---------------------------


@lru_cache(2048)
def draw_card_or_back(card: str | None, x: float, y: float, scale: float) -> str:
    """Draws a card of 100 by 140 units times the scale: rank, clan letter, clan's sign, rank strokes; or its back."""
    if card is None:
        return svg.symbol("back", x, y, 100 * scale, 140 * scale)
    return svg.moved(draw_card_front(card), x, y, svg.number(scale), f' data-piece="{card}"')


def draw_card_front(card: str) -> str:
    """Draws a card, 100 by 140 units, which is no piece of a match."""
    clan, rank, colour = card[0], card[1], COLOURS[card[0]]
    drawn = svg.symbol("card", 0, 0, 100, 140, colour) + svg.text("om b m", 25, 42.5, rank, 36)
    drawn += svg.coloured(svg.text("cu b m", 74, 39, clan, 30), colour)
    drawn += svg.symbol(f"mon-{clan.lower()}", 24, 56, 52, 52, colour)
    return drawn + svg.symbol(f"rank-{rank}", 30, 111, 40, 24, colour)


def draw_card_of_fan(card: str, x: float, y: float, scale: float) -> str:
    """Draws a card of which another may hide the right half: rank, clan letter and rank strokes stand at the left."""
    clan, rank, colour = card[0], card[1], COLOURS[card[0]]
    drawn = svg.symbol("card", 0, 0, 100, 140, colour) + svg.text("om b m", 25, 42.5, rank, 36)
    drawn += svg.coloured(svg.text("cu b m", 27, 86, clan, 34), colour)
    drawn += svg.symbol(f"rank-{rank}", 7, 103, 40, 24, colour)
    drawn += svg.symbol(f"mon-{clan.lower()}", 50, 48, 44, 44, colour)
    return svg.moved(drawn, x, y, svg.number(scale), f' data-piece="{card}"')


@lru_cache(2048)
def draw_small_card(card: str | None, x: float, y: float, width: float, *, piece: bool = True, free: float = 0) -> str:
    """Draws a miniature card, rank above, clan letter below; its back if it is not known.

    `piece` is False for a mere picture of a card that lies elsewhere or nowhere. `free` is how much of the card the
    next one leaves free, if that lies on it.
    """
    if card is None:
        return svg.symbol("back", x, y, width, width * 1.4)
    middle, unit, colour = x + (free or width) / 2, width / 30, COLOURS[card[0]]
    drawn = svg.symbol("mini", x, y, width, width * 1.4, colour)
    drawn += svg.text("om b m", middle, y + 18.6 * unit, card[1], 18 * unit)
    drawn += svg.coloured(svg.text("cu b m", middle, y + 37.5 * unit, card[0], 16.5 * unit), colour)
    return svg.piece(drawn, card) if piece else f"<g>{drawn}</g>"


def draw_small_cards(cards: Sequence[str | None], x: float, y: float, width: float, room: float, gap: float) -> str:
    """Draws miniature cards side by side; they overlap if there is little room, and what they bear stays free."""
    pitch = min(width + gap, (room - width) / max(1, len(cards) - 1))
    free = pitch if pitch < width else 0
    last = len(cards) - 1
    return "".join(
        draw_small_card(card, x + pitch * at, y, width, free=free if at < last else 0) for at, card in enumerate(cards)
    )


# The signs of cards, clans and ranks, which are no pieces.


def draw_clan_letters(words: str, x: float, y: float, size: float) -> str:
    """Bold letters around x, in the colour of the clan that they begin with."""
    return svg.coloured(svg.text("cu b m", x, y, words, size), COLOURS[words[0]])


def draw_clan_sign(clan: str, x: float, y: float, size: float) -> str:
    """Draws the sign of a clan."""
    return svg.symbol(f"mon-{clan.lower()}", x, y, size, size, COLOURS[clan])


def draw_digit_on_dark(digit: str, x: float, y: float, width: float, height: float, colour: str = "c6") -> str:
    """Draws a digit on a dark ground, as ranks are drawn on cards."""
    ground = svg.coloured(svg.box("cu", x, y, width, height, 4), colour)
    return ground + svg.text("om b m", x + width / 2, y + height / 2 + height * 0.26, digit, height * 0.76)


def draw_rank_and_clan_letter(card: str, at: Box) -> str:
    """Draws rank and clan letter of a card in a box that is wider than high."""
    middle, high = at.x + at.width / 2, at.height
    drawn = draw_digit_on_dark(
        card[1], middle - high * 0.74, at.y + high * 0.1, high * 0.66, high * 0.8, COLOURS[card[0]]
    )
    return drawn + draw_clan_letters(card[0], middle + high * 0.36, at.y + high * 0.7, high * 0.58)
