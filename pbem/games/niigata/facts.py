"""The events and moves of Les bassins de Niigata, its options and its state."""

from typing import Annotated, Literal

import msgspec

from pbem.games.niigata.facts_tiles import START, Animals, Colour, Tile
from pbem.kit.contract import Event, Move, Options, Seat
from pbem.kit.secrecy import nobody

Picking = Literal["turns", "grab"]
_CELL = "(0|[1-9][0-9]?[EW]([1-9][0-9]?[NS])?|[1-9][0-9]?[NS])"
_END = r"$(?!\n)"  # `$` alone would let a newline follow
Cell = Annotated[str, msgspec.Meta(pattern=f"^{_CELL}{_END}", max_length=6)]
"""A cell by its offset from the start tile: "0", "2N", "3W1S"."""
PieceName = Annotated[str, msgspec.Meta(pattern=rf"^{_CELL}\.[NESW]{_END}", max_length=8)]
"""A pond piece: its cell and one of the sides it reaches."""
Rotation = Annotated[int, msgspec.Meta(ge=0, le=3)]
Tiles = Annotated[tuple[Tile, ...], msgspec.Meta(max_length=12)]
Seats = Annotated[int, msgspec.Meta(ge=2, le=6)]
Points = Annotated[int, msgspec.Meta(ge=-1000, le=1000)]


class NiigataOptions(Options, frozen=True):
    """How tiles are picked: one after the other, or all at once, first come, first served."""

    picking: Picking = "turns"


# --- moves -------------------------------------------------------------------------------------------------


class Take(Move, frozen=True):
    """Take this tile of the display."""

    tile: Tile


class Pass(Move, frozen=True):
    """Take no more tiles this round; or put no breeder down after this tile."""


class Place(Move, frozen=True):
    """Lay a tile of one's own into an empty cell, turned clockwise by this number of quarters."""

    tile: Tile
    cell: Cell
    rotation: Rotation = 0


class Claim(Move, frozen=True):
    """Put a breeder on the closed pond that this piece belongs to."""

    pond: PieceName


# --- events ------------------------------------------------------------------------------------------------


class LaidOut(Event, frozen=True):
    """The start tile lies, some tiles are put away unseen and the others shuffled; the highest roll throws first."""

    seats: Seats
    picking: Picking
    thrower: Seat
    stock: Annotated[tuple[Tile | None, ...], msgspec.Meta(max_length=79), nobody()]
    removed: Annotated[tuple[Tile | None, ...], msgspec.Meta(max_length=79), nobody()]


class Thrown(Event, frozen=True):
    """A round began: tiles were turned up and the dice thrown."""

    seat: Seat
    colour: Colour
    number: Annotated[int, msgspec.Meta(ge=2, le=5)]
    display: Tiles


class Taken(Event, frozen=True):
    """A seat took a tile of the display."""

    seat: Seat
    tile: Tile


class Passed(Event, frozen=True):
    """A seat takes no more tiles this round, or put no breeder down."""

    seat: Seat


class Waste(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A tile that was taken and does not go with the dice."""

    seat: Seat
    tile: Tile


class PickingEnded(Event, frozen=True):
    """Nobody takes more tiles: wrong ones go to their takers' waste piles, those left are discarded."""

    wasted: Annotated[tuple[Waste, ...], msgspec.Meta(max_length=12)]
    discarded: Tiles


class Placed(Event, frozen=True):
    """A seat laid one of its tiles."""

    seat: Seat
    tile: Tile
    cell: Cell
    rotation: Rotation


class Claimed(Event, frozen=True):
    """A seat put a breeder on a closed pond, named by its first piece."""

    seat: Seat
    pond: PieceName


class Ended(Event, frozen=True):
    """The match is over; points in seat order, all who won."""

    reason: Literal["breeders", "stock"]
    scores: Annotated[tuple[Points, ...], msgspec.Meta(max_length=6)]
    winners: Annotated[tuple[Seat, ...], msgspec.Meta(max_length=6)]


# --- state -------------------------------------------------------------------------------------------------


class Laid(msgspec.Struct, frozen=True, gc=False):
    """A tile of the map; "I" is the start tile."""

    tile: Tile | Literal["I"]
    rotation: int


class Pond(msgspec.Struct, frozen=True, gc=False):
    """Connected pieces, the one that gives the pond its name first."""

    pieces: tuple[str, ...]
    animals: Animals
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


class State(msgspec.Struct, frozen=True, gc=False):
    """A position. The dicts are never changed in place; their order means nothing."""

    seats: int
    picking: Picking
    thrower: int
    stock: Annotated[tuple[Tile | None, ...], nobody()]
    breeders: tuple[int, ...]
    """The number that each seat has left."""
    laid: dict[str, Laid]
    frontier: Frontier
    """The empty cells beside a tile."""
    ponds: Ponds
    """By name."""
    hands: tuple[tuple[Tile, ...], ...]
    passed: tuple[bool, ...]
    wasted: tuple[int, ...]
    free: tuple[str, ...] = ()
    """The closed ponds without a breeder."""
    phase: Literal["between", "pick", "place", "claim", "over"] = "between"
    active: int | None = None
    """Who picks or places; None if all may pick."""
    round: int = 0
    step: int = 0
    """The number of picks or placements made in this round."""
    colour: Colour | None = None
    number: int = 0
    display: tuple[Tile, ...] = ()
    over: str | None = None
    scores: tuple[int, ...] | None = None
    winners: tuple[int, ...] = ()


START_LAID: dict[str, Laid] = {"0": Laid(START, 0)}
