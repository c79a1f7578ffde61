"""The map in its window: tiles, empty cells, breeders, and rulers for the columns and rows.

The map is drawn 100 units a tile inside one group, which `pan.js` moves and enlarges behind the window.
"""

from dataclasses import dataclass

from pbem.games.niigata import board_pieces as pieces
from pbem.games.niigata import words
from pbem.games.niigata.board_tags import Tag, tags
from pbem.games.niigata.board_view import View
from pbem.games.niigata.facts_cells import reading
from pbem.games.niigata.notation import cell_in
from pbem.games.niigata.rules_ponds import in_order, worth
from pbem.kit.drawing.svg import attribute, box, dashes, linked, moved, number, seal, text

WIDTH = 360
SIDE, TOP = 24, 17
"""The width of the rulers, at the left and at the top."""
GAP = 4
LARGEST, TALLEST, LEAST = 76, 372, 208
SMALL = 44
"""Cells smaller than this are worth enlarging."""
LETTERS = 11.5
"""The size of the letters of rulers and cell names."""
SMALLEST = 8.8
"""Cell names smaller than this are left out: the form and the rulers show them."""


@dataclass(frozen=True)
class Window:
    """The visible part of the map: its cells in columns and rows, and its initial scale."""

    columns: range
    rows: range
    y: float

    @property
    def cell(self) -> float:
        """The size of a cell."""
        wide = (WIDTH - SIDE - 2 * GAP) / len(self.columns)
        return min(LARGEST, wide, (TALLEST - TOP - 2 * GAP) / len(self.rows))

    @property
    def height(self) -> float:
        """The height of the window, with its ruler."""
        return max(LEAST, round(self.cell * len(self.rows)) + TOP + 2 * GAP)

    @property
    def scale(self) -> float:
        """The factor from the units of the map to those of the board."""
        return self.cell / 100

    @property
    def origin(self) -> tuple[float, float]:
        """The corner of the start tile, so that the map is centred."""
        x = SIDE + (WIDTH - SIDE - self.cell * len(self.columns)) / 2
        y = self.y + TOP + (self.height - TOP - self.cell * len(self.rows)) / 2
        return x - self.cell * self.columns.start, y - self.cell * self.rows.start

    @property
    def enlarged(self) -> float:
        """The factor by which signs and marks are enlarged, so that they can be read when cells are small."""
        return min(1.45, max(1, 44 / self.cell))


def window(view: View, y: float) -> Window:
    """Returns the window for all cells that have a tile or, while the match lasts, may get one."""
    fold = view.fold
    cells = [reading(cell) for cell in (*fold.laid, *(() if fold.over else fold.frontier))]
    rows, columns = [y for y, _ in cells], [x for _, x in cells]
    return Window(range(min(columns), max(columns) + 1), range(min(rows), max(rows) + 1), y)


def chart(view: View, seen: Window) -> str:
    """Draws the window and its contents."""
    x, y = seen.origin
    high = number(seen.height)
    inside = "".join((*_cells(view, seen), *_signs(view, seen)))
    window_ = f'x="{SIDE}" y="{number(seen.y + TOP)}" width="{WIDTH - SIDE}" height="{number(seen.height - TOP)}"'
    buttons = attribute("|".join(text_[view.lang] for text_ in words.ZOOM))
    at = f"{100 * seen.columns.start} {100 * seen.rows.start} {100 * len(seen.columns)} {100 * len(seen.rows)}"
    return (
        f'<clipPath id="window"><rect {window_}/></clipPath>'
        f'<rect class="sk" y="{number(seen.y)}" width="{WIDTH}" height="{high}"/>'
        f'<rect fill="url(#bokashi)" y="{number(seen.y)}" width="{WIDTH}" height="120"/>'
        f'<g clip-path="url(#window)" data-pan="{at}" data-words="{buttons}">'
        f"{moved(inside, x, y, f'{seen.scale:.4g}')}</g>{_rulers(view, seen)}{_larger(view, seen)}"
    )


def _rulers(view: View, seen: Window) -> str:
    """Draws the distance of each column and row from the start tile, along the edges of the window."""
    left, top = seen.origin
    east, south = [text_[view.lang] for text_ in words.EAST], [text_[view.lang] for text_ in words.SOUTH]
    strips = (
        f'<path class="pa" d="M0,{number(seen.y)} h{WIDTH} v{TOP} h-{WIDTH - SIDE} '
        f'v{number(seen.height - TOP)} h-{SIDE} z"/>'
    )
    across = "".join(f'<text x="{number(left + seen.cell * (x + 0.5))}">{_far(x, *east)}</text>' for x in seen.columns)
    along = "".join(f'<text y="{number(top + seen.cell * (y + 0.5) + 4)}">{_far(y, *south)}</text>' for y in seen.rows)
    # The numbers of a ruler share one coordinate, which their group sets.
    return (
        f'{strips}<g class="i2 m" font-size="{LETTERS}" data-ruler="x" '
        f'transform="translate(0,{number(seen.y + 13)})">{across}</g>'
        f'<g class="i2 m" font-size="{LETTERS}" data-ruler="y" transform="translate({SIDE / 2:g},0)">{along}</g>'
    )


