"""The viewer of a board of Hexen Rennen, what may be touched, and where the story's numbers belong."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pbem.games.hexen_rennen.facts import COURSE, Carried, Drawn, Flew, Played, Reached, State, Turned
from pbem.games.hexen_rennen.rules_course import flights, plays
from pbem.kit.contract import Link
from pbem.kit.drawing import board


@dataclass(frozen=True)
class View(board.View[State]):
    """What every part of the drawing needs to know."""

    @cached_property
    def standing(self) -> Mapping[int, int]:
        """The seat whose witch stands on each tile."""
        three = enumerate(self.fold.witches)
        return {place: seat for seat, places in three for place in places if 0 < place <= COURSE}

    @cached_property
    def spots(self) -> Mapping[int, int]:
        """The story number of the latest event at each place; a witch that moves on takes hers along."""
        spots: dict[int, int] = {}
        for story, event in self.scene.recent:
            match event:
                case Turned(place):
                    spots[place] = story
                case Flew() | Carried() | Played() | Drawn():
                    spots.pop(event.origin, None)
                    spots[event.target] = story
        return spots

    @cached_property
    def targets(self) -> Mapping[int, tuple[str, ...]]:
        """The cards that may be touched at each place they lead to, while a card is asked for."""
        found: dict[int, tuple[str, ...]] = {}
        if self.fold.asked is not None:
            for card, target in plays(self.fold, self.fold.asked).items():
                if self.link(f"card-{card}"):
                    found[target] = (*found.get(target, ()), card)
        return found

    @cached_property
    def landings(self) -> Mapping[int, Link]:
        """The flights that may be touched at their end, by place; none where two would end."""
        offered = self.offered("fly") if self.fold.witch is None else {}
        ends = flights(self.fold) if offered else {}
        alone = {origin: end for origin, end in ends.items() if list(ends.values()).count(end) == 1}
        return {end: offered[str(origin)] for origin, end in alone.items() if str(origin) in offered}

    @cached_property
    def left(self) -> int | None:
        """The place that the witch of the chosen move leaves: the origin of her flight, or the symbol in the story."""
        origin = self.choice("fly")
        if origin is not None:
            return int(origin)
        if self.choice("card") is None:
            return None
        return next((event.place for _, event in reversed(self.scene.recent) if isinstance(event, Reached)), None)

    @property
    def landed(self) -> int | None:
        """The place where the witch of the chosen move would be."""
        return None if self.choice("fly") is None and self.choice("card") is None else self.fold.witch

    @property
    def stays(self) -> bool:
        """Whether the chosen move leaves the witch where she is."""
        return self.chosen("leave")

    def link_at(self, place: int) -> Link | None:
        """Returns where touching a tile leads: its witch flies, or is left on her symbol."""
        found = self.link(f"fly-{place}")
        if found is None and place == self.fold.witch and self.fold.asked is not None:
            return self.link("leave")
        return found
