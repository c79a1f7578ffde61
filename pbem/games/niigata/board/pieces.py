"""The pieces of a drawn map: tiles with their animals, breeders, the signs of free ponds, empty cells."""

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from pbem.games.niigata.facts_state import State
from pbem.games.niigata.facts_tiles import (
    FACES,
    PRINTED,
    piece_order_key,
    reading_order_key,
    symbol_of_tile_with_animals,
    symbol_of_tile_without_animals,
)
from pbem.games.niigata.rules_ponds import Pond
from pbem.kit.contract import Link
from pbem.kit.drawing.svg import box, linked, moved, number, symbol, text, token
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


def draw_tile(name: str, rotation: int, x: float, y: float, scale: float = 1, *, known: bool = True) -> str:
    """Draws a tile as it lies, with its animals upright.

    `known` is False for a rotation that is only offered: then the drawing does not count as the piece.
    """
    turn = f' transform="rotate({90 * rotation} 50 50)"' if rotation else ""
    size = f" scale({number(scale)})" if scale != 1 else ""
    piece = f' data-piece="{name}"' if known else ""
    return (
        f'<g{piece} transform="translate({number(x)},{number(y)}){size}">'
        f"{symbol(symbol_of_tile_without_animals(name), 0, 0, 100, 100, more=turn)}{_draw_animals(name, rotation)}"
        '<rect class="n sh" width="100" height="100" stroke-width=".8" opacity=".45"/></g>'
    )


def draw_thumbnail(name: str) -> str:
    """Returns the symbol that stands beside a tile's name in texts: the tile with its animals, drawn larger.

    `parts.svg` holds these symbols; a test compares them.
    """
    ground = symbol(symbol_of_tile_without_animals(name), 0, 0, 100, 100)
    animals = _draw_animals(name, 0, 1.35)
    return f'<symbol id="{symbol_of_tile_with_animals(name)}" viewBox="0 0 100 100">{ground}{animals}</symbol>'


def _draw_animals(name: str, rotation: int, larger: float = 1) -> str:
    edges, pieces = PRINTED[name]
    most = max(map(len, pieces))
    length = larger * (28 if len(pieces) > 2 or most > 3 else 32 if most > 2 else 36)
    drawn, tilt = [], 0
    for at, animals in enumerate(pieces):
        for animal, (x, y) in zip(animals, places_of_animals(edges, at, len(animals), rotation), strict=False):
            if animal == "E":
                wide, high = 25 * larger, 38 * larger
                drawn.append(symbol("wader", x - wide / 2, y - high / 2, wide, high))
                continue
            height = length * 0.6
            turn = f' transform="rotate({_TILTS[tilt % 5]} {number(x)} {number(y)})"'
            drawn.append(symbol(f"carp-{animal.lower()}", x - length / 2, y - height / 2, length, height, more=turn))
            tilt += 1
    return "".join(drawn)


def places_of_animals(edges: str, piece: int, animals: int, rotation: int) -> list[Point]:
    """Returns the places of a piece's animals on a rotated tile; for an empty piece, its middle.

    >>> places_of_animals("aabb", 0, 0, 1)
    [(66, 66)]
    """
    middle, several = SPOTS[edges][piece]
    spots = several[:animals] if animals > 1 else (middle,)
    for _ in range(rotation):
        spots = tuple((100 - y, x) for x, y in spots)
    return [*spots]


# --- ponds and cells ---------------------------------------------------------------------------------------

TAG = (70, 58)
"""The size of a breeder with its value, in the units of a tile, when not enlarged."""


def draw_breeder(seat: int, pond: str, x: float, y: float, value: int, scale: float) -> str:
    """Draws a seat's breeder around this point, with the worth of its pond."""
    body = symbol("breeder", -30, -32, 48, 58, f"c{seat + 1}") + text("om b m", -6, 21, seat_letter(seat), 25)
    disc = '<circle class="pa ol" cx="22" cy="9" r="16" stroke-width="2.5"/>'
    worth = text("in b m", 22, 17.5, str(value), 25)
    return moved(body + disc + worth, x, y, f"{scale:.4g}", f' data-token="breeder-{seat}-{pond}"')


def draw_free_pond_sign(x: float, y: float, value: int, scale: float, link: Link | None) -> str:
    """Draws the sign on a free closed pond; raised if it can be pressed."""
    drawn = box("pa", -23, -18, 46, 34, 5) + text("in b m", 0, 8, f"+{value}", 25)
    if link is None:
        drawn += box("ln", -23, -18, 46, 34, 5, ' stroke-width="2"')
    else:  # what can be touched is larger than the sign, so that signs beside each other can be read
        reach = '<rect class="n" x="-29" y="-31" width="58" height="62" pointer-events="all"/>'
        drawn = reach + box("ib", -28, -23, 56, 46, 8) + drawn
    return linked(moved(drawn, x, y, f"{scale:.4g}"), link)


