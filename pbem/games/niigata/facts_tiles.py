"""The tiles of the pond game: our own set of 79 and the start tile, and what each shows in each rotation.

The rulebook lists no tiles. A tile is its four sides N, E, S, W (`.` border, else the letter of the pond piece
that reaches that side as open water) and the animals on each piece in the order of the letters: R, W, Y for
red, white and yellow carp, E for a heron. Rotated by r quarter turns clockwise, side s shows side (s - r) % 4.
"""

from functools import cache
from typing import Literal, NamedTuple

from pbem.kit.texts import Lang

# --- cells ---------------------------------------------------------------------------------------------------

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


def cell_in_language(cell: str, lang: Lang) -> str:
    """Returns the cell in this language: west is O in French.

    >>> cell_in_language("3W1S", "fr"), cell_in_language("0", "en")
    ('3O1S', '0')
    """
    return cell.replace("W", "O") if lang == "fr" else cell


@cache
def reading_order_key(cell: str) -> tuple[int, int]:
    """Returns the cell's y and x, a key for reading order.

    >>> reading_order_key("3W1S"), reading_order_key("2N"), reading_order_key("0")
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
def neighbours_of_cell(cell: str) -> Around:
    """Returns the four neighbours in the order N, E, S, W.

    >>> neighbours_of_cell("1W")
    ('1W1N', '0', '1W1S', '2W')
    """
    y, x = reading_order_key(cell)
    n, e, s, w = (cell_name(x + dx, y + dy) for dx, dy in _STEPS)
    return n, e, s, w


@cache
def piece_names_by_first_side(cell: str) -> Around:
    """Returns the names of the pieces whose first side is N, E, S, W.

    >>> piece_names_by_first_side("2N")[1]
    '2N.E'
    """
    return f"{cell}.N", f"{cell}.E", f"{cell}.S", f"{cell}.W"


def piece_order_key(piece: str) -> tuple[tuple[int, int], int]:
    """Returns a key for the piece's place in reading order."""
    cell, _, side = piece.partition(".")
    return reading_order_key(cell), SIDES.index(side)


# fmt: off
Tile = Literal[
    "N01", "N02", "N03", "N04", "N05", "N06", "N07", "N08", "N09", "N10", "N11", "N12",
    "N13", "N14", "N15", "N16", "N17", "N18", "N19", "N20", "N21", "N22", "N23", "N24",
    "N25", "N26", "N27", "N28", "N29", "N30", "N31", "N32", "N33", "N34", "N35", "N36",
    "N37", "N38", "N39", "N40", "N41", "N42", "N43", "N44", "N45", "N46", "N47", "N48",
    "N49", "N50", "N51", "N52", "N53", "N54", "N55", "N56", "N57", "N58", "N59", "N60",
    "N61", "N62", "N63", "N64", "N65", "N66", "N67", "N68", "N69", "N70", "N71", "N72",
    "N73", "N74", "N75", "N76", "N77", "N78", "N79",
]
# fmt: on

Printed = tuple[str, tuple[str, ...]]

START: Literal["I"] = "I"
# fmt: off
TILES: dict[Tile, Printed] = {
    "N01": ("a...", ("E",)), "N02": ("a...", ("WY",)), "N03": ("a...", ("YY",)),
    "N04": ("a...", ("WWY",)), "N05": ("a...", ("WYY",)), "N06": ("a...", ("YYY",)),
    "N07": ("a...", ("RWYY",)), "N08": ("a...", ("RWWYY",)), "N09": ("aa..", ("E",)),
    "N10": ("aa..", ("W",)), "N11": ("aa..", ("Y",)), "N12": ("aa..", ("Y",)),
    "N13": ("aa..", ("RR",)), "N14": ("aa..", ("WW",)), "N15": ("aa..", ("WY",)),
    "N16": ("aa..", ("YY",)), "N17": ("aa..", ("RYY",)), "N18": ("aa..", ("WYY",)),
    "N19": ("aa..", ("YYE",)), "N20": ("aa..", ("YYY",)), "N21": ("aa..", ("RRWY",)),
    "N22": ("aa..", ("WYYY",)), "N23": ("a.a.", ("W",)), "N24": ("a.a.", ("RW",)),
    "N25": ("a.a.", ("WE",)), "N26": ("a.a.", ("YY",)), "N27": ("a.a.", ("RWWY",)),
    "N28": ("a.a.", ("YYYY",)), "N29": ("aaa.", ("E",)), "N30": ("aaa.", ("Y",)),
    "N31": ("aaa.", ("WW",)), "N32": ("aaa.", ("WY",)), "N33": ("aaa.", ("RWY",)),
    "N34": ("aaa.", ("WWY",)), "N35": ("aaaa", ("WYY",)), "N36": ("aaaa", ("RWYYY",)),
    "N37": ("aabb", ("E", "")), "N38": ("aabb", ("E", "")), "N39": ("aabb", ("R", "")),
    "N40": ("aabb", ("Y", "")), "N41": ("aabb", ("R", "Y")), "N42": ("aabb", ("W", "Y")),
    "N43": ("aabb", ("Y", "E")), "N44": ("aabb", ("Y", "Y")), "N45": ("aabb", ("RW", "W")),
    "N46": ("aabb", ("WW", "Y")), "N47": ("aabb", ("WY", "E")), "N48": ("aabb", ("YY", "Y")),
    "N49": ("aabb", ("WW", "YY")), "N50": ("aabb", ("YY", "YE")), "N51": ("aaab", ("Y", "Y")),
    "N52": ("aaab", ("Y", "Y")), "N53": ("aaab", ("WY", "Y")), "N54": ("aaab", ("RW", "YY")),
    "N55": ("aaab", ("WYY", "YY")), "N56": ("ab..", ("W", "")), "N57": ("ab..", ("R", "E")),
    "N58": ("ab..", ("R", "W")), "N59": ("ab..", ("WY", "YY")), "N60": ("a.b.", ("E", "")),
    "N61": ("a.b.", ("Y", "")), "N62": ("a.b.", ("W", "W")), "N63": ("a.b.", ("RR", "Y")),
    "N64": ("aab.", ("R", "")), "N65": ("aab.", ("W", "Y")), "N66": ("aab.", ("Y", "Y")),
    "N67": ("aab.", ("RY", "Y")), "N68": ("aab.", ("WY", "Y")), "N69": ("aab.", ("YY", "Y")),
    "N70": ("aab.", ("WY", "YE")), "N71": ("aab.", ("RYY", "YY")), "N72": ("abc.", ("Y", "E", "")),
    "N73": ("abc.", ("WW", "Y", "Y")), "N74": ("abc.", ("RR", "WW", "Y")), "N75": ("aabc", ("R", "Y", "")),
    "N76": ("aabc", ("W", "Y", "")), "N77": ("aabc", ("W", "W", "E")), "N78": ("abcd", ("R", "W", "Y", "")),
    "N79": ("abcd", ("WY", "Y", "Y", "E")),
}
# fmt: on
NAMES: tuple[Tile, ...] = tuple(TILES)

