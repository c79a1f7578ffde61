"""The measured figures beside the bars, as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Row:
    """One bar: the figure, its limit, and the reference measured in the same run."""

    what: str
    value: float
    bar: float
    unit: str
    sense: Literal[">=", "<="]
    note: str = ""
    peer: str = ""
    """What a comparable service was measured at, and where that is written."""

    @property
    def is_met(self) -> bool:
        """Whether the bar is met."""
        return self.value >= self.bar if self.sense == ">=" else self.value <= self.bar


def table_of_rows(rows: Sequence[Row]) -> str:
    """Returns the rows as a table."""
    cells = [("what", "measured", "bar", "met", "peer", "beside")]
    cells += [
        (row.what, f"{_number_in_words(row.value)} {row.unit}", f"{row.sense} {_number_in_words(row.bar)}",
        "yes" if row.is_met else "NO",
         row.peer, row.note)
        for row in rows
    ]  # fmt: skip
    widths = [max(len(line[i]) for line in cells) for i in range(5)]
    return "\n".join(
        f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d:<{widths[3]}}  {e:>{widths[4]}}  {f}".rstrip()
        for a, b, c, d, e, f in cells
    )


def markdown_of_rows(rows: Sequence[tuple[str, Row]], peer: str) -> str:
    """Returns rows and the commands that measure them as a table of Markdown, beside what this peer was measured at."""
    lines = [("figure", "measured by", peer, "here", "goal", "", "rounds"), ("---",) * 7]
    signs = {"<=": "≤", ">=": "≥"}
    lines += [
        (row.what, f"`{command}`", row.peer, f"{_number_in_words(row.value)} {row.unit}".strip(),
         f"{signs[row.sense]} {_number_in_words(row.bar)}",
         "met" if row.is_met else "missed", row.note)
        for command, row in rows
    ]  # fmt: skip
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number_in_words(value: float) -> str:
    if value == float("inf"):
        return "any"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def percentile(share: float, values: Sequence[float]) -> float:
    """Returns the value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
