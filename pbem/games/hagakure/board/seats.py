"""The players on a drawn board of Hagakure: their names, points, cards, Nobori and what they have taken."""

from pbem.games.hagakure import words
from pbem.games.hagakure.board.cards import banners, bare, hand
from pbem.games.hagakure.board.sheet import Parts, in_line, in_line_width, news, taken, tally, tricks
from pbem.games.hagakure.board.view import View
from pbem.games.hagakure.facts import NOBORI
from pbem.kit.drawing.grid import Box, fitted
from pbem.kit.drawing.panels import hourglass, panel
from pbem.kit.drawing.svg import box, linked, seal, seat_mark, text
from pbem.kit.notation import seat_letter
from pbem.kit.words import signed

LEAST_LETTERS = 4


def seats(view: View, at: Box, shown: list[int]) -> str:
    """Draws a panel for each of these seats."""
    places = at.places(len(shown), view.sizes.gap * 1.5, view.sizes.text * 8)
    return "".join(_panel(view, seat, place) for seat, place in zip(shown, places, strict=True))


def you(view: View, at: Box, seat: int) -> str:
    """Draws the viewer's own seat: what the table waits for, what they have taken, and their Nobori."""
    sizes, fold = view.sizes, view.fold
    left, right, top = at.x + sizes.inset / 2, at.right - sizes.inset / 2, at.y + sizes.inset / 3
    drawn = panel(at, asked=view.to_act(seat)) + _head(view, seat, at, words.YOU[view.lang])
    line = top + sizes.mark + sizes.text * 1.5
    if view.to_act(seat):
        drawn += text("i2", left, line, news(view), sizes.text)
    elif raised := fold.raised[seat]:
        drawn += text("i2", left, line, words.NOBORI_NAMES[raised][view.lang], sizes.text)
    if fold.phase == "nobori":  # The Nobori are with the hand then, large enough to be touched.
        return drawn
    drawn += in_line(view, tally(view, seat, right - left), left, line + sizes.text * 1.6)
    width = fitted(len(NOBORI), right - left, sizes.gap, sizes.mark * 1.15)
    return drawn + banners(view, seat, left, at.bottom - sizes.gap * 1.5 - width / 0.6, width, sizes.gap)


# --- one seat ----------------------------------------------------------------------------------------------


def _head(view: View, seat: int, at: Box, name: str = "", *, pile: bool = False, glass: bool = False) -> str:
    """Draws a seat's mark, name and points; with a `glass` that the table waits for it, with a `pile` its tricks."""
    sizes, fold = view.sizes, view.fold
    x, y, end = at.x + sizes.inset / 2, at.y + sizes.inset / 3, at.right - sizes.inset / 2
    line, points = y + sizes.mark * 0.73, signed(fold.totals[seat])
    drawn = seat_mark(seat, x, y, sizes.mark) + text("in b e", end, line, points, sizes.name)
    end -= sizes.name * 0.6 * len(points) + sizes.gap * 1.5
    if glass:
        end -= sizes.mark * 0.8
        drawn += hourglass(end, y + sizes.mark * 0.12, sizes.mark * 0.8)
        end -= sizes.gap
    if pile and (parts := tally(view, seat, 0) if fold.tricks[seat] else taken(view, seat)):
        end -= in_line_width(view, parts)
        drawn += in_line(view, parts, end, line)
        end -= sizes.gap
    first = x + sizes.mark * 1.22
    letters = sizes.letters(end - first)
    if name:
        return drawn + text("in b", first, line, name, sizes.name)
    # Of fewer letters the mark says more.
    return drawn + (view.name("in b", seat, first, line, end - first) if letters >= LEAST_LETTERS else "")


