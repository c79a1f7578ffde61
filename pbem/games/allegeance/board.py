"""The drawn board of Allégeance, 360 units wide: one viewer's fold in one language.

Above are the other seats, clockwise from the viewer's left; Door, announcement and Palace stand in the middle;
below lie the viewer's own cards and, when they may announce, the sixteen samurai. For a spectator all seats are above.
Only cards that the fold knows lie face up.
"""

from pbem.games.allegeance import words
from pbem.games.allegeance.board_middle import below, middle
from pbem.games.allegeance.board_seats import own, seats
from pbem.games.allegeance.board_view import View
from pbem.games.allegeance.facts import State
from pbem.games.samurai import CARDS, small, touchable
from pbem.kit.contract import Lang, Scene, Viewer
from pbem.kit.drawing.board import label
from pbem.kit.drawing.svg import box, drawing, seal, sky, text
from pbem.kit.words import joined


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Draws the board as the viewer sees it."""
    view = View(fold, viewer, lang, scene)
    inside, bottom = seats(view)
    for part in (middle, below, own, _choices):
        drawn, bottom = part(view, bottom)
        inside += drawn
    hidden = any(None in hand for hand in fold.hands)
    called = label(view, words.SEEN_BY, words.SEEN_BY_PUBLIC if hidden else words.SEEN_BY_ALL)
    return drawing(sky("sk", -12, -10, 384, bottom + 20) + inside, (-12, -10, 384, bottom + 20), called)


def _choices(view: View, y: float) -> tuple[str, float]:
    """Draws the samurai: those that may be announced are links, the others lie flat, with the reason in words."""
    offered = view.offered("announce")
    if not offered:
        return "", y
    drawn = text("in b", 0, y + 24, words.TO_ANNOUNCE[view.lang], 15)
    drawn += "".join(
        _samurai(view, card, -0.5 + 46 * (at % 8), y + 38 + 70 * (at // 8)) for at, card in enumerate(CARDS)
    )
    flat = [card for card in CARDS if card not in offered and not view.chosen(f"announce-{card}")]
    if not flat:
        return drawn, y + 174
    why = words.WHY_ONE if len(flat) == 1 else words.WHY_TWO
    return drawn + text("i2", 0, y + 186, why[view.lang].format(joined(flat, view.lang))), y + 192


def _samurai(view: View, card: str, x: float, y: float) -> str:
    drawn, step = small(card, x, y, 39, piece=False), f"announce-{card}"
    if view.chosen(step):
        return box("se", x - 4, y - 4, 47, 66, 8) + drawn + seal(x + 25, y + 41, 21)
    return touchable(drawn, x, y, 39, 55, view.link(step))
