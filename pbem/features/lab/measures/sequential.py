"""When a comparison of two is decided: the sequential probability ratio test (Wald 1945)."""

from collections.abc import Iterable
from math import log
from typing import Literal

import msgspec

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

    def add(self, results: Iterable[float]) -> None:
        """Takes results in, in their order, until it is decided."""
        gain, loss = log((0.5 + self.margin) / 0.5), log((0.5 - self.margin) / 0.5)
        for won in results:
            if self.settled != "open":
                return
            self.results += 1
            self.ahead += won * gain + (1 - won) * loss
            self.behind += won * loss + (1 - won) * gain
            self.settled = self._verdict()

    def _verdict(self) -> Verdict:
        upper, lower = log((1 - ERROR) / ERROR), log(ERROR / (1 - ERROR))
        if self.ahead >= upper:
            return "first"
        if self.behind >= upper:
            return "second"
        return "neither" if self.ahead <= lower and self.behind <= lower else "open"
