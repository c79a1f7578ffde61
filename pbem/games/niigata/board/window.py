"""How much of the map a board shows: all of it while its cells are large enough, else the part with most to touch.

Cells are counted from the start tile, east and south. A map that is shown in part has an overview in a corner where
nothing can be touched; a map that is shown whole in small cells has a button there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import ceil
from typing import NamedTuple

from pbem.games.niigata.board.pieces import TAG, tags_of_closed_ponds
from pbem.games.niigata.board.view import View
from pbem.games.niigata.facts_tiles import reading_order_key
from pbem.kit.drawing.grid import Box, Sizes

THUMB = 48
"""How large at least is what can be touched on a phone."""
GAP = 4
EDGE = 5
"""Between the overview and the edges of the window."""
_LARGEST = 5.6
"""The largest cell, in letters."""
_ABOVE = 1.3
"""The ruler above the map, in letters."""
_MARGIN = 0.05
"""What is seen around the cells in a window, in cells: less than an empty cell is away from its neighbours."""
_ENLARGED = 1.45
_SIGN, _LETTERS = 0.58, 0.25
"""The sign of a free pond and the letters of a breeder, not enlarged, in cells."""

_AROUND = 0.45
"""From the middle of the sign of a pond to what must be free around it."""

Rect = tuple[float, float, float, float]
"""Left, top, right and bottom, in cells."""


@dataclass(frozen=True)
class Window:
    """The part of the drawing in which the map is seen, and how the map lies behind it."""

    at: Box
    """Where the map is; the rulers are left of it and above it."""
    cell: float
    left: float
    top: float
    """What lies in the upper left corner, in cells."""
    columns: range
    rows: range
    sizes: Sizes
    whole: bool
    corner: Box | None
    """Where the overview is, or the button that enlarges; None if the map is not worth enlarging."""

    @property
    def scale(self) -> float:
        """The factor from the units of the map, 100 a cell, to those of the board."""
        return self.cell / 100

    @property
    def corner_of_start_tile(self) -> tuple[float, float]:
        """The corner of the start tile."""
        return self.at.x - self.cell * self.left, self.at.y - self.cell * self.top

    def in_map_units(self, size: float) -> float:
        """Returns this size of the board in units of the map."""
        return size * 100 / self.cell

    @property
    def is_too_small_for_breeders(self) -> bool:
        """True if cells are so small that a breeder could not be read: its seat's mark stands for it."""
        return self.cell * _LETTERS * _ENLARGED < self.sizes.text

    @cached_property
    def enlargement_of_signs(self) -> float:
        """The factor by which breeders and free ponds are enlarged, so that they can be read and touched."""
        least = max(self.sizes.text / _LETTERS, self.sizes.touch / _SIGN, THUMB / _SIGN)
        return min(_ENLARGED, max(1, least / self.cell))


def map_window(view: View, at: Box) -> Window:
    """Returns what the board shows of the map in this box."""
    sizes = view.sizes
    side, above = sizes.text * 2, sizes.text * _ABOVE
    seen = Box(at.x + side, at.y + above, at.width - side, at.height - above)
    cells = [reading_order_key(cell) for cell in view.cells_with_tile_or_open]
    rows, columns = [y for y, _ in cells], [x for _, x in cells]
    wide, high = range(min(columns), max(columns) + 1), range(min(rows), max(rows) + 1)
    cell = _cell_size_for_whole_map(seen, wide, high, sizes)
    least = sizes.touch * 1.1
    if cell >= least:
        return _window_on_whole_map(seen, cell, wide, high, sizes, None)
    targets = [*_rectangles_of_choices(view)]
    asked = view.scene.extent or (
        "part" if targets or (view.viewer is not None and cell < sizes.text * 1.9) else "whole"
    )
    if asked == "whole":
        return _window_with_button(view, seen, wide, high)
    return _window_on_targets(view, seen, wide, high, targets)


def height_of_map_in_largest_cells(view: View) -> float:
    """Returns how high the map's box is when the largest cells fill it."""
    rows = [reading_order_key(cell)[0] for cell in view.cells_with_tile_or_open]
    return (max(rows) - min(rows) + 1) * _LARGEST * view.sizes.text + _ABOVE * view.sizes.text + 2 * GAP


def _cell_size_for_whole_map(seen: Box, columns: range, rows: range, sizes: Sizes) -> float:
    """Returns the size of a cell with which the whole map fits."""
    return min(_LARGEST * sizes.text, (seen.width - 2 * GAP) / len(columns), (seen.height - 2 * GAP) / len(rows))


