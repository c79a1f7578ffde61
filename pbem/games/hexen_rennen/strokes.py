"""The strokes a board of Hexen Rennen is drawn with. Strings with classes of the look, nothing else."""

from functools import cache
from html import escape

from pbem.games.hexen_rennen.meta import COLOURS
from pbem.games.hexen_rennen.pieces import CLAN_OF, CLANS, VALUE_OF
from pbem.kit.contract import Link

SIDE = 44
"""The side of a tile."""


@cache
def number(value: float) -> str:
    """A coordinate in few letters.

    >>> number(49.5), number(6.0)
    ('49.5', '6')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def attribute(value: str) -> str:
    """A text from outside as the value of an attribute, its braces written so that no name is put in.

    >>> attribute('<{0}>')
    '&lt;&#123;0&#125;&gt;'
    """
    return escape(value, quote=True).replace("{", "&#123;").replace("}", "&#125;")


def text(classes: str, x: float, y: float, words: str, size: float = 14) -> str:
    """A line of text, in which names may be wanted."""
    at = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
    return f'<text class="{classes}" {at}>{escape(words, quote=False)}</text>'


def box(classes: str, x: float, y: float, width: float, height: float, round_: float, more: str = "") -> str:
    """A rectangle with round corners."""
    at = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect class="{classes}" {at} rx="{number(round_)}"{more}/>'


def symbol(name: str, x: float, y: float, width: float, height: float, colour: str = "") -> str:
    """A symbol by its name."""
    classes = f' class="{colour}"' if colour else ""
    at = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<use href="#{name}" {at}{classes}/>'


@cache
def clan_sign(clan: int, x: float, y: float, size: float) -> str:
    """The magic symbol of a clan in its colour."""
    return symbol(f"hx-{CLANS[clan].lower()}", x, y, size, size, COLOURS[clan])


@cache
def hidden(x: float, y: float, place: int, under: str | None) -> str:
    """A tile face down with its position; what lies under it where that is known."""
    drawn = symbol("hx-back", x, y, SIDE, SIDE)
    if under is None:
        return drawn + text("nt m", x + 22, y + 28, str(place), 16)
    value = str(VALUE_OF[under] or "S")
    known = text("nt b m", x + 29, y + 36, f"{under[0]}{value}", 16)
    return f'<g data-under="{under}">{drawn}{text("nt", x + 5, y + 16, str(place), 11)}{known}</g>'


@cache
def tile(tile_: str, x: float, y: float, place: int | None, occupied: bool = False) -> str:
    """A tile face up: symbol, number, small position. A witch stands on its left: then all is on the right."""
    clan, value = CLAN_OF[tile_], VALUE_OF[tile_]
    colour = COLOURS[clan]
    parts = [symbol("hx-tile", x, y, SIDE, SIDE, colour)]
    if not value:
        parts.append(clan_sign(clan, x + 20, y + 10, 21) if occupied else clan_sign(clan, x + 12, y + 4, 27))
    else:
        parts.append(clan_sign(clan, x + 27, y + 4, 14) if occupied else clan_sign(clan, x + 5, y + 5, 16))
        size = (16 if value == 10 else 21) if occupied else (21 if value == 10 else 25)
        shift = 33 if occupied else 29
        parts.append(f'<g class="{colour}">{text("cu b m", x + shift, y + 37, str(value), size)}</g>')
    if place is not None and not occupied:
        parts.append(text("i2", x + 5, y + 39, str(place), 12))
    return f'<g data-piece="{tile_}">{"".join(parts)}</g>'


@cache
def plate(x: float, y: float, place: int) -> str:
    """The position of a tile on which a witch stands: a plate on its lower edge, over the hem of her cloak."""
    width = 14 if place < 10 else 20
    return box("ng", x - 3, y + 35, width, 14, 4) + text("nt b m", x - 3 + width / 2, y + 46, str(place), 12)


@cache
def witch(seat: int, x: float, y: float, height: float = 40) -> str:
    """A witch with the letter of her clan on the cloak; the three of a clan are alike."""
    width = height * 48 / 56
    letter = text("om b m", x + width / 2, y + height * 0.84, CLANS[seat], height * 0.36)
    return f'<g data-token="witch-{CLANS[seat]}">{symbol("witch", x, y, width, height, COLOURS[seat])}{letter}</g>'


def spot(story: int, x: float, y: float, size: float, fresh: bool) -> str:
    """The ink spot with the number of its line in the story."""
    wide = size + (3 if story > 9 else 0)
    letters = wide * (0.65 if story < 100 else 0.5)
    middle = wide / 2
    drawn = symbol("spot", x, y, wide, wide)
    drawn += text("pa b m", x + middle, y + middle + letters * 0.34, str(story), letters)
    return f'<g class="fresh">{drawn}</g>' if fresh else drawn


def seal(x: float, y: float, size: float = 24) -> str:
    """The vermilion tick on what was chosen."""
    return symbol("seal", x, y, size, size)


def linked(drawn: str, link: Link) -> str:
    """The drawing as a link."""
    return f'<a href="{attribute(link.href)}" aria-label="{attribute(link.label)}">{drawn}</a>'


def badge(card: str, x: float, y: float, radius: float = 11) -> str:
    """The card that leads to a place, in a moon-blue disc."""
    disc = f'<circle class="tg" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>'
    return disc + text("tgx b m", x, y + 5, card, 15 if len(card) < 2 else 13)


def die(face: int, x: float, y: float, size: float) -> str:
    """The die as it fell."""
    return f'<g data-token="die">{symbol(f"die-{face}", x, y, size, size)}</g>'


def dashed(classes: str, x: float, y: float, width: float, height: float) -> str:
    """A dashed frame: where something has left, or would come."""
    return box(classes, x, y, width, height, 6, ' stroke-width="2" stroke-dasharray="5 4"')
