"""The drawn board of Hexen Rennen: one viewer's fold in one language, in any shape.

Everybody's cards, the course with start and goal, and the viewer's own cards and numbers. Before the tiles are laid,
the division of the viewer's numbers replaces the course. There is no pad: what can be touched is on the board.
"""

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board.course import table
from pbem.games.hexen_rennen.board.division import division
from pbem.games.hexen_rennen.board.mine import hand, mine
from pbem.games.hexen_rennen.board.seats import clans_seen_from, line, seats, you
from pbem.games.hexen_rennen.board.view import View
from pbem.games.hexen_rennen.facts import State
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.grid import Heights, grid
from pbem.kit.texts import Lang

_SEATED = Heights(seats=87, table=433, mine=124, landscape=140, low=0, line=43)
_WATCHED = Heights(seats=117, table=433, mine=0, landscape=0, low=0, line=43)
"""For spectators, and before the race, when nobody has cards to play."""


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; a tile that the fold does not know lies face down."""
    view = View(fold, viewer, lang, scene)
    if scene.shape == "pad":
        return ""
    places = grid(scene.shape, _SEATED if viewer is not None and fold.shown else _WATCHED)
    clans, low = clans_seen_from(view), not places.seats.tall and scene.shape == "low"
    parts = []
    if viewer is not None and low and view.plays_card:
        parts.append(hand(view, viewer, places.seats))
    elif low:
        parts.append(line(view, places.seats))
    else:
        parts.append(seats(view, places.seats, clans[1:] if places.mine else clans))
    parts.append(table(view, places.table, compact=low) if fold.shown else division(view, places.table))
    if viewer is not None and places.mine:
        parts.append(mine(view, viewer, places.mine, marked=places.you is None))
    if viewer is not None and places.you:
        parts.append(you(view, viewer, places.you))
    called = board.label(view, words.SEEN_BY, words.SEEN_BY_ALL)
    return board.finished(view, parts, places, called, night=True)
