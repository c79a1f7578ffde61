"""The drawn board of Allégeance: one viewer's fold in one language, in any shape.

A seated viewer has the others in clockwise order from their left; Door, announcement and Palace; their own cards; and
what they may announce or answer. For a spectator everybody has a panel. Only cards that the fold knows lie face up.
"""

from pbem.games.allegeance import words
from pbem.games.allegeance.board.mine import mine
from pbem.games.allegeance.board.pad import pad, rows
from pbem.games.allegeance.board.seats import height, seats, you
from pbem.games.allegeance.board.table import covered, table
from pbem.games.allegeance.board.view import View
from pbem.games.allegeance.facts import State
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.grid import Heights, grid, pad_alone
from pbem.kit.drawing.svg import drawing
from pbem.kit.texts import Lang
from pbem.kit.words import seen_from

_PILES, _COVERED = 226, 38
"""The height of the table, and of the row of cards that are known to lie under the Palace's top, in portrait."""


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; cards that the fold does not know lie face down."""
    view = View(fold, viewer, lang, scene)
    if scene.shape == "pad":
        alone = pad_alone(rows(view, across=4))
        return drawing(pad(view, alone), alone.frame, words.PAD[lang], ' class="pad"') if alone.height else ""
    seated = viewer is not None
    shown = seen_from(viewer, fold.seats)[seated:]
    high = _PILES + (_COVERED if covered(view) else 0)
    own = {"mine": 132, "landscape": 212, "low": 128} if seated else {"mine": 0, "landscape": 0, "low": 0}
    places = grid(scene.shape, Heights(height(view, shown), high, **own), rows(view, across=8))
    parts = [seats(view, places.seats, shown), table(view, places.table)]
    if viewer is not None and places.mine:
        parts.append(mine(view, viewer, places.mine, marked=places.you is None))
    if viewer is not None and places.you:
        parts.append(you(view, places.you, viewer))
    if places.pad:
        parts.append(pad(view, places.pad))
    hidden = any(None in hand for hand in fold.hands)
    called = board.label(view, words.SEEN_BY, words.SEEN_BY_PUBLIC if hidden else words.SEEN_BY_ALL)
    return board.finished(view, parts, places, called)
