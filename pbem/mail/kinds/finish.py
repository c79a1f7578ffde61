"""A season is over: the standings, who moves, and the next season."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, Self

from pbem.mail.letters import Kind, SeasonLetter
from pbem.mail.parts import SeasonRow


@dataclass(frozen=True, kw_only=True)
class Finish(SeasonLetter):
    """The standings of the reader's division, which has `of` rows, at the end of the season. `rows` may be fewer.

    `moves` says whether they go up, down or stay. `next_at` is when the next season begins, None if there is none;
    `next_url` then enters it, None once they have entered it.
    """

    kind = "finish"
    lists = ("rows",)

    division: int
    divisions: int
    rows: tuple[SeasonRow, ...]
    of: int
    entry_url: str
    """Opens the reader’s own page of the season."""
    moves: Literal["up", "down", "stays"]
    unfinished: int
    """How many of the reader's matches were not over."""
    next_at: datetime | None = None
    next_url: str | None = None

    def with_fewer(self, most: int) -> Self:
        """Returns the letter with at most so many rows, the reader's own among them."""
        rows = self.rows[:most]
        if self.own is not None and self.own not in rows:
            rows = (*rows[:-1], self.own)
        return replace(self, rows=rows)

    def count_left_out(self, name: str) -> int:
        """Returns how many rows of the division are missing."""
        return max(0, self.of - len(self.rows))

    @property
    def own(self) -> SeasonRow | None:
        """The reader's row; None if they have none."""
        return next((row for row in self.rows if row.own), None)


KIND = Kind(Finish)
"""The mail with the final standings of a season."""
