"""What laying a tile brings, cell by cell: the ponds it closes, and what it makes of those that stay open.

What a tile does goes by the ponds around the cell alone, not by where they are. So each case is worked out once, and
then looked up: a bot asks for hundreds of them at every decision.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache
from math import fsum
from typing import NamedTuple

from pbem.games.niigata.facts import BORDER, NOTHING, Facing, Pond, Ponds, State
from pbem.games.niigata.facts_tiles import FACES, ROTATIONS, SAME, Animals, Face, Tile
from pbem.games.niigata.rules_ponds import join, worth

Seen = str | tuple[Animals, int]
"""What a side of an empty cell shows: NOTHING, BORDER, or the animals and mouths of a pond."""


class Corner(NamedTuple):
    """An empty cell and what surrounds it; `turn` is how often it was turned so that equal ones look alike."""

    cell: str
    turn: int
    sides: tuple[Seen, ...]
    same: tuple[int, ...]
    """For each side the first one that shows the same; it tells one pond on two sides from two ponds."""


class Outlook(NamedTuple):
    """What a tile in this rotation brings: the points of the best ponds it closes, 0 if none, and growth."""

    best: int
    second: int
    growth: float
    rotation: int


_ALONE = (0, 1, 1, 1)


def corners(fold: State, cells: Collection[str]) -> Iterator[Corner]:
    """Yields these empty cells with what surrounds them."""
    seen: dict[str, Seen] = {name: (pond.animals, pond.open) for name, pond in fold.ponds.items() if pond.open}
    seen[NOTHING], seen[BORDER] = NOTHING, BORDER
    frontier = fold.frontier
    for cell in cells:
        facing = frontier[cell]
        if facing.count(NOTHING) == 3:
            north, east, south, west = facing
            only = north or east or south or west
            yield Corner(cell, facing.index(only), (seen[only], NOTHING, NOTHING, NOTHING), _ALONE)
        else:
            yield Corner(cell, 0, tuple(map(seen.__getitem__, facing)), tuple(map(facing.index, facing)))


def turned(tile: Tile, corner: Corner, outlook: Outlook) -> int:
    """Returns the rotation of the tile in this cell."""
    return SAME[tile][(outlook.rotation + corner.turn) % 4]


@lru_cache(maxsize=1 << 15)
def outlooks(tile: Tile, sides: tuple[Seen, ...], same: tuple[int, ...]) -> tuple[Outlook, ...]:
    """Returns what the tile brings between such sides: a rotation is left out if another brings no less of anything."""
    ponds: Ponds = {}
    facing = []
    for side, first in zip(sides, same, strict=True):
        if isinstance(side, str):
            facing.append(side)
        else:
            name = f"pond {first}"
            ponds[name] = Pond((name,), *side)
            facing.append(name)
    found: list[Outlook] = []
    for rotation in ROTATIONS[tile]:
        one = _outlook(ponds, tuple(facing), FACES[tile][rotation], rotation)
        if not any(_no_less(other, one) for other in found):
            found = [*(other for other in found if not _no_less(one, other)), one]
    return tuple(found)


def _no_less(one: Outlook, other: Outlook) -> bool:
    return one.growth >= other.growth and one.best >= other.best and one.second >= other.second


def _outlook(ponds: Ponds, facing: Facing, face: Face, rotation: int) -> Outlook:
    touched, names = join(ponds, facing, "0", face)
    closed = sorted((worth(pond.animals).points for pond in touched.values() if not pond.open), reverse=True)
    after = [promise(pond) for pond in touched.values() if pond.open]
    before = [-promise(ponds[name]) for name in {*touched, *names} & ponds.keys()]
    best, second = (*closed, 0, 0)[:2]
    return Outlook(best, second, fsum([*after, *before]), rotation)


def promise(pond: Pond) -> float:
    """Returns what an open pond may bring: the fewer its mouths, the surer."""
    points, mouths = worth(pond.animals).points, pond.open
    return 0.3 * points / mouths if mouths < 4 else 0.05 * points
