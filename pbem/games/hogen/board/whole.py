"""The drawn board of Hogen: one viewer's fold in one language, in any shape.

A seated viewer has the others in clockwise order from their left, the palace, their own cards, and what they may call
or name. For a spectator everybody has a panel. Both show only the cards that the fold knows.
"""

from pbem.games.hogen import words
from pbem.games.hogen.board.mine import mine
from pbem.games.hogen.board.pad import pad, rows
from pbem.games.hogen.board.palace import palace, telling
from pbem.games.hogen.board.seats import seats, you
from pbem.games.hogen.board.view import View
from pbem.games.hogen.facts import State
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.grid import Heights, grid, pad_alone
from pbem.kit.drawing.svg import drawing
from pbem.kit.texts import Lang
from pbem.kit.words import seen_from

_SEATED = Heights(seats=110, table=162, mine=138, landscape=280, low=160)
_WATCHED = Heights(seats=226, table=162, mine=0, landscape=0, low=0)


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; cards that the fold does not know lie face down."""
    view = View(fold, viewer, lang, scene)
    if scene.shape == "pad":
        alone = pad_alone(rows(view))
        return drawing(pad(view, alone), alone.frame, words.PAD[lang], ' class="pad"') if alone.height else ""
    places = grid(scene.shape, _SEATED if viewer is not None else _WATCHED, rows(view))
    shown = seen_from(viewer, fold.seats)
    parts = [seats(view, places.seats, shown[1:] if viewer is not None else shown), palace(view, places.table)]
    if viewer is not None and places.mine:
        parts.append(mine(view, viewer, places.mine, marked=places.you is None))
    if viewer is not None and places.you:
        parts.append(you(view, places.you, viewer))
    if places.pad:
        parts.append(pad(view, places.pad))
    from_beside = words.SEEN_BY_ALL if _knows_everything(fold) else words.SEEN_BY_PUBLIC
    called = board.label(view, words.SEEN_BY, from_beside)
    return board.finished(view, parts, places, called, telling=telling(view, places.table))


def _knows_everything(fold: State) -> bool:
    hidden = any(None in hand for hand in fold.hands)
    return not hidden and all(a is not None or not c for a, c in zip(fold.allies, fold.chosen, strict=True))
