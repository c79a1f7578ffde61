"""The tiles, witches and cards on a drawn board of Hexen Rennen."""

from functools import cache

from pbem.games.hexen_rennen.facts import CLAN_OF, CLANS, VALUE_OF
from pbem.games.hexen_rennen.meta import COLOURS
from pbem.kit.drawing.svg import box, coloured, dashes, number, piece, symbol, text, token

SIDE = 44
"""The side of a tile."""


@cache
def clan_sign(clan: int, x: float, y: float, size: float) -> str:
    """Draws the magic symbol of a clan in its colour."""
    return symbol(f"hx-{CLANS[clan].lower()}", x, y, size, size, COLOURS[clan])


@cache
def clan_mark(clan: int, x: float, y: float) -> str:
    """Draws the mark of a clan and of its seat: its symbol and letter on a pale plate."""
    letter = coloured(text("cu b m", x + 25, y + 16.5, CLANS[clan], 14.5), COLOURS[clan])
    return box("pa", x, y, 34, 22, 5) + clan_sign(clan, x + 2, y + 3, 16) + letter


@cache
def hidden(x: float, y: float, place: int, under: str | None) -> str:
    """Draws a tile face down with its position, and what lies under it if that is known."""
    drawn = symbol("hx-back", x, y, SIDE, SIDE)
    if under is None:
        return drawn + text("nt m", x + 22, y + 28, str(place), 16)
    value = str(VALUE_OF[under] or "S")
    known = text("nt b m", x + 29, y + 36, f"{under[0]}{value}", 16)
    return f'<g data-under="{under}">{drawn}{text("nt", x + 5, y + 16, str(place), 11)}{known}</g>'


@cache
def tile(tile_: str, x: float, y: float, place: int | None, occupied: bool = False) -> str:
    """Draws a tile face up: symbol, number, small position; all on its right if a witch stands on its left."""
    clan, value = CLAN_OF[tile_], VALUE_OF[tile_]
    colour = COLOURS[clan]
    parts = [symbol("hx-tile", x, y, SIDE, SIDE, colour)]
    if not value:
        parts.append(clan_sign(clan, x + 20, y + 10, 21) if occupied else clan_sign(clan, x + 12, y + 4, 27))
    else:
        parts.append(clan_sign(clan, x + 27, y + 4, 14) if occupied else clan_sign(clan, x + 5, y + 5, 16))
        size = (16 if value == 10 else 21) if occupied else (21 if value == 10 else 25)
        shift = 33 if occupied else 29
        parts.append(coloured(text("cu b m", x + shift, y + 37, str(value), size), colour))
    if place is not None and not occupied:
        parts.append(text("i2", x + 5, y + 39, str(place), 12))
    return piece("".join(parts), tile_)


@cache
def plate(x: float, y: float, place: int) -> str:
    """Draws the position of a tile on which a witch stands: a plate on its lower edge, over the hem of her cloak."""
    width = 14 if place < 10 else 20
    return box("ng", x - 3, y + 35, width, 14, 4) + text("nt b m", x - 3 + width / 2, y + 46, str(place), 12)


@cache
def witch(seat: int, x: float, y: float, height: float = 40) -> str:
    """Draws a witch with the letter of her clan on the cloak; the three of a clan are alike."""
    width = height * 48 / 56
    letter = text("om b m", x + width / 2, y + height * 0.84, CLANS[seat], height * 0.36)
    return token(symbol("witch", x, y, width, height, COLOURS[seat]) + letter, f"witch-{CLANS[seat]}")


def badge(card: str, x: float, y: float, radius: float = 11) -> str:
    """Draws the card that leads to a place, in a moon-blue disc."""
    disc = f'<circle class="tg" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>'
    return disc + text("tgx b m", x, y + 5, card, 15 if len(card) < 2 else 13)


def die(face: int, x: float, y: float, size: float) -> str:
    """Draws the die as it fell."""
    return token(symbol(f"die-{face}", x, y, size, size), "die")


def dashed(classes: str, x: float, y: float, width: float, height: float) -> str:
    """Draws a dashed frame: the place of something that has left, or would arrive."""
    return box(classes, x, y, width, height, 6, dashes(2, "5 4"))
