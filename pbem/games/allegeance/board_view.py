"""What every part of a drawn board of Allégeance needs to know: one viewer's fold, and what is marked on it."""

from dataclasses import dataclass
from functools import cached_property

from pbem.games.allegeance import pieces
from pbem.games.allegeance.board_words import BoardWords
from pbem.games.allegeance.cards import (
    Announced,
    Caught,
    Given,
    Hit,
    Missed,
    Mistaken,
    RoundBegan,
    RoundEnded,
    State,
)
from pbem.kit.contract import Event, Link, Scene, Viewer


@dataclass(frozen=True)
class Board:
    """One drawing's subject."""

    fold: State
    viewer: Viewer
    words: BoardWords
    scene: Scene

    def link(self, step: str) -> Link | None:
        """Where touching this leads."""
        return self.scene.links.get(step)

    def chosen(self, step: str) -> bool:
        """Whether this has been chosen."""
        return step in self.scene.chosen

    def asked(self, seat: int) -> bool:
        """Whether the table waits for this seat; nobody on a board that answers a click."""
        fold = self.fold
        if self.scene.chosen:
            return False
        if fold.phase == "window":
            return seat != fold.active and not fold.answered[seat]
        return fold.phase in ("announce", "give") and seat == fold.active

    def name(self, seat: int, forms: tuple[str, str], room: int = 9) -> str:
        """The form for the viewer himself or for somebody else, whose name has room for so many letters."""
        mine, others = forms
        return mine if seat == self.viewer else others.replace("*", f"{{{seat}:{room}}}")

    @property
    def beginning(self) -> bool:
        """Whether a round has begun and no turn of it yet."""
        return self.fold.phase == "turn" and len(self.fold.door) == 16

    # --- what just happened ---------------------------------------------------------------------------

    @cached_property
    def spots(self) -> dict[str, int]:
        """Where the numbers of the newest lines belong; what has moved on since has none."""
        spots: dict[str, int] = {}
        for number, event in self.scene.recent:
            spots = _spotted(spots, number, event)
        return spots

    def spot(self, place: str, x: float, y: float) -> str:
        """The ink spot of what came to this place last."""
        number = self.spots.get(place)
        if number is None:
            return ""
        newest = not self.scene.chosen and number == self.scene.recent[-1][0]
        return pieces.spot(number, x, y, newest)


def _spotted(spots: dict[str, int], number: int, event: Event) -> dict[str, int]:
    """The spots after one more event."""
    match event:
        case RoundBegan():
            return {place: n for place, n in spots.items() if place.startswith("tokens")}
        case Announced():
            return spots | {"announced": number}
        case Missed():
            return spots | {"palace": number}
        case Hit():
            return spots | {"door": number}
        case Given():
            return _without(spots, "door") | {f"hand{event.to}": number}
        case Caught() | Mistaken():
            return _without(spots, "palace") | {f"hand{event.seat}": number}
        case RoundEnded():
            return spots | {f"tokens{seat}": number for seat in event.winners}
    return spots


def _without(spots: dict[str, int], place: str) -> dict[str, int]:
    return {at: number for at, number in spots.items() if at != place}
