"""The drawn board of Hunch, 360 units wide."""

from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing.board import View, label
from pbem.kit.drawing.svg import box, drawing, linked, sky, symbol, text
from pbem.kit.texts import Lang
from pbem.kit.words import T

from .facts import State

SEEN_BY, SEEN_BY_ALL = T("Hunch vu par *", "Hunch as * sees it"), T("Hunch", "Hunch")
PLACES = (0, 120, 240)


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it."""
    view = View(fold, viewer, lang, scene)
    inside = sky("sk", -10, -10, 380, 250)
    for seat, die in enumerate(fold.dice):
        x, y = PLACES[seat], 20
        inside += text("in b", x, y, f"{{{seat}:9}}", 16)
        inside += linked(symbol("cup", x, 40, 60, 60, "c4"), view.link(f"cup-{seat}"), box("iw", x, 40, 60, 60, 6))
        inside += text("in", x + 70, 76, str(die or "?"), 20)
        inside += text("i2", x, 120, f"+{fold.scores[seat]}", 14)
    for face in range(1, 7):
        x = 60 * (face - 1)
        inside += linked(text("in", x + 20, 180, str(face), 20), view.link(f"die-{face}"), box("iw", x, 150, 50, 44, 6))
    return drawing(inside, (-10, -10, 380, 250), label(view, SEEN_BY, SEEN_BY_ALL))
