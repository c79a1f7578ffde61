"""Places the breeders and the signs of free ponds so that each of them can be read."""

from collections.abc import Iterator
from typing import NamedTuple

from pbem.games.niigata.board_pieces import TAG, piece_spots
from pbem.games.niigata.facts import Pond, State
from pbem.games.niigata.facts_cells import piece_order, reading
from pbem.games.niigata.facts_tiles import FACES, PRINTED

_ASIDE = ((0, 0), (-17, 0), (17, 0), (0, -17), (0, 17), (-13, -13), (13, -13), (-13, 13), (13, 13))
_OVER_ANIMAL = 260.0
"""The cost of covering an animal, as the area of other tags that would be hidden instead."""


class Tag(NamedTuple):
    """A closed pond and the point around which its sign is drawn."""

    name: str
    pond: Pond
    x: float
    y: float


def tags(fold: State, scale: float) -> list[Tag]:
    """Returns a tag for each closed pond, from north to south; free ones come last, so they are on top."""
    closed = [(name, pond) for name, pond in fold.ponds.items() if not pond.open]
    # Ponds with little room choose first.
    closed.sort(key=lambda item: (len(item[1].pieces), piece_order(item[0])))
    wide, high = TAG[0] * scale, TAG[1] * scale
    placed: dict[str, Tag] = {}
    options = {name: list(_points(fold, pond, scale)) for name, pond in closed}
    # The second time, each knows the places of all others.
    for name, pond in (*closed, *closed):
        placed.pop(name, None)
        others = [*placed.values()]
        _, y, x = min(
            (_hidden(others, x, y, wide, high) + aside + _OVER_ANIMAL * animals, y, x)
            for animals, aside, x, y in options[name]
        )
        placed[name] = Tag(name, pond, x, y)
    return sorted(placed.values(), key=lambda tag: (tag.pond.owner is None, tag.y, tag.x))


def _hidden(placed: list[Tag], x: float, y: float, wide: float, high: float) -> float:
    """Returns how much of other tags one at this point would hide."""
    area = 0.0
    for tag in placed:
        across, along = wide - abs(tag.x - x), high - abs(tag.y - y)
        if across > 0 and along > 0:
            area += across * along
    return area


def _points(fold: State, pond: Pond, scale: float) -> Iterator[tuple[int, float, float, float]]:
    """Yields candidate points for a pond's tag: the animals there, the distance from the piece's middle, x, y."""
    for piece in pond.pieces:
        cell, _, side = piece.partition(".")
        laid = fold.laid[cell]
        at = FACES[laid.tile][laid.rotation].sides["NESW".index(side)]
        edges, animals = PRINTED[laid.tile]
        x, y = piece_spots(edges, at, 0, laid.rotation)[0]
        row, column = reading(cell)
        for dx, dy in _ASIDE:
            yield len(animals[at]), abs(dx) + abs(dy), 100 * column + x + dx * scale, 100 * row + y + dy * scale
