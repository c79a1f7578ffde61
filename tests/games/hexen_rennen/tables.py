"""Written positions: Alice, Bob, Carol and Dave sit at seats 0 to 3, Charlie only watches."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import HexenOptions, Rolled
from pbem.games.hexen_rennen.facts_race import CLANS, COURSE, DECK, State
from pbem.games.hexen_rennen.rules import RULES
from pbem.kit.chance import SeedChance, UnnamedChance
from pbem.kit.contract import Move, Viewer
from pbem.kit.game.facts import Event
from pbem.kit.game.knowing import Knows

ALICE, BOB, CAROL, DAVE = range(4)
CHARLIE: Viewer = None


class Dice(UnnamedChance):
    """These dice first, then random ones from a seed."""

    def __init__(self, *dice: int) -> None:
        self.dice = list(dice)
        self.rest = SeedChance(bytes(32), 1, "decide")

    def below(self, n: int) -> int:
        if n == 6 and self.dice:
            return self.dice.pop(0) - 1
        return self.rest.below(n)


def race(
    seats: int = 4,
    *,
    witches: Mapping[str, tuple[int, int, int]],
    tiles: Mapping[int, str] | None = None,
    up: Sequence[int] = (),
    hands: Mapping[str, str] | None = None,
    pile: str | None = None,
    goal_by_tile: bool = False,
) -> State:
    """A race under way; tiles not named are B2, face down, and the start. `pile` is the neutral clan D's."""
    piles = [DECK if pile is None else tuple(pile.split())] * (4 - seats)
    opening = GAME.setup(seats, HexenOptions(goal_by_tile), SeedChance(bytes(32), 1, "setup"))
    course = tuple((tiles or {}).get(place, "B2") for place in range(1, COURSE + 1))
    start: State = GAME.evolve(None, opening[0])
    return replace(
        start,
        witches=tuple(tuple(sorted(witches.get(CLANS[s], (0, 0, 0)))) for s in range(seats)),
        hands=tuple(tuple((hands or {}).get(CLANS[s], " ".join(DECK)).split()) for s in range(seats)),
        piles=(*((),) * seats, *piles),
        divided=(True,) * seats,
        tiles=course,
        shown=tuple(course[place - 1] if place in up else None for place in range(1, COURSE + 1)),
    )


class Turn:
    """One seat's turn in a written position: returns the events until it is over."""

    def __init__(self, before: State, die: int, seat: int = ALICE) -> None:
        self.events: list[Event] = []
        self.state = before
        following: Event | None = Rolled(seat, die)
        while following is not None and not (self.events and isinstance(following, Rolled)):
            self.events.append(following)
            self.state = GAME.evolve(self.state, following)
            ended = GAME.outcome(self.state) is not None
            following = None if ended else RULES.next_fact(self.state, Knows(Dice()), self.events)
        self.over = following is not None or self.state.finisher is not None

    def legal(self) -> list[str]:
        """The legal moves of the seat that is asked, in notation."""
        (ask,) = GAME.pending(self.state)
        return [GAME.format(move) for move in GAME.legal(self.state, ask.seat)]

    @property
    def to_move(self) -> tuple[int, str]:
        """The seats that are asked, and what they are asked."""
        (ask,) = GAME.pending(self.state)
        return ask.seat, ask.kind

    def play(self, move: str | Move) -> list[Event]:
        """The seat that is asked plays this; returns the events of this turn."""
        (ask,) = GAME.pending(self.state)
        made = GAME.parse(move) if isinstance(move, str) else move
        events = list(GAME.decide(self.state, ask.seat, made, Dice()))
        ends = next((i for i, event in enumerate(events) if isinstance(event, Rolled)), len(events))
        for event in events[:ends]:
            self.state = GAME.evolve(self.state, event)
        self.over = ends < len(events) or self.state.finisher is not None
        self.events += events[:ends]
        return events[:ends]
