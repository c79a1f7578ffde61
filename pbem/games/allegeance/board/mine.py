"""The viewer's own cards on a drawn board of Allégeance."""

from pbem.games.allegeance import words
from pbem.games.allegeance.board.seats import tokens
from pbem.games.allegeance.board.view import View
from pbem.games.samurai import face, fanned
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.panels import panel
from pbem.kit.drawing.svg import box, dashes, seat_mark, text
from pbem.kit.words import YOUR_HAND

_APART = 6
"""This many cards lie side by side; more of them overlap, rank and letter staying free."""
_FREE = 0.48
"""The part of a card that another one never covers."""


def mine(view: View, seat: int, at: Box, *, marked: bool) -> str:
    """Draws the viewer's hand, face up; `marked` with their mark and tokens, where their seat has no row."""
    sizes, hand = view.sizes, view.fold.hands[seat]
    x, room = at.x + sizes.inset, at.width - 2 * sizes.inset
    drawn = panel(at, asked=marked and view.is_asked(seat))
    y, high = at.y + sizes.inset, at.height - 2 * sizes.inset
    if marked:
        top = at.y + sizes.inset / 2
        drawn += seat_mark(seat, x, top, sizes.mark)
        heading = f"{YOUR_HAND[view.lang]}\u00a0: {len(hand)}" if view.lang == "fr" else f"{YOUR_HAND.en}: {len(hand)}"
        drawn += text("in b", x + sizes.mark * 1.25, top + sizes.mark * 0.73, heading, sizes.name)
        wide = view.fold.target * (sizes.mark * 0.9 + 1) - 1
        drawn += tokens(view, seat, at.right - sizes.inset - wide, top + 1, sizes.mark * 0.9)
        y = top + sizes.mark + sizes.gap * 1.5
        high = at.bottom - y - sizes.gap * 2
    elif len(hand) < _APART - 1 and not (view.scene.over or view.fold.phase == "over"):
        lines = enumerate(words.AIM[view.lang].splitlines())
        end = at.right - sizes.inset
        drawn += "".join(text("i2 e", end, y + sizes.text * (1 + 1.35 * n), said, sizes.text) for n, said in lines)
    return drawn + _hand(view, seat, Box(x, y, room, high))


def _hand(view: View, seat: int, at: Box) -> str:
    """Draws the cards as large as the box allows."""
    sizes, hand = view.sizes, view.fold.hands[seat]
    count, width = len(hand), at.height / 1.4
    if not hand:
        empty = box("ln", at.x + 0.5, at.y + 0.5, width - 1, at.height - 1, 5, dashes(1.5, "5 4"))
        words_at = at.x + width + sizes.inset
        return empty + text("i2", words_at, at.y + at.height / 2 + 5, words.NO_CARDS[view.lang], sizes.text)
    if count <= _APART:
        width = min(width, (at.width - sizes.gap * (count - 1)) / count)
    else:
        width = min(width, at.width / (1 + _FREE * (count - 1)))
    pitch = min(width + sizes.gap * 2, (at.width - width) / max(1, count - 1))
    card = face if count <= _APART else fanned
    y = at.y + (at.height - width * 1.4) / 2
    drawn = "".join(card(name, at.x + pitch * n, y, width / 100) for n, name in enumerate(hand) if name)
    last = at.x + pitch * (count - 1)
    return drawn + view.spot_of(f"hand{seat}", last - sizes.spot * 0.3, y + width * 1.4 - sizes.spot * 0.7)
