"""The viewer of a board of Niigata, and what the page wants marked on it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pbem.games.niigata.facts import Claimed, Placed, Taken
from pbem.games.niigata.facts_state import State, is_asked_to_pick
from pbem.games.niigata.facts_tiles import neighbours_of_cell
from pbem.kit.contract import Link
from pbem.kit.drawing import board

Phase = Literal["between", "pick", "place", "claim", "over"]
_FIRST_STEPS: dict[str, Phase] = {"take": "pick", "lay": "place", "claim": "claim"}


@dataclass(frozen=True)
class View(board.View[State]):
    """What every part of the drawing needs to know."""

    @property
    def phase(self) -> Phase:
        """The open question; while a move is being chosen, the one that it answers, not the next."""
        if not self.scene.chosen:
            return self.fold.phase
        first = self.scene.chosen[0].partition("-")[0]
        # A pass on a tile continues the picking; a pass on a breeder does not.
        return _FIRST_STEPS.get(first) or ("pick" if self.fold.phase == "pick" else "claim")

    @property
    def acting_seat(self) -> int | None:
        """Whose turn it is; None if all may pick, and at the end."""
        if self.fold.over or (self.fold.picking == "grab" and self.phase == "pick"):
            return None
        return self.viewer if self.scene.chosen else self.fold.active

    def is_asked(self, seat: int) -> bool:
        """True if this seat has to act."""
        if self.asks_nothing_of(seat):
            return False
        if self.acting_seat is not None:
            return seat == self.acting_seat
        return is_asked_to_pick(self.fold, seat)

    @property
    def is_choosing(self) -> bool:
        """True if the viewer chooses on this board."""
        return bool(self.scene.links or self.scene.chosen)

    @property
    def cell_chosen_for_tile(self) -> str | None:
        """The cell that was chosen for a tile."""
        return self.choice("at")

    @cached_property
    def open_cells(self) -> frozenset[str]:
        """The cells that may get a tile; with a move chosen, those that could before, so that no target moves."""
        laid = self.fold.laid.keys() - {self.cell_chosen_for_tile}
        return frozenset(cell for one in laid for cell in neighbours_of_cell(one)) - laid

    @cached_property
    def cells_with_tile_or_open(self) -> frozenset[str]:
        """All cells that have a tile or, while the match lasts, may get one."""
        laid = frozenset(self.fold.laid)
        return laid if self.fold.over or self.scene.over else self.open_cells | laid

    @cached_property
    def link_by_rotation(self) -> dict[int, Link]:
        """The rotations that can be chosen now."""
        return {int(turn): link for turn, link in self.offered("turn").items()}

    @cached_property
    def story_by_cell_tile_or_pond(self) -> dict[str, int]:
        """The story numbers of recent events, by cell, tile in hand, or pond with a new breeder."""
        spots: dict[str, int] = {}
        for story, event in self.scene.recent:
            match event:
                case Placed(_, tile, cell):
                    spots.pop(tile, None)
                    spots[cell] = story
                case Taken(_, tile):
                    spots[tile] = story
                case Claimed(_, pond):
                    spots[pond] = story
        return spots
