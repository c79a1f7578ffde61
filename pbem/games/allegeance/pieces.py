"""What a drawn board of Allégeance is made of: texts, cards, marks, as strings with classes of the look."""

from html import escape

from pbem.kit.contract import Link

COLOUR = {"F": "c5", "M": "c3", "T": "c2", "B": "c4"}


def units(value: float) -> str:
    """A coordinate with at most two decimals.

    >>> units(12.0), units(33.333), units(-0.5)
    ('12', '33.33', '-0.5')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def quoted(value: str) -> str:
    """A foreign text for an attribute; braces would be read as somebody's place.

    >>> quoted('<{0}>"')
    '&lt;&#123;0&#125;&gt;&quot;'
    """
    return escape(value, quote=True).replace("{", "&#123;").replace("}", "&#125;")


def text(classes: str, x: float, y: float, words: str, size: float = 14) -> str:
    """A line of text with its baseline at y; `words` may hold places for names."""
    at = f'x="{units(x)}" y="{units(y)}" font-size="{units(size)}"'
    return f'<text class="{classes}" {at}>{escape(words, quote=False)}</text>'


def box(classes: str, x: float, y: float, width: float, height: float, corner: float, *, dashes: str = "") -> str:
    """A rectangle with round corners, its line dashed if told."""
    line = f' stroke-width="1.5" stroke-dasharray="{dashes}"' if dashes else ""
    size = f'width="{units(width)}" height="{units(height)}" rx="{units(corner)}"'
    return f'<rect class="{classes}" x="{units(x)}" y="{units(y)}" {size}{line}/>'


def use(name: str, x: float, y: float, width: float, height: float, colour: str = "") -> str:
    """A symbol by its name."""
    tint = f' class="{colour}"' if colour else ""
    at = f'x="{units(x)}" y="{units(y)}" width="{units(width)}" height="{units(height)}"'
    return f'<use href="#{name}" {at}{tint}/>'


def seat_mark(seat: int, x: float, y: float, size: float) -> str:
    """The seat's shape with its player's initial."""
    shape = use(f"seat-{seat + 1}", x, y, size, size, f"c{seat + 1}")
    return shape + text("om b m", x + size / 2, y + size * 0.72, f"{{i{seat}}}", size * 0.62)


def spot(number: int, x: float, y: float, newest: bool) -> str:
    """The ink dot with the number of its line in the story; the newest one fades in."""
    size = 22.0 if number < 10 else 25.0
    letters = size * (0.65 if number < 100 else 0.5)
    middle = x + size / 2
    drawn = use("spot", x, y, size, size)
    drawn += text("pa b m", middle, y + size / 2 + letters * 0.34, str(number), letters)
    return f'<g class="fresh">{drawn}</g>' if newest else drawn


def seal(x: float, y: float, size: float = 28) -> str:
    """The vermilion tick on what was chosen."""
    return use("seal", x, y, size, size)


def gold(x: float, y: float, width: float, height: float) -> str:
    """The wash with its dashed edge behind what has just happened."""
    return box("go", x, y, width, height, 8) + box("gl", x, y, width, height, 8, dashes="5 3")


def face(card: str | None, x: float, y: float, scale: float) -> str:
    """A card of 100 by 140 units times the scale: rank, clan letter, mon and strokes; its back if not known."""
    if card is None:
        return use("back", x, y, 100 * scale, 140 * scale)
    clan, rank = card[0], card[1]
    colour = COLOUR[clan]
    letter = f'<g class="{colour}">{text("cu b m", 74, 39, clan, 30)}</g>'
    return (
        f'<g data-piece="{card}" transform="translate({units(x)},{units(y)}) scale({units(scale)})">'
        + use("card", 0, 0, 100, 140, colour)
        + text("om b m", 25, 42.5, rank, 36)
        + letter
        + use(f"mon-{clan.lower()}", 24, 56, 52, 52, colour)
        + use(f"rank-{rank}", 30, 111, 40, 24, colour)
        + "</g>"
    )


def small(card: str | None, x: float, y: float, width: float, *, piece: bool = True) -> str:
    """A card in little: rank above, clan letter below; its back if not known. `piece` False: only a name of it."""
    if card is None:
        return use("back", x, y, width, width * 1.4)
    clan, rank = card[0], card[1]
    colour, middle, unit = COLOUR[clan], x + width / 2, width / 30
    letter = f'<g class="{colour}">{text("cu b m", middle, y + 37.5 * unit, clan, 16.5 * unit)}</g>'
    drawn = use("mini", x, y, width, width * 1.4, colour) + text("om b m", middle, y + 18.6 * unit, rank, 18 * unit)
    return f'<g data-piece="{card}">{drawn}{letter}</g>' if piece else f"<g>{drawn}{letter}</g>"


def tongue(classes: str, x: float, y: float, width: float, height: float, *, dashes: str = "") -> str:
    """The cartouche of something said: a box whose tongue points down, ten units deep."""
    middle, right, bottom = x + width / 2, x + width, y + height
    points = (
        f"M{units(x + 6)},{units(y)} H{units(right - 6)} Q{units(right)},{units(y)} {units(right)},{units(y + 6)} "
        f"V{units(bottom - 6)} Q{units(right)},{units(bottom)} {units(right - 6)},{units(bottom)} "
        f"H{units(middle + 8)} L{units(middle)},{units(bottom + 10)} L{units(middle - 8)},{units(bottom)} "
        f"H{units(x + 6)} Q{units(x)},{units(bottom)} {units(x)},{units(bottom - 6)} "
        f"V{units(y + 6)} Q{units(x)},{units(y)} {units(x + 6)},{units(y)} Z"
    )
    line = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path class="{classes}" d="{points}" stroke-width="1.8"{line}/>'


def row(cards: list[str | None], x: float, y: float, width: float, room: float) -> str:
    """Small cards side by side, one over the other where the room is short."""
    pitch = min(width + 3, (room - width) / max(1, len(cards) - 1))
    return "".join(small(card, x + pitch * i, y, width) for i, card in enumerate(cards))


def touchable(drawn: str, x: float, y: float, width: float, height: float, link: Link | None) -> str:
    """What is drawn there, on the frame and foot of what can be pressed, if it leads somewhere."""
    if link is None:
        return drawn
    frame = box("ib", x - 3, y - 3, width + 6, height + 11, 9)
    return f'<a href="{quoted(link.href)}" aria-label="{quoted(link.label)}">{frame}{drawn}</a>'
