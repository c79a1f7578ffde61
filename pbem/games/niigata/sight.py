"""What is drawn of a position: the fold, who looks at it, and what a page wants marked on it."""

from dataclasses import dataclass
from typing import Literal

from pbem.games.niigata import pieces
from pbem.games.niigata.board_words import BoardWords, words_for
from pbem.games.niigata.facts import Claimed, Placed, State, Taken
from pbem.games.niigata.rules import may_pick
from pbem.kit.contract import Event, Lang, Link, Scene, Viewer

Phase = Literal["between", "pick", "place", "claim", "over"]
_FIRST_STEPS: dict[str, Phase] = {"take": "pick", "lay": "place", "claim": "claim"}


@dataclass(frozen=True)
class Sight:
    """What every part of the drawing needs to know."""

    fold: State
    viewer: Viewer
    lang: Lang
    words: BoardWords
    scene: Scene
    spots: dict[str, int]
    """The story number of what has just happened: by cell, tile in hand, or pond with a new breeder."""

    @property
    def newest(self) -> int | None:
        """The story number that may fade in; none on a board that answers a click."""
        return None if self.scene.chosen or not self.scene.recent else self.scene.recent[-1][0]

    @property
    def phase(self) -> Phase:
        """The question that is open; while a move is being chosen the one that it answers, not the next."""
        if not self.scene.chosen:
            return self.fold.phase
        first = self.scene.chosen[0].partition("-")[0]
        # Who passes over a tile leaves the picking to go on; who passes over a breeder does not.
        return _FIRST_STEPS.get(first) or ("pick" if self.fold.phase == "pick" else "claim")

    @property
    def active(self) -> int | None:
        """Whose turn it is; None where all may pick, and at the end."""
        if self.fold.over or (self.fold.picking == "grab" and self.phase == "pick"):
            return None
        return self.viewer if self.scene.chosen else self.fold.active

    def asked(self, seat: int) -> bool:
        """Whether this seat is to do something."""
        if self.active is not None:
            return seat == self.active
        return may_pick(self.fold, seat)

    def chosen(self, kind: str) -> str | None:
        """What was chosen of this kind of step."""
        found = (step.removeprefix(f"{kind}-") for step in self.scene.chosen if step.startswith(f"{kind}-"))
        return next(found, None)

    @property
    def turns(self) -> dict[int, Link]:
        """The rotations that can be chosen now."""
        links = self.scene.links.items()
        return {int(step.removeprefix("turn-")): link for step, link in links if step.startswith("turn-")}

    def spot(self, thing: str, x: float, y: float, size: float) -> str:
        """The ink spot of the thing, if it has one."""
        story = self.spots.get(thing)
        return "" if story is None else pieces.spot(story, x, y, size, story == self.newest)


def sight_of(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> Sight:
    """The position as it is to be drawn."""
    return Sight(fold, viewer, lang, words_for(lang), scene, _spots(scene.recent))


def _spots(recent: tuple[tuple[int, Event], ...]) -> dict[str, int]:
    spots: dict[str, int] = {}
    for story, event in recent:
        if isinstance(event, Placed):
            spots.pop(event.tile, None)
            spots[event.cell] = story
        elif isinstance(event, Taken):
            spots[event.tile] = story
        elif isinstance(event, Claimed):
            spots[event.pond] = story
    return spots