Animals = tuple[int, ...]
"""How many red, white and yellow carp, and how many herons: four numbers."""


class Piece(NamedTuple):
    """A pond piece of a tile that lies in some rotation."""

    first: int
    """Its first side in the order N, E, S, W."""
    mouths: int
    animals: Animals


class Face(NamedTuple):
    """A tile as it lies: which piece each side shows, -1 for border."""

    sides: tuple[int, int, int, int]
    pieces: tuple[Piece, ...]


def count_animals(animals: str) -> Animals:
    """Returns how many of each animal a piece has.

    >>> count_animals("RWWE")
    (1, 2, 0, 1)
    """
    return (animals.count("R"), animals.count("W"), animals.count("Y"), animals.count("E"))


def _face_after_rotation(printed: Printed, rotation: int) -> Face:
    """Returns the sides and the pieces of a printed tile after this rotation."""
    edges, animals = printed
    letters = sorted(set(edges) - {"."})
    turned = [edges[(side - rotation) % 4] for side in range(4)]
    pieces = tuple(
        Piece(turned.index(letter), turned.count(letter), count_animals(animals[i])) for i, letter in enumerate(letters)
    )
    n, e, s, w = (letters.index(edge) if edge != "." else -1 for edge in turned)
    return Face((n, e, s, w), pieces)


PRINTED: dict[str, Printed] = {START: ("aabb", ("", "")), **dict[str, Printed](TILES.items())}


def symbol_of_tile_without_animals(tile: str) -> str:
    """Returns the name of the symbol that shows a tile without its animals.

    >>> symbol_of_tile_without_animals("N20")
    'tile-aa--'
    """
    return "tile-" + PRINTED[tile][0].replace(".", "-")


def symbol_of_tile_with_animals(tile: str) -> str:
    """Returns the name of the symbol that shows a tile with its animals.

    >>> symbol_of_tile_with_animals("N20")
    'thumb-N20'
    """
    return f"thumb-{tile}"


QUARTERS = range(4)
"""The quarter turns by which a tile may be rotated."""
FACES: dict[str, tuple[Face, ...]] = {
    name: tuple(_face_after_rotation(printed, rotation) for rotation in QUARTERS) for name, printed in PRINTED.items()
}


def _look_of_rotation(face: Face) -> tuple[Piece | None, ...]:
    """Returns the look of a rotation: the piece at each side, whatever its letter."""
    return tuple(None if at < 0 else face.pieces[at] for at in face.sides)


SAME: dict[str, tuple[int, ...]] = {
    name: tuple(next(r for r in QUARTERS if _look_of_rotation(faces[r]) == _look_of_rotation(face)) for face in faces)
    for name, faces in FACES.items()
}
"""For each rotation the first one that looks the same."""

ROTATIONS: dict[str, tuple[int, ...]] = {name: tuple(sorted(set(same))) for name, same in SAME.items()}
"""The rotations of a tile that look different."""

Colour = Literal["R", "W", "Y"]
COLOURS: tuple[Colour, ...] = ("R", "W", "Y")
COLOUR_DIE: tuple[Colour, ...] = ("Y", "Y", "Y", "W", "W", "R")
NUMBER_DIE = (2, 3, 3, 4, 4, 5)


def animals_on_tile(tile: str) -> Animals:
    """Returns all animals of a tile."""
    return count_animals("".join(PRINTED[tile][1]))


def _matches_dice(tile: str, colour: Colour, number: int) -> bool:
    animals = animals_on_tile(tile)
    if animals == (0, 0, 0, 1):
        return True  # 4.2, R13
    return animals[COLOURS.index(colour)] > 0 and sum(animals) <= number


TAKEABLE: dict[tuple[str, int], frozenset[Tile]] = {
    (colour, number): frozenset(tile for tile in NAMES if _matches_dice(tile, colour, number))
    for colour in COLOURS
    for number in range(2, 6)
}
"""The tiles that may be taken for each throw of the dice."""

REMOVED = {2: 11, 3: 10, 4: 7, 5: 4, 6: 1}
BREEDERS = {2: 4, 3: 4, 4: 4, 5: 3, 6: 3}
