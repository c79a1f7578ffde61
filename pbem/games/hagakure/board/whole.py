"""The drawn board of Hagakure: one viewer's fold in one language, in any shape.

A seated viewer has the others in clockwise order from their left with their points, the trick, and their own hand and
Nobori. The points by round are beside the Yomi on a wide board, below everything else in portrait, and not on a low
one. For a spectator everybody has a panel.
"""

from pbem.games.hagakure import words
from pbem.games.hagakure.board.mine import mine
from pbem.games.hagakure.board.seats import seats, you
from pbem.games.hagakure.board.sheet import sheet, sheet_height
from pbem.games.hagakure.board.trick import table, telling
from pbem.games.hagakure.board.view import View
from pbem.games.hagakure.facts import State
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.grid import Heights, grid
from pbem.kit.texts import Lang
from pbem.kit.words import seen_from

_SEATS = {2: 96, 3: 118, 4: 206, 5: 242}
"""The height of this many panels in portrait: they are in one row or in two, and narrow ones have a line more."""


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; cards that the fold does not know lie face down."""
    if scene.shape == "pad":
        return ""  # whatever can be touched is a piece
    view = View(fold, viewer, lang, scene)
    shown = seen_from(viewer, fold.seats)
    if viewer is not None:
        shown = shown[1:]
    places = grid(scene.shape, _heights(view, len(shown)))
    parts = [seats(view, places.seats, shown), table(view, places.table)]
    if viewer is not None and places.mine:
        parts.append(mine(view, viewer, places.mine, marked=places.you is None))
    if viewer is not None and places.you:
        parts.append(you(view, places.you, viewer))
    if places.below:
        parts.append(sheet(view, places.below))
    hidden = any(None in pile for pile in (*fold.hands, fold.yomi))
    called = board.label(view, words.SEEN_BY, words.SEEN_BY_PUBLIC if hidden else words.SEEN_BY_ALL)
    return board.finished(view, parts, places, called, telling=telling(view, places.table))


def _heights(view: View, shown: int) -> Heights:
    """Returns how high the regions are for this many panels."""
    if view.viewer is None:
        return Heights(seats=_SEATS[shown], table=258, mine=0, landscape=0, low=0, below=sheet_height(view))
    return Heights(seats=_SEATS[shown], table=182, mine=210, landscape=198, low=180, below=sheet_height(view))