def _panel(view: View, seat: int, at: Box) -> str:
    """Draws a seat's name, its cards, its Nobori and what it has taken."""
    sizes, cards = view.sizes, view.fold.hands[seat]
    top = at.y + sizes.inset / 3 + sizes.mark + sizes.gap / 2
    inner = Box(at.x + sizes.inset / 2, top, at.width - sizes.inset, at.bottom - sizes.foot - top)
    above = Box(inner.x, inner.y, inner.width, inner.height - sizes.text * 1.3)
    low, open_ = inner.height < sizes.text * 3, bool(cards) and None not in cards
    narrow = inner.width < sizes.text * 10
    waits = view.to_act(seat)
    if narrow or above.height > sizes.mark * 3.6:
        drawn = _in_lines(view, seat, above) + _taken(view, seat, inner)
    elif open_ and not low:
        drawn = _in_lines(view, seat, inner, tallied=True)
    else:
        drawn = (
            _side_by_side(view, seat, inner) if low else _side_by_side(view, seat, above) + _taken(view, seat, inner)
        )
    if waits and narrow and not open_:  # In a narrow panel the name takes the first line.
        drawn += hourglass(inner.right - sizes.mark * 0.8, inner.y + sizes.gap, sizes.mark * 0.8)
    # In a low panel the name needs the line; its frame says that the table waits.
    drawn = _ground(view, seat, at) + _head(view, seat, at, pile=low, glass=waits and not (narrow or low)) + drawn
    return drawn + (_seal(view, at) if _looked_at(view, seat) else "")


def _side_by_side(view: View, seat: int, at: Box) -> str:
    """Draws the cards, and the Nobori at their right."""
    sizes = view.sizes
    used, between = sizes.mark * 2.2, sizes.gap * 0.6
    high = min(at.height, (used - sizes.mark) * 1.4)
    flags = fitted(len(NOBORI), at.width - used - sizes.spot * 0.1, between, min(at.height * 0.6, sizes.mark * 1.1))
    cards = hand(view, view.fold.hands[seat], Box(at.x, at.y + (at.height - high) / 2, used, high))
    return cards + banners(view, seat, at.x + used, at.y + (at.height - flags / 0.6) / 2, flags, between)


def _in_lines(view: View, seat: int, at: Box, *, tallied: bool = False) -> str:
    """Draws the cards, and the Nobori below them; `tallied` with what the seat has taken at their right."""
    sizes = view.sizes
    between = sizes.gap / 2
    won: Parts = taken(view, seat) if tallied else []
    wide = in_line_width(view, won)
    room = at.width - wide - (sizes.gap if won else 0)
    cards = Box(at.x, at.y, room, min((at.height - between) * 0.46, sizes.mark * 1.9))
    rest = at.width - (sizes.text * 1.7 if tallied else 0) - sizes.spot * 0.1
    flags = fitted(len(NOBORI), rest, between, min((at.height - between - cards.height) * 0.6, sizes.mark * 1.4))
    y = at.bottom - flags / 0.6
    drawn = hand(view, view.fold.hands[seat], cards) + banners(view, seat, at.x, y, flags, between)
    if not tallied:
        return drawn
    drawn += in_line(view, won, at.right - wide, cards.y + cards.height / 2 + sizes.text * 0.35)
    parts = tricks(view, seat, at.width - (flags + between) * len(NOBORI))
    return drawn + in_line(view, parts, at.right - in_line_width(view, parts), y + flags / 1.2 + sizes.text * 0.35)


def _taken(view: View, seat: int, at: Box) -> str:
    """Draws at the foot of a panel what a seat has taken, and that it has shown to hold no samurai."""
    sizes, fold = view.sizes, view.fold
    line, room = at.bottom - sizes.text * 0.15, at.width
    drawn = ""
    if fold.bare[seat] and None in fold.hands[seat]:
        size = sizes.text * 1.3
        room -= size * 1.2
        drawn = bare(at.right - size, line - size * 0.85, size)
    return drawn + in_line(view, tally(view, seat, room), at.x, line)


def _ground(view: View, seat: int, at: Box) -> str:
    """Draws the paper of a seat's panel: a button if the viewer may look at its hand, framed if they chose to."""
    edge, foot = view.sizes.frame, view.sizes.foot
    paper = box("pa", at.x + edge, at.y + edge, at.width - 2 * edge, at.height - edge - foot, 6)
    if _looked_at(view, seat):
        return box("se", at.x, at.y, at.width, at.height, 8) + paper
    link = view.link(f"look-{seat_letter(seat)}")
    if link is None:
        return panel(at, asked=view.to_act(seat))
    return linked(paper, link, box("ib", at.x, at.y, at.width, at.height, 8))


def _looked_at(view: View, seat: int) -> bool:
    return view.chosen(f"look-{seat_letter(seat)}")


def _seal(view: View, at: Box) -> str:
    size = view.sizes.seal
    return seal(at.right - size, at.bottom - size, size)
