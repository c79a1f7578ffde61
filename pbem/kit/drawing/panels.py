"""The paper of a region, and the frames of what can be touched or was chosen in it."""

from pbem.kit.contract import Link
from pbem.kit.drawing.grid import Box, Sizes
from pbem.kit.drawing.svg import box, linked, number, seal


def panel(at: Box, *, asked: bool = False) -> str:
    """Draws the paper of a region; whoever is asked has a frame of ink."""
    paper = box("pa", at.x, at.y, at.width, at.height, 8)
    inner, edge = at.inside(1.5 if asked else 0.75), 3 if asked else 1.5
    stroke = f' stroke-width="{number(edge)}"'
    return paper + box("li" if asked else "ln", inner.x, inner.y, inner.width, inner.height, 7, stroke)


def framed(sizes: Sizes, drawn: str, at: Box, link: Link | None, chosen: bool) -> str:
    """Adds to the drawing of a piece the frame that shows that it can be touched, or that it was chosen."""
    edge, foot = sizes.frame, sizes.foot
    if chosen:
        edge, foot = edge + 1, foot + 1
        size = min(sizes.seal, at.width * 0.42, at.height * 0.5)
        tick = seal(at.right + edge + 1 - size, at.bottom + foot + 1 - size, size)
        return box("se", at.x - edge, at.y - edge, at.width + 2 * edge, at.height + edge + foot, 10) + drawn + tick
    frame = box("ib", at.x - edge, at.y - edge, at.width + 2 * edge, at.height + edge + foot, 9)
    return linked(drawn, link, frame)
