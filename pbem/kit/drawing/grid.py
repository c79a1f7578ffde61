"""The regions of a drawn board, the same for every game in every shape.

* seats: everybody but the viewer, clockwise, or everybody for a spectator;
* table: what all see, such as a palace, a trick, a map;
* mine: what only the viewer sees; in landscape `you`, their own seat, lies beside it;
* pad: what can be touched besides the pieces;
* below: what one looks up now and then, such as points by round, under all else in portrait; in the other shapes it
  is the game's to show it on the table or to leave it out.

A game states the heights of its regions once, and fills each region with a function of its box and of the sizes of
the signs in it. Such a function learns nothing else about the shape: it asks its box whether it is taller than wide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pbem.kit.contract import Shape


@dataclass(frozen=True)
class Box:
    """A part of the drawing."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of the right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of the lower edge."""
        return self.y + self.height

    @property
    def tall(self) -> bool:
        """True if the box is taller than wide."""
        return self.height > self.width

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """The box as the frame of a drawing."""
        return (self.x, self.y, self.width, self.height)

    def inside(self, margin: float) -> "Box":
        """Returns the box without a margin on every side."""
        return Box(self.x + margin, self.y + margin, self.width - 2 * margin, self.height - 2 * margin)

    def around(self, edge: float, foot: float | None = None) -> tuple[float, float, float, float]:
        """Returns a frame around the box; `foot`: how far it reaches below, if that is farther than the edge."""
        below = edge if foot is None else foot
        return (self.x - edge, self.y - edge, self.width + 2 * edge, self.height + edge + below)

    def in_frame(self, edge: float, foot: float) -> "Box":
        """Returns the box that such a frame of these edges surrounds."""
        return Box(self.x + edge, self.y + edge, self.width - 2 * edge, self.height - edge - foot)

    def rows(self, count: int, gap: float) -> list["Box"]:
        """Returns this many boxes of one height, one below the other."""
        high = (self.height - gap * (count - 1)) / count
        return [Box(self.x, self.y + at * (high + gap), self.width, high) for at in range(count)]

    def columns(self, count: int, gap: float) -> list["Box"]:
        """Returns this many boxes of one width, side by side."""
        wide = (self.width - gap * (count - 1)) / count
        return [Box(self.x + at * (wide + gap), self.y, wide, self.height) for at in range(count)]

    def places(self, count: int, gap: float, least: float) -> list["Box"]:
        """Returns a box for each of this many seats: rows in a tall box, else columns, in two rows if they are narrow.

        >>> [(box.x, box.y) for box in Box(0, 0, 310, 210).places(3, 10, 120)]
        [(0.0, 0.0), (160.0, 0.0), (0.0, 110.0)]
        """
        if self.tall:
            return self.rows(count, gap)
        if (self.width - gap * (count - 1)) / count >= least:
            return self.columns(count, gap)
        above, below = self.rows(2, gap)
        first = (count + 1) // 2
        return [*above.columns(first, gap), *below.columns(count - first, gap)]


@dataclass(frozen=True)
class Sizes:
    """How large the signs of a shape are, in units of its drawing. Nothing is written smaller than `text`."""

    text: float
    name: float
    """Names and headings, which are bold."""
    mark: float
    spot: float
    seal: float
    inset: float
    """From the edge of a panel to what is in it; a seat's panel has half as much."""
    frame: float
    """The edge of what can be touched; its foot is deeper, see `foot`."""
    gap: float
    """Between cards."""
    touch: float
    """The height of a row of a pad."""
    between: float
    """Between two rows of a pad, or two of its columns."""

    @cached_property
    def foot(self) -> float:
        """How far the frame of what can be touched reaches below it."""
        return self.frame * 8 / 3

    def letters(self, room: float, size: float = 0) -> int:
        """Returns how many ordinary letters fit into this width, of this size or else of a name's."""
        return max(1, int(room / ((size or self.name) * 0.6)))

    def rows(self, count: float, high: float = 0) -> float:
        """Returns the height of a pad with this many rows, each `high` or else `touch`."""
        return count * ((high or self.touch) + self.between) - self.between if count else 0


# A replay draws 390 units on the 348 pixels that its page leaves on a phone: 13.5 units are 12 pixels there.
_SMALL = Sizes(text=13.5, name=15, mark=22, spot=20, seal=22, inset=10, frame=3, gap=4, touch=44, between=6)
_LARGE = Sizes(text=20, name=22, mark=34, spot=32, seal=34, inset=24, frame=4, gap=8, touch=52, between=6)
SIZES: dict[Shape, Sizes] = {"portrait": _SMALL, "low": _SMALL, "landscape": _LARGE, "pad": _LARGE}


