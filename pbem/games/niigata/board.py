"""The drawn board of Niigata, 360 units wide: the dice, the map, the tiles of this round, and everybody's goods.

Nothing on it is secret, so every viewer sees the same; only what can be touched differs.
"""

from pbem.games.niigata import pieces
from pbem.games.niigata.chart import WIDTH, chart, window
from pbem.games.niigata.facts import State
from pbem.games.niigata.pieces import number
from pbem.games.niigata.sight import Sight, sight_of
from pbem.games.niigata.tray import seats, tray
from pbem.kit.contract import Lang, Scene, Viewer

HEAD = 56


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it."""
    sight = sight_of(fold, viewer, lang, scene)
    seen = window(sight, HEAD)
    parts = [_head(sight), chart(sight, seen)]
    y = HEAD + seen.height
    for panel in (tray, seats):
        drawn, height = panel(sight, y)
        parts.append(drawn)
        y += height
    inside = "".join(parts)
    label = sight.words.by_all if viewer is None else sight.words.seen_by.format(viewer=f"{{{viewer}}}")
    return (
        f'<svg id="map" viewBox="0 0 {WIDTH} {number(y)}" role="{"group" if "<a " in inside else "img"}" '
        f'aria-label="{label}" font-family="Literata">'
        '<defs><linearGradient id="bokashi" x1="0" y1="0" x2="0" y2="1">'
        '<stop class="bk" offset="0" stop-opacity=".42"/><stop class="bk" offset="1" stop-opacity="0"/>'
        f'</linearGradient></defs><rect class="pa" width="{WIDTH}" height="{number(y)}"/>{inside}</svg>'
    )


# --- above the map: the dice, whose turn it is, the stock ----------------------------------------------------


def _head(sight: Sight) -> str:
    fold, words = sight.fold, sight.words
    parts, x = [], 10
    if fold.colour and not fold.over:
        parts.append(_token("die-colour", pieces.symbol(f"die-{fold.colour.lower()}", 8, 10, 35, 35)))
        parts.append(_token("die-number", pieces.symbol(f"die-{fold.number}", 45, 10, 35, 35)))
        x = 87
    parts.append(pieces.text("in b", x, 24, words.news(fold, sight.viewer, sight.phase, sight.active), 16))
    parts.append(pieces.text("i2", x, 44, words.below(fold, sight.lang), 14))
    return "".join(parts) + ("" if fold.over else _stock(sight))


def _token(name: str, drawn: str) -> str:
    return f'<g data-token="{name}">{drawn}</g>'


def _stock(sight: Sight) -> str:
    """The pile of tiles with their number, and the round."""
    left = len(sight.fold.stock)
    edges = "".join(
        pieces.box("pa ol", 318 + 3 * i, 9 - 3 * i + 3, 27, 27, 3, ' stroke-width="1.5"') for i in (2, 1, 0)
    )
    pile = _token("stock", edges if left else pieces.box("fr ln", 318, 9, 27, 27, 3, ' stroke-width="1.5"'))
    return (
        pile
        + pieces.text("in b m", 331.5, 31, str(left), 15)
        + pieces.text("i2 m", 333, 52, sight.words.round.format(sight.fold.round), 12)
    )
