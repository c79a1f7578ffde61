"""The report of a run: what happened, how long recovery took, and whether every check passed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tests.chaos.evidence import Looked

SHOWN = 6
"""The number of sentences that the report prints for a failed check."""


@dataclass(frozen=True)
class Report:
    """One run."""

    title: str
    faults: Counter[str]
    figures: Sequence[tuple[str, str]]
    recovered: Sequence[tuple[str, float]]
    checks: Sequence[Looked]

    @property
    def ok(self) -> bool:
        """True if every check passed."""
        return not any(check.wrong for check in self.checks)

    def __str__(self) -> str:
        back = defaultdict[str, list[float]](list)
        for part, seconds in self.recovered:
            back[part].append(seconds)
        faults = [(what, str(count)) for what, count in sorted(self.faults.items())]
        slowest = [(f"{part}, {len(times)} times", f"{max(times):.1f} s") for part, times in sorted(back.items())]
        lines = [self.title]
        lines += _lines_of_block("faults", [*faults, ("all", str(self.faults.total()))])
        lines += _lines_of_block("figures", self.figures)
        lines += _lines_of_block("slowest to work again after its start", slowest)
        verdicts = [(c.what, f"{c.count:>6}  {f'FAILED {len(c.wrong)}' if c.wrong else 'ok'}") for c in self.checks]
        lines += _lines_of_block("checks: looked at, verdict", verdicts)
        for check in self.checks:
            lines += [f"  {check.what}: {sentence}" for sentence in check.wrong[:SHOWN]]
        return "\n".join(lines)


def _lines_of_block(title: str, rows: Sequence[tuple[str, str]]) -> list[str]:
    width = max((len(name) for name, _ in rows), default=0)
    return ["", title, *(f"  {name:<{width}}  {value}" for name, value in rows)]
