"""What the drawn examples of the rules share: 360 units wide, made of the same symbols and classes as boards.

A game's module `figures` has a function for each, from a language to the drawing. RULES.*.md shows it by a line of its
own, `![its caption](figure:its-name)`.
"""

from math import hypot

from pbem.kit.drawing import svg
from pbem.kit.drawing.grid import Box

WIDTH = 360
TEXT = 15
"""The size of words in a figure."""
LEAST = 14
"""Nothing in a figure is written smaller: on a phone, a figure is drawn on a tenth less than its width."""


def figure(inside: str, height: float, label: str, *, night: bool = False) -> str:
    """Returns the figure; `label` says for screen readers what it shows. At night pieces are pale on dark ground."""
    frame = (0, 0, WIDTH, height)
    if night:
        inside = svg.box("ng", *frame, 0) + inside
    return svg.drawing(inside, frame, svg.attribute(label), ' class="night-svg"' if night else "")


def picture(drawn: str, label: str, *, night: bool = False) -> str:
    """Returns a picture of a turn, on the ground of a board; all are equally high."""
    ground = "" if night else svg.box("sk", 0, 0, WIDTH, 228, 0)
    return figure(ground + drawn, 228, label, night=night)


def words(x: float, y: float, said: str, classes: str = "in", size: float = TEXT) -> str:
    """Draws a line of words."""
    return svg.text(classes, x, y, said, size)


def panel(at: Box) -> str:
    """Draws the paper under a case that is explained."""
    return svg.box("pa", *at.frame, 6) + svg.box("ln", *at.frame, 6, ' stroke-width="1.5"')


def verdict(at: Box, allowed: bool) -> str:
    """Draws the ground of a case with the seal of what is allowed, or flat and dashed with the cross of what is not."""
    size = 24
    x, y = at.right - size - 5, at.bottom - size - 5
    if allowed:
        return panel(at) + svg.seal(x, y, size)
    ground = svg.box("sk", *at.frame, 6) + svg.box("ln", *at.frame, 6, svg.dashes(1.5, "5 4"))
    return ground + cross(x + 4, y + 4, size - 8)


def cross(x: float, y: float, size: float) -> str:
    """Draws the cross of what is not allowed."""
    a, b, c, d = map(svg.number, (x, y, x + size, y + size))
    return f'<path class="li" d="M{a},{b} L{c},{d} M{c},{b} L{a},{d}" stroke-width="3.5" stroke-linecap="round"/>'


def arrow(start: tuple[float, float], end: tuple[float, float], bend: float = 0, classes: str = "li") -> str:
    """Draws an arrow, bent to its right by this many units (to its left, if negative). `classes` draw a line."""
    (x1, y1), (x2, y2) = start, end
    long = hypot(x2 - x1, y2 - y1)
    over, down = (x2 - x1) / long, (y2 - y1) / long
    # The middle of the curve is half as far aside as the point that pulls it.
    px, py = (x1 + x2) / 2 - 2 * bend * down, (y1 + y2) / 2 + 2 * bend * over
    far = hypot(x2 - px, y2 - py)
    ux, uy = (x2 - px) / far, (y2 - py) / far
    bx, by = x2 - 10 * ux, y2 - 10 * uy
    n = svg.number
    line = f"M{n(x1)},{n(y1)} Q{n(px)},{n(py)} {n(x2)},{n(y2)}"
    head = f"M{n(bx - 6 * uy)},{n(by + 6 * ux)} L{n(x2)},{n(y2)} L{n(bx + 6 * uy)},{n(by - 6 * ux)}"
    ends = 'stroke-width="3" stroke-linecap="round" stroke-linejoin="round"'
    return f'<path class="{classes}" d="{line} {head}" {ends}/>'


def gone(x: float, y: float, width: float, height: float) -> str:
    """Draws the dashed place that a card or a piece has left."""
    return svg.box("sl", x, y, width, height, 6, svg.dashes(2.5, "6 5"))


def chosen(drawn: str, x: float, y: float, width: float, height: float) -> str:
    """Draws a card or a piece on the vermilion frame of what was chosen, with its seal."""
    frame = svg.box("se", x - 4, y - 4, width + 8, height + 12, 9)
    return frame + drawn + svg.seal(x + width - 15, y + height - 14, 22)
