"""The drawn board of Hexen Rennen, 360 units wide: whose turn it is, start, course, goal, and everybody's cards.

Before the tiles are laid the three stages stand in place of the course, for the division of one's numbers.
"""

from pbem.games.hexen_rennen.board_words import words_for
from pbem.games.hexen_rennen.division import division
from pbem.games.hexen_rennen.eyes import Eyes, eyes_of
from pbem.games.hexen_rennen.panel import panel
from pbem.games.hexen_rennen.pieces import State
from pbem.games.hexen_rennen.road import PANEL_TOP, course, sky, start
from pbem.games.hexen_rennen.strokes import die, number, text
from pbem.kit.contract import Lang, Scene, Viewer


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it; a tile that the fold does not know lies face down."""
    words = words_for(lang)
    board = eyes_of(fold, viewer, words, scene)
    middle, top = (course(board), PANEL_TOP) if fold.shown else division(board)
    below, end = panel(board, top)
    inside = sky(end + 8) + _now(board) + start(board) + middle + below
    label = words.seen_by_all if viewer is None else words.seen_by.replace("*", f"{{{viewer}}}")
    role = "group" if "<a " in inside else "img"
    return (
        f'<svg class="night-svg" viewBox="-8 -8 376 {number(end + 8)}" role="{role}" aria-label="{label}" '
        f'font-family="Literata">{inside}</svg>'
    )


def _now(board: Eyes) -> str:
    """Whose turn it is with what die, or who has won."""
    fold = board.fold
    said = text("nt b", 0, 13, _state(board), 15)
    if fold.die is not None and fold.finisher is None:
        said += die(fold.die, 332, -5, 30)
    return said


def _state(board: Eyes) -> str:
    fold, viewer, words = board.fold, board.viewer, board.words
    if fold.finisher is not None:
        if len(fold.winners) > 1:
            return words.win_together
        return words.you_win if fold.winners[0] == viewer else _named(words.wins, fold.winners[0])
    if not fold.turn or fold.active is None:
        return words.all_divide
    if fold.asked is not None:
        if fold.asked == viewer:
            return words.your_duty if fold.obliged else words.your_symbol
        return _named(words.duty if fold.obliged else words.symbol, fold.asked)
    if board.stays:
        return words.your_symbol
    if fold.witch is not None:
        return words.you_fly if fold.active == viewer else _named(words.flies, fold.active)
    return words.your_turn if fold.active == viewer else _named(words.turn, fold.active)


def _named(form: str, seat: int) -> str:
    return form.replace("*", f"{{{seat}:16}}")
