"""The clans on a drawn board of Hexen Rennen: whose they are, their points, and the cards they have left."""

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board.tiles import chip, clan_mark, die, empty, gable, panel
from pbem.games.hexen_rennen.board.view import View
from pbem.games.hexen_rennen.facts import CLANS, DECK, points
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.panels import hourglass
from pbem.kit.drawing.svg import bot_sign, box, text
from pbem.kit.words import seen_from


def clans_seen_from(view: View) -> list[int]:
    """Returns the clans as they stand around the table, from the viewer on; those of nobody last."""
    return [*seen_from(view.viewer, view.fold.seats), *range(view.fold.seats, len(CLANS))]


def seats(view: View, at: Box, shown: list[int]) -> str:
    """Draws a panel for each of these clans, or a line where there is no more room."""
    if at.tall and not view.fold.shown:  # without cards
        at = Box(at.x, at.y, at.width, len(shown) * view.sizes.touch * 2)
    places = at.rows(len(shown), view.sizes.gap * (1.5 if at.tall else 0.8))
    one = _panel if at.tall else _strip
    return "".join(one(view, clan, place) for clan, place in zip(shown, places, strict=True))


def line(view: View, at: Box) -> str:
    """Draws all clans side by side, each with its points and how many cards it has left; at the end the die."""
    fold, sizes = view.fold, view.sizes
    side = at.height
    drawn = ""
    places = Box(at.x, at.y, at.width - side - sizes.gap, at.height).columns(len(CLANS), sizes.gap * 2)
    for clan, place in zip(clans_seen_from(view), places, strict=True):
        high = min(place.height - sizes.gap * 2, sizes.mark)
        y = place.y + (place.height - high) / 2
        drawn += panel(place, acting=clan == view.acting) + clan_mark(clan, place.x + sizes.gap, y, high)
        x = place.x + sizes.gap * 2.5 + high * 1.5
        if clan < fold.seats:
            drawn += _fortune(view, clan, Box(x, y - sizes.gap * 0.25, high * 1.08, high + sizes.gap * 0.5))
        if clan in view.scene.bots:
            size = sizes.mark * 0.72
            drawn += bot_sign(x + high * 1.25, place.y + (place.height - size) / 2, size, view.lang, night=True)
        if fold.shown:
            card = Box(place.right - sizes.gap - high * 0.9, y, high * 0.9, high)
            left = str(len(cards_of(view, clan)))
            drawn += chip(clan, left, card, sizes.text, dark=clan >= fold.seats)
    if fold.die is not None and fold.finisher is None:
        drawn += die(fold.die, at.right - side, at.y, side)
    return drawn


def _fortune(view: View, seat: int, at: Box) -> str:
    """Draws a seat's points; before the race an hourglass while it divides."""
    if view.fold.shown:
        return gable(at, sum(map(points, view.fold.witches[seat])), view.sizes.text * 1.1)
    if view.fold.divided[seat] or view.scene.over:
        return ""
    size = at.height * 0.7
    return _glass(at.x, at.y + (at.height - size) / 2, size)


def _glass(x: float, y: float, size: float) -> str:
    plate = box("pa", x - size * 0.2, y - size * 0.2, size * 1.4, size * 1.4, 4)
    return plate + hourglass(x, y, size)


# --- cards -------------------------------------------------------------------------------------------------


def cards_of(view: View, clan: int) -> list[str]:
    """Returns the cards that a clan has left; of a neutral clan's pile every card not drawn, in no order."""
    if clan < view.fold.seats:
        return list(view.fold.hands[clan])
    left = list(DECK)
    for card in view.fold.discards[clan]:
        left.remove(card)
    return left


def cards(view: View, clan: int, places: list[Box], size: float) -> str:
    """Draws the cards that a clan has left, each at its own place, and empty places for the others."""
    left, drawn = cards_of(view, clan), ""
    for card, place in zip(DECK, places, strict=True):
        if card in left:
            left.remove(card)
            drawn += chip(clan, card, place, size, dark=clan >= view.fold.seats)
        else:
            drawn += empty(place)
    return drawn


def cards_left(view: View, seat: int, at: Box) -> str:
    """Draws a seat's cards in two rows below their heading."""
    sizes = view.sizes
    head = sizes.text * 1.25
    below = Box(at.x, at.y + head, at.width, min(at.height - head, sizes.text * 3.3))
    places = [place for row in below.rows(2, sizes.gap * 0.5) for place in row.columns(6, sizes.gap * 0.4)]
    heading = text("nt", at.x, at.y + sizes.text * 0.9, words.YOUR_CARDS[view.lang], sizes.text)
    return heading + cards(view, seat, places, sizes.text)


