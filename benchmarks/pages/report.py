"""What a visit measured, beside the bars, as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import median

KINDS = ("page", "style", "script", "font", "other")


@dataclass(frozen=True)
class Visit:
    """What one visit measured: times in seconds, bytes over the wire by kind, headers included."""

    first_paint_s: float
    largest_paint_s: float
    blocked_s: float
    """The part of each long task beyond 50 ms, summed: Lighthouse's total blocking time."""
    shift: float
    requests: int
    bytes_of: Mapping[str, int]

    @property
    def kb(self) -> float:
        """All bytes, in KB of 1,024."""
        return sum(self.bytes_of.values()) / 1024


BARS = {"first_paint_s": 1.8, "largest_paint_s": 2.5, "shift": 0.05, "kb": 150.0}
"""1.8 s and 2.5 s are what web.dev calls good for FCP and LCP (its bar for CLS is 0.1); the others are our own."""


def bars_missed(visit: Visit) -> list[str]:
    """Returns the names of the bars that the visit misses."""
    return [name for name, bar in BARS.items() if getattr(visit, name) > bar]


def median_visit(visits: Sequence[Visit]) -> Visit:
    """Returns the median of each figure."""
    figures = {
        field.name: median(getattr(visit, field.name) for visit in visits)
        for field in fields(Visit)
        if field.name not in ("bytes_of", "requests")
    }
    bytes_of = {kind: int(median(visit.bytes_of.get(kind, 0) for visit in visits)) for kind in KINDS}
    return Visit(requests=int(median(visit.requests for visit in visits)), bytes_of=bytes_of, **figures)


def table_of_visits(visits: Sequence[tuple[str, Visit]]) -> str:
    """Returns the visits as a table, with the bars as its second line."""
    cells = [
        ("page", "FCP", "LCP", "blocked", "CLS", "KB", "met", "requests", *(f"{kind} KB" for kind in KINDS)),
        ("bar", "1.8 s", "2.5 s", "", "0.05", "150", *("",) * 7),
    ]
    for name, one in visits:
        said = ("yes",) if not bars_missed(one) else ("NO",)
        cells.append((
            name, f"{one.first_paint_s:.2f} s", f"{one.largest_paint_s:.2f} s", f"{one.blocked_s * 1000:.0f} ms",
            f"{one.shift:.3f}", f"{one.kb:.0f}", *said, str(one.requests),
            *(f"{one.bytes_of.get(kind, 0) / 1024:.0f}" for kind in KINDS),
        ))  # fmt: skip
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in cells
    )
