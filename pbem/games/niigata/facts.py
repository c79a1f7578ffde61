"""The events and moves of Les bassins de Niigata, its options and its state."""

from typing import Annotated, Literal

import msgspec

from pbem.games.niigata.facts_tiles import START, Animals, Colour, Tile
from pbem.kit.contract import Event, Move, Options, Seat
from pbem.kit.secrecy import Hidden, Open, Shown

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

    seats: Open[Seats]
    picking: Open[Picking]
    thrower: Open[Seat]
    stock: Hidden[Annotated[tuple[Tile | None, ...], msgspec.Meta(max_length=79)]]
    removed: Hidden[Annotated[tuple[Tile | None, ...], msgspec.Meta(max_length=79)]]


class Thrown(Event, frozen=True):
    """A round began: tiles were turned up and the dice thrown."""

    seat: Open[Seat]
    colour: Open[Colour]
    number: Open[Annotated[int, msgspec.Meta(ge=2, le=5)]]
    display: Shown[Tiles]


class Taken(Event, frozen=True):
    """A seat took a tile of the display."""

    seat: Open[Seat]
    tile: Open[Tile]


class Passed(Event, frozen=True):
    """A seat takes no more tiles this round, or put no breeder down."""

    seat: Open[Seat]


class Waste(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A tile that was taken and does not go with the dice."""

    seat: Seat
    tile: Tile


class PickingEnded(Event, frozen=True):
    """Nobody takes more tiles: wrong ones go to their takers' waste piles, those left are discarded."""

    wasted: Open[Annotated[tuple[Waste, ...], msgspec.Meta(max_length=12)]]
    discarded: Open[Tiles]


class Placed(Event, frozen=True):
    """A seat laid one of its tiles."""

    seat: Open[Seat]
    tile: Open[Tile]
    cell: Open[Cell]
    rotation: Open[Rotation]


class Claimed(Event, frozen=True):
    """A seat put a breeder on a closed pond, named by its first piece."""

    seat: Open[Seat]
    pond: Open[PieceName]


class Ended(Event, frozen=True):
    """The match is over; points in seat order, all who won."""

    reason: Open[Literal["breeders", "stock"]]
    scores: Open[Annotated[tuple[Points, ...], msgspec.Meta(max_length=6)]]
    winners: Open[Annotated[tuple[Seat, ...], msgspec.Meta(max_length=6)]]


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

    seats: Open[int]
    picking: Open[Picking]
    thrower: Open[int]
    stock: Hidden[tuple[Tile | None, ...]]
    breeders: Open[tuple[int, ...]]
    """The number that each seat has left."""
    laid: Open[dict[str, Laid]]
    frontier: Open[Frontier]
    """The empty cells beside a tile."""
    ponds: Open[Ponds]
    """By name."""
    hands: Open[tuple[tuple[Tile, ...], ...]]
    passed: Open[tuple[bool, ...]]
    wasted: Open[tuple[int, ...]]
    free: Open[tuple[str, ...]] = ()
    """The closed ponds without a breeder."""
    phase: Open[Literal["between", "pick", "place", "claim", "over"]] = "between"
    active: Open[int | None] = None
    """Who picks or places; None if all may pick."""
    round: Open[int] = 0
    step: Open[int] = 0
    """The number of picks or placements made in this round."""
    colour: Open[Colour | None] = None
    number: Open[int] = 0
    display: Open[tuple[Tile, ...]] = ()
    over: Open[str | None] = None
    scores: Open[tuple[int, ...] | None] = None
    winners: Open[tuple[int, ...]] = ()


START_LAID: dict[str, Laid] = {"0": Laid(START, 0)}
