"""The strokes that boards are drawn with: SVG strings that carry nothing but the classes of the look."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape

from pbem.kit.contract import Link
from pbem.kit.notation import seat_letter
from pbem.kit.texts import Lang
from pbem.kit.words import BOT


def bokashi(name: str) -> str:
    """Defines the colour that fades from the upper edge of a print, under this name."""
    return (
        f'<defs><linearGradient id="{name}" x1="0" y1="0" x2="0" y2="1">'
        '<stop class="bk" offset="0" stop-opacity=".42"/><stop class="bk" offset="1" stop-opacity="0"/>'
        "</linearGradient></defs>"
    )


SEAT_LOOKS = 6
"""How many colours and shapes there are for seats."""


@lru_cache(1 << 14)
def number(value: float) -> str:
    """Returns a coordinate in its shortest form.

    >>> number(12.0), number(-101.60000000000001), number(-0.0)
    ('12', '-101.6', '0')
    """
    return f"{value + 0.0:.2f}".rstrip("0").rstrip(".")


def attribute(value: str) -> str:
    """Returns a text from outside as the value of an attribute, its braces escaped so that no name is filled in.

    >>> attribute('"{0}" & <you>')
    '&quot;&#123;0&#125;&quot; &amp; &lt;you&gt;'
    """
    return escape(value, quote=True).replace("{", "&#123;").replace("}", "&#125;")


# --- symbols -------------------------------------------------------------------------------------------------

_SYMBOL = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
_USE = re.compile(r'<use\b[^>]*?\bhref="#([^"]+)"')


def symbols_in(text: str) -> dict[str, str]:
    """Returns the symbols that a file defines by name, in its order."""
    return {found[1]: found[0] for found in _SYMBOL.finditer(text)}


def find_uses(drawings: Iterable[str], known: Mapping[str, str]) -> set[str]:
    """Returns the names of the symbols that the drawings use, and of those that these use in turn.

    Raises ValueError for one that is not known.
    """
    used: set[str] = set()
    found = {name for drawing in drawings for name in _USE.findall(drawing)}
    while found:
        if missing := found - known.keys():
            raise ValueError(f"no such symbol: {', '.join(sorted(missing))}")
        used |= found
        found = {name for part in found for name in _USE.findall(known[part])} - used
    return used


# --- the whole drawing -------------------------------------------------------------------------------------


def drawing(inside: str, frame: tuple[float, float, float, float], label: str, more: str = "") -> str:
    """Makes an SVG element with this viewBox: a group for screen readers if something in it can be touched."""
    role = "group" if "<a " in inside else "img"
    box_ = " ".join(map(number, frame))
    return f'<svg{more} viewBox="{box_}" role="{role}" aria-label="{label}" font-family="Literata">{inside}</svg>'


def sky(classes: str, x: float, y: float, width: float, height: float, name: str = "bokashi") -> str:
    """Draws the ground of a whole board, with the colour that fades from its upper edge.

    Drawings that are on one page have different names: a browser does not fill with a gradient that it does not show.
    """
    at = f'x="{number(x)}" y="{number(y)}" width="{number(width)}"'
    return (
        f'{bokashi(name)}<rect class="{classes}" {at} height="{number(height)}"/>'
        f'<rect fill="url(#{name})" {at} height="120"/>'
    )


# --- strokes -----------------------------------------------------------------------------------------------


def text(classes: str, x: float, y: float, words: str, size: float = 14) -> str:
    """Draws a line of text with its baseline at y; names may be filled in."""
    at = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
    return f'<text class="{classes}" {at}>{escape(words, quote=False)}</text>'


def box(classes: str, x: float, y: float, width: float, height: float, round_: float, more: str = "") -> str:
    """Draws a rectangle with round corners."""
    at = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect class="{classes}" {at} rx="{number(round_)}"{more}/>'


def dashes(width: float, pattern: str) -> str:
    """Returns the attributes that make the outline of a box dashed.

    >>> dashes(1.5, "5 3")
    ' stroke-width="1.5" stroke-dasharray="5 3"'
    """
    return f' stroke-width="{number(width)}" stroke-dasharray="{pattern}"'


def symbol(name: str, x: float, y: float, width: float, height: float, colour: str = "", more: str = "") -> str:
    """Draws a symbol, of the game's or of the common ones."""
    classes = f' class="{colour}"' if colour else ""
    at = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<use href="#{name}" {at}{classes}{more}/>'


