"""Tables with a known Door: Alice, Bob, Carol and Dave sit at seats 0 to 3, Charlie only watches."""

from collections.abc import Sequence
from typing import Any

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts_state import State, Table
from pbem.games.samurai import CARDS
from pbem.kit.chance import KeyLuck, Luck, ScriptedChance
from pbem.kit.contract import Event, PlayerView, Viewer
from pbem.kit.replay import view_after
from pbem.kit.secrecy import redact

ALICE, BOB, CAROL, DAVE = range(4)
CHARLIE: Viewer = None


class Played:
    """A match under way: its events and its full state. `door` names the first cards of the first Door."""

    def __init__(self, seats: int, door: Sequence[str] | str, *, first: int = ALICE, **options: Any) -> None:
        cards = door.split() if isinstance(door, str) else list(door)
        self.events: list[Event] = list(GAME.setup(seats, Table(**options), ScriptedChance(first, cards)))

    @property
    def state(self) -> State:
        """The full state."""
        return self.after(self.events)

    def after(self, events: Sequence[Event]) -> State:
        """The state after these events."""
        state: State | None = None
        for event in events:
            state = GAME.evolve(state, event)
        assert state is not None
        return state

    def fold_of(self, viewer: Viewer) -> State:
        """What the viewer knows."""
        return self.after([redact(event, viewer) for event in self.events])

    def view(self, seat: int, memory: Luck | None = None) -> PlayerView:
        """What the seat knows, and could remember."""
        begun = PlayerView(None, self.state.seats, (), memory or KeyLuck(bytes(32)).memory(seat))
        return view_after(GAME, begun, self.events, seat)

    def play(self, seat: int, text: str, *luck: Any) -> list[Event]:
        """The seat plays this; returns the events. `luck` is the next Door if a round ends."""
        chance = ScriptedChance(*luck)
        happened = GAME.decide(self.state, seat, GAME.parse(text), chance)
        self.events += happened
        assert chance.left == 0
        return list(happened)

    def all_pass(self) -> list[Event]:
        """All players who are asked let the announcement pass."""
        happened: list[Event] = []
        while GAME.pending(self.state) and self.state.phase == "window":
            happened += self.play(self.seats_asked()[0], "pass")
        return happened

    def miss(self, seat: int, card: str) -> list[Event]:
        """The seat announces a card that does not come up, and nobody challenges."""
        return self.play(seat, card) + self.all_pass()

    def texts(self, seat: int) -> set[str]:
        """The seat's legal moves in notation."""
        return {GAME.format(move) for move in GAME.legal(self.state, seat)}

    def seats_asked(self) -> list[int]:
        """Who is asked now, in seat order."""
        return sorted(ask.seat for ask in GAME.pending(self.state))

    def until(self, left: int) -> "Played":
        """Everybody announces wrongly, unchallenged, until the Door has this many cards left."""
        while len(self.state.door) > left:
            state = self.state
            wrong = next(c for c in CARDS if c != state.door[0] and c not in state.banned)
            self.miss(state.active, wrong)
        return self
