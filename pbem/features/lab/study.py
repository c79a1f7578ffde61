"""A study of a game: the plans that it consists of, one for each question."""

from itertools import product
from typing import Any, Literal

import msgspec

from pbem.features.lab.plans import NONE, Plan

Purpose = Literal["alike", "ladder", "restricted", "by_hand"]
"""What the matches of a plan are for.

alike       the same bot has all seats: who wins then, is not due to the players
ladder      all bots at one table, in every order
restricted  as alike, but one seat plays without something
by_hand     as alike, but nobody leaves orders
"""


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
            cell for seats, variant in product(self.seats, self.variants) for cell in self._cells(seats, variant)
        )

    def _cells(self, seats: int, variant: Variant) -> list[Cell]:
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


def varied(options: dict[str, Any], vary: dict[str, list[Any]]) -> tuple[Variant, ...]:
    """Returns the options with each combination of the values that are to be tried.

    >>> [variant.name for variant in varied({}, {"target": [1, 2], "open": [True]})]
    ['target 1, open true', 'target 2, open true']
    """
    if not vary:
        return (Variant("", options),)
    found = []
    for values in product(*vary.values()):
        chosen = dict(zip(vary, values, strict=True))
        name = ", ".join(f"{option} {_written(value)}" for option, value in chosen.items())
        found.append(Variant(name, {**options, **chosen}))
    return tuple(found)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