# --- one clan ----------------------------------------------------------------------------------------------


def _name(view: View, clan: int, x: float, line_: float, room: float) -> str:
    """Writes the name of a clan's player, or that it has none."""
    if clan >= view.fold.seats:
        return text("nt", x, line_, words.NEUTRAL[view.lang], view.sizes.text)
    return view.name("nt b", clan, x, line_, room, night=True)


def _strip(view: View, clan: int, at: Box) -> str:
    """Draws a clan in one line: mark, name, points, cards."""
    fold, sizes = view.fold, view.sizes
    high = at.height - sizes.gap * 0.8
    middle = at.y + at.height / 2
    drawn = clan_mark(clan, at.x, middle - high / 2, high)
    if clan == view.acting:
        around = Box(at.x - sizes.gap, at.y - sizes.gap * 0.3, at.width + 2 * sizes.gap, at.height + sizes.gap * 0.6)
        drawn = box("hb", around.x, around.y, around.width, around.height, 6) + drawn
        drawn += box("gs", around.x, around.y, around.width, around.height, 6, ' stroke-width="2.4"')
    wide = sizes.text * 1.32
    first = at.right - 12 * wide - 11 * sizes.gap * 0.2 if fold.shown else at.right
    roof = Box(first - sizes.gap * 1.5 - high * 1.08, middle - high / 2, high * 1.08, high)
    begin = at.x + high * 1.5 + sizes.gap * 1.2
    if not fold.shown:
        room = at.width * 0.55 if clan < fold.seats else at.width
        drawn += _name(view, clan, begin, middle + sizes.name * 0.35, room)
        said = view.says(clan) if clan < fold.seats else ""
        return drawn + text("nt e", at.right, middle + sizes.text * 0.35, said, sizes.text)
    drawn += _name(view, clan, begin, middle + sizes.name * 0.35, roof.x - sizes.gap * 0.5 - begin)
    if clan < fold.seats:
        drawn += _fortune(view, clan, roof)
    places = Box(first, middle - high / 2, at.right - first, high).columns(12, sizes.gap * 0.2)
    return drawn + cards(view, clan, places, sizes.text)


def _panel(view: View, clan: int, at: Box) -> str:
    """Draws a clan with its points, what its player does, and its cards in two rows."""
    fold, sizes = view.fold, view.sizes
    x, y, high = at.x + sizes.inset / 2, at.y + sizes.inset / 2, sizes.mark * 1.06
    inner = at.width - sizes.inset
    drawn = panel(at, acting=clan == view.acting) + clan_mark(clan, x, y, high)
    begin = x + high * 1.5 + sizes.gap * 1.3
    drawn += _name(view, clan, begin, y + high * 0.74, x + inner - begin)
    second = y + high + sizes.text * 1.45
    said = view.says(clan) if clan < fold.seats else ""
    if not fold.shown:
        return drawn + text("nt", x, second, said, sizes.text)
    drawn += text("nt", x, second, said or words.CARDS_LEFT[view.lang], sizes.text)
    if clan < fold.seats:
        wide = sizes.mark * 1.12
        house = Box(x + inner - wide, y + high + sizes.gap * 0.4, wide, sizes.text * 1.6)
        drawn += _fortune(view, clan, house)
    top = second + sizes.text * 0.55
    rows = Box(x, top, inner, min(at.bottom - sizes.inset / 2 - top, sizes.touch * 1.75)).rows(2, sizes.gap * 0.6)
    places = [place for row in rows for place in row.columns(6, sizes.gap * 0.6)]
    return drawn + cards(view, clan, places, sizes.text)


def you(view: View, seat: int, at: Box) -> str:
    """Draws the viewer's own clan beside their cards."""
    sizes = view.sizes
    x, y, high = at.x + sizes.inset / 2, at.y + sizes.inset / 2, sizes.mark * 1.06
    drawn = panel(at, acting=seat == view.acting) + clan_mark(seat, x, y, high)
    drawn += text("nt b", x + high * 1.5 + sizes.gap * 1.3, y + high * 0.74, words.YOU[view.lang], sizes.name)
    wide = sizes.mark * 1.12
    drawn += _fortune(view, seat, Box(at.right - sizes.inset / 2 - wide, y, wide, high))
    said = view.says(seat)
    return drawn + text("nt", x, y + high + sizes.text * 1.7, said, sizes.text)
