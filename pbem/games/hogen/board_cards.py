"""The cards on a drawn board of Hogen, with their marks."""

from pbem.games import samurai
from pbem.games.hogen.board_view import View
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.panels import framed
from pbem.kit.drawing.svg import symbol, wash


def card(view: View, place: int | None, name: str | None, x: float, y: float, width: float) -> str:
    """Draws a card, or its back, with its marks: frame, seal, gold, number."""
    at = Box(x, y, width, width * 1.4)
    if name is None:
        return symbol("back", x, y, at.width, at.height)
    link, picked, story = view.link_to(place, name), view.is_picked(name), view.spots.get((place, name))
    drawn = samurai.face(name, x, y, width / 100) + _spot(view, story, at)
    if story is not None and link is None and not picked:
        drawn = wash(x, y, at.width, at.height, max(3, width * 6 / 130)) + drawn
    return framed(view.sizes, drawn, at, link, picked)


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
