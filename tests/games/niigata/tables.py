"""Tables of the worked cases: Alice, Bob, Carol, … sit at seats 0 to 5, Charlie only watches."""

from collections.abc import Sequence

from msgspec.structs import replace

from pbem.games.niigata import GAME
from pbem.games.niigata.facts import LaidOut, PickingEnded, Taken, Thrown
from pbem.games.niigata.facts_state import Picking, State
from pbem.games.niigata.facts_tiles import BREEDERS, NAMES, REMOVED, Colour, Tile
from pbem.games.niigata.rules_ponds import Pond
from pbem.kit.chance import Luck, ScriptedChance, SeedChance
from pbem.kit.contract import Event, Move, Viewer, ask_of
from pbem.kit.secrecy import redact

ALICE, BOB, CAROL, DAVE = range(4)
CHARLIE: Viewer = None


class Played:
    """A match under way: its events and its full state.

    It begins with the tiles laid out and the first round thrown as asked; the remaining tiles form the stock
    in the order of their names.
    """

    def __init__(
        self,
        seats: int = 3,
        thrower: int = ALICE,
        display: Sequence[Tile] = (),
        dice: tuple[Colour, int] = ("Y", 5),
        picking: Picking = "turns",
        stock: int | None = None,
    ) -> None:
        rest = [tile for tile in NAMES if tile not in display]
        size = len(NAMES) - REMOVED[seats] if stock is None else len(display) + stock
        ordered = (*display, *rest)
        self.events: list[Event] = []
        self.took([LaidOut(seats, picking, thrower, ordered[:size], ordered[size:])])
        self.took([Thrown(thrower, *dice, tuple(display))])

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

    def fold_of(self, viewer: Viewer) -> State:
        """What the viewer knows."""
        return self.state_after([redact(event, viewer) for event in self.events])

    def play(self, text: str, seat: int | None = None, chance: Luck | None = None) -> list[Event]:
        """This seat, or the only one that is asked, plays this; returns the events."""
        return self.move(GAME.parse(text), seat, chance)

    def move(self, move: Move, seat: int | None = None, chance: Luck | None = None) -> list[Event]:
        """This seat, or the only one that is asked, plays this move; returns the events."""
        if seat is None:
            (ask,) = GAME.pending(self.state)
            seat = ask.seat
        luck = chance or SeedChance(bytes(32), len(self.events) + 1, "decide", seat)
        return self.took(GAME.decide(self.state, seat, move, luck))

    def all_play(self, *texts: str) -> None:
        """The seats that are asked play these, one after another."""
        for text in texts:
            self.play(text)

    @property
    def asks(self) -> list[tuple[int, str]]:
        """The seats that are asked, and what they are asked."""
        return [(ask.seat, ask.kind) for ask in GAME.pending(self.state)]

    def key(self, seat: int) -> str:
        """The key of the seat's question."""
        ask = ask_of(GAME, self.state, seat)
        assert ask is not None
        return ask.key

    def pond(self, piece: str) -> Pond:
        """The pond that this piece belongs to."""
        return next(pond for pond in self.state.ponds.values() if piece in pond.pieces)


def match_with_hands(
    *hands: Sequence[Tile], thrower: int = ALICE, stock: int | None = None, seats: int | None = None
) -> Played:
    """A match in which these hands have just been taken and the thrower is to lay."""
    tiles = [tile for hand in hands for tile in hand]
    played = Played(seats or len(hands), thrower, tiles, stock=stock)
    for seat, hand in enumerate(hands):
        played.took([Taken(seat, tile) for tile in hand])
    played.took([PickingEnded((), ())])
    return played


def next_throw(colour: Colour, number: int) -> ScriptedChance:
    """The next throw of the dice."""
    return ScriptedChance(colour, number)


def spend_breeders(played: Played, *breeders: int) -> Played:
    """The same match in which everybody has this many breeders left; the rest were lost earlier."""
    state = played.state
    assert len(breeders) == state.seats
    assert max(breeders) <= BREEDERS[state.seats]
    return Later(played, breeders)


class Later(Played):
    """A match whose breeders differ from what its events say."""

    def __init__(self, played: Played, breeders: tuple[int, ...]) -> None:
        self.events = played.events
        self._breeders = breeders

    def state_after(self, events: Sequence[Event]) -> State:
        state: State | None = None
        for event in events:
            state = GAME.evolve(state, event)
            if isinstance(event, LaidOut):
                state = replace(state, breeders=self._breeders)
        assert state is not None
        return state
