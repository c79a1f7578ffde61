"""The drawn board of Hexen Rennen, 360 units wide: whose turn it is, start, course, goal, and everybody's cards.

Before the tiles are laid, the three stages replace the course, for the division of the viewer's numbers.
"""

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board_division import division
from pbem.games.hexen_rennen.board_panel import panel
from pbem.games.hexen_rennen.board_road import PANEL_TOP, course, sky, start
from pbem.games.hexen_rennen.board_tiles import die
from pbem.games.hexen_rennen.board_view import View
from pbem.games.hexen_rennen.facts import State
from pbem.kit.contract import Lang, Scene, Viewer
from pbem.kit.drawing.board import label
from pbem.kit.drawing.svg import drawing, text


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; a tile that the fold does not know lies face down."""
    view = View(fold, viewer, lang, scene)
    middle, top = (course(view), PANEL_TOP) if fold.shown else division(view)
    below, end = panel(view, top)
    inside = sky(end + 8) + _now(view) + start(view) + middle + below
    called = label(view, words.SEEN_BY, words.SEEN_BY_ALL)
    return drawing(inside, (-8, -8, 376, end + 8), called, ' class="night-svg"')


def _now(view: View) -> str:
    """Whose turn it is and the die, or who has won."""
    fold = view.fold
    said = text("nt b", 0, 13, _state(view), 15)
    if fold.die is not None and fold.finisher is None:
        said += die(fold.die, 332, -5, 30)
    return said


def _state(view: View) -> str:
    fold = view.fold
    if fold.finisher is not None:
        together = len(fold.winners) > 1
        return words.WIN_TOGETHER[view.lang] if together else view.to(words.WINS, fold.winners[0], 16)
    if not fold.turn or fold.active is None:
        return words.ALL_DIVIDE[view.lang]
    if fold.asked is not None:
        return view.to(words.MUST_PLAY if fold.obliged else words.MAY_PLAY, fold.asked, 16)
    if view.stays:
        return words.MAY_PLAY[0][view.lang]
    return view.to(words.TURN if fold.witch is None else words.FLIGHT, fold.active, 16)