def draw_pond_worth(
    seat: int | None, pond: str, x: float, y: float, value: int, letters: float, link: Link | None
) -> str:
    """Draws a pond's worth where there is no room for a breeder: on its seat's mark, or on a plate."""
    size = letters * 1.55
    low = y + letters * 0.34
    if seat is None:
        plate = (x - size * 0.62, y - size / 2, size * 1.24, size, size / 8)
        drawn = box("pa", *plate) + box("ln", *plate, f' stroke-width="{number(letters / 9)}"')
        return linked(drawn + text("in b m", x, low, f"+{value}", letters), link)
    mark = symbol(f"seat-{seat + 1}", x - size / 2, y - size / 2, size, size, f"c{seat + 1}")
    return token(mark + text("om b m", x, low, str(value), letters), f"breeder-{seat}-{pond}")


def draw_empty_cell(x: float, y: float, link: Link) -> str:
    """Draws an empty cell that can take a tile."""
    square = f'<path class="n" d="M{number(x)},{number(y)}h100v100h-100z" pointer-events="all"/>'
    square += box("fr il", x + 8, y + 8, 84, 84, 8, ' stroke-width="3"')
    plus = f'<path class="il" d="M{number(x + 50)},{number(y + 33)}v34m-17-17h34" stroke-width="6"/>'
    return linked(square + plus, link)


# --- where the signs of ponds are ----------------------------------------------------------------------------

_ASIDE = (
    (0, 0), (-17, 0), (17, 0), (0, -17), (0, 17), (-13, -13), (13, -13), (-13, 13), (13, 13),
    (-30, 0), (30, 0), (0, -30), (0, 30),
)  # fmt: skip
_OVER_ANIMAL = 260.0
"""The cost of covering an animal, as the area of other signs that would be hidden instead."""


class Tag(NamedTuple):
    """A closed pond and the point around which its sign is drawn."""

    name: str
    pond: Pond
    x: float
    y: float


def tags_of_closed_ponds(fold: State, wide: float, high: float) -> list[Tag]:
    """Returns a tag for each closed pond, from north to south; free ones come last, so they are on top.

    The signs are so wide and high, in units of the map.
    """
    closed = [(name, pond) for name, pond in fold.ponds.items() if not pond.open]
    # Ponds with little room choose first.
    closed.sort(key=lambda item: (len(item[1].pieces), piece_order_key(item[0])))
    placed: dict[str, Tag] = {}
    # The cheapest first: what lies over no other sign is the best of those that follow.
    options = {name: sorted(_candidate_points_for_tag(fold, pond, wide / TAG[0])) for name, pond in closed}
    # The second time, each knows the places of all others.
    for name, pond in (*closed, *closed):
        placed.pop(name, None)
        others, best = [*placed.values()], (inf, 0.0, 0.0)
        for animals, aside, x, y in options[name]:
            if aside + _OVER_ANIMAL * animals > best[0]:
                break
            best = min(best, (_area_of_tags_hidden(others, x, y, wide, high) + aside + _OVER_ANIMAL * animals, y, x))
        placed[name] = Tag(name, pond, best[2], best[1])
    return sorted(placed.values(), key=lambda tag: (tag.pond.owner is None, tag.y, tag.x))


def _area_of_tags_hidden(placed: list[Tag], x: float, y: float, wide: float, high: float) -> float:
    """Returns how much of other tags one at this point would hide."""
    area = 0.0
    for tag in placed:  # not by `sum`, which rounds otherwise from Python 3.12 on: a board would have other bytes there
        across, along = wide - abs(tag.x - x), high - abs(tag.y - y)
        if across > 0 and along > 0:
            area += across * along
    return area


def _candidate_points_for_tag(fold: State, pond: Pond, scale: float) -> Iterator[tuple[int, float, float, float]]:
    """Yields candidate points for a pond's tag: the animals there, the distance from the piece's middle, x, y."""
    for piece in pond.pieces:
        cell, _, side = piece.partition(".")
        laid = fold.laid[cell]
        at = FACES[laid.tile][laid.rotation].sides["NESW".index(side)]
        edges, animals = PRINTED[laid.tile]
        x, y = places_of_animals(edges, at, 0, laid.rotation)[0]
        row, column = reading_order_key(cell)
        for dx, dy in _ASIDE:
            yield len(animals[at]), abs(dx) + abs(dy), 100 * column + x + dx * scale, 100 * row + y + dy * scale
