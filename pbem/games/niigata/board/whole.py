"""The drawn board of Niigata in any shape: everybody's goods, the map, and the tiles of this round.

Nothing on it is secret: every viewer sees the same and differs only in what they can touch.
"""

from pbem.games.niigata import words
from pbem.games.niigata.board.chart import chart
from pbem.games.niigata.board.seats import seat_panel, seats, seats_height
from pbem.games.niigata.board.tray import pad, pad_panel, pad_rows, tray, tray_height
from pbem.games.niigata.board.view import View
from pbem.games.niigata.board.window import height, telling
from pbem.games.niigata.facts import State
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.grid import Box, Heights, grid, pad_alone
from pbem.kit.drawing.svg import drawing
from pbem.kit.texts import Lang
from pbem.kit.words import seen_from

_PORTRAIT = 548
"""How high the regions of portrait are together; the map has what the others leave."""
_LEAST = 270
_STRIP = 148


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it."""
    view = View(fold, viewer, lang, scene)
    if scene.shape == "pad":
        alone = pad_alone(pad_rows(view))
        return drawing(pad(view, alone), alone.frame, words.PAD[lang], ' class="pad"') if alone.height else ""
    places = grid(scene.shape, _heights(view))
    shown = seen_from(viewer, fold.seats)
    others = places.seats
    parts = [chart(view, places.table)]
    if places.you is not None and viewer is not None:
        parts.append(seat_panel(view, viewer, places.you))
        shown = shown[1:]
    elif places.you is not None:  # a spectator has no seat: the others have the whole column
        others = Box(others.x, others.y, others.width, places.you.bottom - others.y)
    parts.append(seats(view, others, shown))
    if places.mine:
        # Where there is no pad beside the board, it takes the place of the tiles.
        turning = scene.shape == "portrait" and view.turns
        parts.append((pad_panel if turning else tray)(view, places.mine))
    called = board.label(view, words.SEEN_BY, words.SEEN_BY_ALL)
    return board.finished(view, parts, places, called, telling=telling(view, places.table))


def _heights(view: View) -> Heights:
    sizes = view.sizes
    high = tray_height(view, 366)
    above = seats_height(view.fold.seats, sizes)
    table = min(height(view), max(_LEAST, _PORTRAIT - above - high))
    return Heights(seats=above, table=table, mine=high, landscape=_STRIP, low=high)
