"""Ponds: how a tile joins and closes them, and their worth."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from pbem.games.niigata import facts_tiles
from pbem.kit.secrecy import put

if TYPE_CHECKING:
    from pbem.games.niigata.facts_state import State


class Laid(msgspec.Struct, frozen=True, gc=False):
    """A tile of the map; "I" is the start tile."""

    tile: facts_tiles.Tile | Literal["I"]
    rotation: int


class Pond(msgspec.Struct, frozen=True, gc=False):
    """Connected pieces, the one that gives the pond its name first."""

    pieces: tuple[str, ...]
    animals: facts_tiles.Animals
    open: int
    """The number of its sides that face an empty cell; with none it is closed for ever."""
    owner: int | None = None


NOTHING = ""
"""On a side of an empty cell: no tile lies there."""
BORDER = "-"
"""On a side of an empty cell: the tile there shows border."""

Facing = tuple[str, ...]
"""What the four neighbours of an empty cell show on its sides: NOTHING, BORDER or the name of a pond."""
Frontier = dict[str, Facing]
Ponds = dict[str, Pond]

START_LAID: dict[str, Laid] = {"0": Laid(facts_tiles.START, 0)}

POINTS = (3, 2, 1)
_BARE: Facing = (NOTHING, NOTHING, NOTHING, NOTHING)


# --- worth -------------------------------------------------------------------------------------------------


class Worth(NamedTuple):
    """The worth of a pond, and the carp counted for it; no colour if none are left."""

    points: int
    colour: facts_tiles.Colour | None
    carps: int


@lru_cache(maxsize=4096)
def worth_of_pond(animals: facts_tiles.Animals) -> Worth:
    """Returns the worth of a pond with these animals (rules 6.2 and 6.3).

    >>> worth_of_pond((2, 2, 0, 1)), worth_of_pond((1, 2, 5, 3)).points
    (Worth(points=4, colour='W', carps=2), 0)
    """
    carps = list(animals[:3])
    for _ in range(min(3, animals[3])):
        carps[carps.index(max(carps))] = 0  # of equal colours the most valuable comes first (6.2, R14)
    most = max(carps)
    if not most:
        return Worth(0, None, 0)
    at = carps.index(most)
    return Worth(POINTS[at] * most, facts_tiles.COLOURS[at], most)


def points_of_seat(state: State, seat: int) -> int:
    """Returns the seat's points so far: its ponds less its waste pile."""
    return sum(worth_of_pond(p.animals).points for p in state.ponds.values() if p.owner == seat) - state.wasted[seat]


def scores(state: State) -> tuple[int, ...]:
    """Returns the points of each seat so far."""
    return tuple([points_of_seat(state, seat) for seat in range(state.seats)])


def count_scoring_carps_by_colour(state: State, seat: int) -> tuple[int, ...]:
    """Returns how many red, white and yellow carp count in the seat's ponds (R15)."""
    carps = dict.fromkeys(facts_tiles.COLOURS, 0)
    for pond in state.ponds.values():
        if pond.owner == seat:
            _, colour, number = worth_of_pond(pond.animals)
            if colour:
                carps[colour] += number
    return tuple(carps.values())


