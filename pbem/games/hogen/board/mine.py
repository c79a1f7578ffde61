"""The viewer's own cards on a drawn board of Hogen."""

from pbem.games.hogen import words
from pbem.games.hogen.board.cards import card, card_spot
from pbem.games.hogen.board.view import View
from pbem.kit.drawing.grid import Box, fitted
from pbem.kit.drawing.panels import panel
from pbem.kit.drawing.svg import box, coloured, dashes, seat_mark, symbol, text
from pbem.kit.words import YOUR_HAND


def mine(view: View, seat: int, at: Box, *, marked: bool) -> str:
    """Draws the viewer's hand and ally, face up; `marked` with their own mark, where their seat has no row."""
    sizes = view.sizes
    hand = _places(view, seat)
    head = sizes.inset / 3 + sizes.mark + sizes.gap * 2
    gap, apart = sizes.gap * 3.5, sizes.gap * 7
    beside = sizes.gap * 2.5 + sizes.text * 4.2
    room = at.width - 2 * sizes.inset - apart - beside + gap
    width = fitted(len(hand) + 1, room, gap, (at.height - head - sizes.foot - sizes.gap * 1.5) / 1.4)
    x, y = at.x + sizes.inset, at.y + head
    ally = at.right - sizes.inset - beside - width
    line = sizes.inset / 3 + sizes.mark * 0.73
    heading = words.YOUR_HAND_OUT if view.fold.out[seat] else YOUR_HAND
    parts = [panel(at, asked=marked and view.is_asked(seat))]
    if marked:
        parts.append(seat_mark(seat, x, at.y + sizes.inset / 2, sizes.mark))
    parts += [
        text("in b", x + (sizes.mark * 1.25 if marked else 0), at.y + line, heading[view.lang], sizes.name),
        text("in b", ally, at.y + line, words.YOUR_ALLY[view.lang], sizes.name),
        f'<path class="ln" d="M{ally - apart / 2:.1f},{at.y + sizes.gap * 2} v{at.height - sizes.gap * 4}"'
        ' stroke-dasharray="3 5"/>',
    ]
    spots = []
    for n, name in enumerate(hand):
        left = x + n * (width + gap)
        spots.append(card_spot(view, seat, name, left, y, width))
        gone = name not in view.fold.hands[seat]
        parts.append(_left("sl", left, y, width) if gone else card(view, seat, name, left, y, width))
    return "".join([*parts, _ally(view, seat, ally, y, width), *spots])


def _places(view: View, seat: int) -> list[str | None]:
    """Returns the viewer's hand; the card that they would put down as their ally keeps its place."""
    hand, before = view.fold.hands[seat], view.offered("ally")
    left = [name for name in before if name not in hand]
    return [*before] if len(left) == 1 and view.is_picked(left[0]) else [*hand]


def _left(classes: str, x: float, y: float, width: float) -> str:
    """Draws the dashed place of a card that has left, or is still to come."""
    return box(classes, x + 1, y + 1, width - 2, width * 1.4 - 2, 6, dashes(2, "6 5"))


def _ally(view: View, seat: int, x: float, y: float, width: float) -> str:
    """Draws the viewer's ally, and who knows it."""
    sizes = view.sizes
    beside = x + width + sizes.gap * 2.5
    line = y + sizes.text * 1.2
    if view.fold.chosen[seat] and view.scene.over and not view.fold.over:
        # The board cannot tell whether the match is over, and its log open to all, or was called off.
        return card(view, seat, view.fold.allies[seat], x, y, width)
    if view.fold.chosen[seat]:
        revealed = view.fold.over is not None  # once the match is over, everybody can read the whole log
        eye, words_below = ("eye", words.REVEALED) if revealed else ("eye-shut", words.HIDDEN)
        drawn = card(view, seat, view.fold.allies[seat], x, y, width)
        wide = sizes.text * 2
        drawn += coloured(symbol(eye, beside, y, wide, wide * 22 / 26), "c6")
        line += wide
    else:
        drawn, words_below = _left("ln", x, y, width), words.NEVER_CHOSEN if view.scene.over else words.TO_CHOOSE
    lines = words_below[view.lang].splitlines()
    below = (text("i2", beside, line + sizes.text * 1.2 * n, said, sizes.text) for n, said in enumerate(lines))
    return drawn + "".join(below)
