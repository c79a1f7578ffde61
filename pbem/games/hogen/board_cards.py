"""The cards on a drawn board of Hogen with their marks, and the signs of clans and ranks."""

from pbem.games import samurai
from pbem.games.hogen.board_view import View
from pbem.games.samurai import COLOURS
from pbem.kit.contract import Link
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, coloured, linked, seal, symbol, text, wash


def card(view: View, place: int | None, name: str | None, x: float, y: float, width: float) -> str:
    """Draws a card, or its back, with its marks: frame, seal, gold, number."""
    at = Box(x, y, width, width * 1.4)
    if name is None:
        return symbol("back", x, y, at.width, at.height)
    link, picked, story = view.link_to(place, name), view.is_picked(name), view.spots.get((place, name))
    drawn = samurai.face(name, x, y, width / 100) + _spot(view, story, at)
    if story is not None and link is None and not picked:
        drawn = wash(x, y, at.width, at.height, max(3, width * 6 / 130)) + drawn
    return framed(view, drawn, at, link, picked)


def small(view: View, seat: int, name: str | None, x: float, y: float, width: float, right: bool = False) -> str:
    """Draws a miniature card, or its back, with gold and number if it has just arrived; the number left or right."""
    drawn = samurai.small(name, x, y, width)
    story = view.spots.get((seat, name))
    if story is None:
        return drawn
    at = Box(x, y, width, width * 1.4)
    # On so small a card the spot stands beside the letter, not on it.
    size = view.sizes.spot - (2 if story > 9 else 0)
    wide = size + (7 if story > 99 else 3 if story > 9 else 0)
    left = at.right - width * 0.22 if right else at.x + width * 0.22 - wide
    spot = view.spot(story, left, at.bottom - size * 0.6, size)
    return wash(x, y, at.width, at.height, view.sizes.gap * 0.6) + drawn + spot


def _spot(view: View, story: int | None, at: Box) -> str:
    size = view.sizes.spot
    return view.spot(story, at.x - size * 0.3, at.bottom - size * 0.7, size)


def framed(view: View, drawn: str, at: Box, link: Link | None, chosen: bool) -> str:
    """Adds to the drawing the frame of a place that can be touched or was chosen."""
    edge, foot = view.sizes.frame, view.sizes.foot
    if chosen:
        edge, foot = edge + 1, foot + 1
        size = min(view.sizes.seal, at.width * 0.42)
        tick = seal(at.right + edge * 1.2 - size, at.bottom + foot * 1.3 - size, size)
        return box("se", at.x - edge, at.y - edge, at.width + 2 * edge, at.height + edge + foot, 10) + drawn + tick
    frame = box("ib", at.x - edge, at.y - edge, at.width + 2 * edge, at.height + edge + foot, 9)
    return linked(drawn, link, frame)


def panel(at: Box, *, asked: bool = False) -> str:
    """Draws the paper of a region; whoever is asked has a frame of ink."""
    paper = box("pa", at.x, at.y, at.width, at.height, 8)
    inner = at.inside(1.5 if asked else 0.75)
    edge = box("li" if asked else "ln", inner.x, inner.y, inner.width, inner.height, 7, _edge(3 if asked else 1.5))
    return paper + edge


def _edge(width: float) -> str:
    return f' stroke-width="{width}"'


def letter(words: str, x: float, y: float, size: float) -> str:
    """Bold letters around x, in the colour of the clan that they begin with."""
    return coloured(text("cu b m", x, y, words, size), COLOURS[words[0]])


def mon(clan: str, x: float, y: float, size: float) -> str:
    """Draws the sign of a clan."""
    return symbol(f"mon-{clan.lower()}", x, y, size, size, COLOURS[clan])


def cartouche(digit: str, x: float, y: float, width: float, height: float, colour: str = "c6") -> str:
    """Draws a digit on a dark ground, as ranks are drawn on cards."""
    ground = coloured(box("cu", x, y, width, height, 4), colour)
    return ground + text("om b m", x + width / 2, y + height / 2 + height * 0.26, digit, height * 0.76)