def points_and_leaders(state: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns everybody's points, and who leads: by points, then by counted red, white, yellow carp (6.5)."""
    points = scores(state)
    ranks = [(points[seat], *count_scoring_carps_by_colour(state, seat)) for seat in range(state.seats)]
    return points, tuple(seat for seat in range(state.seats) if ranks[seat] == max(ranks))


# --- joining -----------------------------------------------------------------------------------------------


class Joined(NamedTuple):
    """What a tile does to the ponds it touches."""

    ponds: Ponds
    """The ponds touched, as they are afterwards; new ones, too."""
    names: dict[str, str]
    """From the name of a merged pond, or of a piece of the tile, to the pond it now belongs to."""


def join_ponds(ponds: Ponds, facing: Facing, cell: str, face: facts_tiles.Face) -> Joined:
    """Returns what becomes of the ponds when a tile in this rotation fills the cell."""
    own = facts_tiles.piece_names_by_first_side(cell)
    names: dict[str, str] = {}
    touched: Ponds = {}
    for piece in face.pieces:
        name = own[piece.first]
        touched[name] = Pond((name,), piece.animals, piece.mouths)
    for side, there in enumerate(facing):
        if not there:
            continue
        at = face.sides[side]
        if there == BORDER:
            if at >= 0:
                name = own[face.pieces[at].first]
                name = names.get(name, name)
                pond = touched[name]
                touched[name] = Pond(pond.pieces, pond.animals, pond.open - 1)
            continue
        there = names.get(there, there)
        other = touched.get(there) or ponds[there]
        if at < 0:
            touched[there] = Pond(other.pieces, other.animals, other.open - 1)
            continue
        name = own[face.pieces[at].first]
        name = names.get(name, name)
        if name == there:
            touched[there] = Pond(other.pieces, other.animals, other.open - 2)
        else:
            _merge_ponds(touched, names, name, there, other)
    return Joined(touched, names)


def _merge_ponds(touched: Ponds, names: dict[str, str], name: str, there: str, other: Pond) -> None:
    """Joins the pond `name` of the new tile's piece to the pond `there`, which keeps its name."""
    pond = touched.pop(name)
    a, b = other.animals, pond.animals
    animals = (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3])
    touched[there] = Pond(other.pieces + pond.pieces, animals, other.open + pond.open - 2)
    for old, new in names.items():
        if new == name:
            names[old] = there
    names[name] = there


def ponds_after_tile(
    frontier: Frontier, ponds: Ponds, cell: str, tile: str, rotation: int
) -> tuple[Frontier, Ponds, tuple[str, ...]]:
    """Returns the frontier and the ponds after a tile, and the names of the ponds that it closed, in reading order.

    Raises KeyError if the cell is not in the frontier.
    """
    face = facts_tiles.FACES[tile][rotation]
    frontier = frontier.copy()
    facing = frontier.pop(cell)
    touched, names = join_ponds(ponds, facing, cell, face)
    ponds = {**ponds, **touched}
    for old, new in names.items():
        if old in ponds:
            del ponds[old]
            for open_cell, seen in frontier.items():
                if old in seen:
                    frontier[open_cell] = tuple(new if name == old else name for name in seen)
    _add_sides_to_frontier(frontier, facing, cell, face, names)
    closed = [name for name, pond in touched.items() if not pond.open]
    return frontier, ponds, tuple(sorted(closed, key=facts_tiles.piece_order_key)) if len(closed) > 1 else tuple(closed)


def _add_sides_to_frontier(
    frontier: Frontier, facing: Facing, cell: str, face: facts_tiles.Face, names: dict[str, str]
) -> None:
    """Adds the new tile's sides to the empty cells beside it."""
    own, beside = facts_tiles.piece_names_by_first_side(cell), facts_tiles.neighbours_of_cell(cell)
    for side in range(4):
        if facing[side]:
            continue
        at = face.sides[side]
        shows = BORDER
        if at >= 0:
            name = own[face.pieces[at].first]
            shows = names.get(name, name)
        frontier[beside[side]] = put(frontier.get(beside[side], _BARE), (side + 2) % 4, shows)


def ponds_at_beginning() -> tuple[Frontier, Ponds]:
    """Returns the frontier and the ponds around the start tile."""
    frontier, ponds, _ = ponds_after_tile({"0": _BARE}, {}, "0", facts_tiles.START, 0)
    return frontier, ponds


# --- looking up --------------------------------------------------------------------------------------------


def pond_at(state: State, piece: str) -> str | None:
    """Returns the pond that the cell's tile shows on this side; None for border, an empty cell or no side."""
    cell, _, side = piece.partition(".")
    laid = state.laid.get(cell)
    if laid is None or side not in tuple(facts_tiles.SIDES):
        return None
    face = facts_tiles.FACES[laid.tile][laid.rotation]
    at = face.sides[facts_tiles.SIDES.index(side)]
    if at < 0:
        return None
    name = facts_tiles.piece_names_by_first_side(cell)[face.pieces[at].first]
    return next(pond for pond, held in state.ponds.items() if name in held.pieces)


def cells_in_reading_order(cells: Iterable[str]) -> list[str]:
    """Returns the cells in reading order."""
    return sorted(cells, key=facts_tiles.reading_order_key)
