"""The cards on a drawn board of Hogen with their marks, and the signs of clans and ranks."""

from pbem.games import samurai
from pbem.games.hogen.board_view import View
from pbem.games.samurai import COLOURS, touchable
from pbem.kit.contract import Link
from pbem.kit.svg import box, coloured, seal, symbol, text, wash


def card(view: View, place: int | None, name: str | None, x: float, y: float, scale: float) -> str:
    """Draws a full-size card, or its back, with its marks: frame, seal, gold, number."""
    width, height = 100 * scale, 140 * scale
    if name is None:
        return symbol("back", x, y, width, height)
    link, picked, story = view.link_to(place, name), view.is_picked(name), view.spots.get((place, name))
    drawn = samurai.face(name, x, y, scale) + view.spot(story, x - 6, y + height - 17, 21)
    if story is not None and link is None and not picked:
        drawn = wash(x, y, width, height, 5 if scale > 0.5 else 3) + drawn
    return framed(drawn, x, y, width, height, link, picked)


def small(view: View, seat: int, name: str | None, x: float, y: float, width: float) -> str:
    """Draws a miniature card, or its back, with gold and number if it has just arrived."""
    drawn = samurai.small(name, x, y, width)
    story = view.spots.get((seat, name))
    if story is None:
        return drawn
    gold = wash(x, y, width, width * 1.4, 3)
    return gold + drawn + view.spot(story, x - 8, y + width * 1.4 - 12, 18)


def framed(drawn: str, x: float, y: float, width: float, height: float, link: Link | None, chosen: bool) -> str:
    """Adds to the drawing the frame of a place that can be touched or was chosen."""
    if chosen:
        size = 28 if height > 60 else 21
        tick = seal(x + width + 10 - size, y + height + 12 - size, size)
        return box("se", x - 4, y - 4, width + 8, height + 13, 10) + drawn + tick
    return touchable(drawn, x, y, width, height, link)


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
