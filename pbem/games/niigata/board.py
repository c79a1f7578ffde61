"""The drawn board of Niigata, 360 units wide: the dice, the map, the tiles of this round, and everybody's goods.

Nothing on it is secret: every viewer sees the same and differs only in what they can touch.
"""

from pbem.games.niigata import words
from pbem.games.niigata.board_chart import WIDTH, chart, window
from pbem.games.niigata.board_tray import seats, tray
from pbem.games.niigata.board_view import View
from pbem.games.niigata.facts import State
from pbem.games.niigata.meta import META
from pbem.kit.contract import Lang, Scene, Viewer
from pbem.kit.drawing.board import label
from pbem.kit.drawing.svg import BOKASHI, box, drawing, number, symbol, text, token
from pbem.kit.words import WINS

HEAD = 56


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it."""
    view = View(fold, viewer, lang, scene)
    seen = window(view, HEAD)
    parts = [_head(view), chart(view, seen)]
    y = HEAD + seen.height
    for panel in (tray, seats):
        drawn, height = panel(view, y)
        parts.append(drawn)
        y += height
    ground = f'{BOKASHI}<rect class="pa" width="{WIDTH}" height="{number(y)}"/>'
    called = label(view, words.SEEN_BY, words.SEEN_BY_ALL)
    return drawing(ground + "".join(parts), (0, 0, WIDTH, y), called, ' id="map"')


# --- above the map: the dice, whose turn it is, the stock ----------------------------------------------------


def _head(view: View) -> str:
    fold = view.fold
    parts, x = [], 10
    if fold.colour and not fold.over:
        parts.append(token(symbol(f"die-{fold.colour.lower()}", 8, 10, 35, 35), "die-colour"))
        parts.append(token(symbol(f"die-{fold.number}", 45, 10, 35, 35), "die-number"))
        x = 87
    parts.append(text("in b", x, 24, _news(view), 16))
    parts.append(text("i2", x, 44, _asked_for(fold, view.lang)))
    return "".join(parts) + ("" if fold.over else _stock(view))


def _news(view: View) -> str:
    """Whose turn it is, or who won."""
    fold, active = view.fold, view.active
    if fold.over:
        return view.to(WINS, fold.winners[0]) if len(fold.winners) == 1 else words.SEVERAL[view.lang]
    if active is not None:
        return view.to(words.TURN[view.phase], active)
    return (words.GRAB if view.phase == "pick" else words.WAITING)[view.lang]


def _asked_for(fold: State, lang: Lang) -> str:
    """Returns what the dice ask for, or why the match is over."""
    if fold.over:
        return META.endings[fold.over][lang]
    if fold.colour is None:
        return ""
    return f"{words.DIE[fold.colour][lang]}, {words.MOST[lang].format(fold.number)}"


def _stock(view: View) -> str:
    """Draws the pile of tiles with their number, and the round."""
    left, line = len(view.fold.stock), ' stroke-width="1.5"'
    edges = "".join(box("pa ol", 318 + 3 * i, 9 - 3 * i + 3, 27, 27, 3, line) for i in (2, 1, 0))
    pile = token(edges if left else box("fr ln", 318, 9, 27, 27, 3, line), "stock")
    number_ = text("in b m", 331.5, 31, str(left), 15)
    return pile + number_ + text("i2 m", 333, 52, words.ROUND[view.lang].format(view.fold.round), 12)