def _window_on_whole_map(
    seen: Box, cell: float, columns: range, rows: range, sizes: Sizes, corner: Box | None
) -> Window:
    """Returns the window with the whole map in its middle."""
    left = columns.start - (seen.width / cell - len(columns)) / 2
    top = rows.start - (seen.height / cell - len(rows)) / 2
    return Window(seen, cell, left, top, columns, rows, sizes, True, corner)


def _window_with_button(view: View, seen: Box, columns: range, rows: range) -> Window:
    """Returns the window with the whole map, and a place for the button where no cell is."""
    sizes = view.sizes
    size = sizes.touch * 0.95
    cell = _cell_size_for_whole_map(seen, columns, rows, sizes)
    found = _window_on_whole_map(seen, cell, columns, rows, sizes, None)
    for corner in _boxes_in_corners(seen, size, size):
        x0, y0 = (corner.x - found.corner_of_start_tile[0]) / cell, (corner.y - found.corner_of_start_tile[1]) / cell
        x1, y1 = x0 + size / cell, y0 + (size + sizes.foot) / cell
        if not any(
            x0 < x + 1 and x < x1 and y0 < y + 1 and y < y1
            for y, x in map(reading_order_key, view.cells_with_tile_or_open)
        ):
            return _window_on_whole_map(seen, cell, columns, rows, sizes, corner)
    # A column beside the map, which is then a little smaller.
    beside = Box(seen.x, seen.y, seen.width - size - 2 * EDGE, seen.height)
    cell = _cell_size_for_whole_map(beside, columns, rows, sizes)
    found = _window_on_whole_map(beside, cell, columns, rows, sizes, None)
    corner = Box(seen.right - size - EDGE, seen.y + EDGE, size, size)
    return Window(seen, cell, found.left, found.top, columns, rows, sizes, True, corner)


def _boxes_in_corners(seen: Box, width: float, height: float) -> list[Box]:
    """Returns the four places of a box in the corners of the window, those above first."""
    xs, ys = (seen.right - width - EDGE, seen.x + EDGE), (seen.y + EDGE, seen.bottom - height - EDGE - 4)
    return [Box(x, y, width, height) for y, x in product(ys, xs)]


# --- the part with most to touch ---------------------------------------------------------------------------


def _rectangles_of_choices(view: View) -> Iterator[Rect]:
    """Yields what the viewer chooses from: the cells that may get a tile, or the signs of the free ponds."""
    if not view.is_choosing:
        return
    if view.phase == "place":
        for y, x in sorted(map(reading_order_key, view.open_cells)):
            yield (x, y, x + 1, y + 1)
    elif view.phase == "claim":
        chosen = view.choice("claim")
        for tag in tags_of_closed_ponds(view.fold, *TAG):
            if tag.pond.owner is None or tag.name == chosen:
                east, south = tag.x / 100, tag.y / 100
                yield (east - _AROUND, south - _AROUND, east + _AROUND, south + _AROUND)


def _window_on_targets(view: View, room: Box, columns: range, rows: range, targets: Sequence[Rect]) -> Window:
    """Returns the window on most targets, with an overview that lies on none of them."""
    cell = _cell_size_that_fills(room, view.sizes.touch * 1.35)
    seen = _box_without_cut_cells(room, cell, columns, rows)
    unit = min(0.3 * seen.width / len(columns), 0.3 * seen.height / len(rows))
    inset = Box(0, 0, max(view.sizes.touch, unit * len(columns)) + 6, max(view.sizes.touch, unit * len(rows)) + 6)
    size = (seen.width / cell, seen.height / cell)
    taken = ((inset.width + 2 * EDGE) / cell, (inset.height + 2 * EDGE + 4) / cell)
    laid = [
        (x, y, x + 1, y + 1)
        for y, x in sorted(map(reading_order_key, view.fold.laid.keys() - {view.cell_chosen_for_tile}))
    ]
    whole = (columns, rows)
    names = {
        name.partition(".")[0] for name in view.story_by_cell_tile_or_pond if name in view.fold.laid or "." in name
    }
    newest = [(x, y, x + 1, y + 1) for y, x in map(reading_order_key, names)]
    left, top, corner = _best_origin_and_inset_corner(targets or newest or laid, laid, whole, size, taken, None)
    if view.cell_chosen_for_tile is not None:
        row, column = reading_order_key(view.cell_chosen_for_tile)
        if not (left <= column <= left + size[0] - 1 and top <= row <= top + size[1] - 1):
            left, top, corner = _best_origin_and_inset_corner(
                targets, laid, whole, size, taken, (column, row, column + 1, row + 1)
            )
    place = _boxes_in_corners(seen, inset.width, inset.height)[corner]
    return Window(seen, cell, left, top, columns, rows, view.sizes, False, place)


