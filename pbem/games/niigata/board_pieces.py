"""The pieces of a drawn map: tiles with their animals, breeders, the signs of free ponds, empty cells."""

from pbem.games.niigata.facts_tiles import PRINTED
from pbem.games.niigata.meta import symbol_of
from pbem.kit.contract import Link
from pbem.kit.drawing.svg import box, linked, moved, number, symbol, text
from pbem.kit.notation import seat_letter

Point = tuple[float, float]

# For each piece of an unrotated tile: the place of a single animal, then the places of several.
SPOTS: dict[str, tuple[tuple[Point, tuple[Point, ...]], ...]] = {
    "a...": (((50, 54), ((33, 38), (66, 36), (34, 70), (66, 70), (50, 53))),),
    "aa..": (((55, 45), ((32, 28), (34, 62), (74, 64), (66, 36))),),
    "a.a.": (((50, 50), ((36, 24), (62, 42), (38, 60), (62, 78))),),
    "aaa.": (((58, 50), ((50, 22), (74, 50), (50, 78))),),
    "aaaa": (((50, 50), ((50, 20), (20, 50), (80, 50), (50, 80), (50, 50))),),
    "aabb": (((66, 34), ((44, 17), (80, 48))), ((34, 66), ((20, 50), (52, 83)))),
    "aaab": (((66, 50), ((58, 22), (74, 50), (58, 78))), ((14, 50), ((14, 38), (16, 62)))),
    "ab..": (((32, 36), ((52, 16), (24, 34))), ((64, 68), ((84, 46), (66, 76)))),
    "a.b.": (((50, 22), ((28, 20), (72, 20))), ((50, 78), ((28, 80), (72, 80)))),
    "aab.": (((62, 34), ((30, 30), (82, 56), (60, 30))), ((44, 86), ((28, 82), (64, 86)))),
    "abc.": (((36, 20), ((58, 14), (26, 26))), ((80, 50), ((82, 36), (82, 62))), ((36, 80), ((26, 74), (58, 86)))),
    "aabc": (((66, 34), ((44, 17), (80, 48))), ((50, 82), ((36, 82), (64, 82))), ((18, 50), ((18, 40), (18, 60)))),
    "abcd": (
        ((50, 18), ((38, 12), (60, 24))),
        ((82, 50), ((80, 38), (84, 62))),
        ((50, 82), ((38, 78), (62, 86))),
        ((18, 50), ((18, 40), (18, 60))),
    ),
}
_TILTS = (-18, 24, -40, 32, 12)


def tile(name: str, rotation: int, x: float, y: float, scale: float = 1, *, known: bool = True) -> str:
    """Draws a tile as it lies, with its animals upright.

    `known` is False for a rotation that is only offered: then the drawing does not count as the piece.
    """
    turn = f' transform="rotate({90 * rotation} 50 50)"' if rotation else ""
    size = f" scale({number(scale)})" if scale != 1 else ""
    piece = f' data-piece="{name}"' if known else ""
    return (
        f'<g{piece} transform="translate({number(x)},{number(y)}){size}">'
        f"{symbol(symbol_of(name), 0, 0, 100, 100, more=turn)}{_animals(name, rotation)}"
        '<rect class="n sh" width="100" height="100" stroke-width=".8" opacity=".45"/></g>'
    )


def _animals(name: str, rotation: int) -> str:
    edges, pieces = PRINTED[name]
    most = max(map(len, pieces))
    length = 28 if len(pieces) > 2 or most > 3 else 32 if most > 2 else 36
    drawn, tilt = [], 0
    for at, animals in enumerate(pieces):
        for animal, (x, y) in zip(animals, piece_spots(edges, at, len(animals), rotation), strict=False):
            if animal == "E":
                drawn.append(symbol("wader", x - 12.5, y - 19, 25, 38))
                continue
            height = length * 0.6
            turn = f' transform="rotate({_TILTS[tilt % 5]} {number(x)} {number(y)})"'
            drawn.append(symbol(f"carp-{animal.lower()}", x - length / 2, y - height / 2, length, height, more=turn))
            tilt += 1
    return "".join(drawn)


def piece_spots(edges: str, piece: int, animals: int, rotation: int) -> list[Point]:
    """Returns the places of a piece's animals on a rotated tile; for an empty piece, its middle.

    >>> piece_spots("aabb", 0, 0, 1)
    [(66, 66)]
    """
    middle, several = SPOTS[edges][piece]
    spots = several[:animals] if animals > 1 else (middle,)
    return [_rotate(spot, rotation) for spot in spots]


def _rotate(spot: Point, rotation: int) -> Point:
    x, y = spot
    for _ in range(rotation):
        x, y = 100 - y, x
    return x, y


TAG = (62, 58)
"""The size of a breeder with its value, in the units of a tile, when not enlarged."""


def breeder(seat: int, pond: str, x: float, y: float, value: int, scale: float) -> str:
    """Draws a seat's breeder around this point, with the worth of its pond."""
    body = symbol("breeder", -30, -32, 48, 58, f"c{seat + 1}") + text("om b m", -6, 21, seat_letter(seat), 26)
    disc = '<circle class="pa ol" cx="17" cy="9" r="16" stroke-width="2.5"/>'
    worth = text("in b m", 17, 17.5, str(value), 25 if value < 10 else 21)
    return moved(body + disc + worth, x, y, f"{scale:.4g}", f' data-token="breeder-{seat}-{pond}"')


def free_pond(x: float, y: float, value: int, scale: float, link: Link | None) -> str:
    """Draws the sign on a free closed pond; raised if it can be pressed."""
    plate = box("pa", -24, -24, 48, 46, 6)
    edge = box("ln", -24, -24, 48, 46, 6, ' stroke-width="2"') if link is None else ""
    foot = "" if link is None else box("ib", -29, -29, 58, 62, 10)
    drawn = foot + plate + edge + text("in b m", 0, 10, f"+{value}", 32 if value < 10 else 26)
    return linked(moved(drawn, x, y, f"{scale:.4g}"), link)


def empty_cell(x: float, y: float, link: Link, name: str, size: float) -> str:
    """Draws an empty cell that can take a tile, with its name if there is room for letters of this size."""
    high = 30 if size else 50
    square = f'<path class="n" d="M{number(x)},{number(y)} h100 v100 h-100 z" pointer-events="all"/>'
    square += box("fr il", x + 9, y + 9, 82, 82, 8, ' stroke-width="2.5"')
    plus = (
        f'<path class="il" d="M{number(x + 50)},{number(y + high - 14)} v28 M{number(x + 36)},{number(y + high)} h28" '
        'stroke-width="5" stroke-linecap="round"/>'
    )
    return linked(square + plus + (text("ib b m", x + 50, y + 82, name, size) if size else ""), link)
