"""Plans of simulations: which matches are played, by whom, and with which luck; a study has one for each question.

A plan determines its matches completely: equal plans result in equal matches, whatever process plays them.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import product
from math import factorial
from typing import Any, Literal

import msgspec

from pbem.games import slow_bots
from pbem.kit.bots import RANDOM
from pbem.kit.choices import nth_arrangement

NONE, TYPICAL, PLANNER = "none", "typical", "planner"
ORDERS = (NONE, TYPICAL, PLANNER)
"""What a seat orders: nothing, what the game's typical person does, or that and likely lines."""

Purpose = Literal["alike", "ladder", "restricted", "by_hand"]
"""What the matches of a plan are for.

alike       the same bot has all seats: who wins then, is not due to the players
ladder      all bots at one table, in every order
restricted  as alike, but one seat plays without something
by_hand     as alike, but nobody leaves orders
"""


class Plan(msgspec.Struct, frozen=True):
    """Which matches to play: the number of seats, the bots and the seed.

    `bots` names the bot of each seat, repeated from the start if there are fewer bots than seats; so does `orders`.
    `rotated`: each match seats the bots in another order, until all orders have come. `without`: the seat whose number
    is that of the match, counted round the table, plays no move of these kinds or prefixes. `closely`: choices, parts
    and the course of each match are recorded, too.
    """

    game: str
    seats: int
    seed: str
    bots: tuple[str, ...] = (RANDOM,)
    options: dict[str, Any] = {}
    orders: tuple[str, ...] = (NONE,)
    rotated: bool = False
    without: tuple[str, ...] = ()
    closely: bool = False

    @property
    def has_bots_that_think(self) -> bool:
        """Returns whether any of its bots may think for a while, so that a match takes long."""
        return not set(self.bots).isdisjoint(slow_bots())

    def bots_of_match(self, number: int = 0) -> tuple[str, ...]:
        """Returns the names of the bots in a match, in seat order.

        >>> Plan("hogen", 4, "", ("greedy", "random")).bots_of_match()
        ('greedy', 'random', 'greedy', 'random')
        >>> [Plan("hogen", 3, "", ("a", "b", "c"), rotated=True).bots_of_match(number) for number in range(4)]
        [('a', 'b', 'c'), ('c', 'a', 'b'), ('b', 'c', 'a'), ('a', 'c', 'b')]
        """
        if not self.rotated:
            return tuple(self.bots[seat % len(self.bots)] for seat in range(self.seats))
        width = max(self.seats, len(self.bots))
        group, turn = divmod(number, width)
        # Each order round the table in turn, and before the next one each way to turn it.
        first, order = divmod(group, factorial(width - 1))
        around = nth_arrangement([self.bots[(first + at) % len(self.bots)] for at in range(width)], width, order)
        return (around[width - turn :] + around[: width - turn])[: self.seats]

    def orders_of(self, seat: int) -> str:
        """Returns what the seat orders."""
        return self.orders[seat % len(self.orders)]

    def name_in_counts(self, seat: int, number: int = 0) -> str:
        """Returns the name under which the seat's victories are counted: its bot, and what it orders if not all do."""
        bot = self.bots_of_match(number)[seat]
        return bot if len(set(self.orders)) == 1 else f"{bot}, orders {self.orders_of(seat)}"

    def seat_barred_from_moves(self, number: int) -> int | None:
        """Returns the seat that plays `without` something in this match; None if none does."""
        return number % self.seats if self.without else None


class Chunk(msgspec.Struct, frozen=True):
    """The matches of a plan with numbers from `first` up to but not including `beyond`."""

    plan: Plan
    first: int
    beyond: int


def chunks_of_plans_in_turn(plans: Sequence[Plan], matches: int, size: int) -> Iterator[tuple[int, Chunk]]:
    """Yields the chunks of all plans with the number of their plan, one of each in turn.

    Anyone who stops early has as many matches of one plan as of another.

    >>> [(which, c.first) for which, c in chunks_of_plans_in_turn([Plan("hogen", 3, ""), Plan("hogen", 4, "")], 30, 20)]
    [(0, 0), (1, 0), (0, 20), (1, 20)]
    """
    for first in range(0, matches, size):
        for which, plan in enumerate(plans):
            yield which, Chunk(plan, first, min(first + size, matches))


def seed_of_match(seed: bytes, seats: int, number: int) -> bytes:
    """Returns the seed of one match of a simulation, different for every match number and number of seats.

    Neither bots nor options change it: matches of two plans with the same number are dealt the same.
    """
    return sha256(b"pbem simulate|%b|%d|%d" % (seed, seats, number)).digest()


class Variant(msgspec.Struct, frozen=True):
    """Options of the game, and how they are called beside others."""

    name: str
    options: dict[str, Any]


class Cell(msgspec.Struct, frozen=True):
    """A plan of a study, what it is for, and which bot and variant it is of; `bot` is "" on a ladder."""

    purpose: Purpose
    bot: str
    variant: str
    plan: Plan


class Study(msgspec.Struct, frozen=True):
    """What is looked at: numbers of seats, bots and variants. All matches of a number are dealt the same."""

    game: str
    seats: tuple[int, ...]
    seed: str
    bots: tuple[str, ...]
    variants: tuple[Variant, ...] = (Variant("", {}),)
    orders: tuple[str, ...] = (NONE,)
    without: tuple[str, ...] = ()

    def cells(self) -> tuple[Cell, ...]:
        """Returns the plans: each question for each number of seats and variant."""
        return tuple(
            cell
            for seats, variant in product(self.seats, self.variants)
            for cell in self._cells_of_variant(seats, variant)
        )

    def _cells_of_variant(self, seats: int, variant: Variant) -> list[Cell]:
        found = []
        for bot in self.bots:
            alike = Plan(self.game, seats, self.seed, (bot,), variant.options, self.orders, closely=True)
            plain = msgspec.structs.replace(alike, closely=False)
            found.append(Cell("alike", bot, variant.name, alike))
            if self.without:
                found.append(
                    Cell("restricted", bot, variant.name, msgspec.structs.replace(plain, without=self.without))
                )  # fmt: skip
            if set(self.orders) != {NONE}:
                found.append(Cell("by_hand", bot, variant.name, msgspec.structs.replace(plain, orders=(NONE,))))
        if len(self.bots) > 1:
            ladder = Plan(self.game, seats, self.seed, self.bots, variant.options, self.orders, rotated=True)
            found.append(Cell("ladder", "", variant.name, ladder))
        return found


def variants_of_options(options: dict[str, Any], vary: dict[str, list[Any]]) -> tuple[Variant, ...]:
    """Returns the options with each combination of the values that are to be tried.

    >>> [variant.name for variant in variants_of_options({}, {"target": [1, 2], "open": [True]})]
    ['target 1, open true', 'target 2, open true']
    """
    if not vary:
        return (Variant("", options),)
    found = []
    for values in product(*vary.values()):
        chosen = dict(zip(vary, values, strict=True))
        name = ", ".join(
            f"{option} {value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
            for option, value in chosen.items()
        )
        found.append(Variant(name, {**options, **chosen}))
    return tuple(found)