def _larger(view: View, seen: Window) -> str:
    """Draws a link to a larger drawing of this board, for readers without scripts; only if cells are small."""
    if not view.scene.links or seen.cell > SMALL:
        return ""
    x, y = WIDTH - 104, seen.y + seen.height + 5
    drawn = box("ib", x, y, 94, 36, 6) + box("pa", x + 2, y + 2, 90, 28, 4)
    drawn += text("ib b m", x + 47, y + 21, words.LARGER[view.lang], 14)
    return f'<a href="#map" data-larger="" aria-label="{attribute(words.ZOOM[0][view.lang])}">{drawn}</a>'


def _far(steps: int, before: str, after: str) -> str:
    return f"{abs(steps)}{after if steps > 0 else before}" if steps else "0"


def _corner(cell: str) -> tuple[int, int]:
    y, x = reading(cell)
    return 100 * x, 100 * y


# --- cells and tiles ---------------------------------------------------------------------------------------


def _cells(view: View, seen: Window) -> list[str]:
    """Draws the cells in reading order, marked ones last: their marks overlap their neighbours."""
    fold, chosen = view.fold, view.choice("at")
    parts = []
    for cell in in_order(fold.frontier):
        link = view.link(f"at-{cell}")
        if link is not None and cell != chosen:
            name = cell_in(cell, view.lang)
            parts.append(pieces.empty_cell(*_corner(cell), link, name, _letters(name, seen)))
    for cell in sorted(in_order(fold.laid), key=lambda cell: (cell == chosen, cell in view.spots)):
        parts.append(_tile(view, cell, seen) if cell != chosen else _chosen_tile(view, cell, seen))
    if chosen is not None and chosen in fold.frontier:
        parts.append(_tile_to_rotate(view, chosen, seen))
    return parts


def _letters(name: str, seen: Window) -> float:
    """Returns the size of a cell's name, in units of the map; 0 if it could not be read."""
    wide = sum(0.58 if letter.isdigit() else 0.8 for letter in name)
    size = min(LETTERS / seen.scale, 30, 76 / wide)
    return size if size * seen.scale >= SMALLEST else 0


def _tile(view: View, cell: str, seen: Window) -> str:
    laid = view.fold.laid[cell]
    x, y = _corner(cell)
    drawn = pieces.tile(laid.tile, laid.rotation, x, y)
    if cell not in view.spots:
        return drawn
    edge = box("gs", x + 4, y + 4, 92, 92, 4, ' stroke-width="8"')
    return drawn + edge + view.spot_of(cell, x - 8, y - 8, 36 * seen.enlarged)


def _chosen_tile(view: View, cell: str, seen: Window) -> str:
    """Draws the tile of the chosen move; touching it rotates it further."""
    laid = view.fold.laid[cell]
    x, y = _corner(cell)
    drawn = box("se", x - 7, y - 7, 114, 122, 8) + pieces.tile(laid.tile, laid.rotation, x, y)
    turns = view.turns
    following = [turn for turn in turns if turn > laid.rotation] or [*turns]
    link = turns[following[0]] if len(turns) > 1 else None
    size = 40 * seen.enlarged
    return linked(drawn, link) + seal(x + 104 - 0.72 * size, y - 0.4 * size, size)


def _tile_to_rotate(view: View, cell: str, seen: Window) -> str:
    """Draws the tile in the chosen cell while its rotation is chosen; touching it lays it as it is shown."""
    x, y = _corner(cell)
    tile, turns = view.choice("lay"), view.turns
    drawn = pieces.tile(tile, min(turns, default=0), x, y, known=False) if tile else ""
    dashed = box("sl", x, y, 100, 100, 6, dashes(9, "16 9"))
    return linked(drawn + dashed, turns[min(turns)] if turns else None)


# --- ponds -------------------------------------------------------------------------------------------------


def _signs(view: View, seen: Window) -> list[str]:
    """Draws the breeders of the closed ponds, and the signs of the free ones."""
    return [_sign(view, tag, seen.enlarged) for tag in tags(view.fold, seen.enlarged)]


def _sign(view: View, tag: Tag, scale: float) -> str:
    value = worth(tag.pond.animals).points
    if tag.pond.owner is None:
        return pieces.free_pond(tag.x, tag.y, value, scale, view.link(f"claim-{tag.name}"))
    drawn = pieces.breeder(tag.pond.owner, tag.name, tag.x, tag.y, value, scale)
    if view.choice("claim") == tag.name:
        return drawn + seal(tag.x + 2 * scale, tag.y - 44 * scale, 40 * scale)
    return drawn + view.spot_of(tag.name, tag.x - 46 * scale, tag.y + 2 * scale, 34 * scale)
