"""The viewer of a board of Allégeance, whom the table waits for, and where the story's numbers belong."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pbem.games.allegeance import facts
from pbem.games.allegeance.facts_state import State
from pbem.kit.drawing import board


@dataclass(frozen=True)
class View(board.View[State]):
    """What every part of the drawing needs to know."""

    @property
    def is_before_first_turn_of_round(self) -> bool:
        """Whether a round has begun, but no turn of it."""
        return self.fold.phase == "turn" and len(self.fold.door) == 16

    def is_asked(self, seat: int) -> bool:
        """True if the table waits for this seat; always False on a board that answers a click."""
        fold = self.fold
        if self.scene.chosen or self.asks_nothing_of(seat):
            return False
        if fold.phase == "window":
            return seat != fold.active and not fold.answered[seat]
        return fold.phase in ("announce", "give") and seat == fold.active

    def has_open_cards(self, seat: int) -> bool:
        """True if some cards of this hand lie face up."""
        return any(card is not None for card in self.fold.hands[seat])

    # --- what just happened ------------------------------------------------------------------------------------

    @cached_property
    def latest_story_by_place(self) -> Mapping[str, int]:
        """The story number of what came to each place last, unless it has moved on since."""
        spots: dict[str, int] = {}
        for number, event in self.recent:
            match event:
                case facts.RoundBegan():
                    spots = {place: n for place, n in spots.items() if place.startswith("tokens")}
                case facts.Announced():
                    spots["announced"] = number
                case facts.Missed():
                    spots["palace"] = number
                case facts.Hit():
                    spots["door"] = number
                case facts.Given():
                    spots.pop("door", None)
                    spots[f"hand{event.to}"] = number
                case facts.Caught() | facts.Mistaken():
                    spots.pop("palace", None)
                    spots[f"hand{event.seat}"] = number
                case facts.RoundEnded():
                    spots |= {f"tokens{seat}": number for seat in event.winners}
        return spots

    def ink_spot_of_place(self, place: str, x: float, y: float) -> str:
        """Returns the ink spot of what came to this place last."""
        return self.spot(self.latest_story_by_place.get(place), x, y, self.sizes.spot)
