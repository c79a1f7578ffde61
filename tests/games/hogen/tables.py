"""The two tables of the worked cases: Alice, Bob, Carol and Dave sit at seats 0 to 3, Charlie only watches."""

from collections.abc import Sequence
from typing import Literal

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import ChooseAlly, HogenOptions, State
from pbem.kit.chance import ScriptedChance
from pbem.kit.contract import Event, Move, PlayerView, Viewer
from pbem.kit.replay import view_after
from pbem.kit.secrecy import redact

ALICE, BOB, CAROL, DAVE = range(4)
CHARLIE: Viewer = None

DEALT = {
    4: (("T1", "M4", "F2"), ("B4", "M2", "F1"), ("F3", "T2", "B1"), ("B3", "T4", "M3")),
    3: (("T1", "M4", "B3", "F2"), ("B4", "M2", "T4", "F1"), ("F3", "T2", "M3", "B1")),
}
"""What each seat is dealt; the last card becomes its ally. The palace is M1 F4 T3 B2."""


class Played:
    """A match under way: its events and its full state."""

    def __init__(self, seats: int = 4, first: int = ALICE, memory: Literal["open", "closed"] = "open") -> None:
        dealt = DEALT[seats]
        script = ScriptedChance(["M1", "F4", "T3", "B2"], [card for hand in dealt for card in hand])
        self.events: list[Event] = []
        self.took(GAME.setup(seats, HogenOptions(memory=memory), script))
        for seat, hand in enumerate(dealt):
            luck = ScriptedChance(first) if seat == seats - 1 else ScriptedChance()
            self.took(GAME.decide(self.state, seat, ChooseAlly(hand[-1]), luck))

    def took(self, events: Sequence[Event]) -> list[Event]:
        """Folds these events in and returns them."""
        self.events += events
        return list(events)

    @property
    def state(self) -> State:
        """The full state."""
        return self.state_after(self.events)

    def state_after(self, events: Sequence[Event]) -> State:
        """The state after these events."""
        state: State | None = None
        for event in events:
            state = GAME.evolve(state, event)
        assert state is not None
        return state

    def play(self, text: str) -> list[Event]:
        """The seat that is asked plays this; returns the events."""
        return self.move(GAME.parse(text))

    def move(self, move: Move) -> list[Event]:
        """The seat that is asked plays this move; returns the events."""
        (ask,) = GAME.pending(self.state)
        return self.took(GAME.decide(self.state, ask.seat, move, ScriptedChance()))

    def fold_of(self, viewer: Viewer) -> State:
        """What the viewer knows."""
        return self.state_after([redact(event, viewer) for event in self.events])

    def view(self, seat: int) -> PlayerView:
        """What the seat knows, and could remember."""
        return view_after(GAME, PlayerView(None, self.state.seats), self.events, seat)

    def legal(self, seat: int) -> set[str]:
        """The legal moves in notation, without declarations."""
        texts = (GAME.format(move) for move in GAME.legal(self.state, seat))
        return {text for text in texts if not text.startswith("declare")}