def moved(drawn: str, x: float, y: float, scale: str, more: str = "") -> str:
    """Returns the drawing scaled, with its origin at this point."""
    return f'<g{more} transform="translate({number(x)},{number(y)}) scale({scale})">{drawn}</g>'


def coloured(drawn: str, colour: str) -> str:
    """Returns the drawing in one of the colours c1 to c6."""
    return f'<g class="{colour}">{drawn}</g>'


def piece(drawn: str, notation: str) -> str:
    """Marks the drawing of a known card or tile, which slides from place to place in a replay."""
    return f'<g data-piece="{notation}">{drawn}</g>'


def token(drawn: str, name: str) -> str:
    """Marks the drawing of another public thing that slides in a replay."""
    return f'<g data-token="{name}">{drawn}</g>'


# --- marks -------------------------------------------------------------------------------------------------


def seat_mark(seat: int, x: float, y: float, size: float = 22) -> str:
    """Draws the seat's shape with its letter; the seventh seat has the shape of the first one, and so on."""
    look = seat % SEAT_LOOKS + 1
    mark = symbol(f"seat-{look}", x, y, size, size, f"c{look}")
    return mark + text("om b m", x + size / 2, y + size * 0.72, seat_letter(seat), size * 0.62)


def bot_sign(x: float, y: float, size: float, lang: Lang, *, night: bool = False) -> str:
    """Draws the sign of a seat that a program plays, at night on paper; it says what it is when pointed at."""
    edge = size * 0.12
    paper = box("pa", x - edge, y - edge, size + 2 * edge, size + 2 * edge, edge * 2) if night else ""
    return f'<g class="c6"><title>{BOT[lang]}</title>{paper}{symbol("bot", x, y, size, size)}</g>'


def spot(story: int, x: float, y: float, size: float, fresh: bool) -> str:
    """Draws the ink spot with the number of its story line, wider from 10 and 100 on; a `fresh` one fades in."""
    wide = spot_width(story, size)
    return inked(story, x, y, wide, wide * (0.65 if story < 100 else 0.5), fresh)


def spot_width(story: int, size: float) -> float:
    """Returns how wide the ink spot with this number is, where one with a single digit is `size` wide."""
    return size + (7 if story > 99 else 3 if story > 9 else 0)


def inked(story: int, x: float, y: float, wide: float, letters: float, fresh: bool) -> str:
    """Draws an ink spot of this width with its number in letters of this size."""
    drawn = symbol("spot", x, y, wide, wide)
    drawn += text("pa b m", x + wide / 2, y + wide / 2 + letters * 0.34, str(story), letters)
    # What lies under it can be touched all the same.
    newest = ' class="fresh"' if fresh else ""
    return f'<g{newest} pointer-events="none">{drawn}</g>'


def seal(x: float, y: float, size: float = 28) -> str:
    """Draws the vermilion tick on what was chosen."""
    return symbol("seal", x, y, size, size)


def wash(x: float, y: float, width: float, height: float, margin: float = 4, round_: float | None = None) -> str:
    """Draws gold with a dashed edge behind what has just happened."""
    corner = margin + 2 if round_ is None else round_
    at = (x - margin, y - margin, width + 2 * margin, height + 2 * margin, corner)
    return box("go", *at) + box("gl", *at, dashes(1.5, "5 3"))


def linked(drawn: str, link: Link | None, frame: str = "", field: str = "") -> str:
    """Makes the drawing on its frame a link; without a link, or with one that leads nowhere, returns the drawing alone.

    `field`: its name in a table of answers, such as ``F1``, by whose letter and digit the keyboard chooses it.
    """
    if link is None or not link.href:
        return drawn
    more = ("" if link.in_tab_order else ' tabindex="-1"') + (f' data-field="{field}"' if field else "")
    return f'<a{more} href="{attribute(link.href)}" aria-label="{attribute(link.label)}">{frame}{drawn}</a>'
