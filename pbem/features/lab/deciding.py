"""Whether a comparison of two is decided: two bots at one table, or seat A in two variants."""

from collections.abc import Sequence

from pbem.features.lab.measures.fairness import share_of_seat
from pbem.features.lab.measures.sequential import MARGIN, Sequential, Verdict
from pbem.features.lab.measures.skill import results_of
from pbem.features.lab.study import Cell, Study
from pbem.features.lab.tallies import Tally


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

    def settled(self, tallies: Sequence[Tally]) -> bool:
        """Returns whether these tallies of its cells, which go on from those seen before, decide it."""
        results = self._results(tallies)
        self._test.add(results[self._taken :])
        self._taken = len(results)
        return self._test.settled != "open"

    def _results(self, tallies: Sequence[Tally]) -> list[float]:
        if len(tallies) == 1:
            return [won for _, _, won in results_of(self.cells[0].plan, tallies[0])]
        pairs = zip(*(share_of_seat(tally, 0) for tally in tallies), strict=False)
        return [float(one > other) for one, other in pairs if one != other]

    @property
    def verdict(self) -> tuple[Verdict, int]:
        """Returns how it has ended, and after how many matches that told one from the other."""
        return self._test.settled, self._test.results
