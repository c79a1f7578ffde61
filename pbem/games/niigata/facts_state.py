"""The state of Niigata, and what the rules read off it, in the order of RULES.*.md."""

from __future__ import annotations

from typing import Literal

import msgspec

from pbem.games.niigata.facts_tiles import TAKEABLE, Colour, Tile
from pbem.games.niigata.rules_ponds import Frontier, Laid, Ponds
from pbem.kit.contract import Options
from pbem.kit.secrecy import Hidden, Open

Picking = Literal["turns", "compulsory", "grab"]
"""How tiles are taken: in turn, in turn without passing (4.4), or all at once (4.5)."""
Hands = tuple[tuple[Tile, ...], ...]


class NiigataOptions(Options, frozen=True):
    """How tiles are picked: one after the other, perhaps without passing, or all at once, first come, first served."""

    picking: Picking = "turns"


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
    hands: Open[Hands]
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


# --- 4. Taking tiles -----------------------------------------------------------------------------------------


def tiles_matching_dice(s: State) -> frozenset[Tile]:
    """Returns the tiles that match this round's dice (4.2)."""
    return TAKEABLE[s.colour or "", s.number]


def is_taking_compulsory(s: State) -> bool:
    """Returns whether a tile must be taken as long as one goes with the dice (4.4)."""
    return s.picking == "compulsory"


def is_asked_to_pick(s: State, seat: int) -> bool:
    """Returns whether the seat is asked for a tile."""
    if s.phase != "pick" or seat >= s.seats:
        return False
    if s.picking != "grab":
        return s.active == seat
    return not s.passed[seat] and len(s.hands[seat]) < 2


def next_picker(s: State, seat: int, hands: Hands, passed: tuple[bool, ...]) -> int | None:
    """Returns the next seat clockwise, perhaps the same, that has not passed and has fewer than two tiles (4.3)."""
    if s.picking == "grab":
        return None
    for away in range(1, s.seats + 1):
        other = (seat + away) % s.seats
        if not passed[other] and len(hands[other]) < 2:
            return other
    return None


# --- 5. Laying tiles -----------------------------------------------------------------------------------------


def next_phase_seat_and_step(seat: int, hands: Hands, step: int) -> tuple[str, int | None, int]:
    """Returns phase, seat and step: the next seat clockwise that holds a tile lays it (5.1), else the round is over."""
    for away in range(1, len(hands) + 1):
        other = (seat + away) % len(hands)
        if hands[other]:
            return "place", other, step + 1
    return "between", None, step
