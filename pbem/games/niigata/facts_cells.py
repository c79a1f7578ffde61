"""Cells and pond pieces by name: how far from the start tile, east or west, then north or south.

"0" is the start tile's cell, "2N" two to the north, "3W1S" three to the west and one to the south. x grows east,
y south. A piece is its cell and the first side that shows it: "3W1S.N".
"""

from functools import cache

SIDES = "NESW"
_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))

Around = tuple[str, str, str, str]


def cell_name(x: int, y: int) -> str:
    """Returns the name of a cell.

    >>> cell_name(0, 0), cell_name(0, -2), cell_name(-3, 1)
    ('0', '2N', '3W1S')
    """
    east = f"{abs(x)}{'E' if x > 0 else 'W'}" if x else ""
    south = f"{abs(y)}{'S' if y > 0 else 'N'}" if y else ""
    return east + south or "0"


@cache
def reading(cell: str) -> tuple[int, int]:
    """Returns the cell's y and x, a key for reading order.

    >>> reading("3W1S"), reading("2N"), reading("0")
    ((1, -3), (-2, 0), (0, 0))
    """
    x = y = 0
    digits = ""
    for letter in cell:
        if letter.isdigit():
            digits += letter
        else:
            far = int(digits)
            digits = ""
            x += {"E": far, "W": -far}.get(letter, 0)
            y += {"S": far, "N": -far}.get(letter, 0)
    return y, x


@cache
def around(cell: str) -> Around:
    """Returns the four neighbours in the order N, E, S, W.

    >>> around("1W")
    ('1W1N', '0', '1W1S', '2W')
    """
    y, x = reading(cell)
    n, e, s, w = (cell_name(x + dx, y + dy) for dx, dy in _STEPS)
    return n, e, s, w


@cache
def pieces_of(cell: str) -> Around:
    """Returns the names of the pieces whose first side is N, E, S, W.

    >>> pieces_of("2N")[1]
    '2N.E'
    """
    return f"{cell}.N", f"{cell}.E", f"{cell}.S", f"{cell}.W"


def piece_order(piece: str) -> tuple[tuple[int, int], int]:
    """Returns a key for the piece's place in reading order."""
    cell, _, side = piece.partition(".")
    return reading(cell), SIDES.index(side)
