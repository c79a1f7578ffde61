"""Whether a comparison of two is decided: two bots at one table, or seat A in two variants.

By the sequential probability ratio test (Wald 1945).
"""

from collections.abc import Iterable, Sequence
from math import log
from typing import Literal

import msgspec

from pbem.features.lab.measures.fairness import victory_shares_of_seat_by_match
from pbem.features.lab.measures.skill import pairwise_results
from pbem.features.lab.plans import Cell, Study
from pbem.features.lab.tallies import Tally

Verdict = Literal["first", "second", "neither", "open"]
"""Who is ahead; `neither`: nobody by as much as was asked; `open`: not decided yet."""
MARGIN = 0.05
"""Who is ahead wins at least 55 of 100 that one of the two wins, if nobody says another margin."""
ERROR = 0.05
"""The greatest chance to say that somebody is ahead who is not, or not to say it of somebody who is."""


class Sequential(msgspec.Struct):
    """Two tests at once: whether the first is ahead of the second, and the second of the first.

    Each compares the even chance with one of 0.5 + `margin`. A result is 1 if the first won, 0 if the second did,
    between them if both did; what neither won tells nothing.
    """

    margin: float = MARGIN
    ahead: float = 0.0
    behind: float = 0.0
    settled: Verdict = "open"
    results: int = 0

    def add_results(self, results: Iterable[float]) -> None:
        """Takes results in, in their order, until it is decided."""
        gain, loss = log((0.5 + self.margin) / 0.5), log((0.5 - self.margin) / 0.5)
        for won in results:
            if self.settled != "open":
                return
            self.results += 1
            self.ahead += won * gain + (1 - won) * loss
            self.behind += won * loss + (1 - won) * gain
            self.settled = self._current_verdict()

    def _current_verdict(self) -> Verdict:
        upper, lower = log((1 - ERROR) / ERROR), log(ERROR / (1 - ERROR))
        if self.ahead >= upper:
            return "first"
        if self.behind >= upper:
            return "second"
        return "neither" if self.ahead <= lower and self.behind <= lower else "open"


class NotTwo(ValueError):
    """The study does not compare two."""


class Decision:
    """Looks at the tallies of the cells that compare two, and says when they suffice."""

    def __init__(self, study: Study, margin: float = MARGIN) -> None:
        """Raises NotTwo unless it compares two bots, or two variants of one bot, at one number of seats."""
        purpose = "ladder" if len(study.bots) == 2 else "alike"
        sides = (len(study.seats), len(study.bots), len(study.variants))
        if sides not in ((1, 2, 1), (1, 1, 2)):
            raise NotTwo
        self.cells: Sequence[Cell] = [cell for cell in study.cells() if cell.purpose == purpose]
        """What has to be played for it."""
        self._test = Sequential(margin)
        self._taken = 0

    def is_decided_after_adding(self, tallies: Sequence[Tally]) -> bool:
        """Returns whether these tallies of its cells, which go on from those seen before, decide it."""
        results = self._results_of_tallies(tallies)
        self._test.add_results(results[self._taken :])
        self._taken = len(results)
        return self._test.settled != "open"

    def _results_of_tallies(self, tallies: Sequence[Tally]) -> list[float]:
        if len(tallies) == 1:
            return [won for _, _, won in pairwise_results(self.cells[0].plan, tallies[0])]
        pairs = zip(*(victory_shares_of_seat_by_match(tally, 0) for tally in tallies), strict=False)
        return [float(one > other) for one, other in pairs if one != other]

    @property
    def verdict_with_match_count(self) -> tuple[Verdict, int]:
        """Returns how it has ended, and after how many matches that told one from the other."""
        return self._test.settled, self._test.results