def _cell_size_that_fills(room: Box, least: float) -> float:
    """Returns the size of a cell, hardly larger than the least, with which most cells fit in full."""

    def fit(length: float, cell: float) -> int:
        return int(length / cell - 2 * _MARGIN + 1e-6)

    sizes = [length / (fit(length, least) + 2 * _MARGIN) for length in (room.width, room.height)]
    return max(sizes, key=lambda cell: fit(room.width, cell) * fit(room.height, cell))


def _box_without_cut_cells(room: Box, cell: float, columns: range, rows: range) -> Box:
    """Returns the box in the middle of the room whose edges cut no cell: where not all fit, it is of whole cells."""

    def length(room: float, cells: range) -> float:
        if (len(cells) + 2 * _MARGIN) * cell <= room:
            return room
        return (int(room / cell - 2 * _MARGIN + 1e-6) + 2 * _MARGIN) * cell

    wide, high = length(room.width, columns), length(room.height, rows)
    return Box(room.x + (room.width - wide) / 2, room.y + (room.height - high) / 2, wide, high)


def _best_origin_and_inset_corner(
    targets: Sequence[Rect],
    laid: Sequence[Rect],
    whole: tuple[range, range],
    size: tuple[float, float],
    inset: tuple[float, float],
    must: Rect | None,
) -> tuple[float, float, int]:
    """Returns the window's left and top, and the number of the inset's corner, with the most targets in sight.

    No target that is in the window, even in part, lies under the inset. Of equal windows, one with more tiles wins,
    then one that is nearer to the middle of all tiles. Sets of targets are bits of a number: there are many windows.
    """
    one = list(targets) if must is None or must in targets else [*targets, must]
    across = _windows_along_axis(one, laid, 0, whole[0], size[0], inset[0])
    along = _windows_along_axis(one, laid, 1, whole[1], size[1], inset[1])
    needed = 0 if must is None else 1 << one.index(must)
    middle = [(min(rect[n] for rect in laid) + max(rect[n + 2] for rect in laid)) / 2 for n in (0, 1)]
    best: tuple[float, ...] = (-1, 0, 0)
    found = (0.0, 0.0, 0)
    for (x, targets_x, tiles_x), (y, targets_y, tiles_y) in product(across, along):
        full = targets_x.full & targets_y.full
        count = full.bit_count()
        if count < best[0] or full & needed != needed:
            continue
        free = [n for n, under in enumerate(_bits_under_corner_insets(targets_x, targets_y)) if not under]
        if not free:
            continue
        hidden = [under.bit_count() for under in _bits_under_corner_insets(tiles_x, tiles_y)]
        corner = min(free, key=lambda n: hidden[n])
        far = abs(x + size[0] / 2 - middle[0]) + abs(y + size[1] / 2 - middle[1])
        score = (count, (tiles_x.full & tiles_y.full).bit_count() - hidden[corner], -far)
        if score > best:
            best, found = score, (x, y, corner)
    return found


class _Bits(NamedTuple):
    """Which cells lie, along one axis, inside the window, and under an inset at its beginning or at its end."""

    full: int
    low: int
    high: int


def _bits_under_corner_insets(x: _Bits, y: _Bits) -> tuple[int, int, int, int]:
    """Returns what lies under an inset in each corner, in the order of `_boxes_in_corners`."""
    return x.high & y.low, x.low & y.low, x.high & y.high, x.low & y.high


def _cell_bits_along_axis(cells: Sequence[Rect], n: int, start: float, end: float, inset: float) -> _Bits:
    full = low = high = 0
    for bit, rect in enumerate(cells):
        full |= (start <= rect[n] and rect[n + 2] <= end) << bit
        low |= (rect[n] < start + inset and rect[n + 2] > start) << bit
        high |= (rect[n + 2] > end - inset and rect[n] < end) << bit
    return _Bits(full, low, high)


def _windows_along_axis(
    targets: Sequence[Rect], laid: Sequence[Rect], n: int, cells: range, size: float, inset: float
) -> list[tuple[float, _Bits, _Bits]]:
    """Returns along one axis where the window could begin, and for each what becomes of targets and of tiles.

    A window that has room for all cells shows them all, in its middle or beside an inset. Any other begins and ends
    between two cells, maybe so far out that all targets are beside the inset.
    """
    spare = size - len(cells)
    if spare >= 0:
        starts = {cells.start - spare / 2, cells.start - min(spare, inset), cells.start - max(0, spare - inset)}
    else:
        out = ceil(inset)
        starts = {at - _MARGIN for at in range(cells.start - out, cells.stop + out - int(size) + 1)}
    return [
        (
            start,
            _cell_bits_along_axis(targets, n, start, start + size, inset),
            _cell_bits_along_axis(laid, n, start, start + size, inset),
        )
        for start in sorted({round(start, 3) for start in starts})
    ]
