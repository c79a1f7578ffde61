"""Tables for the worked cases: Alice, Bob, Carol, Dave and Erin sit at seats 0 to 4, Charlie only watches."""

from collections.abc import Sequence

import pytest

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Dealt
from pbem.games.hagakure.facts_cards import Hand, cards_in_play
from pbem.games.hagakure.facts_state import State, Terms
from pbem.kit.chance import Luck, ScriptedChance, SeedChance
from pbem.kit.contract import Event, IllegalMove, Move, PlayerView, Viewer
from pbem.kit.secrecy import redact

ALICE, BOB, CAROL, DAVE, ERIN = range(5)
CHARLIE: Viewer = None
F = 0

FOUR = ((20, 6, 7, 8), (19, F, 9, 10), (11, 12, 13, 14), (22, F, 18, 15))
THREE = ((6, 7, 8, 9, 10), (11, 12, 13, 14, 15), (18, 19, 20, 21, 22))


class Played:
    """A match under way: its events and its full state.

    `hands` are those of the first round, cards of the deck in seat order; the first of the rest are the Yomi.
    """

    def __init__(self, *hands: Sequence[int], dealer: int | None = None, terms: Terms | None = None) -> None:
        seats = len(hands)
        self.events: list[Event] = []
        dealt_by = seats - 1 if dealer is None else dealer
        script = ScriptedChance(dealt_by, [card for hand in hands for card in hand])
        self.took(GAME.setup(seats, terms or Terms(), script))

    def took(self, events: Sequence[Event]) -> list[Event]:
        """Folds these events in and returns them."""
        self.events += events
        return list(events)

    @property
    def state(self) -> State:
        """The full state."""
        return state_after(self.events)

    @property
    def to_move(self) -> int:
        """The seat that is asked."""
        (ask,) = GAME.pending(self.state)
        return ask.seat

    def play(self, *texts: str, chance: Luck | None = None) -> list[Event]:
        """The seat that is asked plays these, one after another; returns the events of the last one."""
        events: list[Event] = []
        for text in texts:
            events = self.move(GAME.parse(text), chance)
        return events

    def move(self, move: Move, chance: Luck | None = None) -> list[Event]:
        """The seat that is asked plays this move; returns the events."""
        return self.took(GAME.decide(self.state, self.to_move, move, chance or ScriptedChance()))

    def no_nobori(self) -> "Played":
        """Nobody plays a Nobori, and the tricks begin."""
        while self.state.phase == "nobori":
            self.play("none")
        return self

    def fold_of(self, viewer: Viewer) -> State:
        """What the viewer knows."""
        return state_after([redact(event, viewer) for event in self.events])

    def legal(self) -> set[str]:
        """The legal moves of the seat that is asked, in notation without the verb."""
        return {GAME.format(move).removeprefix("play ") for move in GAME.legal(self.state, self.to_move)}


def view_of(played: Played, seat: int) -> PlayerView:
    """What a bot at this seat is given."""
    return PlayerView(played.fold_of(seat), played.state.seats, [redact(event, seat) for event in played.events])


def state_after(events: Sequence[Event]) -> State:
    """The state after these events."""
    state: State | None = None
    for event in events:
        state = GAME.evolve(state, event)
    assert state is not None
    return state


def luck(number: int = 1) -> SeedChance:
    """Luck for the deals that follow a round."""
    return SeedChance(bytes(32), number, "decide")


def cards_in_no_hand(seats: int, *hands: Hand) -> list[int]:
    """The cards that are in none of these hands, in the order of the deck."""
    left = list(cards_in_play(seats))
    for hand in hands:
        for card in hand:
            left.remove(card or F)
    return left


def code_of_refusal(played: Played, move: str | Move) -> str:
    """Returns the code of the refusal; checks that the state has not changed."""
    before = played.state
    with pytest.raises(IllegalMove) as caught:
        played.play(move) if isinstance(move, str) else played.move(move)
    assert played.state == before
    return caught.value.code


def at_the_tricks(*hands: tuple[int, ...], dealer: int | None = None) -> Played:
    """A table at which nobody played a Nobori."""
    return Played(*hands, dealer=dealer).no_nobori()


def first_deal(seats: int) -> Dealt:
    """The deal that opens a match with the usual options."""
    (dealt,) = GAME.setup(seats, Terms(), SeedChance(bytes(32), 1, "setup"))
    assert isinstance(dealt, Dealt)
    return dealt
