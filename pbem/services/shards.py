"""Shares of all matches, so that several workers sweep side by side.

A match's id begins at random, so equal ranges of ids are equal shares, and no column is needed. A share only spreads
the work: what is found is claimed by a conditional UPDATE all the same, so shares may overlap, as they do for a moment
after a host has changed their number.
"""

from dataclasses import dataclass
from typing import Any

DIGITS = 4
"""How many of the id's hexadecimal digits divide the shares: there may be 65,536."""


@dataclass(frozen=True)
class Shard:
    """One of this many equal shares, counted from 0."""

    number: int = 0
    of: int = 1

    @property
    def lowest_id(self) -> str | None:
        """The lowest id of the share; None if it has no lower bound.

        >>> [Shard(number, 3).lowest_id for number in range(3)]
        [None, '5555', 'aaaa']
        """
        return f"{16**DIGITS * self.number // self.of:0{DIGITS}x}" if self.number else None

    @property
    def id_above_highest(self) -> str | None:
        """The id above its highest; None if it has no upper bound."""
        return Shard(self.number + 1, self.of).lowest_id if self.number + 1 < self.of else None

    def match_conditions(self, match_id: Any) -> tuple[Any, ...]:
        """Returns the SQL conditions on the column of a match's id; none if the share is everything.

        Each id is in exactly one of the shares, whatever it looks like.
        """
        low = () if self.lowest_id is None else (match_id >= self.lowest_id,)
        return low if self.id_above_highest is None else (*low, match_id < self.id_above_highest)

    def player_conditions(self, player_id: Any) -> tuple[Any, ...]:
        """Returns the SQL conditions on the column of a player's id, a number."""
        return () if self.of == 1 else (player_id % self.of == self.number,)


ALL = Shard()
