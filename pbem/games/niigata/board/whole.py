"""The drawn board of Niigata in any shape: everybody's goods, the map, and the tiles of this round.

Nothing on it is secret: every viewer sees the same and differs only in what they can touch.
"""

from pbem.games.niigata import words
from pbem.games.niigata.board import pieces
from pbem.games.niigata.board.chart import draw_map_window
from pbem.games.niigata.board.tray import (
    draw_pad_of_rotations,
    draw_pad_panel,
    draw_tray,
    number_of_pad_rows,
    tray_height,
)
from pbem.games.niigata.board.view import View
from pbem.games.niigata.board.window import height_of_map_in_largest_cells
from pbem.games.niigata.facts_state import State
from pbem.games.niigata.rules_ponds import points_of_seat
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.board import hourglass, panel
from pbem.kit.drawing.grid import Box, Heights, grid, pad_alone
from pbem.kit.drawing.svg import box, dashes, drawing, seat_mark, symbol, text, token
from pbem.kit.texts import Lang
from pbem.kit.words import WON, YOU, seen_from

_PORTRAIT = 612
"""How high the regions of portrait are together: what a small phone shows. The map has what the others leave."""
_LEAST = 270
_STRIP = 148


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it."""
    view = View(fold, viewer, lang, scene)
    if scene.shape == "pad":
        alone = pad_alone(number_of_pad_rows(view))
        return (
            drawing(draw_pad_of_rotations(view, alone), alone.frame, words.PAD[lang], ' class="pad"')
            if alone.height
            else ""
        )
    sizes, tiles = view.sizes, tray_height(view, 366)
    rows = -(-fold.seats // 3)  # of three seats
    above = rows * sizes.mark * 2.55 + (rows - 1) * sizes.gap * 1.5
    chart_height = min(height_of_map_in_largest_cells(view), max(_LEAST, _PORTRAIT - above - tiles))
    places = grid(scene.shape, Heights(seats=above, table=chart_height, mine=tiles, landscape=_STRIP, low=tiles))
    shown = seen_from(viewer, fold.seats)
    others = places.seats
    parts = [draw_map_window(view, places.table)]
    if places.you is not None and viewer is not None:
        parts.append(draw_seat_panel(view, viewer, places.you))
        shown = shown[1:]
    elif places.you is not None:  # a spectator has no seat: the others have the whole column
        others = Box(others.x, others.y, others.width, places.you.bottom - others.y)
    parts.append(draw_seats(view, others, shown))
    if places.mine:
        # Where there is no pad beside the board, it takes the place of the tiles.
        turning = scene.shape == "portrait" and view.link_by_rotation
        parts.append((draw_pad_panel if turning else draw_tray)(view, places.mine))
    called = board.label(view, words.SEEN_BY, words.SEEN_BY_ALL)
    return board.finished(view, parts, places, called)


# --- the seats -----------------------------------------------------------------------------------------------


def draw_seats(view: View, at: Box, shown: list[int]) -> str:
    """Draws a panel for each of these seats."""
    sizes = view.sizes
    gaps = sizes.gap * 1.5 * (len(shown) - 1)
    if at.tall:  # few seats do not fill a column
        at = Box(at.x, at.y, at.width, min(at.height, len(shown) * sizes.mark * 5 + gaps))
    places = at.rows(1, 0) if len(shown) == 1 else at.places(len(shown), sizes.gap * 1.5, sizes.mark * 5)
    return "".join(draw_seat_panel(view, seat, place) for seat, place in zip(shown, places, strict=True))


def draw_seat_panel(view: View, seat: int, at: Box) -> str:
    """Draws a seat: name and points; below them the breeders it has left, and the tiles it holds."""
    sizes, fold = view.sizes, view.fold
    side, own = sizes.inset / 2, seat == view.viewer
    x, end = at.x + side, at.right - side
    tall = at.height > sizes.mark * 4  # room for a line of its own between name and tiles
    top = at.y + sizes.inset / 3
    line = top + sizes.mark * 0.74
    points = str(points_of_seat(fold, seat))
    drawn = panel(at, asked=view.is_asked(seat) or (fold.over is not None and seat in fold.winners))
    drawn += seat_mark(seat, x, top, sizes.mark) + text("in b e", end, line, points, sizes.name * 1.1)
    stop = end - sizes.name * 0.68 * len(points) - sizes.gap
    if view.is_asked(seat):
        size = sizes.mark * 0.75
        stop -= size
        drawn += hourglass(stop, top + sizes.mark * 0.12, size)
        stop -= sizes.gap / 2
    first = x + sizes.mark * 1.2
    if own:
        drawn += text("in b", first, line, YOU[view.lang], sizes.name)
    else:
        drawn += view.name("in b", seat, first, line, stop - first)
    low = Box(x, top + sizes.mark + sizes.gap * 0.8, end - x, at.bottom - top - sizes.mark - sizes.gap * 2)
    if tall:
        said = _victory_stop_or_waste_in_words(view, seat)
        drawn += text("i2", x, low.y + sizes.text, said, sizes.text) if said else ""
        gone = sizes.text * 1.35
        low = Box(low.x, low.y + gone, low.width, low.height - gone)
    return drawn + _draw_breeders_and_tiles(view, seat, low, said=not tall)


def _draw_breeders_and_tiles(view: View, seat: int, at: Box, *, said: bool) -> str:
    """Draws the breeders left, and at the right the tiles of another seat; between them what there is to say."""
    sizes, fold = view.sizes, view.fold
    high = min(at.height, sizes.mark * 1.9)
    y = at.bottom - high
    held = fold.hands[seat] if seat != view.viewer and not fold.over else ()
    drawn, end = "", at.right
    for tile in reversed(held):
        end -= high
        drawn += pieces.draw_tile(tile, 0, end, y, high / 100)
        if tile in view.story_by_cell_tile_or_pond:  # a number would hide so small a tile
            drawn += box("gl", end + 1, y + 1, high - 2, high - 2, 2, dashes(sizes.frame * 0.8, "5 3"))
        end -= sizes.gap
    words_ = (_victory_stop_or_waste_in_words(view, seat) if said else "") or (
        "" if fold.breeders[seat] else words.NONE_LEFT[view.lang]
    )
    room = end - at.x
    wide = len(words_) * sizes.text * 0.56
    hat = min(high, sizes.mark * 1.2) * 40 / 48
    if words_ and room - wide < (hat * 1.2 if fold.breeders[seat] else 0):
        words_, wide = "", 0
    count = fold.breeders[seat]
    pitch = min(hat * 1.1, (room - wide - hat) / (count - 1)) if count > 1 else 0
    for n in range(count):
        drawn += token(
            symbol("breeder", at.x + n * pitch, at.bottom - hat * 1.2, hat, hat * 1.2, f"c{seat + 1}"),
            f"breeder-{seat}-{n}",
        )
    if words_:
        x, classes = (end, "i2 e") if count else (at.x, "i2")
        drawn += text(classes, x, at.bottom - sizes.text * 0.3, words_, sizes.text)
    return drawn


def _victory_stop_or_waste_in_words(view: View, seat: int) -> str:
    fold, lang = view.fold, view.lang
    if fold.over:
        return WON[lang] if seat in fold.winners else ""
    if fold.phase == "pick" and fold.passed[seat] and not view.scene.over:
        return words.STOPPED[lang]
    return words.WASTED[lang].format(fold.wasted[seat]) if fold.wasted[seat] else ""
