"""The paper of a region, the line that names its seat, and the frames of what can be touched or was chosen in it."""

from typing import Any

from pbem.kit.contract import Link
from pbem.kit.drawing.board import View
from pbem.kit.drawing.grid import Box, Sizes
from pbem.kit.drawing.svg import box, coloured, linked, number, seal, seat_mark, symbol


def panel(at: Box, *, asked: bool = False) -> str:
    """Draws the paper of a region; the seat that is asked has a frame of ink."""
    paper = box("pa", at.x, at.y, at.width, at.height, 8)
    edge = 3 if asked else 1.5
    line = at.x + edge / 2, at.y + edge / 2, at.width - edge, at.height - edge
    return paper + box("li" if asked else "ln", *line, 7, f' stroke-width="{number(edge)}"')


def hourglass(x: float, y: float, size: float) -> str:
    """Draws the sign that the table waits for a seat."""
    return coloured(symbol("wait", x, y, size, size), "c6")


def head(view: View[Any], seat: int, at: Box, *, asked: bool) -> str:
    """Draws a seat's mark and name in the first line of a region, and an hourglass if the table waits for it."""
    sizes, end, glass = view.sizes, at.right, ""
    if asked:
        size = sizes.mark * 0.8
        end -= size
        glass = hourglass(end, at.y + sizes.mark * 0.12, size)
        end -= sizes.gap
    first = at.x + sizes.mark * 1.22
    name = view.name("in b", seat, first, at.y + sizes.mark * 0.73, end - first)
    return seat_mark(seat, at.x, at.y, sizes.mark) + name + glass


def framed(sizes: Sizes, drawn: str, at: Box, link: Link | None, chosen: bool, field: str = "") -> str:
    """Adds to the drawing of a piece the frame that shows that it can be touched, or that it was chosen.

    `field` as in `linked`.
    """
    if link is None and not chosen:
        return drawn
    edge, foot = sizes.frame, sizes.foot
    if chosen:
        edge, foot = edge + 1, foot + 1
        size = min(sizes.seal, at.width * 0.42, at.height * 0.5)
        tick = seal(at.right + edge + 1 - size, at.bottom + foot + 1 - size, size)
        return box("se", at.x - edge, at.y - edge, at.width + 2 * edge, at.height + edge + foot, 10) + drawn + tick
    frame = box("ib", at.x - edge, at.y - edge, at.width + 2 * edge, at.height + edge + foot, 9)
    return linked(drawn, link, frame, field)
