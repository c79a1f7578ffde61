"""The viewer of a board of Hagakure, and where the numbers of the story belong on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pbem.games.hagakure.facts import Dealt, Looked, Played, Raised, State, Swapped, TrickWon
from pbem.kit.drawing import board


@dataclass(frozen=True)
class View(board.View[State]):
    """What every part of the drawing needs to know."""

    def to_act(self, seat: int) -> bool:
        """True if the match waits for this seat."""
        asked = self.fold.phase in ("nobori", "play") and seat == self.fold.active
        return asked and not self.asks_nothing_of(seat)

    @cached_property
    def laid(self) -> Mapping[int, tuple[int, int]]:
        """The newest card of a seat in the trick that is shown, with its story number."""
        laid: dict[int, tuple[int, int]] = {}
        complete = False
        for story, event in self.scene.recent:
            match event:
                case Dealt():
                    laid = {}
                case TrickWon():
                    complete = True
                case Played(seat, card):
                    laid = {} if complete else laid
                    laid[seat], complete = (card, story), False
        return laid

    @cached_property
    def raised(self) -> Mapping[int, int]:
        """The story number of a seat's Nobori of this round."""
        raised: dict[int, int] = {}
        for story, event in self.scene.recent:
            match event:
                case Dealt():
                    raised = {}
                case Raised(seat) | Swapped(seat) | Looked(seat):
                    raised[seat] = story
        return raised
