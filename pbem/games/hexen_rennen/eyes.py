"""Whose eyes a board of Hexen Rennen is drawn for, what may be touched where, and where the story's numbers belong."""

from collections.abc import Mapping
from dataclasses import dataclass

from pbem.games.hexen_rennen.board_words import BoardWords
from pbem.games.hexen_rennen.course import flights, plays
from pbem.games.hexen_rennen.pieces import COURSE, Carried, Drawn, Flew, Played, Reached, State, Turned
from pbem.kit.contract import Event, Link, Scene, Viewer

Recent = tuple[tuple[int, Event], ...]


@dataclass(frozen=True)
class Eyes:
    """What every part of the drawing needs to know."""

    fold: State
    viewer: Viewer
    words: BoardWords
    scene: Scene
    standing: Mapping[int, int]
    """Which seat's witch stands on a tile."""
    spots: Mapping[int, int]
    """The story number of the newest thing that happened at a place."""
    targets: Mapping[int, tuple[str, ...]]
    """The cards that lead to a place and may be touched there."""
    landings: Mapping[int, str]
    """The steps of the flights that end at a place, where only one does."""
    left: int | None
    """The place that the chosen witch left."""

    @property
    def newest(self) -> int | None:
        """The story number that may fade in; none on a board that answers a click."""
        return None if self.scene.chosen or not self.scene.recent else self.scene.recent[-1][0]

    @property
    def landed(self) -> int | None:
        """Where the witch of the chosen move would be."""
        return self.fold.witch if any(s.startswith(("fly-", "card-")) for s in self.scene.chosen) else None

    @property
    def stays(self) -> bool:
        """Whether it was chosen to leave the witch where she is."""
        return "leave" in self.scene.chosen

    def link(self, place: int) -> Link | None:
        """Where touching a tile leads: its witch flies, or would come there, or is left on her symbol."""
        found = self.scene.links.get(f"fly-{place}")
        if found is None and place == self.fold.witch and self.fold.asked is not None:
            found = self.scene.links.get("leave")
        return found

    def card(self, card: str) -> Link | None:
        """Where touching a card of one's hand leads."""
        return self.scene.links.get(f"card-{card}")


def eyes_of(fold: State, viewer: Viewer, words: BoardWords, scene: Scene) -> Eyes:
    """What the parts of one drawing share."""
    standing = {place: seat for seat, three in enumerate(fold.witches) for place in three if 0 < place <= COURSE}
    return Eyes(
        fold, viewer, words, scene, standing, _spots(scene.recent), _targets(fold, scene), _landings(fold, scene),
        _left(scene),
    )  # fmt: skip


def _spots(recent: Recent) -> dict[int, int]:
    """Where the numbers of the newest events belong; a witch that moved on takes hers with her."""
    spots: dict[int, int] = {}
    for story, event in recent:
        match event:
            case Turned(place):
                spots[place] = story
            case Flew() | Carried() | Played() | Drawn():
                spots.pop(event.origin, None)
                spots[event.target] = story
    return spots


def _targets(fold: State, scene: Scene) -> dict[int, tuple[str, ...]]:
    """The places to which a card leads that may be touched, while somebody is asked for one."""
    found: dict[int, tuple[str, ...]] = {}
    if fold.asked is not None:
        for card, target in plays(fold, fold.asked).items():
            if f"card-{card}" in scene.links:
                found[target] = (*found.get(target, ()), card)
    return found


def _landings(fold: State, scene: Scene) -> dict[int, str]:
    """Where the witches that may be touched would come by the die; not where two would."""
    found: dict[int, str] = {}
    if fold.witch is None and any(step.startswith("fly-") for step in scene.links):
        ends = flights(fold)
        for origin, target in ends.items():
            if f"fly-{origin}" in scene.links and list(ends.values()).count(target) == 1:
                found[target] = f"fly-{origin}"
    return found


def _left(scene: Scene) -> int | None:
    """Where the witch of the chosen move was: the origin of her flight, or the symbol of which the story tells."""
    for step in scene.chosen:
        if step.startswith("fly-"):
            return int(step[4:])
        if step.startswith("card-"):
            return next((event.place for _, event in reversed(scene.recent) if isinstance(event, Reached)), None)
    return None
