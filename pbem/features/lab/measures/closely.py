"""Matches looked at closely: what each decision of each match is recorded for."""

from collections.abc import Sequence

import msgspec

from pbem.features.lab.course import Listener
from pbem.features.lab.measures.choice import ChoiceListener, ChoiceTally
from pbem.features.lab.measures.parts import PartsListener, PartsTally
from pbem.features.lab.measures.tension import EVERY, TensionListener, TensionTally
from pbem.kit.contract import AnyGame


class Closely(msgspec.Struct):
    """What the listeners have counted."""

    choice: ChoiceTally = msgspec.field(default_factory=ChoiceTally)
    parts: PartsTally = msgspec.field(default_factory=PartsTally)
    tension: TensionTally = msgspec.field(default_factory=TensionTally)

    def join(self, later: "Closely") -> None:
        """Adds the matches of another tally after its own."""
        self.choice.join(later.choice)
        self.parts.join(later.parts)
        self.tension.join(later.tension)


class Closeness:
    """The listeners of many matches of one plan, and what they have counted."""

    def __init__(self, game: AnyGame, seats: int) -> None:
        self.closely = Closely()
        self._tension = TensionListener(game, seats, self.closely.tension)
        self._others: Sequence[Listener] = (
            ChoiceListener(game, self.closely.choice),
            PartsListener(game, seats, self.closely.parts),
        )

    def listeners_of(self, number: int, seed: bytes) -> Sequence[Listener]:
        """Returns the listeners of the match with this number, whose own seed this is."""
        self._tension.seed, self._tension.looked = seed, number % EVERY == 0
        return (*self._others, self._tension)
