"""Games of a few decisions whose best answers are known, with the faces alone that a search looks at."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import msgspec

from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import AnyGame, Ask, Event, Move, Outcome, PlayerView


class Take(Move, frozen=True):
    """Take this many, or choose the thing of this number."""

    count: int


class Taken(Event, frozen=True):
    """It was taken."""

    count: int


class Heap(msgspec.Struct, frozen=True):
    """This many sticks are left; whose turn it is."""

    left: int
    active: int = 0


class Few:
    """What is alike in all of them: one question at a time, and answers that are numbers."""

    meta = SimpleNamespace(
        slug="few", asks={"take": SimpleNamespace(race=False)}, weights={}, bound=100, bot_version=1, seats=(2, 3)
    )
    bots: ClassVar[dict[str, Any]] = {}
    playout = estimate = end = card = None

    def imagine(self, view: PlayerView, seat: int, chance: Chance) -> Any:
        """Returns the fold: nothing is hidden."""
        return view.fold

    def ask(self, seat: int) -> tuple[Ask, ...]:
        """Returns the only question."""
        return (Ask(seat, f"t{seat}.take", f"t{seat}", "take"),)

    def decide(self, state: Any, seat: int, move: Take, luck: Luck) -> Sequence[Event]:
        """Returns what was taken."""
        return [Taken(move.count)]


class Nim(Few):
    """One heap; one to three sticks a turn, and the player who takes the last one wins."""

    def evolve(self, state: Heap, event: Taken) -> Heap:
        """Returns the smaller heap."""
        return Heap(state.left - event.count, 1 - state.active)

    def pending(self, state: Heap) -> tuple[Ask, ...]:
        """Returns the question to the active seat."""
        return self.ask(state.active) if state.left else ()

    def legal(self, state: Heap, seat: int) -> Sequence[Take]:
        """Returns one to three, as far as there are sticks."""
        asked = state.left and seat == state.active
        return [Take(n) for n in range(1, min(3, state.left) + 1)] if asked else []

    def outcome(self, state: Heap) -> Outcome | None:
        """Returns the player who took the last stick."""
        return None if state.left else Outcome("last", (1 - state.active,))


class Bet(msgspec.Struct, frozen=True):
    """A number from 1 to 10, which seat 0 does not see, and what it said of it: 0 that it is at most 3."""

    number: int | None
    said: int | None = None


class Guess(Few):
    """Seat 0 says whether a hidden number is at most 3 or more, and wins if that is right."""

    def imagine(self, view: PlayerView, seat: int, chance: Chance) -> Bet:
        """Returns the bet with any number."""
        return Bet(1 + chance.below(10), view.fold.said)

    def evolve(self, state: Bet, event: Taken) -> Bet:
        """Returns the bet with what was said."""
        return Bet(state.number, event.count)

    def pending(self, state: Bet) -> tuple[Ask, ...]:
        """Returns the question until it is answered."""
        return self.ask(0) if state.said is None else ()

    def legal(self, state: Bet, seat: int) -> Sequence[Take]:
        """Returns both answers."""
        return [Take(0), Take(1)] if state.said is None and seat == 0 else []

    def outcome(self, state: Bet) -> Outcome | None:
        """Returns seat 0 if it was right, else seat 1."""
        if state.said is None or state.number is None:
            return None
        return Outcome("said", (0,) if (state.number > 3) == bool(state.said) else (1,))


class Favour(msgspec.Struct, frozen=True):
    """Who was handed the choice, and what they chose."""

    handed: int | None = None
    chosen: int | None = None


class Favours(Few):
    """Seat 0 hands the choice to seat 1, who can win alone, or to seat 2, who can share with seat 0 at best.

    Who thinks that everybody plays against them sees no difference.
    """

    def evolve(self, state: Favour, event: Taken) -> Favour:
        """Returns what was handed or chosen."""
        return Favour(event.count) if state.handed is None else Favour(state.handed, event.count)

    def pending(self, state: Favour) -> tuple[Ask, ...]:
        """Returns the question to seat 0, then to the seat that may choose."""
        return self.ask(state.handed or 0) if state.chosen is None else ()

    def legal(self, state: Favour, seat: int) -> Sequence[Take]:
        """Returns the seats, or the two choices."""
        if state.chosen is not None or seat != (state.handed or 0):
            return []
        return [Take(1), Take(2)] if state.handed is None else [Take(0), Take(1)]

    def outcome(self, state: Favour) -> Outcome | None:
        """Returns who wins by the choice."""
        if state.chosen is None:
            return None
        ways = {(1, 0): (0,), (1, 1): (1,), (2, 0): (0, 2), (2, 1): (1,)}
        return Outcome("chosen", ways[state.handed or 0, state.chosen])


class Wide(Favours):
    """Seat 0 hands the choice to seat 1, who has a thousand answers; `tried` are those that were given."""

    def __init__(self, playout: Any = None) -> None:
        self.playout = playout
        self.tried = set[int]()

    def evolve(self, state: Favour, event: Taken) -> Favour:
        """Returns what was handed or chosen."""
        if state.handed is not None:
            self.tried.add(event.count)
        return super().evolve(state, event)

    def legal(self, state: Favour, seat: int) -> Sequence[Take]:
        """Returns the only seat to hand it to, or the thousand answers."""
        return [Take(1)] if state.handed is None else [Take(n) for n in range(1000)]

    def outcome(self, state: Favour) -> Outcome | None:
        """Returns seat 1, once it has answered."""
        return None if state.chosen is None else Outcome("chosen", (1,))


class Race(msgspec.Struct, frozen=True):
    """What was done for a race, and what the die showed."""

    boost: int | None = None
    die: int | None = None


class Boost(Few):
    """A die of twenty faces decides; an answer of 1 wins with one face more than an answer of 0 or 2."""

    def decide(self, state: Any, seat: int, move: Take, luck: Luck) -> Sequence[Event]:
        """Returns the answer, and the die."""
        return [Taken(move.count), Taken(luck.named("die").below(20))]

    def evolve(self, state: Race, event: Taken) -> Race:
        """Returns the race with the answer, then with the die."""
        return Race(event.count) if state.boost is None else Race(state.boost, event.count)

    def pending(self, state: Race) -> tuple[Ask, ...]:
        """Returns the only question."""
        return self.ask(0) if state.boost is None else ()

    def legal(self, state: Race, seat: int) -> Sequence[Take]:
        """Returns the three answers."""
        return [Take(0), Take(1), Take(2)] if state.boost is None and seat == 0 else []

    def outcome(self, state: Race) -> Outcome | None:
        """Returns seat 0 with ten faces, or with eleven."""
        if state.die is None:
            return None
        return Outcome("die", (0,) if state.die < 10 + (state.boost == 1) else (1,))


class Pennies(msgspec.Struct, frozen=True):
    """What both have laid down; None for nothing yet."""

    laid: tuple[int | None, int | None] = (None, None)


class Matching(Few):
    """Both lay a penny at the same time: seat 0 wins if they are alike. A player who sees the other's wins always."""

    def decide(self, state: Any, seat: int, move: Take, luck: Luck) -> Sequence[Event]:
        """Returns the penny, with the seat in tens."""
        return [Taken(10 * seat + move.count)]

    def evolve(self, state: Pennies, event: Taken) -> Pennies:
        """Returns the pennies with this one."""
        first, second = state.laid
        seat, side = divmod(event.count, 10)
        return Pennies((first, side) if seat else (side, second))

    def pending(self, state: Pennies) -> tuple[Ask, ...]:
        """Returns a question to each that has laid nothing."""
        return tuple(Ask(seat, f"t.lay.{seat}", "t", "take") for seat in (0, 1) if state.laid[seat] is None)

    def legal(self, state: Pennies, seat: int) -> Sequence[Take]:
        """Returns the two sides."""
        return [Take(0), Take(1)] if state.laid[seat] is None else []

    def outcome(self, state: Pennies) -> Outcome | None:
        """Returns seat 0 if they are alike."""
        if None in state.laid:
            return None
        return Outcome("laid", (0,) if state.laid[0] == state.laid[1] else (1,))


NIM, GUESS, FAVOURS, BOOST, MATCHING = (cast("AnyGame", toy()) for toy in (Nim, Guess, Favours, Boost, Matching))
