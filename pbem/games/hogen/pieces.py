"""The pieces of a drawn Hogen board: texts, cards, marks. Strings with classes of the look, nothing else."""

from html import escape

from pbem.kit.contract import Link

COLOUR = {"F": "c5", "M": "c3", "T": "c2", "B": "c4"}


def number(value: float) -> str:
    """A coordinate as short as it can be written.

    >>> number(12.0), number(101.60000000000001)
    ('12', '101.6')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def attribute(value: str) -> str:
    """A foreign text as the value of an attribute; its braces must not be taken for somebody's name.

    >>> attribute('"{0}" & <you>')
    '&quot;&#123;0&#125;&quot; &amp; &lt;you&gt;'
    """
    return escape(value, quote=True).replace("{", "&#123;").replace("}", "&#125;")


def text(classes: str, x: float, y: float, words: str, size: float = 14) -> str:
    """A line of text; `words` may hold places for names."""
    return (
        f'<text class="{classes}" x="{number(x)}" y="{number(y)}" font-size="{number(size)}">'
        f"{escape(words, quote=False)}</text>"
    )


def box(classes: str, x: float, y: float, width: float, height: float, round_: float, more: str = "") -> str:
    """A rectangle with round corners."""
    return (
        f'<rect class="{classes}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}" rx="{number(round_)}"{more}/>'
    )


def symbol(name: str, x: float, y: float, width: float, height: float, colour: str = "") -> str:
    """A symbol by its name."""
    classes = f' class="{colour}"' if colour else ""
    return (
        f'<use href="#{name}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}"{classes}/>'
    )


def seat_mark(seat: int, x: float, y: float, size: float = 22) -> str:
    """The seat's shape with its player's initial."""
    mark = symbol(f"seat-{seat + 1}", x, y, size, size, f"c{seat + 1}")
    return mark + text("om b m", x + size / 2, y + size * 0.72, f"{{i{seat}}}", size * 0.62)


def spot(story: int, x: float, y: float, size: float, fresh: bool) -> str:
    """The ink spot with the number of its line in the story, above the line `y + size`."""
    wide = size + (3 if story > 9 else 0)
    y -= wide - size
    height = wide * (0.65 if story < 100 else 0.5)
    drawn = symbol("spot", x, y, wide, wide) + text(
        "pa b m", x + wide / 2, y + wide / 2 + height * 0.34, str(story), height
    )
    return f'<g class="fresh">{drawn}</g>' if fresh else drawn


def seal(x: float, y: float, size: float = 28) -> str:
    """The vermilion tick on what was chosen."""
    return symbol("seal", x, y, size, size)


def face(card: str, x: float, y: float, scale: float) -> str:
    """A card with everything on it: rank, clan letter, mon, rank strokes."""
    clan, rank = card[0], card[1]
    colour = COLOUR[clan]
    return (
        f'<g data-piece="{card}" transform="translate({number(x)},{number(y)}) scale({number(scale)})">'
        f"{symbol('card', 0, 0, 100, 140, colour)}{text('om b m', 25, 42.5, rank, 36)}"
        f'<g class="{colour}">{text("cu b m", 74, 39, clan, 30)}</g>'
        f"{symbol(f'mon-{clan.lower()}', 24, 56, 52, 52, colour)}"
        f"{symbol(f'rank-{rank}', 30, 111, 40, 24, colour)}</g>"
    )


def letter(words: str, x: float, y: float, size: float) -> str:
    """Bold letters around x, in the colour of the clan that they begin with."""
    return f'<g class="{COLOUR[words[0]]}">{text("cu b m", x, y, words, size)}</g>'


def cartouche(digit: str, x: float, y: float, width: float, height: float, colour: str = "c6") -> str:
    """A digit on the dark ground that a rank has on its card."""
    ground = f'<g class="{colour}">{box("cu", x, y, width, height, 4)}</g>'
    return ground + text("om b m", x + width / 2, y + height / 2 + height * 0.26, digit, height * 0.76)


def small(card: str | None, x: float, y: float, width: float, *, piece: bool = True) -> str:
    """A card in little: rank above, clan letter below; the back of a card that is not known.

    `piece` False: only a name of the card, which lies elsewhere or nowhere.
    """
    if card is None:
        return symbol("back", x, y, width, width * 1.4)
    clan, rank = card[0], card[1]
    colour = COLOUR[clan]
    middle, unit = x + width / 2, width / 30
    name = f' data-piece="{card}"' if piece else ""
    return (
        f"<g{name}>{symbol('mini', x, y, width, width * 1.4, colour)}"
        f"{text('om b m', middle, y + 18.6 * unit, rank, 18 * unit)}"
        f'<g class="{colour}">{text("cu b m", middle, y + 37.5 * unit, clan, 16.5 * unit)}</g></g>'
    )


def wash(x: float, y: float, width: float, height: float, margin: float) -> str:
    """The gold behind a card that has just moved."""
    at = (x - margin, y - margin, width + 2 * margin, height + 2 * margin, margin + 2)
    return box("go", *at) + box("gl", *at, ' stroke-width="1.5" stroke-dasharray="5 3"')


def framed(drawn: str, x: float, y: float, width: float, height: float, link: Link | None, chosen: bool) -> str:
    """What is drawn there on the foot and frame of what can be touched or of what was chosen."""
    if chosen:
        size = 28 if height > 60 else 21
        tick = seal(x + width + 10 - size, y + height + 12 - size, size)
        return box("se", x - 4, y - 4, width + 8, height + 13, 10) + drawn + tick
    if link is None:
        return drawn
    frame = box("ib", x - 3, y - 3, width + 6, height + 11, 9)
    return f'<a href="{attribute(link.href)}" aria-label="{attribute(link.label)}">{frame}{drawn}</a>'
