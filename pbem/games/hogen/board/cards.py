"""The cards on a drawn board of Hogen, with their marks."""

from pbem.games import samurai
from pbem.games.hogen.board.view import View
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.panels import framed
from pbem.kit.drawing.svg import spot_width, symbol, wash


def card(view: View, place: int | None, name: str | None, x: float, y: float, width: float) -> str:
    """Draws a card, or its back, with its marks: frame, seal, gold. Its number is `card_spot`."""
    at = Box(x, y, width, width * 1.4)
    if name is None:
        return symbol("back", x, y, at.width, at.height)
    link, picked, story = view.link_to(place, name), view.is_picked(name), view.spots.get((place, name))
    drawn = samurai.face(name, x, y, width / 100)
    if story is not None and link is None and not picked:
        drawn = wash(x, y, at.width, at.height, max(3, width * 6 / 130)) + drawn
    return framed(view.sizes, drawn, at, link, picked)


def small(view: View, seat: int, name: str | None, x: float, y: float, width: float) -> str:
    """Draws a miniature card, or its back, with gold if it has just arrived. Its number is `small_spot`."""
    drawn = samurai.small(name, x, y, width)
    return drawn if (seat, name) not in view.spots else wash(x, y, width, width * 1.4, view.sizes.gap * 0.6) + drawn


# The numbers of the story are drawn after all cards, so that none hides them.


def card_spot(view: View, place: int | None, name: str | None, x: float, y: float, width: float) -> str:
    """Draws the number of the story line that brought a card to its place."""
    size = view.sizes.spot
    return view.spot(view.spots.get((place, name)), x - size * 0.3, y + width * 1.4 - size * 0.7, size)


def small_spot(view: View, seat: int, name: str | None, x: float, y: float, width: float, right: bool = False) -> str:
    """Draws the number of the story line that brought a miniature card, left or right of its letter."""
    story = view.spots.get((seat, name))
    if story is None or (right and story > 99):  # there is no room to the next letter: the gold alone tells
        return ""
    at = Box(x, y, width, width * 1.4)
    # On so small a card the spot stands beside the letter, not on it.
    size = view.sizes.spot - (2 if story > 9 else 0)
    wide = spot_width(story, size)
    left = at.right - width * 0.22 if right else at.x + width * 0.22 - wide
    return view.spot(story, left, at.bottom - size * 0.6, size)