@dataclass(frozen=True)
class Heights:
    """What a game chooses: how high its regions are in portrait, and how high `mine` is in the other shapes.

    A spectator has no `mine`: its heights are 0, and the other regions take the room.
    """

    seats: float
    table: float
    mine: float
    landscape: float
    low: float
    line: float = 0
    """How high the seats are in low where they are one line above the table; 0: they are a column beside it."""
    below: float = 0
    """How high the region below the others is, in portrait alone: what a wide board shows beside `mine`."""
    row: float = 0
    """How high a row of the pad is in portrait; 0: as in `Sizes`."""


_LOW = (552, 390)


@dataclass(frozen=True)
class Grid:
    """The regions of one drawing; those that it does not have are None."""

    width: float
    height: float
    seats: Box
    table: Box
    mine: Box | None = None
    you: Box | None = None
    pad: Box | None = None
    below: Box | None = None

    @property
    def frame(self) -> tuple[float, float, float, float]:
        """The whole drawing, as `svg.drawing` takes it."""
        return (0, 0, self.width, self.height)


@lru_cache(256)
def grid(shape: Shape, heights: Heights, rows: float = 0) -> Grid:
    """Returns the regions of a board in this shape, with a pad of this many rows in portrait."""
    match shape:
        case "landscape":
            return _grid_side_by_side(shape, (1120, 800), 256, (16, 16), heights.landscape)
        case "low":
            return (
                _grid_below_seat_line(heights)
                if heights.line
                else _grid_side_by_side(shape, _LOW, 150, (10, 8), heights.low)
            )
    # Portrait, 390 units wide: one region below the other.
    margin, gap, wide = 12, 9, 390
    regions: list[Box | None] = []
    y: float = margin
    touched = SIZES[shape].rows(rows, heights.row)
    for high in (heights.seats, heights.table, heights.mine, touched, heights.below):
        regions.append(Box(margin, y, wide - 2 * margin, high) if high else None)
        y += high + gap if high else 0
    seats, table, mine, pad, below = regions
    assert seats is not None, "every game has seats"
    assert table is not None, "every game has a table"
    return Grid(wide, y - gap + margin, seats, table, mine, None, pad, below)


def pad_alone(rows: float) -> Box:
    """Returns the box of a pad that is a drawing of its own, with this many rows."""
    return Box(0, 0, 340, SIZES["pad"].rows(rows))


def _grid_side_by_side(
    shape: Shape, size: tuple[float, float], column: float, margins: tuple[float, float], mine: float
) -> Grid:
    """The seats left of the table and, below it, of what is the viewer's own."""
    (width, height), (margin, gap) = size, margins
    right, inner = margin + column + gap, height - 2 * margin
    top = inner - gap - mine if mine else inner
    below = margin + top + gap
    wide = width - margin - right
    # Where there is little height, the viewer's own seat has no row: its mark is in `mine`.
    own_row = bool(mine) and shape == "landscape"
    return Grid(
        width,
        height,
        seats=Box(margin, margin, column, top if own_row else inner),
        table=Box(right, margin, wide, top),
        mine=Box(right, below, wide, mine) if mine else None,
        you=Box(margin, below, column, mine) if own_row else None,
    )


def _grid_below_seat_line(heights: Heights) -> Grid:
    """Low: the seats in one line, below it the table and what is the viewer's own, as wide as the drawing."""
    (width, height), margin, gap = _LOW, 8, 8
    wide, top = width - 2 * margin, margin + heights.line + gap
    below = height - margin - heights.low
    return Grid(
        width,
        height,
        seats=Box(margin, margin, wide, heights.line),
        table=Box(margin, top, wide, below - top - (gap if heights.low else 0)),
        mine=Box(margin, below, wide, heights.low) if heights.low else None,
    )


def fitted(count: int, room: float, gap: float, most: float) -> float:
    """Returns the width of each of this many cards in a row, at most `most`.

    >>> fitted(4, 100, 4, 40), fitted(2, 100, 4, 40)
    (22.0, 40)
    """
    return min(most, (room - gap * (count - 1)) / count)


def spread(count: int, room: float, width: float, most: float) -> Sequence[float]:
    """Returns where cards of this width begin when they lie in the middle of a row, at most `most` apart.

    >>> spread(2, 100, 40, 10), spread(2, 100, 48, 10)
    ([5.0, 55.0], [0.0, 52.0])
    """
    gap = min(most, (room - count * width) / (count - 1)) if count > 1 else 0
    first = (room - count * width - gap * (count - 1)) / 2
    return [first + at * (width + gap) for at in range(count)]
